"""Addresses of lists and feeds that a tool makes without a file, and what the archive has in their place."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from citepress.base.slugs import tag_slug
from citepress_import.former_addresses import FEED, POSTS, TAGS

PAGES = 100
"""The most further pages of a list that are led."""


@dataclass
class FormerLists:
    """The lists of a former site, each with the number of posts in it."""

    feeds: tuple[str, ...] = ()
    """Names of the feed of a list, below its path."""
    further: str = "page/{}/"
    """A further page of a list, below its path; empty where there are none."""
    size: int = 10
    """Posts on a page of a list."""
    counts: dict[str, int] = field(default_factory=dict)
    """Posts of each list, by its path."""
    ends: dict[str, str] = field(default_factory=dict)
    """What the archive has in place of each list; nothing where it has none."""
    alone: dict[str, str] = field(default_factory=dict)
    """Paths without feeds and further pages, such as that of the feed of the whole site."""

    def add(self, path: str, end: str = POSTS, posts: int = 1) -> None:
        """Count posts in the list at a path."""
        self.count(path, posts)
        self.ends[path] = end

    def count(self, path: str, posts: int = 1) -> None:
        """Count posts in the list at a path, if there turns out to be one."""
        self.counts[path] = self.counts.get(path, 0) + posts

    def lead(self, path: str, end: str) -> None:
        """Lead a path alone, without feeds and further pages."""
        self.alone.setdefault(path, end)

    def add_tag(self, path: str, words: str) -> None:
        """Count a post in the list of a tag or category."""
        self.add(path, f"{TAGS}{tag_slug(words)}/")

    def paths(self) -> Mapping[str, str]:
        """Every path that is made of the lists, with its end."""
        paths = dict(self.alone)
        for path, end in self.ends.items():
            paths[path] = end
            paths |= {f"{path}{name}": FEED for name in self.feeds}
            pages = -(-self.counts[path] // max(self.size, 1)) if self.further else 0
            paths |= {f"{path}{self.further.format(number)}": end for number in range(1, min(pages, PAGES) + 1)}
        return paths


def size_of(value: object, usual: int) -> int:
    """A number of posts on a page, as settings give it."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else usual
