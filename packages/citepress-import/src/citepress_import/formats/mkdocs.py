"""Sites of MkDocs: documents, their titles in the navigation, snippets, redirects and blog posts."""

import posixpath
import re
from collections.abc import Mapping
from typing import Any

from citepress.base.slugs import slugify
from citepress.content.rewritten import apply_edits
from citepress.content.written_dates import moment_of
from citepress_import.formats.markdown_files import MARKDOWN, pages_of, site_settings, stem_of
from citepress_import.former_addresses import FEED
from citepress_import.former_lists import FormerLists, size_of
from citepress_import.former_site import FormerPage, FormerSite, ImportFormat
from citepress_import.heading_ids import python_markdown
from citepress_import.report import ImportReport
from citepress_import.source_tree import SourceTree
from citepress_notes import lenient_values
from citepress_notes.document_addresses import MkDocsAddresses
from citepress_notes.hidden_code import HiddenCode
from citepress_notes.site_notation import MARKUP, notation_edits

MAX_SNIPPET_DEPTH = 3
_SNIPPET = re.compile(r'^([ \t]*);?-{1,4}8<-{1,4} "([^"\n]+)"[ \t]*$', re.MULTILINE)


class _MkDocs:
    """One site of MkDocs as it is read."""

    def __init__(self, tree: SourceTree) -> None:
        self.tree, self.report, self.rules = tree, ImportReport(), tree.public_rules("mkdocs")
        self.settings = self.rules.settings("mkdocs")
        self.addresses = MkDocsAddresses(self.settings)
        self.root, self.plugins, self.blog = self.addresses.root, self.addresses.plugins, self.addresses.blog
        size = size_of(self.plugins.get("blog", {}).get("pagination_per_page"), 10)
        self.lists = FormerLists(size=size, further="page/{}/" if self.addresses.pretty else "")

    def site(self) -> FormerSite:
        pages = pages_of(self.tree, self.rules, self.tree.below(self.root, *MARKDOWN), self._page, self.report)
        assets = {
            f"/{path.removeprefix(self.root).lstrip('/')}": path
            for path in self.tree.below(self.root)
            if not path.lower().endswith((*MARKDOWN, ".html", ".css", ".js"))
        }
        settings = site_settings(
            self.settings, title="site_name", description="site_description", base_url="site_url", owner="site_author"
        )
        language = lenient_values.words(lenient_values.table(self.settings.get("theme")).get("language"))
        return FormerSite(
            self.tree,
            pages,
            self.report,
            rules=self.rules,
            settings=settings | ({"language": language} if language else {}),
            assets=assets,
            redirects=self.addresses.redirects(),
            lists=dict(self.lists.paths()),
            heading_id=python_markdown,
            expand=self._expand,
            roots=(self.root,),
        )

    def _page(self, path: str, front: dict[str, Any], body: str, _toml: bool) -> FormerPage | None:
        inner = path.removeprefix(self.root).lstrip("/")
        blog, body = self.blog, self._with_snippets(path, body)
        is_post = self.addresses.is_post(inner)
        date = front.get("date")
        if isinstance(date, Mapping):
            front = {**front, "date": date.get("created"), "lastmod": date.get("updated")}
        front = self.rules.layout.said_of(path, front)
        name = stem_of(path)
        if name in ("index", "README"):
            name = posixpath.basename(posixpath.dirname(inner)) or "home"
        if is_post and not lenient_values.is_true(front.get("draft")):
            self._list(blog, front)
        heading = re.match(r"# +([^\n]+)", body)
        titled = front if lenient_values.words(front.get("title")) or not heading else {**front, "title": heading[1]}
        public = self.addresses.post(inner, titled) if is_post else self.addresses.document(inner)
        is_page = not is_post and not moment_of(front.get("date")) and "/" not in inner.removesuffix("/index.md")
        is_front = public == "/" and not is_post
        return FormerPage(path, front, body, name, public, is_page=is_page or is_front, is_front=is_front)

    def _list(self, blog: str, front: Mapping[str, Any]) -> None:
        """Count a post in the lists that the blog plugin makes of it: posts, years, categories, feeds."""
        self.lists.add(self.addresses.document(f"{blog}/index.md"))
        if moment := moment_of(front.get("date")):
            self.lists.add(self.addresses.document(f"{blog}/archive/{moment:%Y}.md"))
        for words in filter(None, map(lenient_values.words, lenient_values.items(front.get("categories")))):
            self.lists.add_tag(self.addresses.document(f"{blog}/category/{slugify(words) or words}.md"), words)
        if "rss" in self.plugins:
            for name in ("created", "updated"):
                self.lists.lead(f"/feed_rss_{name}.xml", FEED)

    def _expand(self, _page: FormerPage, code: HiddenCode, text: str) -> str:
        text = code.spans(text)
        return apply_edits(text, notation_edits(text, MARKUP))

    def _with_snippets(self, source: str, text: str, depth: int = 0) -> str:
        """The text with files of the source in place of lines that include them, in blocks of code too."""

        def included(match: re.Match[str]) -> str:
            name = match[2].partition(":")[0]
            folders = (posixpath.dirname(source), "", self.root, "includes", "snippets")
            paths = (posixpath.normpath(posixpath.join(folder, name)) for folder in folders)
            path = next((path for path in paths if path in self.tree.sizes), "")
            if not path or depth >= MAX_SNIPPET_DEPTH:
                self.report.shortcodes["snippet", "left out, the file is not in the source"] += 1
                return ""
            self.report.shortcodes["snippet", "mapped"] += 1
            whole = self._with_snippets(source, self.tree.text(path), depth + 1)
            return "\n".join(f"{match[1]}{line}" if line else line for line in whole.split("\n"))

        return _SNIPPET.sub(included, text) if "8<-" in text else text


FORMAT = ImportFormat(
    "mkdocs",
    "MkDocs: the documents of mkdocs.yml, blog posts of the Material theme too",
    lambda tree: "mkdocs" in tree.tools(),
    lambda tree: _MkDocs(tree).site(),
    in_repository=True,
)
