"""Sites of Hugo: sections, bundles, permalinks, cascades, languages and shortcodes."""

import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from citepress.content.written_dates import moment_of
from citepress_import import front_matter
from citepress_import.errors import ImportRefusedError
from citepress_import.formats.markdown_files import (
    DATED,
    MARKDOWN,
    OTHER_TEXTS,
    as_html,
    bundled_files,
    has_front,
    pages_of,
    redirects_file,
    site_settings,
    static_files,
    stem_of,
)
from citepress_import.former_addresses import TAGS
from citepress_import.former_lists import FormerLists, size_of
from citepress_import.former_site import FormerPage, FormerSite, ImportFormat
from citepress_import.heading_ids import github
from citepress_import.report import ImportReport
from citepress_import.source_tree import SourceTree
from citepress_notes import lenient_values
from citepress_notes.calls import ShortcodeCall, replace_shortcodes
from citepress_notes.code_shortcodes import code_templates
from citepress_notes.document_texts import HTML
from citepress_notes.hidden_code import HiddenCode
from citepress_notes.hugo_addresses import HugoAddresses, HugoPlace
from citepress_notes.hugo_paths import urlized
from citepress_notes.hugo_rules import hugo_mounts
from citepress_notes.shortcode_marks import hugo_marks
from citepress_notes.shortcodes import Shortcodes, around_code

_TEMPLATE = re.compile(r"(?:themes/[^/]+/)?layouts/_?shortcodes/(?P<name>.+)\.html")
_UNLINKABLE = re.compile(r"[\s()<>%?\"]")
MAX_INCLUDE_DEPTH = 3
"""How deep included files may include others."""


