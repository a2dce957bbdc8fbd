"""What can be referred to: published records, those that are hidden, and the nearest name where there is none."""

import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice

from citepress.base.text import nearest
from citepress.content.folder import Folder
from citepress.content.source_record import SourceRecord

HINTS = 200
"""Did-you-mean hints of one run; beyond them the faults speak for themselves."""
MAX_HINT_CANDIDATES = 2_000
WITHDRAWN = "withdrawn"
"""Why the record of a tombstone is not shown."""


def named_id(text: str, kind: str, base_url: str) -> str:
    """The id that a reference to a record names, whether that is published or not."""
    name = text.strip().removeprefix(base_url).strip("/")
    name = name.removesuffix(".json").removesuffix(".md")
    return f"{kind}/{name}" if kind and "/" not in name else name


@dataclass(slots=True)
class RecordIndex:
    """The names of an archive."""

    base_url: str
    published: dict[str, SourceRecord]
    hidden: Mapping[str, str]
    """Ids of records that are not shown, and why."""
    kinds: tuple[str, ...]
    faulty: frozenset[str]
    """Ids of records that have a fault of their own, in their front matter or the name of their folder, which is fault
    enough: what names them is not at fault."""
    _by_kind: dict[str, list[str]] = field(default_factory=dict)
    _by_file: dict[str, list[str]] = field(default_factory=dict)
    _hints: int = 0

    @classmethod
    def of(cls, folder: Folder, kinds: Iterable[str]) -> "RecordIndex":
        """The names in a folder."""
        hidden = {**folder.hidden, **{tombstone.id: WITHDRAWN for tombstone in folder.tombstones}}
        published = {draft.id: draft for draft in folder.drafts}
        faulty = folder.refused.union(record.id for record in folder.faulty)
        return cls(folder.site.url(""), published, hidden, tuple(kinds), faulty)

    def put(self, record: SourceRecord) -> None:
        """Take a record in, or a new version of one."""
        if record.id not in self.published:
            self._forget()
        self.published[record.id] = record

    def remove(self, id_: str) -> None:
        """Take a record out."""
        del self.published[id_]
        self._forget()

    def _forget(self) -> None:
        self._by_kind.clear()
        self._by_file.clear()

    def named_like_file(self, name: str) -> list[str]:
        """Ids of the records whose files have this name, in any folder and in letters of either case."""
        if not self._by_file:
            for record in self.published.values():
                self._by_file.setdefault(posixpath.basename(record.file).lower(), []).append(record.id)
        return self._by_file.get(name.lower(), [])

    def id_of(self, text: str, kind: str) -> str:
        """The id meant by ``patterns/x``, ``/patterns/x/``, its address, or ``x`` where the kind is fixed."""
        return text if text in self.published else named_id(text, kind, self.base_url)

    def hint(self, id_: str, *, linked: bool = False) -> str:
        """``did you mean "patterns/x"?``, ``"/patterns/x/"`` for what is ``linked`` in a text, or nothing.

        Candidates are bounded to those that share a word or a letter.
        """
        self._hints += 1
        if self._hints > HINTS:
            return ""
        kind, _, slug = id_.rpartition("/")
        if kind and kind not in self.kinds:
            alike = nearest(kind, self.kinds, 1)
            return f'did you mean "{alike[0]}/{slug}"?' if alike else f"{kind!r} is not a kind of record"
        words = set(slug.split("-"))
        pool = self._slugs(kind)
        similar = (candidate for candidate in pool if candidate[:1] == slug[:1] or words & set(candidate.split("-")))
        closest = nearest(slug, islice(similar, MAX_HINT_CANDIDATES), 1)
        if not closest:
            return ""
        if not kind:
            kind = next(id_.partition("/")[0] for id_ in self.published if id_.endswith(f"/{closest[0]}"))
        better = f"{kind}/{closest[0]}"
        return f'did you mean "/{better}/"?' if linked else f'did you mean "{better}"?'

    def _slugs(self, kind: str) -> list[str]:
        """Slugs of a kind, or of all."""
        if kind not in self._by_kind:
            self._by_kind[kind] = [
                draft.slug for draft in self.published.values() if not kind or draft.kind.name == kind
            ]
        return self._by_kind[kind]
