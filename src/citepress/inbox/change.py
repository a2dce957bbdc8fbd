"""What an accepted submission changes in its record, and what the moderator decides of it."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from citepress.base.text import bounded
from citepress.base.timestamps import day
from citepress.base.urls import untracked
from citepress.inbox.passage import Edit, Passage, PassageError, edits, field, passages
from citepress.inbox.patch import Item
from citepress.inbox.ports import StoredSubmission
from citepress.inbox.review import ReviewError

ANONYMOUS = "a reader's agent"
"""Credit for a submission without a name."""
CREDIT = 400
NOTE = 4000
QUOTED = 400
"""Characters of a passage that the note on its change repeats."""
LISTS = {"source": "updates", "correction": "corrections", "usage_receipt": "credits"}
"""The list of front matter that each kind of submission is credited in."""
USED = "An agent reported what it used this record for."
WAYS = (
    "say what stands there from now on with --replace WORDS or --edit, take the proposed words as they are with --as-proposed, "
    "or leave the text as it is with --note-only and a --note"
)


class AcceptError(ReviewError):
    """The submission cannot be written into the content; the sentence says why and what to do."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What the moderator says when accepting."""

    note: str = ""
    """The public sentence of the change; a neutral one stands in for it."""
    record: str = ""
    """The record that takes the source, where the submission names none."""
    credit: str = ""
    """Who is credited, instead of the agent's name."""
    replace: str | None = None
    """The words that stand in place of the passage from now on."""
    passage: str = ""
    """The passage as the record has it, where the submission does not quote it."""
    at: tuple[str, ...] = ()
    """Which places, where the words stand at several, or a field; ``every`` for all."""
    as_proposed: bool = False
    """Whether the submission's own words take the passage's place."""
    note_only: bool = False
    """Whether a correction leaves the text as it is."""
    evidence: bool = True
    """Whether the evidence of a correction becomes sources of the record."""


PLAIN = Decision()
"""Accepting without a word."""


@dataclass(frozen=True, slots=True)
class ContentChange:
    """What an accepted submission adds to a record; remembered with the acceptance."""

    record: str
    list: str
    """``updates``, ``corrections`` or ``credits``: where the dated note and the credit go."""
    date: str
    note: str
    credit: str
    source: str = ""
    """URL that is added to ``sources``, or empty."""
    submission: str = ""
    """Id of the submission, by which its credit is found again whatever becomes of the note."""
    evidence: tuple[str, ...] = ()
    """URLs that are added to ``sources`` unless the record cites them already."""
    edits: tuple[Edit, ...] = ()
    """Changes to the record's words."""

    @property
    def entry(self) -> Item:
        """The dated note as front matter holds it."""
        members = {"date": self.date, "note": self.note, "credit": self.credit, "submission": self.submission}
        return {name: value for name, value in members.items() if value}

    @property
    def detail(self) -> dict[str, Any]:
        """The change as the history keeps it, JSON-ready."""
        return asdict(self)


def remembered(detail: Mapping[str, Any]) -> ContentChange:
    """The change that ``ContentChange.detail`` tells, as the history gives it back."""
    told = dict(detail)
    told["evidence"] = tuple(told.get("evidence", ()))
    told["edits"] = tuple(Edit(**one) for one in told.get("edits", ()))
    return ContentChange(**told)


def record_of(stored: StoredSubmission, decision: Decision) -> str:
    """The id of the record that takes the change. Raises ``AcceptError`` where none is named."""
    about = decision.record or stored.record
    if not about:
        raise AcceptError(f"submission {stored.id} names no record: say which one takes it with --record")
    return about


def change_of(stored: StoredSubmission, moment: datetime, decision: Decision, text: str) -> ContentChange:
    """The change that a submission and the moderator ask for; ``text`` is the record's file.

    Raises ``AcceptError`` and ``Unpatchable``.
    """
    body: Mapping[str, Any] = stored.body
    about, date = record_of(stored, decision), day(moment)
    credit = (decision.credit or body.get("agent", {}).get("name", "") or ANONYMOUS)[:CREDIT]
    if stored.kind != "correction" and (decision.replace is not None or decision.as_proposed or decision.at or decision.passage):
        raise AcceptError("only a correction edits a passage")
    if stored.kind == "usage_receipt":
        return ContentChange(about, LISTS[stored.kind], date, (decision.note or USED)[:NOTE], credit, submission=stored.id)
    if stored.kind == "source":
        url = untracked(body["url"])
        return ContentChange(about, LISTS[stored.kind], date, (decision.note or f"Source added: {url}")[:NOTE], credit, url, stored.id)
    made = _edits(stored, decision, text)
    note = (decision.note or " ".join(_told(edit, passage, decision) for edit, passage in made))[:NOTE]
    evidence = tuple(dict.fromkeys(map(untracked, body["evidence_urls"]))) if decision.evidence else ()
    return ContentChange(about, LISTS[stored.kind], date, note, credit, "", stored.id, evidence, tuple(edit for edit, _ in made))


def quoted(stored: StoredSubmission, decision: Decision) -> str:
    """The passage that a correction is about, in the words of the moderator or else of the submission."""
    return decision.passage or str(stored.body.get("claim", ""))


def choices(stored: StoredSubmission, decision: Decision, text: str) -> tuple[Passage, ...]:
    """Where the passage stands that a correction is about, and the fields that the moderator names. Raises ``Unpatchable``."""
    found = passages(text, quoted(stored, decision))
    named = (field(text, name) for name in decision.at if not any(one.at == name for one in found))
    return (*found, *(one for one in named if one is not None))


def _edits(stored: StoredSubmission, decision: Decision, text: str) -> tuple[tuple[Edit, Passage], ...]:
    words = stored.body["correction"] if decision.as_proposed else decision.replace
    if decision.note_only:
        if words is not None:
            raise AcceptError("--note-only leaves the text as it is: it goes with neither --replace nor --edit nor --as-proposed")
        if not decision.note:
            raise AcceptError("--note-only needs a --note: what readers are told of a text that stays as it is")
        return ()
    if words is None:
        raise AcceptError("\n  ".join([f"a correction is accepted with an edit: {WAYS}", *_places(stored, decision, text)]))
    if decision.as_proposed and decision.replace is not None:
        raise AcceptError("--replace and --as-proposed are two answers: give one")
    try:
        return edits(text, quoted(stored, decision), decision.at, words)
    except PassageError as error:
        raise AcceptError(str(error)) from None


def _places(stored: StoredSubmission, decision: Decision, text: str) -> Iterator[str]:
    """What the moderator has to decide about."""
    found = choices(stored, decision, text)
    yield from (str(one) for one in found)
    if not found:
        yield "the passage it quotes is not found in the record: quote it with --passage, or name a field with --at"
    yield f"proposed: “{bounded(' '.join(str(stored.body['correction']).split()), QUOTED)}”"


def _told(edit: Edit, passage: Passage, decision: Decision) -> str:
    """A sentence on an edit: what stood there and what stands there now."""
    new = decision.replace if decision.replace is not None else str(edit.new)
    old, now = (bounded(" ".join(words.split()), QUOTED) for words in (passage.words, new))
    if not isinstance(edit.old, str):
        return f"{edit.at} was {old} and is now {now}."
    return f"“{old}” now reads “{now}”." if now else f"“{old}” was taken out."
