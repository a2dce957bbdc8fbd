"""Accepting a submission: the change to the content file, the credit in it, and the diff that shows both."""

import contextlib
import os
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from difflib import unified_diff
from pathlib import Path
from typing import Any

from citepress.archive.assemble import check
from citepress.archive.model import Archive
from citepress.base.moments import as_moment, day
from citepress.base.text import did_you_mean
from citepress.base.urls import normalise
from citepress.content import draft as drafts
from citepress.content import plain
from citepress.content.draft import Draft
from citepress.content.files import File
from citepress.content.folder import Folder
from citepress.contract.fault import Fault, Level
from citepress.contract.record import Record, SourceInput
from citepress.inbox.patch import Item, Unpatchable, edited
from citepress.inbox.ports import InboxStore, Moved, Status, Step, Stored
from citepress.inbox.review import ReviewError, everything, found, history, move
from citepress.kinds import ALL as KINDS
from citepress.kinds import REGISTRIES

SERVICE = "citepress"
"""Who a step is by that the service takes itself."""
ANONYMOUS = "a reader's agent"
"""Credit for a submission without a name."""
CREDIT = 400
NOTE = 4000


class AcceptError(ReviewError):
    """The submission cannot be written into the content; the sentence says why and what to do."""


@dataclass(frozen=True, slots=True)
class Change:
    """What an accepted submission adds to a record; remembered with the acceptance."""

    record: str
    list: str
    """``updates`` or ``corrections``: where the dated note and the credit go."""
    date: str
    note: str
    credit: str
    source: str = ""
    """URL that is added to ``sources``, or empty."""

    @property
    def entry(self) -> Item:
        """The dated note as front matter holds it."""
        return {"date": self.date, "note": self.note, "credit": self.credit}


