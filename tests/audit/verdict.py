"""What a judge is and says, and how the answer of a tool is read."""

import json
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from site_copy import Copy
from toolbox import Toolbox

MOST_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge said."""

    word: str
    """``ok``, ``MISSED`` or ``skipped``."""
    figure: str
    notes: tuple[str, ...] = ()

    @property
    def shown(self) -> list[str]:
        """What a missed bar is made of: the first notes, and how many are left; other notes stay in the report."""
        if self.word != "MISSED":
            return []
        left = len(self.notes) - MOST_SHOWN
        return [*self.notes[:MOST_SHOWN], *([f"... and {left} more in the report"] if left > 0 else [])]


class Unusable(Exception):  # noqa: N818
    """A tool gave no answer that can be read; the sentence says what it printed."""


@dataclass(frozen=True, slots=True)
class Judge:
    """One judge: its needs among the tools, its bar in words, and how to ask it."""

    name: str
    bar: str
    needs: tuple[str, ...]
    ask: Callable[[Toolbox, Copy], Verdict]

    def judge(self, tools: Toolbox, site: Copy) -> Verdict:
        """Ask the judge, unless a need is missing; keep its notes in a report."""
        if missing := [tools.why[need] for need in self.needs if need in tools.why]:
            return Verdict("skipped", "; ".join(missing))
        try:
            verdict = self.ask(tools, site)
        except (Unusable, subprocess.TimeoutExpired) as error:
            verdict = Verdict("MISSED", "gave no answer", (str(error),))
        (tools.home / "reports" / f"{self.name}.txt").write_text(
            "\n".join((verdict.figure, *verdict.notes, "")), "utf-8"
        )
        return verdict


def judged(figure: str, notes: Iterable[str], *, met: bool | None = None) -> Verdict:
    """Met when there is nothing to note, unless told."""
    lines = tuple(notes)
    return Verdict("ok" if (not lines if met is None else met) else "MISSED", figure, lines)


def read(done: subprocess.CompletedProcess[str]) -> Any:
    """The JSON document that a tool printed. Raises ``Unusable``."""
    try:
        return json.loads(done.stdout)
    except ValueError:
        raise Unusable(f"exit code {done.returncode}: {(done.stderr or done.stdout).strip()[-800:]}") from None
