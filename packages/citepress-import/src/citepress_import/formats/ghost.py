"""Exports of Ghost (JSON): posts, pages, tags, authors and settings, with their content folder."""

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from html import escape
from typing import Any

from citepress.base import strict_json
from citepress_import.errors import ImportRefusedError
from citepress_import.former_addresses import POSTS
from citepress_import.former_lists import FormerLists
from citepress_import.former_site import FormerPage, FormerSite, ImportFormat
from citepress_import.report import ImportReport
from citepress_import.source_tree import EXPORT_BYTES, SourceTree
from citepress_notes import lenient_values
from citepress_notes.held_back import of_front

GHOST_URL = "__GHOST_URL__"
LIST_SIZE = 5
"""Posts on a page of a list, unless the theme says more, which an export does not tell."""
PUBLIC = frozenset({"", "public"})


def _export(tree: SourceTree) -> str:
    names = [path for path in sorted(tree.below("", ".json")) if "/" not in path or tree.alone]
    return next((path for path in names if _is_export(tree.read(path, EXPORT_BYTES)[:4_096])), "")


def _is_export(head: bytes) -> bool:
    return bool(re.match(rb'\s*\{\s*"db"\s*:|\s*\{\s*"(?:meta|data)"\s*:\s*\{\s*"(?:exported_on|posts)"', head))


def _detect(tree: SourceTree) -> bool:
    return bool(_export(tree))


def _loaded(data: bytes) -> Mapping[str, Any]:
    """The tables of an export. Raises ``ImportRefusedError``."""
    try:
        whole = lenient_values.table(strict_json.loads(data, max_values=None))
    except strict_json.JsonError as error:
        raise ImportRefusedError(f"the export {error}") from None
    databases = lenient_values.items(whole.get("db") or [whole])
    return lenient_values.table(lenient_values.table(databases[0] if databases else {}).get("data"))


class _Ghost:
    """One export of Ghost as it is read."""

    def __init__(self, tree: SourceTree) -> None:
        self.tree, self.report = tree, ImportReport()
        self.tables = _loaded(tree.read(_export(tree) or tree.alone, EXPORT_BYTES))
        self.tags = self._joined("posts_tags", "tag_id", "tags")
        self.authors = self._joined("posts_authors", "author_id", "users")
        self.meta = {row.get("post_id"): row for row in self._rows("posts_meta")}
        self.lists = FormerLists(("rss/",), size=LIST_SIZE)
        self.settings = {str(row.get("key")): lenient_values.words(row.get("value")) for row in self._rows("settings")}

    def _rows(self, name: str) -> list[dict[str, Any]]:
        return [dict(row) for row in lenient_values.items(self.tables.get(name)) if isinstance(row, Mapping)]

    def _joined(self, table: str, key: str, other: str) -> dict[object, list[dict[str, Any]]]:
        """Rows of another table by the post that they belong to, in their order."""
        by_id = {row.get("id"): row for row in self._rows(other)}
        joined: dict[object, list[dict[str, Any]]] = defaultdict(list)
        for row in sorted(self._rows(table), key=lambda row: (str(row.get("post_id")), str(row.get("sort_order", 0)))):
            if row.get(key) in by_id:
                joined[row.get("post_id")].append(by_id[row.get(key)])
        return joined

    def site(self) -> FormerSite:
        pages = [page for row in self._rows("posts") if (page := self._page(row))]
        assets = {
            f"/content/images/{path.partition('images/')[2]}": path
            for path in self.tree.sizes
            if "content/images/" in path or path.startswith("images/")
        }
        url = self.settings.get("url", "")
        settings = {"title": self.settings.get("title", ""), "description": self.settings.get("description", "")}
        settings |= {"language": self.settings.get("lang") or self.settings.get("locale", ""), "base_url": url}

        def target(_page: FormerPage, href: str) -> str:
            return re.sub(r"(/content/images/)size/[\w/]+?/(?=\d{4}/)", r"\1", href.replace(GHOST_URL, ""))

        return FormerSite(
            self.tree,
            pages,
            self.report,
            settings=settings,
            assets=assets,
            lists=dict(self.lists.paths()),
            target=target,
        )

    def _page(self, row: dict[str, Any]) -> FormerPage | None:
        slug = lenient_values.words(row.get("slug"), 191)
        source = f"#{slug or row.get('id')}"
        visibility = lenient_values.words(row.get("visibility"))
        is_page = row.get("type") == "page" or lenient_values.is_true(row.get("page"))
        body = row.get("html")
        if not isinstance(body, str) or not body.strip():
            body = _from_cards(row)
        if body is None:
            self.report.set_aside.append((source, "its text is in a form that is not read; export it with HTML"))
            return None
        status = lenient_values.words(row.get("status"))
        # A scheduled post has a date ahead, which holds it back until then.
        held = of_front({"status": "" if status == "scheduled" else status, "visibility": visibility})
        if held:
            self.report.hold(source, held)
        image = lenient_values.words(row.get("feature_image"), 2_000)
        if image:
            words = lenient_values.words(self.meta.get(row.get("id"), {}).get("feature_image_alt"))
            body = f'<p><img src="{escape(image)}" alt="{escape(words)}"></p>{body}'
        meta = self.meta.get(row.get("id"), {})
        front: dict[str, Any] = {
            "title": row.get("title"),
            "date": row.get("published_at") or row.get("created_at"),
            "lastmod": row.get("updated_at"),
            "description": row.get("custom_excerpt") or row.get("meta_description") or meta.get("meta_description"),
            "tags": [tag.get("name") for tag in self.tags[row.get("id")] if not str(tag.get("name")).startswith("#")],
            "authors": [{"name": user.get("name"), "url": user.get("website")} for user in self.authors[row.get("id")]],
            "draft": held is not None or status not in ("published", "scheduled") or visibility not in PUBLIC,
            "canonicalUrl": row.get("canonical_url"),
        }
        if not is_page and not front["draft"]:
            self._list(row)
        return FormerPage(source, front, body, slug or "untitled", f"/{slug}/", is_page=is_page, html=True)

    def _list(self, row: Mapping[str, Any]) -> None:
        """Count a post in the lists that Ghost makes of it: front page, tags, authors."""
        self.lists.add("/")
        for tag in self.tags[row.get("id")]:
            name, words = lenient_values.words(tag.get("slug")), lenient_values.words(tag.get("name"))
            if name and words and not words.startswith("#"):
                self.lists.add_tag(f"/tag/{name}/", words)
        for user in self.authors[row.get("id")]:
            if name := lenient_values.words(user.get("slug")):
                self.lists.add(f"/author/{name}/", POSTS if len(self._rows("users")) == 1 else "")


def _from_cards(row: Mapping[str, Any]) -> str | None:
    """The HTML of a text that is stored as Markdown or HTML cards; ``None`` for any other form."""
    try:
        document = json.loads(str(row.get("mobiledoc") or "{}"))
    except (ValueError, RecursionError):
        return None
    cards = [
        card for card in lenient_values.items(lenient_values.table(document).get("cards")) if isinstance(card, list)
    ]
    if not cards:
        return "" if not row.get("lexical") and not row.get("mobiledoc") else None
    texts = [lenient_values.table(card[1]) for card in cards if len(card) > 1]
    return "\n".join(str(text.get("html") or escape(str(text.get("markdown") or ""))) for text in texts)


def _read(tree: SourceTree) -> FormerSite:
    return _Ghost(tree).site()


FORMAT = ImportFormat("ghost", "Ghost: an export file (JSON), or a folder with it and content/images", _detect, _read)