class _Hugo:
    """One site of Hugo as it is read."""

    def __init__(self, tree: SourceTree) -> None:
        self.tree, self.report, self.rules = tree, ImportReport(), tree.public_rules("hugo")
        self.settings = dict(self.rules.settings("hugo"))
        self.addresses = HugoAddresses(self.settings, tree.sizes)
        self.layout = self.addresses.layout
        self.languages, self.main = self.layout.languages, self.layout.main
        self.folders = {folder: at for folder, at in self.layout.folders.items() if tree.below(folder)} or {"": ""}
        self.cascades: dict[str, dict[str, Any]] = {}
        self.sections: dict[str, str] = {}
        self.lists = FormerLists(("index.xml",), size=self._list_size())
        self.taxonomies = self._taxonomies()
        self.templates = code_templates(tree.tool_files, _TEMPLATE)
        self.around_code = around_code(self.templates)

    def _list_size(self) -> int:
        return size_of(
            lenient_values.table(self.settings.get("pagination")).get("pagersize"),
            size_of(self.settings.get("paginate"), 10),
        )

    def _taxonomies(self) -> list[str]:
        """Names of the taxonomies, as paths and front matter have them."""
        given = self.settings.get("taxonomies")
        if not isinstance(given, Mapping):
            return ["tags", "categories"]
        return [name for value in given.values() if (name := lenient_values.words(value).lower())]

    def site(self) -> FormerSite:
        root = next(iter(self.folders))
        paths = self._content()
        for path in sorted(paths, key=lambda path: (path.count("/"), path)):
            if stem_of(path).partition(".")[0] == "_index" and path.lower().endswith(MARKDOWN):
                self._cascade(path)
        pages = pages_of(self.tree, self.rules, paths, self._page, self.report)
        settings = site_settings(
            self.settings,
            title="title",
            base_url="baseurl",
            language="languagecode",
            description="params.description",
            owner="params.author",
        )
        if not settings.get("title") and self.main in self.languages:
            settings |= site_settings(self.languages, title=f"{self.main}.title")
        if not settings.get("language"):
            settings["language"] = self.main
        static = [str(name).strip("/") for name in lenient_values.items(self.settings.get("staticdir") or "static")]
        static = [mount.source for mount in hugo_mounts(self.settings, "static")] or static
        return FormerSite(
            self.tree,
            pages,
            self.report,
            rules=self.rules,
            settings=settings,
            assets=bundled_files(self.tree, pages) | static_files(self.tree, *static),
            redirects=redirects_file(self.tree, static),
            lists=dict(self.lists.paths()),
            heading_id=github,
            expand=self._expand,
            roots=(root, "assets", *(folder for folder in self.folders if folder != root)),
        )

    def _content(self) -> list[str]:
        return [
            path
            for folder in self.folders
            for path in self.tree.below(folder, *MARKDOWN, *OTHER_TEXTS, *HTML)
            if not path.endswith(HTML) or has_front(self.tree, path)
            if folder or path.partition("/")[0] not in ("layouts", "themes", "static", "archetypes", "data", "assets")
        ]

    def _cascade(self, path: str) -> None:
        """Values that a section hands down to its pages."""
        try:
            front, _, _ = front_matter.parted(self.tree.text(path))
        except ImportRefusedError:
            return
        members: dict[str, Any] = {}
        for item in lenient_values.items(front.get("cascade")):
            about = lenient_values.table(item)
            if "_target" not in about and "target" not in about:
                members |= lenient_values.table(about.get("params")) | about
        self.cascades[posixpath.dirname(path)] = {key: value for key, value in members.items() if key != "params"}

    def _inherited(self, path: str) -> dict[str, Any]:
        members: dict[str, Any] = {}
        folder = ""
        for part in ("", *posixpath.dirname(path).split("/")):
            folder = posixpath.join(folder, part)
            members |= self.cascades.get(folder, {})
        return members

    def _page(self, path: str, front: dict[str, Any], body: str, _toml: bool) -> FormerPage | None:
        at = self.addresses.place(path)
        front = {**self._inherited(path), **front}
        front.pop("cascade", None)
        if at.name == "_index":
            return self._section(path, front, body, at)
        public, *further = self.addresses.of_page(at, front)
        if "aliases" in front:
            front["aliases"] = self.addresses.aliases(at, front, public)
        if at.language and at.language != self.main:
            front.setdefault("language", at.language)
        is_page = not at.parents and not moment_of(front.get("date")) and not DATED.search(path)
        if not lenient_values.is_true(front.get("draft")):
            self._list(front, at.parents, at.prefix)
        form = as_html(path)
        return FormerPage(path, front, body, at.word, public, tuple(further), is_page=is_page, toml=True, **form)

    def _list(self, front: Mapping[str, Any], sections: list[str], prefix: str) -> None:
        """Count a page in the lists that Hugo makes of it: the front page, its section, its tags."""
        self.lists.add(f"{prefix}/")
        if sections:
            self.lists.add(f"{prefix}{urlized(f'/{sections[0]}/')}")
        for name in self.taxonomies:
            terms = [
                words for term in lenient_values.items(front.get(name)) if (words := lenient_values.words(term, 80))
            ]
            for term in terms:
                self.lists.add_tag(f"{prefix}/{urlized(name)}/{urlized(term).strip('/')}/", term)
            if terms:
                self.lists.add(f"{prefix}/{name}/", TAGS)

    def _section(self, path: str, front: dict[str, Any], body: str, at: HugoPlace) -> FormerPage | None:
        public, sections, prefix = self.addresses.of_section(at, front), at.sections, at.prefix
        language = at.language or self.main
        if language != self.main:
            front.setdefault("language", language)
        if not sections and body.strip():
            is_front, name = language == self.main, f"home-{language}"
            further = (f"{prefix}/",) if is_front and prefix else ()
            shown = "/" if is_front else public
            name = "home" if is_front else name
            page = FormerPage(path, front, body, name, shown, further, is_page=True, toml=True, **as_html(path))
            return replace(page, is_front=is_front)
        if not body.strip():
            if sections:
                self.lists.add(public, posts=0)
            self.report.pass_over(path, "it is a list without text")
            return None
        if "aliases" in front:
            front["aliases"] = self.addresses.aliases(at, front, public)
        is_page = len(sections) == 1
        return FormerPage(path, front, body, sections[-1], public, is_page=is_page, toml=True, **as_html(path))

    def _expand(self, page: FormerPage, code: HiddenCode, text: str) -> str:
        return self._expanded(page, code, text, 0)

    def _expanded(self, page: FormerPage, code: HiddenCode, text: str, depth: int) -> str:
        own: dict[str, Callable[[ShortcodeCall], str | None]] = {
            "ref": lambda call: self._reference(page, call),
            "relref": lambda call: self._reference(page, call),
            "param": lambda call: lenient_values.words(self._param(page, call.argument("name", place=0))),
        }
        for name in ("readfile", "include", "include-md", "snippet"):
            own[name] = lambda call: self._included(page, code, call, depth)
        handler = Shortcodes(code, self.report.shortcodes, own, self.templates)
        # Shortcodes around code come first: a mark of code inside begins nothing outside.
        for only in (self.around_code, None):
            if "{{<" in text or "{{%" in text:
                marks = (mark for mark in hugo_marks(text) if only is None or mark.name in only)
                text = replace_shortcodes(text, marks, handler, code.shown)
            text = code.spans(text)
        return text

    def _param(self, page: FormerPage, name: str) -> object:
        params = lenient_values.table(page.front.get("params"))
        site = lenient_values.table(self.settings.get("params"))
        return page.front.get(name) or params.get(name) or site.get(name.lower()) or name

    def _reference(self, page: FormerPage, call: ShortcodeCall) -> str:
        """The address of a page as a path of the source, percent-encoded where a link could not hold it."""
        target, mark, part = call.argument("path", place=0).partition("#")
        address = f"{self._source_path(page, target)}{mark}{part}" if target else f"#{part}"
        return _UNLINKABLE.sub(lambda match: quote(match[0], safe=""), address)

    def _source_path(self, page: FormerPage, target: str) -> str:
        """The path of the file that a reference means, as seen from the folder of content."""
        sizes = self.tree.sizes
        bare = target.strip("/")
        endings = ("", ".md", "/index.md", "/_index.md")
        near = posixpath.dirname(page.source)
        for folder in (near, *self.folders, *(f"{folder}/{posixpath.dirname(near)}" for folder in self.folders)):
            for ending in endings:
                path = posixpath.normpath(posixpath.join(folder, bare + ending))
                if path in sizes:
                    root = next(iter(self.folders))
                    return f"/{posixpath.relpath(path, root) if root else path}"
        name = posixpath.basename(bare).removesuffix(".md")
        hits = [
            path
            for path in self._names().get(name, ())
            if path.removesuffix("/index.md").removesuffix(".md").endswith(bare.removesuffix(".md"))
        ]
        root = next(iter(self.folders))
        return f"/{posixpath.relpath(hits[0], root) if root else hits[0]}" if hits else f"/{bare}"

    def _names(self) -> dict[str, list[str]]:
        if not self.sections:
            self._by_name: dict[str, list[str]] = {}
            for path in self._content():
                name = posixpath.basename(posixpath.dirname(path)) if stem_of(path) == "index" else stem_of(path)
                self._by_name.setdefault(name, []).append(path)
            self.sections = {"": ""}
        return self._by_name

    def _included(self, page: FormerPage, code: HiddenCode, call: ShortcodeCall, depth: int) -> str | None:
        """The text of a file of the site in place of a shortcode that includes it."""
        name = call.argument("file", "path", "name", place=0)
        near = posixpath.dirname(page.source)
        options = [posixpath.normpath(posixpath.join(folder, name.lstrip("/"))) for folder in (near, *self.folders, "")]
        path = next((path for path in options if path in self.tree.sizes), "")
        if not path or depth >= MAX_INCLUDE_DEPTH:
            return None
        text = self.tree.text(path).replace("\x02", "").replace("\x03", "")
        if language := call.argument("code", "lang"):
            return code.fence(text, language if language != "true" else posixpath.splitext(path)[1].lstrip("."))
        _, body, _ = front_matter.parted(text)
        return self._expanded(page, code, code.blocks(body), depth + 1)


FORMAT = ImportFormat(
    "hugo",
    "Hugo: content/, static/ and the site's configuration",
    lambda tree: "hugo" in tree.tools(),
    lambda tree: _Hugo(tree).site(),
    in_repository=True,
)
