"""Object stores: immutable objects by name, and one that is replaced under a condition."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from citepress.base.errors import CitepressError


class ObjectStoreError(CitepressError):
    """The store did not do what was asked; the sentence says what, and why."""


class ObjectMissingError(ObjectStoreError):
    """There is no object of this name."""


@dataclass(frozen=True, slots=True)
class SmallObject:
    """An object that was read whole."""

    data: bytes
    tag: str
    """Names this state of the object; a later ``get`` or ``replace`` refers to it."""


@dataclass(frozen=True, slots=True)
class ListedObject:
    """An object as a listing shows it."""

    name: str
    size: int
    modified: datetime


class ObjectStore(Protocol):
    """A bucket or a folder. Every method raises ``ObjectStoreError`` when the store cannot do it."""

    target: str
    """Its address, as the operator wrote it."""

    def get(self, name: str, most: int, tag: str | None = None) -> SmallObject | None:
        """An object of at most ``most`` bytes; ``None`` while ``tag`` still names its state.

        Raises ``ObjectMissingError``.
        """
        ...

    def download(self, name: str, size: int) -> Iterator[bytes]:
        """The bytes of an object that should have this size, piece by piece. Raises ``ObjectMissingError``."""
        ...

    def size(self, name: str) -> int | None:
        """The size of an object; ``None`` where there is none."""
        ...

    def upload(self, name: str, file: Path) -> None:
        """Store a file under a name that is derived from its content, in one step."""
        ...

    def create(self, name: str, data: bytes) -> bool:
        """Store an object unless there is one of this name; whether it was stored."""
        ...

    def replace(self, name: str, data: bytes, tag: str | None) -> bool:
        """Store an object only if ``tag`` still names its state, or if there is none where ``tag`` is ``None``."""
        ...

    def listing(self, folder: str) -> Iterator[ListedObject]:
        """The objects whose names begin with ``folder/``."""
        ...

    def delete(self, name: str) -> None:
        """Remove an object; nothing happens where there is none."""
        ...
