"""Feeds: RSS, Atom and JSON Feed, where they hold whole texts."""

from collections.abc import Iterator
from html import escape
from typing import Any
from urllib.parse import unquote, urlsplit

from lxml import etree

from citepress.base import strict_json
from citepress_import.errors import ImportRefusedError
from citepress_import.formats.markdown_files import MARKDOWN
from citepress_import.formats.xml_exports import elements, text, texts
from citepress_import.former_addresses import FEED
from citepress_import.former_site import FormerPage, FormerSite, ImportFormat
from citepress_import.report import ImportReport
from citepress_import.source_tree import EXPORT_BYTES, SourceTree
from citepress_notes import lenient_values

_ROOTS = (b"<rss", b"<feed", b"<rdf:RDF", b"jsonfeed.org/version")


def _file(tree: SourceTree) -> str:
    names = [path for path in sorted(tree.below("", ".xml", ".rss", ".atom", ".json")) if "/" not in path]
    names += [tree.alone] if tree.alone and tree.alone not in names else []
    return next((path for path in names if _is_feed(tree.read(path, EXPORT_BYTES)[:8_192])), "")


def _is_feed(head: bytes) -> bool:
    return any(root in head for root in _ROOTS) and b"wordpress.org/export/" not in head


def _detect(tree: SourceTree) -> bool:
    """A feed beside Markdown is part of a site, often as a template, and not what the site is read from."""
    return not tree.below("", *MARKDOWN) and bool(_file(tree))


