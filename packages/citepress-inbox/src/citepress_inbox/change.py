"""The change that an accepted submission makes to its record, and the moderator's decision."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from citepress.base.text import bounded
from citepress.base.timestamps import day
from citepress.base.urls import TRACKING
from citepress_inbox.passage import Edit, Passage, PassageError, edits, field, passages
from citepress_inbox.patch import PatchItem
from citepress_inbox.ports import StoredSubmission
from citepress_inbox.review import ReviewError

ANONYMOUS = "a reader's agent"
"""Credit for a submission without a name."""
CREDIT = 400
MAX_NOTE_CHARS = 4000
MAX_QUOTED_CHARS = 400
"""Characters of a proposed text that a message repeats."""
CONTEXT = 3
"""Words around a change that the note on it repeats."""
NOTED = 160
"""Characters of a passage that the note on its change repeats."""
LISTS = {"source": "updates", "correction": "corrections", "usage_receipt": "credits"}
"""The list of front matter that each kind of submission is credited in."""
USED = "An agent reported what it used this record for."
WAYS = (
    "give the new text with --replace WORDS or --edit, take the proposed text unchanged with --as-proposed, or leave"
    " the record's text unchanged with --note-only and a --note"
)


class AcceptError(ReviewError):
    """The submission cannot be written into the content; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The options of a moderator who accepts a submission."""

    note: str = ""
    """The public note on the change; if empty, a neutral one is written."""
    record: str = ""
    """The record that gets the source if the submission does not name one."""
    credit: str = ""
    """The name to credit instead of the agent's."""
    replace: str | None = None
    """Text that replaces the passage."""
    passage: str = ""
    """The passage as it is in the record, if the submission does not quote it."""
    at: tuple[str, ...] = ()
    """Which places to edit if the passage occurs more than once, or a field; ``every`` for all."""
    as_proposed: bool = False
    """Whether the submission's proposed text replaces the passage."""
    note_only: bool = False
    """Whether a correction leaves the record's text unchanged."""
    evidence: bool = True
    """Whether the evidence of a correction becomes sources of the record."""


PLAIN_DECISION = Decision()
"""Accepting without any option."""


@dataclass(frozen=True, slots=True)
class ContentChange:
    """What an accepted submission changes in a record; stored with the acceptance."""

    record: str
    list: str
    """``updates``, ``corrections`` or ``credits``: where the dated note and the credit go."""
    date: str
    note: str
    credit: str
    source: str = ""
    """URL that is added to ``sources``, or empty."""
    submission: str = ""
    """Id of the submission, which identifies its credit even if the note is edited later."""
    evidence: tuple[str, ...] = ()
    """URLs that are added to ``sources`` unless the record already cites them."""
    edits: tuple[Edit, ...] = ()
    """Changes to the record's text."""

    @property
    def entry(self) -> PatchItem:
        """The dated note as an item of front matter."""
        members = {"date": self.date, "note": self.note, "credit": self.credit, "submission": self.submission}
        return {name: value for name, value in members.items() if value}

    @property
    def detail(self) -> dict[str, Any]:
        """The change as stored in the history, JSON-ready."""
        return asdict(self)


def restore_change(detail: Mapping[str, Any]) -> ContentChange:
    """The change that was stored as ``ContentChange.detail``."""
    names = {member.name for member in fields(ContentChange)}
    members = {name: value for name, value in detail.items() if name in names}
    members["evidence"] = tuple(members.get("evidence", ()))
    members["edits"] = tuple(Edit(**edit) for edit in members.get("edits", ()))
    return ContentChange(**members)


def record_of(stored: StoredSubmission, decision: Decision) -> str:
    """The id of the record to change. Raises ``AcceptError`` if none is named."""
    about = decision.record or stored.record
    if not about:
        raise AcceptError(f"submission {stored.id} names no record", "name one with --record")
    return about


