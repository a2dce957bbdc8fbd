"""What documents derived from the archive, held as long as everything that they read of it stays the same.

Documents read the archive through ``observed``. While one is derived, each thing that it asks for is noted with the
answer; the next edition asks for the same things again, and derives anew only where an answer differs.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar, cast

from citepress.archive.edit import ArchiveEdit
from citepress.archive.model import Archive, Entry
from citepress.base.memo import Memo, memoized

T = TypeVar("T")
MAPPINGS = frozenset({"entries", "collections", "topics", "ledger", "origins"})
"""Members of an archive of which single values are read."""
SIZE, ALL = object(), object()
"""Asked of a mapping in place of a key: how much it holds, and the whole of it."""
PLAIN_TYPES = (str, int, datetime, frozenset, type(None))
Question = tuple[str, object]
"""A member of the archive and a key of it, or ``DERIVED`` and the name of another derived value."""
DerivationReads = dict[Question, object]
DERIVED = "derived"


@dataclass(slots=True)
class _Derived:
    """A derived value, how it is derived, what was read for it, and the edition that it was last compared with."""

    value: Any
    derive: Callable[[], Any]
    reads: DerivationReads
    edition: int


@dataclass(slots=True)
class Derivations:
    """Derived values by name, for one archive after the other."""

    archive: Archive | None = None
    """The present archive; without one nothing is noted, and what is derived once stays."""
    edit: ArchiveEdit | None = None
    """What differs from the archive before; ``None`` where everything is compared."""
    _maintained: dict[str, tuple[int, Any]] = field(default_factory=dict)
    _held: dict[str, _Derived] = field(default_factory=dict)
    _by_inputs: Memo = field(default_factory=dict)
    _frames: list[DerivationReads] = field(default_factory=list)
    """What is being derived now, the innermost last."""
    _edition: int = 0

    @property
    def lasting(self) -> bool:
        """Whether another edition may follow, so that what is derived of this one is worth holding."""
        return self.archive is not None

    @property
    def deriving(self) -> bool:
        """Whether what is read of the archive is noted now."""
        return bool(self._frames)

    @property
    def observed(self) -> Archive:
        """The present archive, whichever that is when it is read; what is read of it is noted."""
        return cast("Archive", _Observed(self))

    def turn_to(self, archive: Archive, edit: ArchiveEdit | None) -> None:
        """Answer from another archive from now on, which differs from the present one by an edit."""
        self.archive, self.edit = archive, edit
        self._edition += 1
        self._frames.clear()
        if edit is None:
            self._held.clear()
            self._maintained.clear()
            self._by_inputs.clear()

    def of(self, name: str, derive: Callable[[], T], *, compared: bool = False) -> T:
        """The value of this name, derived now unless everything that it read is as it was.

        With ``compared`` whoever reads the value is derived anew only where it differs, otherwise where anything
        that was read for it differs.
        """
        held = self._derived(name, derive) if self.is_new(name) else self._held[name]
        if self._frames:
            if compared:
                self._frames[-1][DERIVED, name] = held.value
            else:
                self._frames[-1].update(held.reads)
        value: T = held.value
        return value

    def noted(self, name: str, derive: Callable[[], T]) -> T:
        """A value that is derived now and not held: only what was read for it is, so that ``is_new`` can tell."""
        held = self._derived(name, derive)
        value: T = held.value
        held.value = None
        return value

    def maintained(self, name: str, derive: Callable[[], T], update: Callable[[T, ArchiveEdit], T]) -> T:
        """A value that is derived once, and from then on brought up to date for each edit."""
        if self.archive is not None:
            self.note("entries", ALL, self.archive.entries)
        edition, value = self._maintained.get(name, (-1, None))
        if edition != self._edition:
            frames, self._frames = self._frames, []
            value = update(value, self.edit) if self.edit and edition == self._edition - 1 else derive()
            self._frames = frames
            self._maintained[name] = self._edition, value
        result: T = value
        return result

    def held(self, name: str, inputs: Sequence[Any], derive: Callable[[], T]) -> T:
        """The value of this name for these inputs, which are mostly the very same objects as before."""
        return memoized(self._by_inputs, name, inputs, derive)

    def is_new(self, name: str) -> bool:
        """Whether the value of this name has to be derived for the present archive."""
        held = self._held.get(name)
        return held is None or not self._stands(held)

    def note(self, member: str, key: object, answer: object) -> None:
        """Note what was read for the value that is being derived."""
        if self._frames:
            self._frames[-1][member, key] = answer

    def _derived(self, name: str, derive: Callable[[], Any]) -> _Derived:
        depth = len(self._frames)
        reads: DerivationReads = {}
        self._frames.append(reads)
        try:
            value = derive()
        finally:
            del self._frames[depth:]
        held = self._held[name] = _Derived(value, derive, reads, self._edition)
        return held

    def _stands(self, held: _Derived) -> bool:
        if held.edition != self._edition:
            frames, self._frames = self._frames, []
            try:
                if not all(self._same(question, answer) for question, answer in held.reads.items()):
                    return False
            finally:
                self._frames = frames
            held.edition = self._edition
        return True

    def _same(self, question: Question, answer: object) -> bool:
        member, key = question
        if member == DERIVED:
            name = str(key)
            return bool(self.of(name, self._held[name].derive) == answer)
        now = getattr(self.archive, member)
        if member in MAPPINGS and key is not ALL:
            now = len(now) if key is SIZE else now.get(key)
        return now is answer or (isinstance(now, PLAIN_TYPES) and now == answer)


class _Observed:
    """Reads like the present archive of ``Derivations``."""

    __slots__ = ("_derivations",)

    def __init__(self, derivations: Derivations) -> None:
        self._derivations = derivations

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  (any member of an archive)
        value = getattr(self._derivations.archive, name)
        if not self._derivations.deriving:
            return value
        if name in MAPPINGS:
            return _ObservedMapping(self._derivations, name, value)
        self._derivations.note(name, ALL, value)
        return value

    def entry(self, id: str) -> Entry | None:  # noqa: A002  (as in ``Archive``)
        """The record of this id, if published."""
        entry: Entry | None = self.entries.get(id)
        return entry


class _ObservedMapping(Mapping[str, Any]):
    """Reads like a mapping of the archive."""

    __slots__ = ("_derivations", "_name", "_values")

    def __init__(self, derivations: Derivations, name: str, values: Mapping[str, Any]) -> None:
        self._derivations, self._name, self._values = derivations, name, values

    def __getitem__(self, key: str) -> Any:  # noqa: ANN401  (whatever the archive holds)
        value = self._values.get(key)
        self._derivations.note(self._name, key, value)
        if value is None:
            raise KeyError(key)
        return value

    def __len__(self) -> int:
        size = len(self._values)
        self._derivations.note(self._name, SIZE, size)
        return size

    def __iter__(self) -> Iterator[str]:
        self._derivations.note(self._name, ALL, self._values)
        return iter(self._values)

    def values(self) -> Any:  # noqa: ANN401  (a view, in place of the slow one of ``Mapping``)
        """Every value."""
        self._derivations.note(self._name, ALL, self._values)
        return self._values.values()

    def items(self) -> Any:  # noqa: ANN401  (as ``values``)
        """Every key and value."""
        self._derivations.note(self._name, ALL, self._values)
        return self._values.items()