class _Feed:
    """One feed as it is read."""

    def __init__(self, tree: SourceTree) -> None:
        self.tree, self.report = tree, ImportReport()
        self.settings: dict[str, str] = {}
        self.sources: set[str] = set()
        self.own = ""
        """Address of the feed itself."""

    def site(self) -> FormerSite:
        data = self.tree.read(_file(self.tree) or self.tree.alone, EXPORT_BYTES)
        items = self._json(data) if data.lstrip()[:1] == b"{" else self._xml(data)
        pages = [self._page(front, body) for front, body in items]
        hosts = tuple({base for page in pages if (base := _base(str(page.front.get("canonicalUrl", ""))))})
        if hosts and not _base(self.settings.get("base_url", "")):
            self.settings["base_url"] = hosts[0]
        path = unquote(urlsplit(self.own).path) if _base(self.own) else ""
        lists = {path: FEED} if path.strip("/") else {}
        return FormerSite(self.tree, pages, self.report, settings=self.settings, lists=lists, hosts=hosts)

    def _json(self, data: bytes) -> Iterator[tuple[dict[str, Any], str]]:
        try:
            feed = lenient_values.table(strict_json.loads(data, max_values=None))
        except strict_json.JsonError as error:
            raise ImportRefusedError(f"the feed {error}") from None
        self.own = lenient_values.words(feed.get("feed_url"), 2_000)
        self._describe(feed.get("title"), feed.get("description"), feed.get("home_page_url"), feed.get("language"))
        for item in map(lenient_values.table, lenient_values.items(feed.get("items"))):
            body = item.get("content_html") or f"<p>{escape(str(item.get('content_text') or ''))}</p>"
            people = lenient_values.items(item.get("authors") or item.get("author"))
            yield (
                {
                    "title": item.get("title"),
                    "date": item.get("date_published"),
                    "lastmod": item.get("date_modified"),
                    "description": item.get("summary"),
                    "tags": [str(tag) for tag in lenient_values.items(item.get("tags"))],
                    "authors": people,
                    "language": item.get("language"),
                    "canonicalUrl": item.get("url") or item.get("external_url"),
                    "guid": item.get("id"),
                },
                str(body),
            )

    def _describe(self, title: object, description: object, url: object, language: object) -> None:
        given = {"title": title, "description": description, "base_url": url, "language": language}
        self.settings = {key: words for key, value in given.items() if (words := lenient_values.words(value, 300))}

    def _xml(self, data: bytes) -> Iterator[tuple[dict[str, Any], str]]:
        is_atom = b"<feed" in data[:8_192]
        parent = "feed" if is_atom else "channel"
        about = dict.fromkeys(("title", "description", "subtitle", "link", "language"), "")
        for name in about:
            for element in elements(data, name, parent=parent):
                about[name] = about[name] or (element.text or "").strip() or _href(element)
                if name == "link" and element.get("rel") == "self":
                    self.own = self.own or str(element.get("href", ""))
        self._describe(about["title"], about["description"] or about["subtitle"], about["link"], about["language"])
        for element in elements(data, "entry" if is_atom else "item"):
            yield self._entry(element) if is_atom else self._item(element)

    def _item(self, element: Any) -> tuple[dict[str, Any], str]:  # noqa: ANN401  (lxml's elements are loosely typed)
        whole = text(element, "encoded")
        teaser = text(element, "description")
        creators = texts(element, "creator") or [
            name.partition("(")[2].rstrip(")") or name for name in texts(element, "author")
        ]
        front = {
            "title": text(element, "title"),
            "date": text(element, "pubDate") or text(element, "date"),
            "description": teaser if whole else "",
            "tags": [words for words in texts(element, "category") if words],
            "authors": [name for name in creators if name],
            "canonicalUrl": text(element, "link"),
            "guid": text(element, "guid"),
        }
        return front, whole or teaser

    def _entry(self, element: Any) -> tuple[dict[str, Any], str]:  # noqa: ANN401
        children = [child for child in element if isinstance(child.tag, str)]
        links = [child for child in children if etree.QName(child).localname == "link"]
        link = next((child for child in links if child.get("rel", "alternate") == "alternate"), None)
        people = [child for child in children if etree.QName(child).localname == "author"]
        content = next((child for child in children if etree.QName(child).localname == "content"), None)
        summary = next((child for child in children if etree.QName(child).localname == "summary"), None)
        front = {
            "title": text(element, "title"),
            "date": text(element, "published") or text(element, "updated"),
            "lastmod": text(element, "updated"),
            "description": _inner(summary) if content is not None and summary is not None else "",
            "tags": [
                child.get("label") or child.get("term")
                for child in children
                if etree.QName(child).localname == "category"
            ],
            "authors": [{"name": text(child, "name"), "url": text(child, "uri")} for child in people],
            "canonicalUrl": link.get("href") if link is not None else "",
            "guid": text(element, "id"),
        }
        shown = content if content is not None else summary
        return front, _inner(shown) if shown is not None else ""

    def _page(self, front: dict[str, Any], body: str) -> FormerPage:
        url = lenient_values.words(front.get("canonicalUrl"), 2_000)
        path = unquote(urlsplit(url).path) if _base(url) else ""
        name = path.rstrip("/").rpartition("/")[2].rpartition(".html")[0] or path.rstrip("/").rpartition("/")[2]
        title = lenient_values.words(front.get("title"))
        source = f"#{front.get('guid') or url or title}"[:300]
        while source in self.sources:
            source += "'"
        self.sources.add(source)
        own = path if path.strip("/") else ""
        return FormerPage(source, front, body, name or title or "untitled", own, html=True)


def _href(element: Any) -> str:  # noqa: ANN401
    return str(element.get("href", "")) if element.get("rel", "alternate") == "alternate" else ""


def _inner(element: Any) -> str:  # noqa: ANN401
    """The HTML of a text construct of Atom."""
    if element.get("type") == "xhtml":
        return "".join(etree.tostring(child, encoding="unicode", method="html", with_tail=True) for child in element)
    words = "".join(element.itertext())
    return words if element.get("type") == "html" else f"<p>{escape(words)}</p>" if words.strip() else ""


def _base(url: str) -> str:
    parts = urlsplit(url.strip())
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in ("http", "https") and parts.netloc else ""


def _read(tree: SourceTree) -> FormerSite:
    return _Feed(tree).site()


FORMAT = ImportFormat("feed", "RSS, Atom or JSON Feed: a file with whole texts", _detect, _read)
