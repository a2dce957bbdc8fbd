"""Groups of near-duplicates: how records name theirs, and how groups change when a few records do.

A group is what similarity joins, from record to record. A record that changes leaves its group, whose other members are
then compared with each other, and joins the groups of the records that it is similar to now.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from citepress.base.errors import ControlFlow
from citepress.search.clusters import MIN_COMPARED_TERMS, RAREST, SHARED, SIMILAR, DuplicateFinder, Groups, jaccard
from citepress.search.engine import Address, Engine
from citepress.search.sheet import Sheet, stored_content
from citepress.search.stored_document import OTHERS, StoredDocument

LARGE = 100
"""Members of a group from which it is not compared anew when a member leaves it; only a whole build splits it."""
MAX_GROUP_CANDIDATES = 10
"""Records that a changed record is compared with."""
REPLACED = 40
"""Further candidates that may turn out to be replaced records."""
Aged = tuple[str, str]
"""Publication and id of a record: the least is the oldest."""


class TooMuchChanged(ControlFlow):
    """So much changed that the index has to be written as a whole."""


@dataclass(frozen=True, slots=True)
class DuplicateGroup:
    """A group of near-duplicates as its members are written with it; the default is that of a record alone."""

    number: int = 0
    """Above 0, the same for all of its members and in any index with the same oldest member."""
    ids: tuple[str, ...] = ()
    """Its oldest members, the oldest first."""


def group_of(members: Sequence[Aged]) -> DuplicateGroup:
    """The group of these members."""
    if len(members) < 2:  # noqa: PLR2004
        return DuplicateGroup()
    ids = tuple(id_ for _, id_ in sorted(members)[: OTHERS + 1])
    return DuplicateGroup(int.from_bytes(blake2b(ids[0].encode(), digest_size=7).digest(), "big") + 1, ids)


@dataclass(slots=True)
class Regrouped:
    """What changed in the groups."""

    groups: dict[str, DuplicateGroup] = field(default_factory=dict)
    """The group of each changed record, and of each other record that belongs to another one now."""
    difference: int = 0
    """Groups that came, less those that went."""


class Regrouping:
    """The groups of an index after some of its records changed."""

    def __init__(self, engine: Engine, fresh: Mapping[str, Sheet], gone: Collection[str]) -> None:
        """``fresh`` are new and changed records, ``gone`` the records of the index that are changed or removed."""
        self._engine, self._fresh, self._gone = engine, fresh, frozenset(gone)
        self._joined: Groups[str] = Groups()
        self._aged: dict[str, Aged] = {sheet.id: (sheet.published, sheet.id) for sheet in fresh.values()}
        self._former: dict[str, DuplicateGroup] = {}
        """The group that each unchanged record was written with."""
        self._large: dict[str, DuplicateGroup] = {}
        """Large groups by the member that stands for those which are not read."""
        self._read: set[int] = set()
        """Numbers of the groups that were read."""

    def run(self) -> Regrouped:
        """Compare what changed with what is there. Raises ``TooMuchChanged``."""
        self._leave()
        self._join_each_other()
        for sheet in self._fresh.values():
            self._joined.leader(sheet.id)
            self._join_others(sheet)
        return self._regrouped()

    def _leave(self) -> None:
        """Compare the members that remain of the groups which lose one."""
        addresses = [address for id_ in sorted(self._gone) if (address := self._engine.find(id_))]
        for number in sorted({number for number in self._engine.clusters(addresses) if number}):
            contents = [(stored.id, frozenset(stored_content(stored))) for stored in self._group(number)]
            for place, (left, terms) in enumerate(contents):
                for right, others in contents[:place]:
                    if jaccard(terms, others) >= SIMILAR:
                        self._joined.join(left, right)

    def _group(self, number: int) -> list[StoredDocument]:
        """The members that remain of a group. Of a large one only the oldest, which stay together."""
        self._read.add(number)
        size, rows = self._engine.newest(self._engine.inside([number]), LARGE)
        if size <= LARGE:
            return [stored for row in rows if (stored := self._member(row.address, number))]
        group = DuplicateGroup(number, tuple(self._engine.stored(rows[0].address).group))
        oldest = (self._engine.find(id_) for id_ in group.ids)
        members = [stored.id for address in oldest if address and (stored := self._member(address, number))]
        if not members:
            raise TooMuchChanged
        self._large[members[0]] = group
        self._join_all(members)
        return []

    def _member(self, address: Address, number: int) -> StoredDocument | None:
        """Take an unchanged record into account, with the group that it was written with; ``None`` if it is gone."""
        stored = self._engine.stored(address)
        if stored.id in self._gone:
            return None
        self._aged[stored.id] = (stored.shown["published"], stored.id)
        self._former[stored.id] = DuplicateGroup(number, tuple(stored.group))
        self._joined.leader(stored.id)
        return stored

    def _join_all(self, ids: Sequence[str]) -> None:
        for id_ in ids[1:]:
            self._joined.join(ids[0], id_)

    def _join_each_other(self) -> None:
        """Join the changed records that are similar to each other."""
        sheets = sorted(self._fresh.values(), key=lambda sheet: sheet.id)
        finder = DuplicateFinder()
        for sheet in sheets:
            finder.add(sheet.content_terms())
        for place, leader in enumerate(finder.leaders(range(len(sheets)))):
            if leader != place:
                self._joined.join(sheets[leader].id, sheets[place].id)

    def _join_others(self, sheet: Sheet) -> None:
        """Join a changed record to the groups of the unchanged ones that it is similar to."""
        terms = sheet.content_terms()
        if len(terms) < MIN_COMPARED_TERMS:
            return
        for address in self._candidates(sheet, terms):
            stored = self._engine.stored(address)
            others = frozenset(stored_content(stored))
            if stored.id not in self._gone and len(others) >= MIN_COMPARED_TERMS and jaccard(others, terms) >= SIMILAR:
                (number,) = self._engine.clusters([address])
                if not number:
                    self._member(address, 0)
                elif number not in self._read:
                    self._join_all([member.id for member in self._group(number)])
                self._joined.join(sheet.id, self._standing_for(stored.id, number))

    def _candidates(self, sheet: Sheet, terms: Collection[str]) -> Iterable[Address]:
        """The records that share most of the rarest terms of a record."""
        address = self._engine.find(sheet.id)
        own = frozenset(self._engine.stored(address).terms.split()) if address else frozenset()
        held = ((self._engine.frequency(term) - (term in own), term) for term in terms)
        keys = [term for _, term in sorted(pair for pair in held if pair[0] > 0)[:RAREST]]
        if len(keys) < SHARED:
            return ()
        count = MAX_GROUP_CANDIDATES + min(len(self._gone), REPLACED)
        return [row.address for row in self._engine.search(self._engine.sharing(keys, SHARED), count)[1]]

    def _standing_for(self, id_: str, number: int) -> str:
        """The member of its group that was read: itself, except in a large group."""
        if id_ in self._former:
            return id_
        return next(member for member, group in self._large.items() if group.number == number)

    def _regrouped(self) -> Regrouped:
        """The group of every record that is written anew."""
        result = Regrouped(difference=-len(self._read))
        for members in self._joined.members():
            large = [self._large[id_] for id_ in members if id_ in self._large]
            group = group_of([self._aged[id_] for id_ in members])
            if large and (len(large) > 1 or group != large[0]):
                raise TooMuchChanged  # every member of a large group would be written anew
            result.difference += bool(group.number)
            for id_ in members:
                if id_ in self._fresh or self._former[id_] != group:
                    result.groups[id_] = group
        return result
