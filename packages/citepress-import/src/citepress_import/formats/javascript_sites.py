"""Sites of Docusaurus, of Astro with Starlight, and of Eleventy."""

import posixpath
import re
from collections.abc import Mapping
from typing import Any

from citepress.content.written_dates import moment_of
from citepress_import.errors import ImportRefusedError
from citepress_import.formats.markdown_files import MARKDOWN, TEMPLATES, read_data, stem_of
from citepress_import.formats.markdown_site import MarkdownSite, format_of_site
from citepress_import.former_site import FormerPage
from citepress_import.heading_ids import github
from citepress_notes import astro_layout, docusaurus_layout, eleventy_layout, lenient_values
from citepress_notes.docusaurus_layout import BLOG_DAY
from citepress_notes.docusaurus_sidebars import NUMBERED
from citepress_notes.hidden_code import HiddenCode
from citepress_notes.liquid import UNSAID
from citepress_notes.script_values import Script
from citepress_notes.site_layout import folder_path
from citepress_notes.template_tags import template_tags
from citepress_notes.usual_keys import strip_date

_MDX_BLOCK = re.compile(r"^```mdx-code-block\n(.{0,20000}?)\n```$", re.MULTILINE | re.DOTALL)
"""MDX that other readers of Markdown see as code."""


class Docusaurus(MarkdownSite):
    """Documents, their former versions, posts of the blog and pages, in every language."""

    name = "docusaurus"
    about = "Docusaurus: docs/, blog/, versions, translations and src/pages/"
    static = ("static",)
    mdx = True
    heading_ids = (github,)

    def prepare(self) -> None:
        """Read the settings."""
        self.former = docusaurus_layout.DocusaurusSettings(self.tree.tool_files)
        self.blogs = [plugin.route for plugin in self.former.instances if plugin.sort == "blog"]
        feeds = ("rss.xml", "atom.xml", "feed.json")
        self.feeds = tuple(f"{path}{name}" for path in self.blogs for name in feeds)
        self.tags = f"{self.blogs[0]}tags/{{}}/" if self.blogs else ""

    def settings(self) -> dict[str, str]:
        """What its settings give the archive."""
        members = self.former.members
        url = lenient_values.words(members.get("url")).rstrip("/")
        return {
            "title": lenient_values.words(members.get("title")),
            "description": lenient_values.words(members.get("tagline")),
            "base_url": f"{url}/{self.layout.base}".rstrip("/") if url else "",
            "language": self.layout.language,
        }

    def public(self, at: str, inner: str, front: Mapping[str, Any]) -> tuple[str, ...]:
        """The paths at which the tool publishes a text."""
        return self.layout.address(at, inner, front)

    def word(self, path: str, front: Mapping[str, Any]) -> str:
        """The word of which the slug is made."""
        return (
            strip_date(NUMBERED.sub("", super().word(path, front)))
            if not self.former.is_blog(path)
            else strip_date(super().word(path, front))
        )

    def is_page(self, path: str, front: Mapping[str, Any]) -> bool:
        """Whether a text is a page and no dated post."""
        return path.startswith("src/pages/") and super().is_page(path, front)

    def adapt(self, path: str, front: dict[str, Any], body: str) -> tuple[dict[str, Any], str]:
        """Front matter under names that are understood, and the text."""
        change = lenient_values.table(front.get("last_update"))
        if change:
            front["last_update"] = change.get("date")
        inner = re.sub(r"\.\w+$", "", self._inner(path)[1])
        if self.former.is_blog(path) and not moment_of(front.get("date")) and (day := BLOG_DAY.match(inner)):
            front["date"] = f"{day[1]}-{day[2]:0>2}-{day[3]:0>2}"
        front.pop("pagination_next", None)
        return front, _MDX_BLOCK.sub(r"\1", body)

    def target(self, _page: FormerPage, href: str) -> str:
        """Its notation for links as a path."""
        if href.startswith("@site/"):
            return href.removeprefix("@site")
        return href.removeprefix("pathname://")


class Astro(MarkdownSite):
    """Collections of content and pages of Astro; those of Starlight are at the top."""

    name = "astro"
    about = "Astro: collections in src/content/, pages, documents of Starlight"
    static = ("public",)
    heading_ids = (github,)
    feeds = ("/rss.xml",)

    def prepare(self) -> None:
        """Read the settings."""
        self.former = astro_layout.AstroSettings(self.tree.tool_files)
        self.mdx_comments = True

    def settings(self) -> dict[str, str]:
        """What its settings give the archive."""
        members = {**self.former.members, **self.former.starlight}
        site, title = lenient_values.words(members.get("site")).rstrip("/"), lenient_values.words(members.get("title"))
        for path in ("src/consts.ts", "src/config.ts", "src/site.config.ts"):
            if not title and path in self.tree.sizes:
                title = Script(self.tree.text(path)).text("SITE_TITLE", "title")
        return {
            "title": title,
            "description": lenient_values.words(members.get("description")),
            "base_url": f"{site}/{self.layout.base}".rstrip("/") if site else "",
            "language": self.layout.language,
        }

    def public(self, at: str, inner: str, front: Mapping[str, Any]) -> tuple[str, ...]:
        """The paths at which the tool publishes a text."""
        return self.layout.address(at, inner, front)

    def is_page(self, path: str, front: Mapping[str, Any]) -> bool:
        """Whether a text is a page and no dated post."""
        return path.startswith("src/pages/") and super().is_page(path, front)

    def adapt(self, _path: str, front: dict[str, Any], body: str) -> tuple[dict[str, Any], str]:
        """Front matter under names that are understood, and the text."""
        for ours, theirs in (
            ("date", ("pubDatetime", "publishDate", "datePublished")),
            ("lastmod", ("updatedDate", "modDatetime", "lastUpdated")),
        ):
            value = next((front[key] for key in theirs if moment_of(front.get(key))), None)
            if value is not None and ours not in front:
                front[ours] = value
                for key in theirs:
                    front.pop(key, None)
        hero = lenient_values.table(front.get("hero"))
        return front, "\n\n".join(filter(None, (lenient_values.words(hero.get("tagline"), 2_000), body)))

    def target(self, _page: FormerPage, href: str) -> str:
        """Its notation for links as a path."""
        return re.sub(r"^[~@]/", "/src/", href)


