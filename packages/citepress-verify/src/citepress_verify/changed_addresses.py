"""Which public addresses changed since an edition of this machine: what publishing the content now would change too."""

import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from citepress.admin.build import BUILD_LOCK_WAIT_S, Builder, separate_output
from citepress.admin.public_address import has_public_address
from citepress.admin.state_folders import EXPORT, PUBLISHED_FOLDER
from citepress.base.errors import CitepressError
from citepress.base.folder_lock import exclusive
from citepress.base.timestamps import as_moment, rfc3339
from citepress.edition.announced import announced_pages
from citepress.edition.edition import POINTER, Edition, open_edition, pointer
from citepress.edition.former import SUFFIX, read_pointer
from citepress.edition.pack import PackError
from citepress.history.edition_journal import EditionJournal, JournaledEdition
from citepress.settings import Settings, deployment_of, keep_deployment

TRIAL = "diff"
"""Folder in the state folder for the edition that ``citepress diff`` compares with."""
LINK_ATTEMPTS = 5
"""How often an edition is linked anew that another process replaced meanwhile."""
_NUMBER = re.compile(r"[0-9]{1,15}")


class UnknownEditionError(CitepressError):
    """What was published then is not remembered; the sentence says what is."""


class AddressChange(StrEnum):
    """What happened at an address."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class ChangedAddress:
    """An address that differs from what it was."""

    path: str
    change: AddressChange
    announced: bool
    """Whether ``citepress ping`` tells of it as a page, where it told everything before."""


@dataclass(frozen=True, slots=True)
class AddressDifference:
    """What changed since an edition."""

    since: JournaledEdition
    base_url: str
    digest: str
    """Of the edition of the content now."""
    addresses: Sequence[ChangedAddress]


def changed_addresses(
    settings: Settings, since: str | None, moment: datetime, waiting: Callable[[str], object]
) -> AddressDifference:
    """What changed since an edition, the last one that was made if none is named, up to the content as it is now.

    ``since`` is a date, a time or the number of an edition. Raises ``UnknownEditionError``, and ``Faults`` where the
    content cannot be built.
    """
    output, exported = _output(settings)
    editions = EditionJournal(output).editions()
    begin = _place(editions, since, moment, output)
    with _trial(settings, output, waiting, exported=exported) as builder:
        last = open_edition(pointer(builder.output))
        if last.digest != editions[-1].digest:
            raise UnknownEditionError(f"the last edition in {output} is not remembered: make it anew by publishing")
        built = builder.ensure(moment)
        edition = open_edition(built.pointer)
        replaced = {} if built.printed is None else built.printed.replaced
        if replaced is None:
            raise UnknownEditionError(f"the last edition in {output} cannot be read: make it anew by publishing")
        pages = set(announced_pages(last))
    digests = dict(replaced)
    for later in reversed(editions[begin + 1 :]):
        digests.update(later.replaced or {})
        pages = pages - {*later.listed} | {*later.unlisted}
    addresses = tuple(_compared(digests, pages, edition))
    return AddressDifference(editions[begin], edition.config.base_url, edition.digest, addresses)


def _compared(before: Mapping[str, str], pages: set[str], edition: Edition) -> Iterator[ChangedAddress]:
    """The addresses of ``before`` that differ; ``pages`` are those that were listed then."""
    listed = announced_pages(edition)
    for path, digest in sorted(before.items()):
        now = (edition.meta(path) or {}).get("etag", "")
        if now != digest:
            change = AddressChange.ADDED if not digest else AddressChange.CHANGED if now else AddressChange.REMOVED
            announced = (digest if path in pages else "") != listed.get(path, "")
            yield ChangedAddress(path, change, announced)


def _output(settings: Settings) -> tuple[Path, bool]:
    """The folder whose editions are meant, and whether they are for a host of files.

    That of ``citepress publish``, else that of ``citepress serve``, else that of ``citepress build``.
    """
    published, exported = settings.state / PUBLISHED_FOLDER, separate_output(settings, EXPORT)
    if any(edition.numbers for edition in EditionJournal(published).editions()):
        return published, False
    for output in (settings.state, exported, published):
        if EditionJournal(output).exists():
            return output, output == exported
    raise UnknownEditionError(
        f"{settings.state} remembers no edition: citepress serve, publish or build makes the first one"
    )


def _place(editions: Sequence[JournaledEdition], since: str | None, moment: datetime, output: Path) -> int:
    """The place of the edition that was current then."""
    if since is None:
        return len(editions) - 1
    if _NUMBER.fullmatch(since):
        number = int(since)
        places = [place for place, edition in enumerate(editions) if number in edition.numbers]
        if places:
            return places[-1]
        numbers = sorted(number for edition in editions for number in edition.numbers)
        there = (
            f"it remembers {numbers[0]} to {numbers[-1]}"
            if numbers
            else "none was published from here, so name a date or a time"
        )
        raise UnknownEditionError(f"{output} remembers no edition {since}: {there}")
    try:
        then = as_moment(datetime.fromisoformat(since))
    except (ValueError, OverflowError):
        raise UnknownEditionError(
            f"--since {since}: write a date (2026-11-01), a time (2026-11-01T12:00:00Z) or the number of an edition"
        ) from None
    if then > moment:
        raise UnknownEditionError(f"--since {since} lies in the future")
    if then < editions[0].at:
        raise UnknownEditionError(
            f"{output} remembers editions from {rfc3339(editions[0].at)} on: what was published at {since} is unknown"
        )
    return max(place for place, edition in enumerate(editions) if edition.at <= then)


@contextmanager
def _trial(settings: Settings, output: Path, waiting: Callable[[str], object], *, exported: bool) -> Iterator[Builder]:
    """A builder of what publishing now would give, which begins with the last edition of an output."""
    folder = settings.state / TRIAL
    with exclusive(folder, BUILD_LOCK_WAIT_S, waiting):
        _link(pointer(output).parent, pointer(folder).parent)
        keep_deployment(folder, deployment_of(pointer(output)))
        config = open_edition(pointer(folder)).config
        settings = replace(settings, drafts=config.drafts)
        if not has_public_address(settings):
            settings = replace(settings, base_url=config.base_url)  # that of the server which made the edition
        try:
            yield Builder(settings, folder, exported=exported, lasting=False, trial=True)
        finally:
            shutil.rmtree(pointer(folder).parent, ignore_errors=True)


def _link(edition: Path, folder: Path) -> None:
    """Make a folder hold an edition, without a copy of its files. Raises ``PackError`` and ``OSError``."""
    for attempt in range(1, LINK_ATTEMPTS + 1):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        pointed = read_pointer(edition)
        try:
            for name in pointed["layers"]:
                for file in (edition / name, (edition / name).with_suffix(SUFFIX)):
                    os.link(file, folder / file.name)
            shutil.copyfile(edition / POINTER, folder / POINTER)
        except (KeyError, FileNotFoundError):
            if attempt == LINK_ATTEMPTS:
                raise PackError(f"there is no complete edition in {edition}") from None
        else:
            if read_pointer(folder) == pointed:
                return
