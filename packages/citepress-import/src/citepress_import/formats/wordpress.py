"""Exports of WordPress (WXR): posts, pages, attachments, authors, categories and tags; blocks and shortcodes."""

import re
from collections.abc import Callable, Iterator
from html import escape
from typing import Any
from urllib.parse import unquote, urlsplit

from lxml import etree

from citepress.content.written_dates import moment_of
from citepress_import.formats.xml_exports import elements, text, texts
from citepress_import.former_addresses import POSTS as POSTS_LIST
from citepress_import.former_lists import FormerLists
from citepress_import.former_site import FormerPage, FormerSite, ImportFormat
from citepress_import.report import ImportReport
from citepress_import.source_tree import EXPORT_BYTES, SourceTree
from citepress_notes.calls import ShortcodeCall, ShortcodeMark, replace_shortcodes
from citepress_notes.held_back import of_front
from citepress_notes.word_lists import word_list

POSTS = frozenset({"post", "page"})
PUBLIC = frozenset({"publish", "future"})
TERM_FOLDERS = {"category": "category", "post_tag": "tag"}
"""Folders of the lists of terms, by the domain of the term."""
UNSORTED = "Uncategorized"
UPLOADS = "wp-content/uploads"
_SIZED = re.compile(r"-\d{1,5}x\d{1,5}(?=\.\w+$)")
_SHORTCODE = re.compile(
    r"(?<!\[)\[(/?)([a-zA-Z][\w-]{1,40})((?:\s+[\w:-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\]\"']+)|\s+[^\s\[\]=]+){0,40})\s*(/?)\](?!\])"
)
_COMMENT = re.compile(r"<!--(?!more)(?:[^-]|-(?!->)){0,20000}-->")
_BLOCK = re.compile(
    r"<(?:/?)(?:p|div|ul|ol|li|h[1-6]|blockquote|pre|table|thead|tbody|tr|td|th|figure|section|hr|dl|dt|dd|details)\b",
    re.IGNORECASE,
)
INSIDE = word_list("wordpress shortcodes around text")
KNOWN = INSIDE | word_list("wordpress shortcodes")


def _export(tree: SourceTree) -> str:
    """The export file of a source."""
    names = [path for path in sorted(tree.below("", ".xml", ".wxr")) if "/" not in path or tree.alone]
    return next((path for path in names if b"wordpress.org/export/" in tree.read(path, EXPORT_BYTES)[:65_536]), "")


def _detect(tree: SourceTree) -> bool:
    return bool(_export(tree))


def _captioned(call: ShortcodeCall) -> str | None:
    inner = call.inner or ""
    image = re.match(r"\s*((?:<a[^>]*>)?\s*<img[^>]*>\s*(?:</a>)?)(.*)", inner, re.DOTALL)
    words = call.argument("caption") or (image[2].strip() if image else "")
    return f"<figure>{image[1] if image else inner}<figcaption>{words}</figcaption></figure>" if inner else None


def _code(call: ShortcodeCall) -> str | None:
    language = re.sub(r"[^\w+#-]", "", call.argument("language", "lang", place=0))
    code = _once_escaped(call.inner or "")
    return f'<pre><code class="language-{language}">{code}</code></pre>' if call.inner else None


def _embedded(call: ShortcodeCall) -> str:
    written = re.sub(r"<[^>]*>", "", call.inner or "").strip()
    url = written or call.argument("src", "mp4", "mp3", "url", "id", place=0).lstrip("=")
    return f'<p><a href="{escape(url)}">{escape(url)}</a></p>' if url else ""


def _inside(tag: str) -> Callable[[ShortcodeCall], str | None]:
    return lambda call: f"<{tag}>{call.inner}</{tag}>" if call.inner else None


_HANDLERS: dict[str, Callable[[ShortcodeCall], str | None]] = {
    **dict.fromkeys(("caption", "wp_caption"), _captioned),
    **dict.fromkeys(("code", "sourcecode", "source"), _code),
    **dict.fromkeys(("embed", "youtube", "vimeo", "video", "audio", "tweet", "gist"), _embedded),
    **dict.fromkeys(("latex", "math"), _inside("code")),
    "quote": _inside("blockquote"),
}