def change_of(stored: StoredSubmission, moment: datetime, decision: Decision, text: str) -> ContentChange:
    """The change that results from a submission and the moderator's decision; ``text`` is the record's file.

    Raises ``AcceptError`` and ``Unpatchable``.
    """
    body: Mapping[str, Any] = stored.body
    about, date = record_of(stored, decision), day(moment)
    credit = (decision.credit or body.get("agent", {}).get("name", "") or ANONYMOUS)[:CREDIT]
    if stored.kind != "correction" and (
        decision.replace is not None or decision.as_proposed or decision.at or decision.passage
    ):
        raise AcceptError("only a correction edits a passage")
    if stored.kind == "usage_receipt":
        return ContentChange(
            about, LISTS[stored.kind], date, (decision.note or USED)[:MAX_NOTE_CHARS], credit, submission=stored.id
        )
    if stored.kind == "source":
        url = strip_tracking(body["url"])
        return ContentChange(
            about,
            LISTS[stored.kind],
            date,
            (decision.note or f"Source added: {url}")[:MAX_NOTE_CHARS],
            credit,
            url,
            stored.id,
        )
    planned = _edits(stored, decision, text)
    note = (decision.note or " ".join(_edit_sentence(edit, passage, decision) for edit, passage in planned))[
        :MAX_NOTE_CHARS
    ]
    evidence = tuple(dict.fromkeys(map(strip_tracking, body["evidence_urls"]))) if decision.evidence else ()
    return ContentChange(
        about, LISTS[stored.kind], date, note, credit, "", stored.id, evidence, tuple(edit for edit, _ in planned)
    )


def quoted_passage(stored: StoredSubmission, decision: Decision) -> str:
    """The passage that a correction is about, as quoted by the moderator or else by the submission."""
    return decision.passage or str(stored.body.get("claim", ""))


def choices(stored: StoredSubmission, decision: Decision, text: str) -> tuple[Passage, ...]:
    """The places of the passage that a correction is about, and the fields that the moderator names.

    Raises ``Unpatchable``.
    """
    matches = passages(text, quoted_passage(stored, decision))
    named = (field(text, name) for name in decision.at if not any(match.at == name for match in matches))
    return (*matches, *(passage for passage in named if passage is not None))


def _edits(stored: StoredSubmission, decision: Decision, text: str) -> tuple[tuple[Edit, Passage], ...]:
    words = stored.body["correction"] if decision.as_proposed else decision.replace
    if decision.note_only:
        if words is not None:
            raise AcceptError(
                "--note-only leaves the text unchanged: it cannot be combined with --replace, --edit or --as-proposed"
            )
        if not decision.note:
            raise AcceptError("a note must explain to readers why the text is unchanged", "--note-only needs a --note")
        return ()
    if words is None:
        raise AcceptError(
            "a correction is accepted with an edit", "\n  ".join([WAYS, *_places(stored, decision, text)])
        )
    if decision.as_proposed and decision.replace is not None:
        raise AcceptError("--replace and --as-proposed exclude each other: give one")
    try:
        return edits(text, quoted_passage(stored, decision), decision.at, words)
    except PassageError as error:
        raise AcceptError(error.what, error.way) from None


def _places(stored: StoredSubmission, decision: Decision, text: str) -> Iterator[str]:
    """The lines that show the moderator what to decide."""
    matches = choices(stored, decision, text)
    yield from (str(match) for match in matches)
    if not matches:
        yield "the quoted passage is not in the record: quote it with --passage, or name a field with --at"
    yield f"proposed: “{bounded(' '.join(str(stored.body['correction']).split()), MAX_QUOTED_CHARS)}”"


def _edit_sentence(edit: Edit, passage: Passage, decision: Decision) -> str:
    """A sentence on an edit: the text before and after."""
    new = decision.replace if decision.replace is not None else str(edit.new)
    if not isinstance(edit.old, str):
        return f"{edit.at} was {bounded(passage.words, NOTED)} and is now {bounded(new, NOTED)}."
    old, now = (bounded(words, NOTED) for words in _difference(passage.words.split(), new.split()))
    return f"“{old}” now reads “{now}”." if now else f"“{old}” was taken out."


def _difference(old: Sequence[str], new: Sequence[str]) -> tuple[str, str]:
    """Where two texts differ, with ``CONTEXT`` words on either side; an ellipsis stands for the others."""
    least = min(len(old), len(new))
    same = next((place for place in range(least) if old[place] != new[place]), least)
    start = max(0, same - CONTEXT)
    tail = next((place for place in range(least - same) if old[-1 - place] != new[-1 - place]), least - same)
    cut = max(0, tail - CONTEXT)
    shown = [[*words[start : len(words) - cut]] for words in (old, new)]
    return tuple(" ".join([*["…"] * (start > 0), *words, *["…"] * (cut > 0)]) for words in shown)  # type: ignore[return-value]


def strip_tracking(url: str) -> str:
    """The address as it is written, without what only follows a reader."""
    parts = urlsplit(url)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    wanted = [(name, value) for name, value in pairs if not TRACKING.fullmatch(name)]
    return url if len(wanted) == len(pairs) else urlunsplit(parts._replace(query=urlencode(wanted)))
