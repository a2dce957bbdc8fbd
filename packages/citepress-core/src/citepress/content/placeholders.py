"""Texts that ``citepress new`` writes and that an author has to replace before a record is published."""

from collections.abc import Iterator, Mapping

from citepress.content.source_map import SourceFile
from citepress.content.validation_messages import dotted
from citepress.contract.fault import PLACEHOLDER, Fault
from citepress.contract.refs import Location

SUMMARY = "One or two sentences that can be quoted on their own."
TEXT_PLACEHOLDER = "To be written."
"""Followed by dots where the text has to be longer."""


def placeholder_faults(raw: Mapping[str, object], source_file: SourceFile) -> Iterator[Fault]:
    """A fault for each value of a front matter that still says what ``citepress new`` wrote."""
    written = repr(raw)
    if SUMMARY not in written and TEXT_PLACEHOLDER not in written:
        return
    for location in _locations(raw, ()):
        message = f"{dotted(location)}: the text that `citepress new` wrote is still there"
        yield Fault.at(PLACEHOLDER, source_file.locate(location), message, "write it, or keep `draft: true`")


def _locations(value: object, at: Location) -> Iterator[Location]:
    if isinstance(value, str):
        if value == SUMMARY or (
            value.startswith(TEXT_PLACEHOLDER) and not value.removeprefix(TEXT_PLACEHOLDER).strip(".")
        ):
            yield at
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _locations(item, (*at, str(key)))
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _locations(item, (*at, place))
