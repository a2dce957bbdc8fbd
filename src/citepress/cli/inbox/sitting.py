"""``citepress inbox review``: everything that waits, one submission after the other, decided with single letters."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from citepress.admin.content import read_content
from citepress.base import clock
from citepress.base.errors import CitepressError
from citepress.base.text import counted, sentence_list
from citepress.cli.console import complain, say
from citepress.cli.inbox.content import edited_decision, events_of, passages_of, print_whole
from citepress.cli.inbox.session import By, Content, State, moderator, with_inbox
from citepress.content.folder import Folder
from citepress.inbox import review as steps
from citepress.inbox.accept import accept
from citepress.inbox.change import Decision
from citepress.inbox.passage import Passage
from citepress.inbox.ports import InboxStore, StoredSubmission
from citepress.inbox.review import OPEN, REASONS
from citepress.settings import from_environment

CHOICES = "[y] accept  [n] decline  [e] edit the passage  [s] skip  [q] stop: "
ANSWERS = {"y": "accepted", "n": "declined", "e": "accepted", "s": "skipped"}


def review(*, by: By = None, state: State = None, content: Content = Path()) -> int:
    """Decide on everything that waits, one submission after the other.

    Of a correction the passage as the record has it is shown beside the proposal, which ``y`` puts in its place. ``e``
    opens the passage in the editor that VISUAL or EDITOR names. What is not possible is said, and asked again.
    """

    def step(store: InboxStore) -> None:
        counts = Counter(_Sitting(store, moderator(by), content, state).decisions())
        left = sum(1 for _ in steps.everything(store, OPEN))
        listed = [f"{count} {outcome}" for outcome, count in sorted(counts.items())]
        if not listed and not left:
            say("Nothing waits.")
            return
        rest = f"; {counted(left, 'submission')} left" if left else ""
        say(f"{sentence_list(listed) or 'Nothing was decided'}{rest}.")

    return with_inbox(content, state, step)


class _Sitting:
    """One person's way through the open submissions."""

    def __init__(self, store: InboxStore, name: str, content: Path, state: Path | None) -> None:
        self._store, self._name, self._content, self._state = store, name, content, state

    def decisions(self) -> Iterator[str]:
        """What became of each, until there is no answer any more."""
        for stored in list(steps.everything(self._store, OPEN)):
            folder = self._folder()
            _print(stored, events_of(self._store, stored), passages_of(folder, stored))
            outcome = self._decided(folder, stored)
            if not outcome:
                return
            yield outcome

    def _folder(self) -> Folder:
        return read_content(from_environment(self._content, state=self._state), clock.now())

    def _decided(self, folder: Folder, stored: StoredSubmission) -> str:
        """The outcome of one submission; empty where the sitting ends."""
        while True:
            answer = _asked(CHOICES).lower()
            if answer in ("", "q"):
                return ""
            try:
                if answer in ANSWERS and self._done(answer, folder, stored):
                    return ANSWERS[answer]
            except CitepressError as error:
                complain(str(error))

    def _done(self, answer: str, folder: Folder, stored: StoredSubmission) -> bool:
        """Whether the answer was carried out. Raises ``CitepressError``."""
        if answer == "n":
            reason = _asked(f"Reason ({sentence_list(REASONS, 'or')}; other when left out): ") or "other"
            steps.decline(self._store, stored.id, self._name, clock.now(), reason=reason)
        elif answer in ("y", "e"):
            decision = Decision(as_proposed=stored.kind == "correction")
            if answer == "e":
                decision = edited_decision(folder, stored, Decision())
            accepted = accept(self._store, folder, stored.id, self._name, clock.now(), decision)
            say(accepted.patch.diff.rstrip() or "The content has this change already.")
        return True


def _print(stored: StoredSubmission, events: Iterable[dict[str, object]], passages: Iterable[Passage]) -> None:
    say("")
    print_whole(stored, events, passages)
    for passage in passages:
        say(f"  now:      {' '.join(passage.around.split())}")
        say(f"  proposed: {' '.join(str(stored.body.get('correction', '')).split())}")


def _asked(question: str) -> str:
    """The line that answers a question; empty where there is none."""
    sys.stdout.write(question)
    sys.stdout.flush()
    line = sys.stdin.readline()
    return line.strip() or ("s" if line and question == CHOICES else "")
