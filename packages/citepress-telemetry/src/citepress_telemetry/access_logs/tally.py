"""The summary of an import."""

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

FileState = Literal["new", "goes on", "shorter", "different", "empty", "unreadable", "load balancer"]


@dataclass(slots=True)
class FileTally:
    """One log."""

    path: str
    format: str
    state: FileState
    """``goes on``: counted before up to a point. ``shorter`` and ``different``: begins like a log that was counted, but
    does not contain what was counted, so it is skipped. ``unreadable``: no line matches any format. ``load balancer``:
    a log of AWS that is not read."""
    damaged: bool = False
    """Whether it is compressed and truncated."""

    @property
    def skipped(self) -> bool:
        """Whether nothing was read from it although it is not empty."""
        return self.state in {"shorter", "different", "unreadable", "load balancer"}


@dataclass(slots=True)
class Tally:
    """Lines by outcome, hours and clients."""

    lines: int = 0
    """Lines read, without those that an earlier import counted."""
    requests: int = 0
    """Counted in hours."""
    malformed: int = 0
    """Lines that are not a request, or whose time is impossible."""
    skipped_live: int = 0
    """In hours that the service counts itself."""
    skipped_host: int = 0
    """For hosts that are not the publisher's."""
    excluded_self: int = 0
    excluded_assets: int = 0
    late: int = 0
    """Of the counted lines: they arrived after their hour was closed and belong to no session."""
    waiting: int = 0
    """In hours that ended less than five minutes ago or are not over; the next import counts them."""
    hours: set[int] = field(default_factory=set)
    """Hours since 1970 that were written."""
    families: Counter[str] = field(default_factory=Counter)
    files: list[FileTally] = field(default_factory=list)
    seconds: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """The summary as JSON members."""
        whole = {name: value for name, value in asdict(self).items() if name not in {"hours", "families"}}
        top = [{"family": name, "requests": n} for name, n in rank_families(self.families)]
        return whole | {"hours": len(self.hours), "families": top, "seconds": round(self.seconds, 3)}


def rank_families(families: Counter[str]) -> list[tuple[str, int]]:
    """Families by requests, the largest first, then by name."""
    return sorted(families.items(), key=lambda row: (-row[1], row[0]))
