"""A site of Markdown files as most tools have it: each tool says its folders, its addresses and its notation."""

import posixpath
import re
from collections.abc import Mapping
from typing import Any, ClassVar

from citepress.base.slugs import tag_slug
from citepress.content.written_dates import moment_of
from citepress_import.formats.markdown_files import (
    DATED,
    MARKDOWN,
    OTHER_TEXTS,
    TEMPLATES,
    bundled_files,
    has_front,
    pages_of,
    redirects_file,
    static_files,
    stem_of,
)
from citepress_import.former_addresses import FEED, POSTS, TAGS
from citepress_import.former_lists import FormerLists
from citepress_import.former_site import FormerPage, FormerSite, ImportFormat, Rule, unchanged, unexpanded
from citepress_import.report import ImportReport
from citepress_import.source_tree import SourceTree
from citepress_notes import lenient_values
from citepress_notes.held_back import of_front
from citepress_notes.hidden_code import HiddenCode
from citepress_notes.usual_keys import TAGGED


class MarkdownSite:
    """One site of a tool as it is read; a tool overrides what it does otherwise."""

    name: ClassVar[str] = ""
    about: ClassVar[str] = ""
    endings: ClassVar[tuple[str, ...]] = MARKDOWN
    static: ClassVar[tuple[str, ...]] = ()
    """Folders whose files are published as they are."""
    tags: str = ""
    """The path of a tag, with ``{}`` for its name; empty where none is known."""
    feeds: tuple[str, ...] = ()
    """Paths of feeds of the whole site."""
    with_templates: ClassVar[bool] = False
    """Whether its pages of HTML with front matter may have tags of templates."""
    wiki: ClassVar[bool] = False
    mdx: ClassVar[bool] = False
    """Whether every text is MDX."""
    heading_ids: ClassVar[tuple[Rule, ...]] = ()
    """The rule by which it gives headings their ids, where that is known."""
    in_repository: ClassVar[bool] = True
    readme: ClassVar[bool] = False
    """Whether the readme at the top is the front page."""

    def __init__(self, tree: SourceTree) -> None:
        self.tree, self.report = tree, ImportReport()
        self.rules = tree.public_rules(self.name)
        self.layout = self.rules.layout
        self.lists = FormerLists()
        self.redirects: dict[str, str] = redirects_file(tree, self.static) | self.layout.redirects
        self.prepare()
        settings = "its settings, which are code, do not say plainly "
        self.report.notes += [f"{settings}{what}: only running them would tell" for what in self.layout.unsaid]
        self.roots = {folder: at for folder, at in self.folders().items() if not folder or tree.below(folder)}

    def prepare(self) -> None:
        """Read the settings."""

    def folders(self) -> dict[str, str]:
        """Folders of texts, and the path at which each is published."""
        return self.layout.roots or {"": "/"}

    def settings(self) -> dict[str, str]:
        """Settings of the archive."""
        return {}

    def titles(self, _path: str, _front: Mapping[str, Any]) -> tuple[str, ...]:
        """Names by which wiki links refer to a text, beside that of its file."""
        return ()

    def adapt(self, _path: str, front: dict[str, Any], body: str) -> tuple[dict[str, Any], str]:
        """Front matter under names that are understood, and the text."""
        return front, body

    def word(self, path: str, _front: Mapping[str, Any]) -> str:
        """The word of which the slug is made."""
        stem = stem_of(path)
        folder = posixpath.basename(posixpath.dirname(path))
        return folder or "home" if stem.lower() in ("index", "readme") else stem

    def public(self, at: str, inner: str, _front: Mapping[str, Any]) -> tuple[str, ...]:
        """The paths of a text below a folder that is published at a path; none where no path is known."""
        stem = re.sub(r"\.\w+$", "", inner)
        return (at + re.sub(r"(?:^|(?<=/))(?:index|README)$", "", stem, flags=re.IGNORECASE).strip("/") + "/",)

    def is_page(self, path: str, front: Mapping[str, Any]) -> bool:
        """Whether a text is a page and no dated post."""
        return "/" not in self._inner(path)[1] and not moment_of(front.get("date")) and not DATED.search(path)

    def expand(self, _page: FormerPage, code: HiddenCode, text: str) -> str:
        """The notation of the tool as Markdown."""
        return unexpanded(_page, code, text)

    def target(self, page: FormerPage, href: str) -> str:
        """The notation of the tool for links as a path."""
        return unchanged(page, href)

    def site(self) -> FormerSite:
        """Everything that is read."""
        paths = [path for path in self.tree.sizes if path.lower().endswith((*self.endings, *OTHER_TEXTS))]
        if self.with_templates:
            paths = [path for path in paths if not path.lower().endswith(TEMPLATES) or has_front(self.tree, path)]
        inside = tuple(f"{folder}/" for folder in self.roots if folder)
        inside = ("",) if "" in self.roots or not inside else inside
        pages = pages_of(
            self.tree,
            self.rules,
            [path for path in paths if path.startswith(inside)],
            self._page,
            self.report,
            self.endings,
            readme=self.readme,
        )
        settings = {key: value for key, value in self.settings().items() if value}
        if not settings.get("title"):
            title = self.tree.root.name if self.tree.is_folder else self.tree.root.stem
            settings["title"] = title.replace("-", " ").replace("_", " ").strip() or "Notes"
        for feed in self.feeds:
            self.lists.lead(feed, FEED)
        return FormerSite(
            self.tree,
            pages,
            self.report,
            settings=settings,
            assets=bundled_files(self.tree, pages) | static_files(self.tree, *self.static) | self.files(),
            redirects=self.redirects,
            lists=dict(self.lists.paths()),
            expand=self.expand,
            target=self.target,
            roots=(*self.roots, *(folder for folder in ("", *self.static) if folder not in self.roots)),
            heading_id=next(iter(self.heading_ids), None),
            wiki=self.wiki,
            rules=self.rules,
        )

    def files(self) -> dict[str, str]:
        """Further files that the tool publishes as they are, by their paths."""
        return {}

    def _inner(self, path: str) -> tuple[str, str]:
        """The path at which the folder of a text is published, and the text's path below the folder."""
        fitting = (folder for folder in self.roots if not folder or path.startswith(f"{folder}/"))
        folder = max(fitting, key=len, default="")
        return self.roots.get(folder, "/"), path.removeprefix(folder).lstrip("/")

    def _page(self, path: str, front: dict[str, Any], body: str, toml: bool) -> FormerPage | None:
        front, body = self.adapt(path, self.layout.said_of(path, front), body)
        if not lenient_values.is_true(front.get("draft")) and (held := of_front(front)):
            if self.report.hold(path, held):
                return None
            front["draft"] = True
        if not body.strip() and not lenient_values.words(front.get("description")):
            self.report.pass_over(path, "it has no text")
            return None
        at, inner = self._inner(path)
        public, *further = self.public(at, inner, front) or ("",)
        is_front = public == "/" and not moment_of(front.get("date"))
        if not lenient_values.is_true(front.get("draft")):
            self._list(front, public)
        return FormerPage(
            path,
            front,
            body,
            self.word(path, front),
            public,
            tuple(further),
            is_page=is_front or self.is_page(path, front),
            is_front=is_front,
            mdx=self.mdx,
            html=path.lower().endswith((".rst", *TEMPLATES)),
            templated=self.with_templates and path.lower().endswith(TEMPLATES),
            toml=toml,
            titles=tuple(filter(None, (lenient_values.words(front.get("title")), *self.titles(path, front)))),
        )

    def _list(self, front: Mapping[str, Any], public: str) -> None:
        folder = posixpath.dirname(public.strip("/"))
        while folder:
            self.lists.lead(f"/{folder}/", POSTS)
            folder = posixpath.dirname(folder)
        for word in filter(
            None, (lenient_values.words(item) for key in TAGGED for item in lenient_values.items(front.get(key)))
        ):
            if self.tags:
                self.lists.lead(self.tags.format(word), f"{TAGS}{tag_slug(word)}/")
                self.lists.lead(self.tags.format(tag_slug(word)), f"{TAGS}{tag_slug(word)}/")
                self.lists.lead(self.tags.partition("{")[0], TAGS)


def format_of_site(site: type[MarkdownSite]) -> ImportFormat:
    """The format of a tool whose settings name it."""
    return ImportFormat(
        site.name,
        site.about,
        lambda tree: site.name in tree.tools(),
        lambda tree: site(tree).site(),
        in_repository=site.in_repository,
    )