class _WordPress:
    """One export of WordPress as it is read."""

    def __init__(self, tree: SourceTree) -> None:
        self.tree, self.report = tree, ImportReport()
        self.settings: dict[str, str] = {}
        self.people: dict[str, str] = {}
        self.attachments: dict[str, str] = {}
        """Address of each attachment by its number."""
        self.comments = 0
        self.lists = FormerLists(("feed/", "feed/atom/"))

    def site(self) -> FormerSite:
        data = self.tree.read(_export(self.tree) or self.tree.alone, EXPORT_BYTES)
        self._channel(data)
        items = [self._item(element) for element in elements(data, "item")]
        self.attachments = {item["post_id"]: item["attachment_url"] for item in items if item["attachment_url"]}
        pages = [page for item in items if (page := self._page(item))]
        assets = {
            f"/{UPLOADS}/{path.partition(f'{UPLOADS}/')[2] or path.partition('uploads/')[2]}": path
            for path in self.tree.sizes
            if f"{UPLOADS}/" in path or path.startswith("uploads/")
        }
        if self.comments:
            self.report.notes.append(f"{self.comments} comments are left out")
        return FormerSite(
            self.tree,
            pages,
            self.report,
            settings=self.settings,
            assets=assets,
            lists=dict(self.lists.paths()),
            target=self._target(assets),
        )

    def _channel(self, data: bytes) -> None:
        """The settings and the authors of the export."""
        for name in ("title", "link", "description", "language", "base_blog_url"):
            for element in elements(data, name, parent="channel"):
                self.settings.setdefault(name, (element.text or "").strip())
                break
        for element in elements(data, "author"):
            login = text(element, "author_login")
            self.people[login] = text(element, "author_display_name") or login
        base, link = self.settings.pop("base_blog_url", ""), self.settings.pop("link", "")
        self.settings["base_url"] = base or link

    def _item(self, element: Any) -> dict[str, Any]:  # noqa: ANN401  (lxml's elements are loosely typed)
        terms = [
            (child.get("domain", ""), child.get("nicename", ""), (child.text or "").strip())
            for child in element
            if isinstance(child.tag, str) and etree.QName(child).localname == "category"
        ]
        self.comments += len(texts(element, "comment"))
        return {
            "title": text(element, "title"),
            "link": text(element, "link"),
            "creator": text(element, "creator"),
            "content": text(element, "encoded", "content"),
            "excerpt": text(element, "encoded", "excerpt"),
            "terms": terms,
            "date": text(element, "pubDate"),
            **{
                key: text(element, key)
                for key in (
                    "post_id",
                    "post_name",
                    "post_type",
                    "status",
                    "post_date",
                    "post_date_gmt",
                    "post_modified_gmt",
                    "post_modified",
                    "post_password",
                    "attachment_url",
                )
            },
        }

    def _page(self, item: dict[str, Any]) -> FormerPage | None:
        kind, status, name = item["post_type"], item["status"], unquote(item["post_name"])
        source = f"#{item['post_id']} {name or item['title']}".strip()
        if kind == "attachment":
            return None
        if kind not in POSTS:
            self.report.keys[f"items of type {kind}", "left out"] += 1
            return None
        # A scheduled post has a date ahead, which holds it back until then.
        held = of_front({"status": "" if status == "future" else status, "password": item["post_password"]})
        if held and self.report.hold(source, held):
            return None
        path = unquote(urlsplit(item["link"]).path)
        is_draft = held is not None or status not in PUBLIC
        front: dict[str, Any] = {
            "title": item["title"],
            "date": _first(item["post_date_gmt"], item["date"], item["post_date"]),
            "lastmod": _first(item["post_modified_gmt"], item["post_modified"]),
            "description": item["excerpt"],
            "tags": [words for domain, _, words in item["terms"] if domain in ("post_tag", "category") and words],
            "author": self.people.get(item["creator"], item["creator"]),
            "draft": is_draft,
        }
        front["tags"] = [tag for tag in dict.fromkeys(front["tags"]) if tag != UNSORTED]
        prefix = urlsplit(self.settings["base_url"]).path.rstrip("/")
        own = path.removeprefix(prefix) if not is_draft and path.strip("/") != prefix.strip("/") else ""
        if kind == "post" and not is_draft:
            self._list(item)
        body = self._html(item["content"])
        return FormerPage(source, front, body, name or item["title"], own, is_page=kind == "page", html=True)

    def _list(self, item: dict[str, Any]) -> None:
        """Count a post in the lists that WordPress makes of it: front page, terms, author, year and month."""
        self.lists.add("/")
        for domain, name, words in item["terms"]:
            if domain in TERM_FOLDERS and name:
                path = f"/{TERM_FOLDERS[domain]}/{unquote(name)}/"
                self.lists.add(path) if words == UNSORTED else self.lists.add_tag(path, words)
        if item["creator"]:
            self.lists.add(f"/author/{item['creator']}/", POSTS_LIST if len(self.people) == 1 else "")
        if moment := moment_of(_first(item["post_date"], item["post_date_gmt"], item["date"])):
            self.lists.add(f"/{moment:%Y}/")
            self.lists.add(f"/{moment:%Y/%m}/")

    def _html(self, content: str) -> str:
        """The text with shortcodes as HTML, and with paragraphs where it has none."""
        content = _COMMENT.sub("", content)
        is_classic = not re.search(r"<p[\s>]", content)
        content = replace_shortcodes(content, _marks(content), self._shortcode, str)
        return _with_paragraphs(content) if is_classic else content

    def _shortcode(self, call: ShortcodeCall) -> str:
        html = self._common(call)
        fate = "mapped" if html is not None else "left out, with a note in the text"
        self.report.shortcodes[call.name, fate] += 1
        return (
            f"<p><em>(“{escape(call.name)}” of the former site is not shown here.)</em></p>{call.inner or ''}"
            if html is None
            else html
        )

    def _common(self, call: ShortcodeCall) -> str | None:
        name = call.name.lower()
        handler = _HANDLERS.get(name)
        if handler:
            return handler(call)
        if name == "gallery":
            urls = [self.attachments.get(id_.strip(), "") for id_ in call.argument("ids", "include").split(",")]
            return "".join(f'<p><img src="{escape(url)}" alt=""></p>' for url in urls if url) or None
        if name in ("toc", "more"):
            return ""
        return call.inner if name in INSIDE else None

    def _target(self, assets: dict[str, str]) -> Any:  # noqa: ANN401
        """Sized copies of an image lead to the image itself where only that is there."""

        def target(_page: FormerPage, href: str) -> str:
            path = urlsplit(href).path if UPLOADS in href else ""
            if path and path not in assets and (plain := _SIZED.sub("", path)) in assets:
                return plain
            return href

        return target


