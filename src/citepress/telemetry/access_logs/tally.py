"""What an import did, for whoever ran it."""

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

State = Literal["new", "goes on", "shorter", "different", "empty", "unreadable"]


@dataclass(slots=True)
class FileTally:
    """One log."""

    path: str
    format: str
    state: State
    """``goes on``: counted before up to a point. ``shorter`` and ``different``: begins like a log that was counted, but does not hold what
    was counted of it, so nothing is taken from it. ``unreadable``: no line fits any format."""
    damaged: bool = False
    """Whether it is compressed and ended before its end."""

    @property
    def passed(self) -> bool:
        """Whether nothing was taken from it although it holds something."""
        return self.state in {"shorter", "different", "unreadable"}


@dataclass(slots=True)
class Tally:
    """Lines by what became of them, hours, and who asked."""

    lines: int = 0
    """Lines that were looked at; those that an earlier import counted are not among them."""
    requests: int = 0
    """Counted in hours."""
    malformed: int = 0
    """Lines that are no request, or whose time cannot be."""
    skipped_live: int = 0
    """In hours that the service counts itself."""
    skipped_host: int = 0
    """To hosts that are not the publisher's."""
    excluded_self: int = 0
    excluded_assets: int = 0
    late: int = 0
    """Of the counted: they came after their hour was closed and are in no session."""
    waiting: int = 0
    """In hours that are not over for five minutes; the next import counts them."""
    hours: set[int] = field(default_factory=set)
    """Hours since 1970 that were written."""
    families: Counter[str] = field(default_factory=Counter)
    files: list[FileTally] = field(default_factory=list)
    seconds: float = 0.0

    def told(self) -> dict[str, Any]:
        """As JSON has it."""
        whole = {name: value for name, value in asdict(self).items() if name not in {"hours", "families"}}
        top = [{"family": name, "requests": n} for name, n in ranked(self.families)]
        return whole | {"hours": len(self.hours), "families": top, "seconds": round(self.seconds, 3)}


def ranked(families: Counter[str]) -> list[tuple[str, int]]:
    """Families and their requests, the most first, then by name."""
    return sorted(families.items(), key=lambda row: (-row[1], row[0]))
