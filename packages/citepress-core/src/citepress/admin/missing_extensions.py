"""Hints on names that only an extension knows, which the last edition was made with and which is not installed."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from citepress.content.archive_reader import NOT_A_KIND
from citepress.content.validation_messages import NOT_A_KEY
from citepress.contract.fault import BAD_SITE, UNKNOWN_FOLDER, Fault
from citepress.edition.edition import missing_extensions, pointer
from citepress.extension import NEEDS_EXTENSION


def with_missing_extensions(faults: Iterable[Fault], outputs: Iterable[Path]) -> tuple[Fault, ...]:
    """The faults; those of unknown folders and settings say which extensions the editions of ``outputs`` needed."""
    given = tuple(faults)
    if not any(map(_may_be_of_an_extension, given)):
        return given
    missing = sorted({words for output in outputs for words in missing_extensions(pointer(output))})
    if not missing:
        return given
    hint = f"the last edition was made with {' and '.join(missing)}"
    return tuple(
        replace(fault, hint=f"{hint}; {fault.hint}") if _may_be_of_an_extension(fault) else fault for fault in given
    )


def _may_be_of_an_extension(fault: Fault) -> bool:
    unknown = fault.message == NOT_A_KIND if fault.code is UNKNOWN_FOLDER else fault.message.endswith(NOT_A_KEY)
    return fault.code in (UNKNOWN_FOLDER, BAD_SITE) and unknown and not fault.hint.startswith(NEEDS_EXTENSION)
