"""Leads the links of an imported text to where their targets are now, and counts what they were."""

import posixpath
from collections.abc import Callable
from urllib.parse import unquote, urljoin, urlsplit

from citepress.base.urls import own_path
from citepress.content.files import is_markdown
from citepress.content.images import is_image
from citepress.content.links import UNSAFE, scheme
from citepress_import.address_book import AddressBook, joined
from citepress_import.former_addresses import FEED, POSTS, TAGS
from citepress_import.former_site import FormerPage, FormerSite
from citepress_import.report import ImportReport


def _sort(path: str) -> str:
    """What a present path is, for the count of links."""
    if not path.startswith("/"):
        return "to a redirect elsewhere"
    return "to a list" if path in (POSTS, FEED, TAGS, "/") or path.startswith(TAGS) else "to a record"


class Relinker:
    """Finds the present addresses of the links of one site."""

    def __init__(
        self, site: FormerSite, book: AddressBook, prefix: str, report: ImportReport, redirected: Callable[[str], str]
    ) -> None:
        """``redirected`` says where a redirect, a list or a feed of the former site leads now; else nothing."""
        self._site, self._book, self._prefix, self._report = site, book, prefix, report
        self._redirected = redirected
        bases = (site.settings.get("base_url", ""), *site.hosts)
        self._names = {urlsplit(base).netloc.lower().removeprefix("www.") for base in bases if base} - {""}
        """Parts of addresses of the former site, by which others are passed over quickly."""
        self.former_host_images: set[str] = set()
        """Images on the former host that are not in the source and keep their address."""
        self.beside: set[str] = set()
        """Folders of the former host outside the path of the site, to which links lead: another service answers."""

    def address(self, page: FormerPage, slug: str, href: str, *, image: bool) -> str | None:
        """The present address of a link; ``None`` where there is none."""
        href = self._site.target(page, href.strip())
        if href.startswith("#") and not image:
            return href
        if href.startswith("//"):
            href = f"https:{href}"
        name = scheme(href)
        if name in UNSAFE or not href:
            self._dead(page, href[:80], image=image)
            return None
        own = self._own(href) if name in ("http", "https") else None
        if name and own is None:
            self._note_neighbour(href)
            self._count("external", image=image)
            return href
        target, mark, fragment = (own if own is not None else href).partition("#")
        present = self._present(page, slug, unquote(target.partition("?")[0]), image=image)
        if present:
            return None if self._is_held_back(page, present) else f"{present}{mark}{fragment}"
        if own is not None and not (image and self._site.assets):
            return self._on_former_host(page, href, image=image)
        self._dead(page, href, image=image)
        return None

    def _is_held_back(self, page: FormerPage, path: str) -> bool:
        """Whether a link of a page that is shown leads to a draft."""
        return path in self._book.private and not page.front.get("draft")

    def _on_former_host(self, page: FormerPage, href: str, *, image: bool) -> str:
        """Keep a whole address of the former host: something outside the source may answer there."""
        self._count("on the former host", image=image)
        if image:
            self.former_host_images.add(href)
        else:
            self._report.former_host_links.append((page.source, href[:400]))
        return href

    def _note_neighbour(self, href: str) -> None:
        """Note the folder of another site on the same host."""
        base = self._site.settings.get("base_url", "")
        if self._prefix and any(host in href.lower() for host in self._names):
            parts = urlsplit(base)
            path = own_path(href, f"{parts.scheme}://{parts.netloc}/") or ""
            first = path.strip("/").partition("/")[0]
            if first:
                self.beside.add(f"/{first}/")

    def is_own(self, href: str) -> bool:
        """Whether an address is one of the former site itself."""
        return self._own(href) is not None

    def _own(self, href: str) -> str | None:
        """The path of an address of the former site itself, with its fragment."""
        if not any(host in href.lower() for host in self._names):
            return None
        for base in (self._site.settings.get("base_url", ""), *self._site.hosts):
            if base and (path := own_path(href, base)) is not None:
                _, mark, fragment = href.partition("#")
                return f"{path}{mark}{fragment}"
        return None

    def _present(self, page: FormerPage, slug: str, path: str, *, image: bool) -> str:
        if not path:
            return ""
        if not is_image(path):
            found_page = self._page(page, path)
            if found_page:
                held = self._is_held_back(page, found_page)
                self._count("to what is held back, left as text" if held else _sort(found_page), image=False)
                return found_page
        file = self._file(page, path)
        if not file:
            return ""
        public, reason = self._book.copied(file, slug, draft=bool(page.front.get("draft")))
        if public:
            self._count("copied" if image else "to a file", image=image)
        elif reason and not is_markdown(file):
            self._report.notes.append(f"{file} is not published: {reason}")
        return public

    def _page(self, page: FormerPage, path: str) -> str:
        folder = posixpath.dirname(page.source)
        if path.startswith("/"):
            bare = path.removeprefix(self._prefix) if self._prefix else path
            if path.strip("/") == self._prefix.strip("/"):
                return "/"
            at = self._book.page_at(path) or self._book.page_at(self._prefix + bare) or self._page_from_top(page, path)
            return at or self._redirected(bare)
        beside = joined(folder, path)
        public = urljoin(page.path or "/", path)
        at = (self._book.page_of(beside) if beside else "") or (self._page_at(public) if page.path else "")
        return at or (self._redirected(public) if page.path else "") or self._page_from_top(page, path)

    def _page_at(self, public: str) -> str:
        """The page at a path of the former site, which may begin below the path of the site."""
        return self._book.page_at(self._prefix + public) or self._book.page_at(public)

    def _page_from_top(self, page: FormerPage, path: str) -> str:
        """The page of a link that begins at the top of the source, or that names a note of a vault alone."""
        for root in self._site.roots:
            from_top = joined(root, path.lstrip("/"))
            if from_top and (at := self._book.page_of(from_top)):
                return at
        named = self._book.page_named(path, page.source) if self._site.wiki and is_markdown(path) else ""
        return self._book.page_of(named) if named else ""

    def _file(self, page: FormerPage, path: str) -> str:
        sizes = self._site.tree.sizes
        if path.startswith("/"):
            bare = path.removeprefix(self._prefix) if self._prefix else path
            below = [posixpath.normpath(posixpath.join(root, bare.strip("/"))) for root in self._site.roots]
            candidates = [self._book.asset_at(path), self._book.asset_at(bare), *below]
        else:
            beside = joined(posixpath.dirname(page.source), path)
            candidates = [beside, self._book.asset_at(urljoin(page.path or "/", path)), self._book.asset_at(path)]
            candidates += [joined(root, path) for root in self._site.roots]
        file = next((file for file in candidates if file and file in sizes), "")
        return file or (self._book.file_named(path) if self._site.wiki and not is_markdown(path) else "")

    def _dead(self, page: FormerPage, href: str, *, image: bool) -> None:
        self._count("not in the source" if image else "dead, left as text", image=image)
        (self._report.missing_images if image else self._report.dead_links).append((page.source, href[:400]))

    def _count(self, what: str, *, image: bool) -> None:
        (self._report.images if image else self._report.links)[what] += 1
