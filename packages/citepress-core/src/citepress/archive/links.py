"""Paths of the archive that a text or a redirect may lead to, and the records that they lead to."""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

from citepress.archive.record_index import WITHDRAWN, RecordIndex
from citepress.base.text import nearest
from citepress.content.hidden_text import without_comments
from citepress.content.images import is_image
from citepress.content.links import scheme
from citepress.content.redirects_file import is_elsewhere
from citepress.content.source_record import HasSource, SourceRecord
from citepress.content.text_links import relink

SURE = 0.78
"""How like a kind's name a folder must be to be taken for a slip of the pen."""
MAX_COMPARED_FILES = 2_000
_ELSEWHERE = ("https://", "http://", "//", "#")
_SIMPLE = re.compile(r"(?:/[a-z0-9_-]+)+/?")
"""A path that reads the same from every page."""
_FILE = re.compile(r"\.[A-Za-z0-9]*[A-Za-z][A-Za-z0-9]*$")
Target = tuple[str, str]
"""What a path leads to: (``record``, id), (``hidden``, id), (``page``, path), (``broken``, hint) or (``unknown``,
path)."""


Routes = Callable[[str], bool | None]


def page_form(path: str) -> str:
    """The one form in which paths are compared: a page's with its closing slash, a file's as it is.

    A version such as ``/releases/1.12.0`` is a page: what follows its last dot is no ending of a file.
    """
    return path if path.endswith("/") or _FILE.search(path) else f"{path}/"


def follow_redirect(redirects: Mapping[str, str], path: str) -> str | None:
    """Where a path leads that is a former one, with its closing slash or without."""
    return redirects.get(path) or redirects.get(page_form(path))


def unknown(_path: str) -> bool | None:
    """The answer for built-in paths where there is no route table: unknown."""
    return None


@dataclass(frozen=True)
class Names:
    """Every name that a reference or a link may hit: while it stays, so does what they lead to."""

    base_url: str
    records: frozenset[str]
    hidden: Mapping[str, str]
    kinds: tuple[str, ...]
    pages: frozenset[str]
    """Paths of pages of the archive's own, without the slashes at their ends."""
    datasets: frozenset[str]
    charts: frozenset[str]
    """``<dataset>`` for each that has one, and ``<dataset>#<anchor>`` for each chart."""
    static: frozenset[str]
    redirects: Mapping[str, str]
    routes: Routes
    """Whether the route table answers a path; ``None`` where it is unknown."""
    elsewhere: tuple[str, ...]
    """Beginnings of paths of the site's host that another service answers."""
    plain: bool
    """Whether a link that leads nowhere is only warned of."""


@dataclass(slots=True)
class Addresses:
    """What every path and id of the archive leads to."""

    index: RecordIndex
    names: Names
    _unlike: Names | None = None

    def unchanged_since(self, earlier: Names) -> bool:
        """Whether the names are those of an earlier assembly; its object is kept, so that asking again is cheap."""
        if earlier is self.names:
            return True
        if earlier is self._unlike or earlier != self.names:
            self._unlike = earlier
            return False
        self.names = earlier
        return True

    def add(self, record: SourceRecord) -> None:
        """Take a new record into account, or a new version of one."""
        if record.id not in self.index.published:
            self.names = replace(self.names, records=self.names.records | {record.id})
        self.index.put(record)

    def remove(self, id_: str) -> None:
        """Take it into account that a record is gone."""
        self.names = replace(self.names, records=self.names.records - {id_})
        self.index.remove(id_)

    def target(self, path: str) -> Target:
        """What a path of the archive leads to."""
        path = follow_redirect(self.names.redirects, path) or path
        bare = path.strip("/").removesuffix(".md").removesuffix(".json")
        first, _, rest = bare.partition("/")
        if bare in self.index.published:
            return "record", bare
        if bare in self.index.hidden:
            return "hidden", bare
        if bare in self.index.faulty or self._is_page(path, bare):
            return "page", path
        if first in self.index.kinds and "/" not in rest and "." not in rest:
            return "broken", self.index.hint(bare, linked=True)
        if first == "datasets" or (first == "pages" and rest):
            return self._listed(path, first, rest.partition("/")[0])
        return self._beyond(path, first)

    def _listed(self, path: str, folder: str, name: str) -> Target:
        """A path below the datasets or the pages of the archive's own: one that there is, or a slip of the pen."""
        pages = folder == "pages"
        exists = f"pages/{name}" in self.names.pages if pages else name in self.names.datasets
        if exists or f"{folder}/{name}" in self.index.faulty:
            return "page", path
        names = {page.partition("/")[2] for page in self.names.pages} if pages else self.names.datasets
        better = nearest(name, names, 1)
        return "broken", f'did you mean "{better[0]}"?' if better else ""

    def _is_page(self, path: str, bare: str) -> bool:
        """Whether a path leads to a file, to a page of the archive's own, or out of the archive."""
        return (
            path in self.names.static
            or bare in self.names.pages
            or bare in ("", *self.index.kinds)
            or is_elsewhere(path)
            or any(page_form(path).startswith(page_form(place)) for place in self.names.elsewhere)
        )

    def no_image(self, path: str) -> bool:
        """Whether a path that is answered is not an image."""
        return path not in self.names.static and not is_image(path)

    def _beyond(self, path: str, first: str) -> Target:
        """A path of no record, page or file: built-in, or a slip of the pen."""
        answered = self.names.routes(path)
        if answered or (answered is None and first in self.index.kinds):
            return "page", path
        is_file = bool(_FILE.search(path)) and not self.names.plain
        close = () if is_file or first in self.index.kinds else get_close_matches(first, self.index.kinds, 1, SURE)
        hint = self._file_hint(path, first) if is_file else f'did you mean "/{close[0]}/"?' if close else ""
        return ("broken", hint) if answered is False or (close and hint) else ("unknown", path)

    def _file_hint(self, path: str, first: str) -> str:
        """Where a file of ``static/`` is that a path misses, or where to put one."""
        if (inner := path.removeprefix("/static")) in self.names.static:
            return f"static/ is not part of the address: write {inner}"
        if path.endswith(".md"):
            return ""
        name = posixpath.basename(path)
        alike = [file for file in self.names.static if posixpath.basename(file).lower() == name.lower()]
        alike = alike or list(nearest(path, islice(self.names.static, MAX_COMPARED_FILES), 1))
        if alike:
            return f'did you mean "{min(alike)}"?'
        return f"put it into static/ and write /{name}" if first in self.index.kinds else f"put it at static{inner}"


