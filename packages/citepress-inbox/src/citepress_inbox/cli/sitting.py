"""``citepress inbox review``: everything that waits, one submission after the other, decided with single letters."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from citepress.base import clock
from citepress.base.errors import CitepressError
from citepress.base.text import counted, sentence_list
from citepress.cli.console import complain, say, write
from citepress.content.folder import Folder
from citepress_inbox import review as steps
from citepress_inbox.change import Decision
from citepress_inbox.cli.content import (
    AsPatch,
    Commit,
    decided,
    edited_decision,
    events_of,
    folder_of,
    passages_of,
    print_whole,
    say_misfits,
)
from citepress_inbox.cli.session import By, Content, StateOption, moderator, with_inbox
from citepress_inbox.passage import Passage
from citepress_inbox.ports import InboxStore, StoredSubmission
from citepress_inbox.review import OPEN_STATUSES, REASONS

LETTERS = {
    "y": ("accept", "Writes the change and the credit; of a correction, the proposed text replaces the passage."),
    "n": ("decline", "Asks for the reason, which the sender can read."),
    "e": (
        "edit",
        "Opens the passage of a correction in your editor (VISUAL or EDITOR) and writes what you leave there.",
    ),
    "o": ("note only", "Leaves the text of the record as it is, and adds a note that you write, credit and evidence."),
    "p": ("patch", "Shows what y would write, and decides nothing."),
    "s": ("skip", "Leaves it for another time; so does an empty line."),
    "q": ("stop", "Ends the sitting; what is not decided waits."),
    "?": ("help", "Shows this list."),
}
CHOICES = "  ".join(f"[{letter}] {name}" for letter, (name, _) in LETTERS.items()) + ": "
OUTCOMES = {"y": "accepted", "n": "declined", "e": "accepted", "o": "accepted", "s": "skipped"}
NOT_IN_RECORD = "  The passage that it quotes is not in the record as it is now: y asks for the field to replace."
ELSEWHERE = (
    "Nothing was decided. e opens the passage in the editor, o leaves the text as it is, ? explains the letters."
)


def review(
    content: Content = Path(),
    *,
    commit: Commit = False,
    patch: AsPatch = False,
    by: By = None,
    state: StateOption = None,
) -> int:
    """Decide on everything that waits, one by one.

    Of a correction the passage as the record has it is shown next to the proposal, which ``y`` accepts;
    ``?`` explains the letters. What is not possible is said, and asked again.
    """

    def step(store: InboxStore) -> None:
        sitting = _Sitting(store, moderator(by), content, state, commit=commit, patch=patch)
        counts = Counter(sitting.decisions())
        left = sum(1 for _ in steps.everything(store, OPEN_STATUSES))
        listed = [f"{count} {outcome}" for outcome, count in sorted(counts.items())]
        if not listed and not left:
            say("Nothing waits.")
            return
        rest = f"; {counted(left, 'submission')} left" if left else ""
        say(f"{sentence_list(listed) or 'Nothing was decided'}{rest}.")

    return with_inbox(content, state, step)


class _Sitting:
    """One person's way through the open submissions."""

    def __init__(
        self, store: InboxStore, name: str, content: Path, state: Path | None, *, commit: bool, patch: bool
    ) -> None:
        self._store, self._name, self._content, self._state = store, name, content, state
        self._commit, self._patch = commit, patch

    def decisions(self) -> Iterator[str]:
        """What became of each, until there is no answer any more."""
        for stored in list(steps.everything(self._store, OPEN_STATUSES)):
            folder = folder_of(self._content, self._state)
            _print(stored, events_of(self._store, stored), passages_of(folder, stored))
            outcome = self._decided(folder, stored)
            if not outcome:
                return
            yield outcome

    def _decided(self, folder: Folder, stored: StoredSubmission) -> str:
        """The outcome of one submission; empty where the sitting ends."""
        while True:
            answer = _asked(CHOICES).lower()
            if answer in ("", "q"):
                return ""
            try:
                if answer in OUTCOMES and self._done(answer, folder, stored):
                    return OUTCOMES[answer]
            except CitepressError as error:
                complain(str(getattr(error, "what", error)))
                say(ELSEWHERE)
            if answer == "?":
                for letter, (_, about) in LETTERS.items():
                    say(f"  {letter}  {about}")
            elif answer == "p":
                self._show_patch(folder, stored)

    def _done(self, answer: str, folder: Folder, stored: StoredSubmission) -> bool:
        """Whether the answer was carried out. Raises ``CitepressError``."""
        if answer == "n":
            reason = _asked(f"Reason ({sentence_list(REASONS, 'or')}; other when left out): ") or "other"
            steps.decline(self._store, stored.id, self._name, clock.now(), reason=reason)
        elif answer != "s":
            decision = self._decision(answer, folder, stored)
            accepted = decided(
                self._store, folder, stored.id, decision, self._name, commit=self._commit, patch=self._patch
            )
            say(accepted.patch.diff.rstrip() or "The content has this change already.")
            say_misfits(accepted)
        return True

    def _decision(self, answer: str, folder: Folder, stored: StoredSubmission) -> Decision:
        """How a submission is accepted, after asking for what it leaves open. Raises ``CitepressError``."""
        decision = Decision(record=stored.record or _asked("The record to change, such as posts/one: "))
        if stored.kind != "correction":
            return decision
        if answer == "o":
            return replace(decision, note_only=True, note=_asked("The note for readers: "))
        decision = replace(decision, at=_place(passages_of(folder, stored, decision.record)))
        return edited_decision(folder, stored, decision) if answer == "e" else replace(decision, as_proposed=True)

    def _show_patch(self, folder: Folder, stored: StoredSubmission) -> None:
        try:
            decision = self._decision("y", folder, stored)
            accepted = decided(self._store, folder, stored.id, decision, self._name, commit=False, patch=True)
            write(accepted.patch.diff.encode())
            say_misfits(accepted)
        except CitepressError as error:
            complain(str(getattr(error, "what", error)))


def _place(places: tuple[Passage, ...]) -> tuple[str, ...]:
    """Which of the places of a passage is meant; nothing where it has one."""
    if len(places) == 1:
        return ()
    for number, place in enumerate(places, 1):
        say(f"  {number}  {place}")
    if not places:
        field = _asked("The passage is not in the record. A field to replace as a whole, such as summary: ")
        return (field,) if field else ()
    number_ = _asked(f"Which of them, 1 to {len(places)}, or every: ")
    chosen = int(number_) - 1 if number_.isdecimal() else -1
    return (places[chosen].at,) if 0 <= chosen < len(places) else (number_,)


def _print(stored: StoredSubmission, events: Iterable[dict[str, object]], passages: tuple[Passage, ...]) -> None:
    say("")
    print_whole(stored, events, passages)
    if stored.kind == "correction" and not passages:
        say(NOT_IN_RECORD)
    for passage in passages:
        say(f"  now:      {' '.join(passage.around.split())}")
        say(f"  proposed: {' '.join(str(stored.body.get('correction', '')).split())}")


def _asked(question: str) -> str:
    """The line that answers a question; empty where there is none."""
    sys.stdout.write(question)
    sys.stdout.flush()
    line = sys.stdin.readline()
    return line.strip() or ("s" if line and question == CHOICES else "")
