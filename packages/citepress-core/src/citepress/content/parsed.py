"""What became of one file: its content, or the faults that keep it out."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from citepress.contract.fault import UNREADABLE, Fault, Faults

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Parsed(Generic[T_co]):
    """The content of a file, unless a fault keeps it out, and everything that its author should know."""

    content: T_co | None
    faults: tuple[Fault, ...] = ()

    @property
    def may_pass(self) -> bool:
        """Whether reading again may succeed although the file did not change: it could not be opened."""
        return any(fault.code is UNREADABLE for fault in self.faults)


def parsed(read: Callable[[], Parsed[T]]) -> Parsed[T]:
    """What a reader makes of a file; ``Faults`` that it raises are those of the file."""
    try:
        return read()
    except Faults as raised:
        return Parsed(None, raised.faults)
