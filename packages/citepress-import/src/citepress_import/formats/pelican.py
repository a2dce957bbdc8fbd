"""Sites of Pelican: metadata lines, ``{filename}`` links, and settings that are read and never run."""

import posixpath
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from citepress.base.slugs import tag_slug
from citepress.content.rewritten import apply_edits
from citepress_import.formats.markdown_site import MarkdownSite, format_of_site
from citepress_import.former_addresses import FEED, POSTS, TAGS
from citepress_import.former_site import FormerPage
from citepress_import.heading_ids import python_markdown
from citepress_notes import lenient_values
from citepress_notes.blog_addresses import PELICAN, PelicanAddresses, category_of, slugified
from citepress_notes.document_texts import HTML, from_rst, metadata_of_html, metadata_of_rst
from citepress_notes.hidden_code import HiddenCode
from citepress_notes.pelican_rules import LINK, SPACED_LINK, is_page, pelican_settings, root_of
from citepress_notes.plain_shortcodes import shortcode_edits

_CODE = re.compile(
    r"^(?: {4}|\t)(?::::|#!)(\w[\w+#-]{0,30})[^\n]*\n((?:(?:(?: {4}|\t)[^\n]*|[ \t]*)(?:\n|\Z))+)", re.MULTILINE
)
"""Indented code whose first line names its language."""


class Pelican(MarkdownSite):
    """One site of Pelican."""

    name = "pelican"
    about = "Pelican: content/ with Markdown or reStructuredText, and pelicanconf.py"
    endings = (".md", ".markdown", ".mkd", ".mdown", ".rst", *HTML)
    heading_ids = (python_markdown,)

    def prepare(self) -> None:
        """Read the settings."""
        given, unread = pelican_settings(lambda name: self.tree.text(name) if name in self.tree.sizes else None)
        has_root = bool(self.tree.below(root_of(given) or "content"))
        self.addresses = PelicanAddresses(given, has_root=has_root)
        self.given, self.root = self.addresses.settings, self.addresses.root
        wanted = sorted({name for name in unread if name in PELICAN or name.endswith(("_URL", "_PATHS"))})
        if wanted:
            self.report.notes.append(
                f"settings that are code and were not run: {', '.join(wanted)}; the usual ones count"
            )

    def folders(self) -> dict[str, str]:
        """Its folders of texts, and the path of each."""
        return {self.root: "/"}

    def settings(self) -> dict[str, str]:
        """What its settings give the archive."""
        names = {
            "title": "SITENAME",
            "description": "SITESUBTITLE",
            "base_url": "SITEURL",
            "owner": "AUTHOR",
            "language": "DEFAULT_LANG",
        }
        return {ours: lenient_values.words(self.given.get(theirs)) for ours, theirs in names.items()}

    def adapt(self, path: str, front: dict[str, Any], body: str) -> tuple[dict[str, Any], str]:
        """Front matter under names that are understood, and the text."""
        metadata: dict[str, Any] = {}
        if path.endswith((".rst", *HTML)):
            metadata, body = metadata_of_rst(body) if path.endswith(".rst") else metadata_of_html(body)
        front = self.addresses.completed(path, {**metadata, **front})
        if not path.endswith((".rst", *HTML)):
            body = SPACED_LINK.sub(r"<\1>", _CODE.sub(_fenced, body))
        if path.endswith(".rst") and body.strip():
            title, body = from_rst(body)
            if title:
                front.setdefault("title", title)
        return front, body

    def public(self, _at: str, inner: str, front: Mapping[str, Any]) -> tuple[str, ...]:
        """The paths at which the tool publishes a text."""
        return (self.addresses.public(inner, front),)

    def expand(self, page: FormerPage, code: HiddenCode, text: str) -> str:
        """Its notation as Markdown."""
        text = super().expand(page, code, text)
        return apply_edits(text, shortcode_edits(text, "tags"))

    def word(self, path: str, front: Mapping[str, Any]) -> str:
        """The word of which the slug is made."""
        return self.addresses.slug(path, front)

    def is_page(self, path: str, _front: Mapping[str, Any]) -> bool:
        """Whether a text is a page and no dated post."""
        return is_page(self.given, self._inner(path)[1])

    def files(self) -> dict[str, str]:
        """Files that it publishes as they are."""
        files: dict[str, str] = {}
        for name in (str(name).strip("/") for name in lenient_values.items(self.given.get("STATIC_PATHS"))):
            whole = posixpath.join(self.root, name)
            for path in self.tree.below(whole) or ([whole] if whole in self.tree.sizes else []):
                if not path.endswith(self.endings):
                    files[f"/{path.removeprefix(self.root).lstrip('/')}"] = path
        extra = self.given.get("EXTRA_PATH_METADATA")
        for name, about in extra.items() if isinstance(extra, dict) else ():
            source, place = (
                posixpath.join(self.root, str(name)),
                lenient_values.words(lenient_values.table(about).get("path")),
            )
            if place and source in self.tree.sizes:
                files[f"/{place.strip('/')}"] = source
        return files

    def target(self, page: FormerPage, href: str) -> str:
        """Its notation for links as a path."""
        match = LINK.fullmatch(unquote(href))
        if match is None:
            return href
        kind, rest = match[1], match[3]
        if kind in ("filename", "static", "attach"):
            path, mark, part = rest.partition("#")
            whole = (
                posixpath.join(self.root, path)
                if match[2]
                else posixpath.normpath(posixpath.join(posixpath.dirname(page.source), path))
            )
            if whole not in self.tree.sizes and posixpath.join(self.root, path) in self.tree.sizes:
                whole = posixpath.join(self.root, path)
            return f"/{whole}{mark}{part}"
        if kind in ("tag", "category"):
            return f"/{lenient_values.words(self.given.get(f'{kind.upper()}_URL')).replace('{slug}', slugified(rest))}"
        return "/" if kind == "index" else POSTS

    def _list(self, front: Mapping[str, Any], _public: str) -> None:
        if lenient_values.words(front.get("status")).lower() in ("draft", "hidden"):
            return
        self.lists.lead(f"/{self.given.get('FEED_ALL_ATOM')}", FEED)
        self.lists.lead(f"/{self.given.get('ARCHIVES_SAVE_AS')}", POSTS)
        self.lists.lead("/tags.html", TAGS)
        self.lists.lead("/categories.html", TAGS)
        for kind, words in (("tag", lenient_values.items(front.get("tags"))), ("category", [category_of(front)])):
            for word in filter(None, map(lenient_values.words, words)):
                self.lists.lead(
                    f"/{str(self.given.get(f'{kind.upper()}_URL')).replace('{slug}', slugified(word))}",
                    f"{TAGS}{tag_slug(word)}/",
                )
        category = category_of(front)
        if category:
            self.lists.lead(
                f"/{str(self.given.get('CATEGORY_FEED_ATOM')).replace('{slug}', slugified(category))}", FEED
            )


def _fenced(match: re.Match[str]) -> str:
    """Indented code as a fence with its language."""
    lines = [re.sub(r"^(?: {4}|\t)", "", line) for line in match[2].rstrip().split("\n")]
    return f"```{match[1]}\n" + "\n".join(lines) + "\n```\n\n"


FORMATS = (format_of_site(Pelican),)
