"""The reading order that ``content/pages/contents.md`` gives: the links of its lists, anew below each heading."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from citepress.archive.model import CONTENTS, Archive
from citepress.contract.page import Link, Siblings

PATH = f"/pages/{CONTENTS}/"
_LINE = re.compile(r"( *)(?:(#{2,6})|[-*+]|\d{1,9}[.)]) +(?:\[(.+)\]\(<?(/[^\s)>]*)>?\)|(.+?)) *")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_NOWHERE = Link("")


class Place(NamedTuple):
    """Where a record or page is in the reading order."""

    above: tuple[Link, ...]
    """The headings and list items that it is below, the outermost first; one without a page leads to the contents."""
    previous: Link | None
    next: Link | None

    @property
    def crumbs(self) -> tuple[Link, ...]:
        """The way to it."""
        return Link("Home", "/"), *(self.above or (Link("Contents", PATH),))

    @property
    def links(self) -> Mapping[str, str]:
        """The paths by their relations to it."""
        return {rel: link.href for rel, link in (("prev", self.previous), ("next", self.next)) if link}

    @property
    def siblings(self) -> Iterator[Siblings]:
        """Links to both, if there are any."""
        if self.previous or self.next:
            yield Siblings("neighbours", "", self.previous, self.next, ordered=True)


def place_of(path: str, archive: Archive) -> Place | None:
    """The place of a record or page in an archive with such a page; ``None`` where that does not name it."""
    return _places(archive.pages[CONTENTS].body).get(path)


def reordered(before: Archive, after: Archive) -> Iterator[str]:
    """Ids of the records that either archive orders, where the orders differ."""
    bodies = {archive.pages[CONTENTS].body for archive in (before, after) if CONTENTS in archive.pages}
    if before.pages is not after.pages:
        yield from (id_ for body in bodies for path in _places(body) if (id_ := path.strip("/")) in after.entries)


@lru_cache(maxsize=4)
def _places(body: str) -> Mapping[str, Place]:
    above: list[tuple[int, Link]] = []
    outer_of: dict[str, tuple[Link, ...]] = {}
    order = [_NOWHERE]
    for line in body.split("\n"):
        if (match := _LINE.fullmatch(line)) is None:
            continue
        depth = len(match[2]) - 10 if match[2] else len(match[1])
        above = [(outer, link) for outer, link in above if outer < depth]
        link = Link(_ESCAPED.sub(r"\1", match[3] or match[5]), (match[4] or PATH).partition("#")[0])
        if match[2] or (match[4] and link.href not in outer_of):
            order.append(_NOWHERE if match[2] else link)
            outer_of.setdefault(link.href, tuple(link for _, link in above))
        above.append((depth, link))
    around = zip(order, order[1:], [*order[2:], _NOWHERE], strict=False)
    return {
        link.href: Place(outer_of[link.href], before if before.href else None, after if after.href else None)
        for before, link, after in around
        if link.href
    }