@dataclass(frozen=True, slots=True)
class Patch:
    """A change to one file of the content folder."""

    file: str
    """Path relative to the content folder."""
    before: bytes
    after: bytes
    diff: str
    """Unified diff; empty when the change stands already."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """An accepted submission and what it changed; a usage receipt changes nothing."""

    stored: Stored
    patch: Patch | None


def accept(
    store: InboxStore, folder: Folder, id_: str, by: str, moment: datetime, *, note: str = "", record: str = "", credit: str = ""
) -> Accepted:  # fmt: skip
    """Accept a submission and write its change and credit into the content folder.

    ``note`` is the public sentence of the change (the submission's own words when empty); ``record`` names the record
    where the submission names none; ``credit`` stands in for the agent's name. Accepting an accepted submission again
    writes its change again if it is missing. Nothing is written or recorded when the folder would not pass its checks.
    Raises ``AcceptError``, ``ReviewError``, ``Moved``.
    """
    stored = found(store, id_)
    again = stored.status is Status.ACCEPTED
    change = accepted_change(store, stored) if again else change_of(stored, moment, note=note, record=record, credit=credit)
    patch = plan(folder, change) if change else None
    if not again:
        detail = asdict(change) if change else {}
        stored = move(store, stored, Step(by, Status.ACCEPTED, note[:NOTE], detail=detail), moment)
    if patch and patch.diff:
        write(folder.root, patch)
    return Accepted(stored, patch)


def change_of(stored: Stored, moment: datetime, *, note: str = "", record: str = "", credit: str = "") -> Change | None:
    """The change that a submission asks for; ``None`` for a usage receipt, which changes no record."""
    if stored.kind == "usage_receipt":
        return None
    about = record or stored.record
    if not about:
        raise AcceptError(f"submission {stored.id} names no record: say which one takes the source")
    body: Mapping[str, Any] = stored.body
    name = credit or body.get("agent", {}).get("name", "") or ANONYMOUS
    if stored.kind == "source":
        words = note or f"Source added: {body['url']}"
        return Change(about, "updates", day(moment), words[:NOTE], name[:CREDIT], body["url"])
    return Change(about, "corrections", day(moment), (note or body["correction"])[:NOTE], name[:CREDIT])


def accepted_change(store: InboxStore, stored: Stored) -> Change | None:
    """The change that was recorded when the submission was accepted."""
    details = [event.detail for event in history(store, stored.id) if event.to is Status.ACCEPTED]
    return Change(**details[-1]) if details and details[-1] else None


def plan(folder: Folder, change: Change) -> Patch:
    """The patch that makes a change, after checking that the folder would still pass with it."""
    draft = next((one for one in folder.drafts if one.id == change.record), None)
    if draft is None:
        hint = did_you_mean(change.record, (one.id for one in folder.drafts))
        raise AcceptError(f"{change.record!r} is no published record; {hint}".removesuffix("; "))
    path = folder.root / draft.file
    before = path.read_bytes()
    added, replaced = _additions(folder, draft, change)
    try:
        after = edited(before.decode(), added, replaced).encode() if added else before
    except Unpatchable as error:
        raise AcceptError(f"{draft.file}: {error}") from None
    _refuse_faults(folder, draft, after)
    return Patch(draft.file, before, after, _diff(draft.file, before, after))


def _additions(folder: Folder, draft: Draft, change: Change) -> tuple[dict[str, list[Item]], dict[str, str | int]]:
    """What is missing of a change, list by list, and the single keys that have to follow."""
    front = draft.front
    if any((day(one.date), one.note, one.credit) == (change.date, change.note, change.credit) for one in getattr(front, change.list)):
        return {}, {}
    added: dict[str, list[Item]] = {}
    if change.source:
        if normalise(change.source) in _cited(folder, draft):
            raise AcceptError(f"{change.record} cites {change.source} already: decline the submission as already_covered")
        added["sources"] = [{"url": change.source}]
    added[change.list] = [change.entry]
    replaced: dict[str, str | int] = {}
    if front.lastmod and front.lastmod < as_moment(datetime.fromisoformat(change.date)):
        replaced["lastmod"] = change.date
    if front.revision:
        replaced["revision"] = front.revision + 1
    return added, replaced


def _cited(folder: Folder, draft: Draft) -> set[str]:
    """The normal form of every address that the record cites, shared sources included."""
    given = (item.url if isinstance(item, SourceInput) else item for item in draft.front.sources)
    urls = (folder.shared.sources[one].url if one in folder.shared.sources else one for one in given)
    return {normalise(url) for url in urls if "://" in url}


def _refuse_faults(folder: Folder, draft: Draft, after: bytes) -> None:
    """Read the file as it would be, among all the others, and refuse what the checks would not pass."""
    with tempfile.TemporaryDirectory(prefix="citepress-") as name:
        copy = Path(name) / draft.file
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(after)
        stamp = (folder.root / draft.file).stat().st_mtime_ns
        parsed = (plain.parse_note if folder.plain else drafts.parse)(Path(name), File(draft.file, len(after), stamp), draft.kind)
        if parsed.draft is None:
            raise AcceptError(_sentence(parsed.faults))
        others = tuple(parsed.draft if one is draft else one for one in folder.drafts)
        known = {(fault.code, fault.message) for fault in check(folder, KINDS, REGISTRIES)[1]}
        faults = check(replace(folder, drafts=others), KINDS, REGISTRIES)[1]
    if new := tuple(fault for fault in faults if fault.code.level is Level.ERROR and (fault.code, fault.message) not in known):
        raise AcceptError(_sentence(new))


def _sentence(faults: tuple[Fault, ...]) -> str:
    told = "; ".join(f"{fault.place.file}:{fault.place.line} {fault.code.id} {fault.message}" for fault in faults[:5])
    return f"the folder would not pass its checks: {told}"


def _diff(file: str, before: bytes, after: bytes) -> str:
    old, new = (data.decode().splitlines(keepends=True) for data in (before, after))
    return "".join(unified_diff(old, new, f"a/{file}", f"b/{file}"))


def write(root: Path, patch: Patch) -> None:
    """Put the patched file in place of the old one, whole or not at all. Raises ``AcceptError``."""
    path = root / patch.file
    try:
        if path.read_bytes() != patch.before:
            raise AcceptError(f"{patch.file} was changed meanwhile: accept the submission again")
        handle, name = tempfile.mkstemp(prefix=".accept-", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as opened:
                opened.write(patch.after)
                opened.flush()
                os.fsync(opened.fileno())
            Path(name).chmod(path.stat().st_mode)
            Path(name).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as error:
        raise AcceptError(f"{patch.file} cannot be written ({error.strerror}): the submission is accepted, accept it again") from None


def stands_in(record: Record, change: Change) -> bool:
    """Whether a published record shows the dated note and credit of a change."""
    entries = record.corrections if change.list == "corrections" else record.updates
    return any((day(one.date), one.note, one.credit) == (change.date, change.note, change.credit) for one in entries)


def credit_published(store: InboxStore, archive: Archive, moment: datetime) -> tuple[Stored, ...]:
    """Mark every accepted submission as credited whose change the published archive shows; call it after a build."""
    credited = []
    for stored in list(everything(store, (Status.ACCEPTED,))):
        change = accepted_change(store, stored)
        entry = archive.entry(change.record) if change else None
        if change and entry and stands_in(entry.record, change):
            step = Step(SERVICE, Status.CREDITED, credited_in=entry.record.canonical_url)
            with contextlib.suppress(Moved):
                credited.append(move(store, stored, step, moment))
    return tuple(credited)