def _marks(content: str) -> Iterator[ShortcodeMark]:
    """Shortcodes: words in brackets that are known, or that have arguments with names."""
    for match in _SHORTCODE.finditer(content):
        name = match[2]
        if name.lower() in KNOWN or re.search(r"\s[\w:-]+\s*=", match[3]):
            yield ShortcodeMark(match.start(), match.end(), name, match[3], bool(match[1]), alone=bool(match[4]))


def _once_escaped(code: str) -> str:
    return escape(code.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").replace("&quot;", '"'))


def _first(*values: str) -> str:
    """The first date that is one: WordPress writes zeros for none."""
    return next((value for value in values if value and not value.startswith("0000") and moment_of(value)), "")


def _with_paragraphs(content: str) -> str:
    """Paragraphs for blank lines and breaks for line ends, as WordPress makes them when it shows a text."""
    parts: list[str] = []
    for piece in re.split(r"(<pre\b.*?</pre>)", content, flags=re.DOTALL | re.IGNORECASE):
        if piece[:4].lower() == "<pre":
            parts.append(piece)
            continue
        for block in re.split(r"\n\s*\n", piece):
            words = block.strip()
            if not words:
                continue
            parts.append(words if _BLOCK.match(words) else f"<p>{words.replace(chr(10), '<br>' + chr(10))}</p>")
    return "\n\n".join(parts)


def _read(tree: SourceTree) -> FormerSite:
    return _WordPress(tree).site()


FORMAT = ImportFormat(
    "wordpress", "WordPress: an export file (WXR), or a folder with it and wp-content/uploads", _detect, _read
)