class Internal(NamedTuple):
    """A link or image of a text that leads into the archive."""

    path: str
    offset: int
    """Bytes of the text before it."""
    image: bool


def internal(written: HasSource, page: str, base_url: str) -> tuple[Internal, ...]:
    """Each link and image of a text that leads into the archive, as seen from its own page."""
    links = ((path_within(link.href, page, base_url), link) for link in written.inspected.links)
    return tuple(Internal(path, link.offset, link.alt is not None) for path, link in links if path)


def path_within(href: str, page: str, base_url: str) -> str:
    """The path of the archive that a link on a page leads to; nothing for an address elsewhere."""
    href = href.strip()
    if href == base_url or href.startswith(f"{base_url}/"):
        href = href[len(base_url) :] or "/"
    elif href.startswith(_ELSEWHERE) or not href or scheme(href):
        return ""
    return _path(href, page)


NO_PATHS: frozenset[str] = frozenset()
"""Held once: each record has one."""


def hidden_paths(links: Iterable[Internal], addresses: Addresses) -> frozenset[str]:
    """Paths among the links of a text whose records are not shown; a withdrawn one has a page that says so."""
    hidden = addresses.index.hidden
    if not hidden:
        return NO_PATHS
    targets = ((link.path, *addresses.target(link.path)) for link in links)
    return frozenset(path for path, sort, id_ in targets if sort == "hidden" and hidden[id_] != WITHDRAWN)


def published_text(body: str, hidden: frozenset[str], page: str, base_url: str) -> str:
    """A text without comments, whose links to these paths are words: an address tells of a record that is not shown."""
    body = without_comments(body)
    if not hidden:
        return body
    return relink(body, lambda href, _: None if path_within(href, page, base_url) in hidden else href)


class AnchorLink(NamedTuple):
    """A link of a text to a part of a page of the archive."""

    path: str
    anchor: str
    offset: int
    """Bytes of the text before it."""


def anchor_links(written: HasSource, page: str, base_url: str) -> Iterator[AnchorLink]:
    """Each link of a text to a part of a page, as seen from its own page."""
    for link in written.inspected.links:
        if "#" not in link.href or link.alt is not None:
            continue
        try:
            url = urlsplit(urljoin(f"{base_url}{page}", link.href.strip()))
        except ValueError:
            continue
        anchor = unquote(url.fragment)
        # What begins so names words of the page, not a part of it.
        if anchor and not anchor.startswith(":~:") and f"{url.scheme}://{url.netloc}" == base_url:
            yield AnchorLink(unquote(url.path), anchor, link.offset)


def _path(href: str, page: str) -> str:
    if _SIMPLE.fullmatch(href):
        return href
    try:
        path = unquote(urlsplit(urljoin(page, href)).path)
    except ValueError:
        return href
    tail = "/" if path.endswith("/") and path != "/" else ""
    return posixpath.normpath(path) + tail if path.startswith("/") else ""
