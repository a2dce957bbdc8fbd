"""Sites of Zola: sections, co-located pages, paths and shortcodes."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from citepress.content.written_dates import moment_of
from citepress_import.formats.markdown_files import (
    MARKDOWN,
    OTHER_TEXTS,
    bundled_files,
    pages_of,
    site_settings,
    static_files,
)
from citepress_import.former_addresses import TAGS
from citepress_import.former_lists import FormerLists, size_of
from citepress_import.former_site import FormerPage, FormerSite, ImportFormat
from citepress_import.report import ImportReport
from citepress_import.source_tree import SourceTree
from citepress_notes import lenient_values
from citepress_notes.calls import ShortcodeMark, replace_shortcodes
from citepress_notes.code_shortcodes import code_templates
from citepress_notes.document_addresses import ZOLA_DATED, ZolaAddresses, zola_slug
from citepress_notes.hidden_code import HiddenCode
from citepress_notes.shortcode_marks import zola_marks
from citepress_notes.shortcodes import Shortcodes, around_code

CONTENT = "content"
_TEMPLATE = re.compile(r"(?:themes/[^/]+/)?templates/shortcodes/(?P<name>.+)\.(?:html|md)")


def _detect(tree: SourceTree) -> bool:
    return "zola" in tree.tools() or (
        "config.toml" in tree.sizes and any("@/" in tree.text(path) for path in tree.below(CONTENT, ".md")[:20])
    )


class _Zola:
    """One site of Zola as it is read."""

    def __init__(self, tree: SourceTree) -> None:
        self.tree, self.report, self.rules = tree, ImportReport(), tree.public_rules("zola")
        self.settings = self.rules.settings("zola")
        self.root = CONTENT if tree.below(CONTENT) else ""
        self.addresses = ZolaAddresses(self.settings, self.root)
        self.lists = FormerLists(self._feeds(), further="")
        self.lists.add("/", posts=0)
        self.templates = code_templates(tree.tool_files, _TEMPLATE)
        self.around_code = around_code(self.templates)
        self.front_title = ""
        """The title of the front page."""

    def _feeds(self) -> tuple[str, ...]:
        """Names of the feeds; Zola wrote `rss.xml` once, and writes `atom.xml` now."""
        given = self.settings.get("feed_filenames") or self.settings.get("feed_filename")
        return tuple(str(name) for name in lenient_values.items(given)) or ("atom.xml", "rss.xml")

    def site(self) -> FormerSite:
        paths = self.tree.below(self.root, *MARKDOWN, *OTHER_TEXTS)
        pages = pages_of(self.tree, self.rules, paths, self._page, self.report)
        settings = site_settings(
            self.settings,
            title="title",
            description="description",
            base_url="base_url",
            language="default_language",
            owner="author",
        )
        if self.front_title:
            settings.setdefault("title", self.front_title)
        return FormerSite(
            self.tree,
            pages,
            self.report,
            rules=self.rules,
            settings=settings,
            assets=bundled_files(self.tree, pages) | static_files(self.tree, "static"),
            lists=dict(self.lists.paths()),
            expand=self._expand,
            target=lambda _, href: f"/{href[2:]}" if href.startswith("@/") else href,
            roots=(self.root,),
        )

    def _page(self, path: str, front: dict[str, Any], body: str, _toml: bool) -> FormerPage | None:
        language, name, sections = self.addresses.place(path)
        prefix = f"/{language}" if language else ""
        if name == "_index":
            if not sections and not language:
                self.front_title = lenient_values.words(front.get("title"), 300)
            return self._section(path, front, body, sections, prefix)
        own = name
        if name == "index":
            own = sections[-1] if sections else "home"
            sections = sections[:-1]
        (public,) = self.addresses(path, front)
        if language:
            front.setdefault("language", language)
        if not lenient_values.is_true(front.get("draft")):
            self._list(front, sections, prefix)
        is_page = (
            not sections and not moment_of(front.get("date")) and not re.search(r"\d{4}[-/]\d\d", f"{own}{public}")
        )
        return FormerPage(path, front, body, ZOLA_DATED.sub("", own), public, is_page=is_page, toml=True)

    def _list(self, front: Mapping[str, Any], sections: list[str], prefix: str) -> None:
        """Count a page in the lists that Zola makes of it: the front page, its section, its taxonomies."""
        self.lists.add(f"{prefix}/")
        if sections:
            self.lists.count(f"{prefix}/{'/'.join(map(zola_slug, sections))}/")
        for name, terms in lenient_values.table(front.get("taxonomies")).items():
            listed = [words for term in lenient_values.items(terms) if (words := lenient_values.words(term, 80))]
            for term in listed:
                self.lists.add_tag(f"{prefix}/{zola_slug(name)}/{zola_slug(term)}/", term)
            if listed:
                self.lists.add(f"{prefix}/{zola_slug(name)}/", TAGS)

    def _section(
        self, path: str, front: dict[str, Any], body: str, sections: list[str], prefix: str
    ) -> FormerPage | None:
        if size := size_of(front.get("paginate_by"), 0):
            self.lists.further, self.lists.size = "page/{}/", size
        public = f"{prefix}/{'/'.join(map(zola_slug, sections))}/"
        if body.strip() and sections:
            return FormerPage(path, front, body, sections[-1], public, is_page=len(sections) == 1, toml=True)
        if body.strip() and not prefix:
            return FormerPage(path, front, body, "home", "/", is_page=True, is_front=True, toml=True)
        if sections:
            self.lists.add(public, posts=0)
        self.report.pass_over(path, "it is a list without text")
        return None

    def _expand(self, _page: FormerPage, code: HiddenCode, text: str) -> str:
        handler = Shortcodes(code, self.report.shortcodes, {}, self.templates)
        if any(mark.name in self.around_code for mark in zola_marks(text)):
            text = replace_shortcodes(text, _pairs_of_code(text, self.around_code), handler, code.shown)
        text = code.spans(text)
        return replace_shortcodes(text, zola_marks(text), handler, code.shown) if "{{" in text or "{%" in text else text


def _pairs_of_code(text: str, names: Collection[str]) -> Iterator[ShortcodeMark]:
    """Shortcodes around code with their ends, which come first: a mark of code inside begins nothing outside."""
    depth: list[bool] = []
    for mark in zola_marks(text):
        if mark.alone:
            continue
        if mark.closing:
            if depth and depth.pop():
                yield mark
        else:
            depth.append(mark.name in names)
            if depth[-1]:
                yield mark


FORMAT = ImportFormat(
    "zola", "Zola: content/, static/ and config.toml", _detect, lambda tree: _Zola(tree).site(), in_repository=True
)
