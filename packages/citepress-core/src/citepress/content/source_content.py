"""What an author wrote of a record: a few members at hand, and everything packed, to be opened where it is asked for.

A front matter as a model takes several times the memory that it takes packed, and an archive has one for each record.
"""

import pickle
from collections.abc import Iterator
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from citepress.base.packed_values import Packed
from citepress.content.front import front_model
from citepress.content.links import Inspected
from citepress.content.rewritten import Rewritten
from citepress.contract.dates import dates_of
from citepress.contract.kind import Kind
from citepress.contract.record import Front

MAX_OPEN_CONTENTS = 256
"""Contents that a process holds opened: those that are read, resolved and published one after the other."""
CHANGE_LISTS = ("updates", "corrections", "revisions")
"""Members that hold dated changes."""


class SourceHead(NamedTuple):
    """The members of a front matter that are read of every record of a folder, whatever is asked."""

    title: str
    date: datetime
    publish_date: datetime | None
    expiry_date: datetime | None
    draft: bool
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    changed: tuple[datetime, ...]
    """The dates of its changes, and its last change where one is given."""
    newest: datetime
    """The newest date of a past event."""
    language: str
    """As its front matter has it; empty where it says none."""
    translation_key: str
    """What it shares with its translations; empty where its author names nothing."""

    @classmethod
    def of(cls, front: Front) -> "SourceHead":
        """The head of a front matter."""
        return cls(
            front.title,
            front.date,
            front.publish_date,
            front.expiry_date,
            front.draft,
            tuple(front.aliases),
            tuple(front.tags),
            tuple(_dates_of_changes(front)),
            max(date for _, date in dates_of(front)),
            front.language or "",
            front.translation_key or "",
        )


def _dates_of_changes(front: Front) -> Iterator[datetime]:
    for name in CHANGE_LISTS:
        for change in getattr(front, name, ()):
            yield change.date
    if front.lastmod:
        yield front.lastmod


class SourceContent(NamedTuple):
    """The content of a record's file."""

    front: Front
    """An instance of ``front.front_model(kind)``: a ``Front`` that holds the kind's own members too."""
    body: str
    body_line: int
    inspected: Inspected
    rewritten: Rewritten | None = None
    """How the body differs from the text of its file, where it does."""

    def opened(self) -> "SourceContent":
        """Itself."""
        return self


class PackedSource(Packed):
    """The content of a record's file as compressed bytes."""

    __slots__ = ("kind",)

    def __init__(self, kind: Kind, content: SourceContent) -> None:
        """Pack the content of a record of this kind."""
        # The model of a front matter is made when it is first needed, so that its class cannot be named in a pickle.
        data = (content.front.__getstate__(), *content[1:])
        super().__init__(("source", kind.name), pickle.dumps(data, pickle.HIGHEST_PROTOCOL))
        self.kind = kind
        _latest[:] = [(self, content)]

    def opened(self) -> SourceContent:
        """The content, opened now unless it was a moment ago, or packed last."""
        for packed, content in _latest:
            if packed is self:
                return content
        return _opened(self)


_latest: list[tuple[PackedSource, SourceContent]] = []
"""What was packed last: it is read at once."""


@lru_cache(maxsize=MAX_OPEN_CONTENTS)
def _opened(packed: PackedSource) -> SourceContent:
    state, *rest = pickle.loads(packed.data())  # noqa: S301  (of our own process)
    model = front_model(packed.kind)
    front = model.__new__(model)
    front.__setstate__(state)
    return SourceContent(front, *rest)