class Eleventy(MarkdownSite):
    """Templates of Markdown at their own paths, with data of folders and Liquid or Nunjucks in texts."""

    name = "eleventy"
    about = "Eleventy: Markdown and HTML of the folder of input, data files and permalinks"
    endings = (*MARKDOWN, *TEMPLATES)
    with_templates = True

    def prepare(self) -> None:
        """Read the settings."""
        self.former = eleventy_layout.EleventySettings(self.tree.tool_files)
        self.input = self.former.input
        self.coded = [posixpath.basename(path).partition(".")[0] for path in self.tree.below(self.former.data)]
        self.data = {
            stem: read_data(self.tree, path)
            for path in self.tree.below(self.former.data, ".json", ".yml", ".yaml")
            if (stem := posixpath.basename(path).rpartition(".")[0])
        }

    def settings(self) -> dict[str, str]:
        """What its settings give the archive."""
        for name in ("metadata", "site", "meta"):
            about = lenient_values.table(self.data.get(name))
            if about:
                author = about.get("author")
                return {
                    "title": lenient_values.words(about.get("title") or about.get("name")),
                    "description": lenient_values.words(about.get("description")),
                    "base_url": lenient_values.words(about.get("url")),
                    "language": lenient_values.words(about.get("language") or about.get("lang")),
                    "owner": lenient_values.words(lenient_values.table(author).get("name") or author),
                }
        return {}

    def adapt(self, path: str, front: dict[str, Any], body: str) -> tuple[dict[str, Any], str]:
        """Front matter under names that are understood, and the text."""
        if path.lower().endswith(TEMPLATES) and ("{%" in body or "{{" in body):
            raise ImportRefusedError("it is a template: only running it would give its text")
        members = self.rules.handed(path)
        front = {key: value for key, value in members.items() if key != "layout"} | front
        front["tags"] = [
            word
            for item in (*lenient_values.items(members.get("tags")), *lenient_values.items(front.get("tags")))
            if (word := lenient_values.words(item)) and word not in ("post", "posts", "all", "nav", "page", "pages")
        ]
        front["tags"] = list(dict.fromkeys(front["tags"]))
        return front, body

    def public(self, at: str, inner: str, front: Mapping[str, Any]) -> tuple[str, ...]:
        """The paths at which the tool publishes a text."""
        return self.former.addresses(at, inner, front)

    def word(self, path: str, front: Mapping[str, Any]) -> str:
        """The word of which the slug is made."""
        return strip_date(super().word(path, front))

    def is_page(self, path: str, front: Mapping[str, Any]) -> bool:
        """Whether a text is a page and no dated post."""
        folder = self._inner(path)[1].removesuffix("/index.md")
        return "/" not in folder and not moment_of(front.get("date")) and strip_date(stem_of(path)) == stem_of(path)

    def files(self) -> dict[str, str]:
        """Files that it publishes as they are."""
        files: dict[str, str] = {}
        for given in (row[0] for row in self.former.script.calls("addPassthroughCopy") if row):
            places = given.items() if isinstance(given, dict) else [(given, None)] if isinstance(given, str) else []
            for name, place in places:
                source = folder_path(name, "")
                end = place.strip("/") if isinstance(place, str) else source.removeprefix(self.input).strip("/")
                for path in self.tree.below(source) or ([source] if source in self.tree.sizes else []):
                    files[f"/{posixpath.join(end, path.removeprefix(source).lstrip('/'))}".rstrip("/")] = path
        return files

    def expand(self, page: FormerPage, code: HiddenCode, text: str) -> str:
        """Its notation as Markdown."""
        unsaid = dict.fromkeys((*self.coded, "collections", "eleventy", "pkg", "env"), UNSAID)
        unsaid["eleventy"] = {"env": {"runMode": "build"}}
        scope = {**unsaid, **self.data, **page.front, "page": {"url": page.path}}
        return template_tags(self.report.shortcodes, code, text, scope, closed=True)


FORMATS = tuple(map(format_of_site, (Docusaurus, Astro, Eleventy)))
