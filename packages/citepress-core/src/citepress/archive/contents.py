"""What an entry holds of its record: a few members at hand, and everything packed, to be opened where it is asked for.

A record as a model takes ten times the memory that it takes packed, and a fork copies every object that it touches.
"""

import pickle
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from citepress.base.packed_values import Codec, FiledFrame, Packed
from citepress.contract.kind import Kind
from citepress.contract.record import Fields, Record

MAX_OPEN_RECORDS, MAX_LONG_OPEN_RECORDS = 2048, 64
"""Records that a process holds opened, which every edit reads again; of long ones fewer: each takes 30 KB and more."""
MIN_LONG_BYTES = 8192
"""Bytes of the pickle from which a record is long."""
MARK_LENGTH = 40
"""Characters that a deciding member has at most where lists show it."""


class RecordHead(NamedTuple):
    """The members of a record that lists and pages of other records show."""

    id: str
    title: str
    summary: str
    language: str
    published_at: datetime
    updated_at: datetime
    canonical_url: str
    topics: tuple[str, ...]
    """Slugs of topic hubs."""
    tags: tuple[str, ...]
    marks: tuple[str, ...] = ()
    """Words of the kind's deciding members, as far as they are short: what a list shows beside it."""
    cited: tuple[str, ...] = ()
    """The origin of each of its sources."""
    mentioned: tuple[str, ...] = ()
    """The origin of each address that its text only links to."""
    translations: tuple[tuple[str, str], ...] = ()
    """Language and address of its text in each of its languages."""
    foreign: str = ""
    """Its language, where that is another than the publication's."""

    @classmethod
    def of(cls, record: Record, kind: Kind, language: str) -> "RecordHead":
        """The head of a record in a publication of a language."""
        deciding = () if kind.listing else (getattr(record, name) for name in kind.deciding)
        short = [value for value in deciding if isinstance(value, str) and len(value) < MARK_LENGTH]
        return cls(
            record.id,
            record.title,
            record.summary,
            record.language,
            record.published_at,
            record.updated_at,
            record.canonical_url,
            tuple(record.topics),
            tuple(record.tags),
            kind.listing(record).marks if kind.listing else tuple(value for value in short if value != record.summary),
            tuple(source.origin for source in record.sources),
            tuple(mention.origin for mention in record.mentions),
            tuple([(text.language, text.url) for text in record.translations]) if record.translations else (),
            "" if record.language == language else record.language,
        )

    @property
    def slug(self) -> str:
        """The record's name in its paths."""
        return self.id.partition("/")[2]


class Contents(NamedTuple):
    """A record as it is published, and what its page shows beside it."""

    record: Record
    fields: Fields
    """The kind's own members as a model (``kind.fields``)."""
    written: Mapping[str, str] = {}
    """Addresses as their author wrote them, by their normal forms, where the two differ."""
    images: tuple[str, ...] = ()
    """Paths of this site's own images in its text, in order."""

    def opened(self) -> "Contents":
        """Itself."""
        return self


class PackedContents(Packed):
    """Contents as compressed bytes."""

    __slots__ = ("long",)

    def __init__(self, contents: Contents) -> None:
        """Pack contents."""
        data = pickle.dumps(tuple(contents), pickle.HIGHEST_PROTOCOL)
        super().__init__(type(contents.record), data)
        self.long = len(data) >= MIN_LONG_BYTES

    def opened(self) -> Contents:
        """The contents, opened now unless they were a moment ago."""
        return _long_opened(self) if self.long else _opened(self)


class FiledContents(NamedTuple):
    """Packed contents in a file, equal for each entry that is opened of one record."""

    codec: Codec
    frame: FiledFrame
    long: bool

    def opened(self) -> Contents:
        """As of packed contents."""
        return _long_opened(self) if self.long else _opened(self)

    def data(self) -> bytes:
        """The contents as bytes."""
        return self.codec.unpacked(self.frame)


def _open(packed: PackedContents | FiledContents) -> Contents:
    return Contents(*pickle.loads(packed.data()))  # noqa: S301  (of our own process)


_opened = lru_cache(maxsize=MAX_OPEN_RECORDS)(_open)
_long_opened = lru_cache(maxsize=MAX_LONG_OPEN_RECORDS)(_open)
