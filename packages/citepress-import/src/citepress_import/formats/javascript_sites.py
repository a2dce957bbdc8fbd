"""Sites of Docusaurus, of Astro with Starlight, and of Eleventy."""

import posixpath
import re
from collections.abc import Mapping
from typing import Any

from citepress.content.written_dates import moment_of
from citepress_import.formats.markdown_files import read_data, stem_of
from citepress_import.formats.markdown_site import MarkdownSite, code_text, format_of_site
from citepress_import.former_site import FormerPage
from citepress_import.heading_ids import github
from citepress_import.hidden_code import HiddenCode
from citepress_import.liquid import Liquid
from citepress_import.template_tags import template_tags
from citepress_notes import lenient_values
from citepress_notes.former_tools import MARKS
from citepress_notes.usual_keys import strip_date

_NUMBERED = re.compile(r"^\d+\s*[-_.]+\s*(?=[^\d\s])")
_BLOG_DAY = re.compile(r"^(\d{4})[-/](\d{1,2})[-/](\d{1,2})[-/]?(.*?)(?:/index)?$")
_MDX_BLOCK = re.compile(r"^```mdx-code-block\n(.{0,20000}?)\n```$", re.MULTILINE | re.DOTALL)
"""MDX that other readers of Markdown see as code."""
_ROUTE_BASE = re.compile(
    r"(docs|blog)\s*:\s*\{[^{}]{0,2000}?routeBasePath\s*:\s*[\"'`]([^\"'`]{0,100})[\"'`]", re.DOTALL
)


class Docusaurus(MarkdownSite):
    """Documents, their former versions, posts of the blog and pages, in every language."""

    name = "docusaurus"
    about = "Docusaurus: docs/, blog/, versions, translations and src/pages/"
    static = ("static",)
    mdx = True
    heading_ids = (github,)
    tags = "/blog/tags/{}/"
    feeds = ("/blog/rss.xml", "/blog/atom.xml", "/blog/feed.json")

    def prepare(self) -> None:
        """Read the settings."""
        self.code = next((self.tree.text(name) for name in MARKS["docusaurus"] if name in self.tree.sizes), "")
        self.at = {"docs": "docs", "blog": "blog", **dict(_ROUTE_BASE.findall(self.code))}
        self.people: dict[str, Any] = {}
        for name in ("blog/authors.yml", "blog/authors.yaml"):
            if name in self.tree.sizes:
                self.people = lenient_values.table(read_data(self.tree, name))

    def folders(self) -> dict[str, str]:
        """Its folders of texts, and the path of each."""
        docs, blog = (f"/{self.at[name].strip('/')}/".replace("//", "/") for name in ("docs", "blog"))
        versions = read_data(self.tree, "versions.json") if "versions.json" in self.tree.sizes else None
        names = [str(name) for name in versions] if isinstance(versions, list) else []
        folders = {"docs": f"{docs}next/" if names else docs, "blog": blog, "src/pages": "/"}
        for number, name in enumerate(names):
            folders[f"versioned_docs/version-{name}"] = f"{docs}{name}/" if number else docs
        for path in self.tree.below("i18n"):
            parts = path.split("/")
            language, plugin = parts[1], parts[2] if len(parts) > 3 else ""  # noqa: PLR2004
            below = {"docs": "docs", "blog": "blog", "pages": "src/pages"}.get(plugin.rpartition("-")[2], "")
            if below == "docs":
                version = parts[3].removeprefix("version-")
                below = "docs" if version == "current" else f"versioned_docs/version-{version}"
                folders[f"i18n/{language}/{plugin}/{parts[3]}"] = f"/{language}{folders.get(below, docs)}"
            elif below:
                folders[f"i18n/{language}/{plugin}"] = f"/{language}{folders[below]}"
        return folders

    def settings(self) -> dict[str, str]:
        """What its settings give the archive."""
        base = code_text(self.code, "baseUrl").strip("/")
        url = code_text(self.code, "url").rstrip("/")
        return {
            "title": code_text(self.code, "title"),
            "description": code_text(self.code, "tagline"),
            "base_url": f"{url}/{base}" if url else "",
            "language": code_text(self.code, "defaultLocale"),
        }

    def _is_post(self, path: str) -> bool:
        return path.startswith("blog/") or "docusaurus-plugin-content-blog/" in path

    def public(self, at: str, inner: str, front: Mapping[str, Any]) -> tuple[str, ...]:
        """The paths at which the tool publishes a text."""
        stem = re.sub(r"\.\w+$", "", inner)
        slug = lenient_values.words(front.get("slug"))
        blog = at.rstrip("/").endswith(f"/{self.at['blog'].strip('/')}")
        if blog:
            day = _BLOG_DAY.match(stem)
            path = slug.strip("/") or (
                f"{day[1]}/{day[2]:0>2}/{day[3]:0>2}/{day[4].strip('/')}" if day else stem.removesuffix("/index")
            )
            return (f"{at}{path}", f"{at}{path}/")
        *folders, name = stem.split("/")
        if at != "/":
            folders, name = [_NUMBERED.sub("", part) for part in folders], _NUMBERED.sub("", name)
        id_ = lenient_values.words(front.get("id"))
        is_index = name.lower() in ("index", "readme") or (folders and name.lower() == folders[-1].lower())
        path = "/".join(folders if is_index and not id_ else [*folders, id_ or name])
        if slug:
            path = slug.strip("/") if slug.startswith("/") else "/".join([*folders, slug.strip("/")])
        return tuple(dict.fromkeys((f"{at}{path}", f"{at}{path}/".replace("//", "/")))) if path else (at,)

    def word(self, path: str, front: Mapping[str, Any]) -> str:
        """The word of which the slug is made."""
        return (
            strip_date(_NUMBERED.sub("", super().word(path, front)))
            if not self._is_post(path)
            else strip_date(super().word(path, front))
        )

    def is_page(self, path: str, front: Mapping[str, Any]) -> bool:
        """Whether a text is a page and no dated post."""
        return path.startswith("src/pages/") and super().is_page(path, front)

    def adapt(self, path: str, front: dict[str, Any], body: str) -> tuple[dict[str, Any], str]:
        """Front matter under names that are understood, and the text."""
        given = [
            str(name) if not isinstance(name, Mapping) else name for name in lenient_values.items(front.get("authors"))
        ]
        if given and self.people:
            front["authors"] = [self.people.get(name, name) if isinstance(name, str) else name for name in given]
        change = lenient_values.table(front.get("last_update"))
        if change:
            front["last_update"] = change.get("date")
        if path.startswith("i18n/"):
            front.setdefault("language", path.split("/")[1])
        inner = re.sub(r"\.\w+$", "", self._inner(path)[1])
        if self._is_post(path) and not moment_of(front.get("date")) and (day := _BLOG_DAY.match(inner)):
            front["date"] = f"{day[1]}-{day[2]:0>2}-{day[3]:0>2}"
        front = {
            key: value
            for key, value in front.items()
            if key not in ("slug", "id", "sidebar_position", "pagination_next")
        } | {key: front[key] for key in ("slug", "id") if key in front}
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
        self.code = next((self.tree.text(name) for name in MARKS["astro"] if name in self.tree.sizes), "")
        self.starlight = "starlight" in self.code
        self.mdx_comments = True

    def folders(self) -> dict[str, str]:
        """Its folders of texts, and the path of each."""
        collections = {path.split("/")[2] for path in self.tree.below("src/content") if path.count("/") > 2}  # noqa: PLR2004
        routes = self._routes(collections)
        return {"src/pages": "/", **{f"src/content/{name}": routes.get(name, f"/{name}/") for name in collections}}

    def _routes(self, collections: set[str]) -> dict[str, str]:
        """The path of each collection, by the page that asks for it."""
        routes = {"docs": "/"} if self.starlight else {}
        for path in sorted(self.tree.below("src/pages", ".astro", ".ts", ".js")):
            if "[" not in posixpath.basename(path):
                continue
            text = self.tree.text(path)
            for name in collections.intersection(re.findall(r"getCollection\(\s*[\"'`](\w[\w-]*)[\"'`]", text)):
                folder = posixpath.dirname(path).removeprefix("src/pages").strip("/")
                routes.setdefault(name, f"/{folder}/".replace("//", "/"))
        return routes

    def settings(self) -> dict[str, str]:
        """What its settings give the archive."""
        site, base = code_text(self.code, "site").rstrip("/"), code_text(self.code, "base").strip("/")
        title = code_text(self.code, "title")
        for path in ("src/consts.ts", "src/config.ts", "src/site.config.ts"):
            if not title and path in self.tree.sizes:
                title = code_text(self.tree.text(path), "SITE_TITLE", "title")
        return {
            "title": title,
            "description": code_text(self.code, "description"),
            "base_url": f"{site}/{base}" if site else "",
            "language": code_text(self.code, "defaultLocale"),
        }

    def public(self, at: str, inner: str, front: Mapping[str, Any]) -> tuple[str, ...]:
        """The paths at which the tool publishes a text."""
        stem = re.sub(r"\.\w+$", "", inner)
        slug = lenient_values.words(front.get("slug")).strip("/")
        path = slug or "/".join(github(part) for part in stem.split("/"))
        path = re.sub(r"(?:^|(?<=/))index$", "", path).strip("/")
        return (f"{at}{path}/".replace("//", "/"),)

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
        if not body.strip() and hero:
            body = "\n\n".join(filter(None, (lenient_values.words(hero.get("tagline"), 2_000),)))
        return front, body

    def target(self, _page: FormerPage, href: str) -> str:
        """Its notation for links as a path."""
        return re.sub(r"^[~@]/", "/src/", href)


class Eleventy(MarkdownSite):
    """Templates of Markdown at their own paths, with data of folders and Liquid or Nunjucks in texts."""

    name = "eleventy"
    about = "Eleventy: Markdown of the folder of input, data files and permalinks"

    def prepare(self) -> None:
        """Read the settings."""
        self.code = next((self.tree.text(name) or "" for name in MARKS["eleventy"] if name in self.tree.sizes), "")
        self.code = self.code or self.tree.hidden(".eleventy.js")
        self.input = code_text(self.code, "input").strip("./")
        below = posixpath.join(self.input, code_text(self.code, "data").strip("./") or "_data")
        self.data = {
            stem: read_data(self.tree, path)
            for path in self.tree.below(below, ".json", ".yml", ".yaml")
            if (stem := posixpath.basename(path).rpartition(".")[0])
        }
        self.by_folder = self._folder_data()

    def _folder_data(self) -> dict[str, dict[str, Any]]:
        """The data of each folder; of a file of JavaScript the texts alone that it gives."""
        found_data: dict[str, dict[str, Any]] = {}
        for path in self.tree.below(self.input, ".json", ".11tydata.js", ".11tydata.cjs"):
            folder = posixpath.dirname(path)
            stem = re.sub(r"(?:\.11tydata)?\.(?:json|c?js)$", "", posixpath.basename(path))
            if stem != posixpath.basename(folder):
                continue
            if path.endswith(".json"):
                found_data[folder] = lenient_values.table(read_data(self.tree, path))
            else:
                code = self.tree.text(path)
                found_data[folder] = {
                    key: text for key in ("permalink", "tags", "author") if (text := code_text(code, key))
                }
        return found_data

    def folders(self) -> dict[str, str]:
        """Its folders of texts, and the path of each."""
        return {self.input: "/"}

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
        members: dict[str, Any] = {}
        folder = ""
        for part in ("", *posixpath.dirname(path).split("/")):
            folder = posixpath.join(folder, part)
            members |= self.by_folder.get(folder, {})
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
        (path,) = super().public(at, inner, front)
        folder, _, name = path.strip("/").rpartition("/")
        paths = [f"{at}{posixpath.join(folder, strip_date(name))}/".replace("//", "/"), path]
        rule = front.get("permalink")
        if isinstance(rule, str) and rule:
            page = {
                "fileSlug": strip_date(name),
                "filePathStem": f"/{posixpath.join(folder, strip_date(name))}",
                "date": moment_of(front.get("date")),
                "inputPath": inner,
            }
            given = Liquid({**self.data, **front, "page": page}, lambda _: "", lambda _: "").render(rule)
            ending = "/" if given.endswith("/") or "." not in posixpath.basename(given) else ""
            paths = [f"/{given.strip('/')}{ending}".replace("/index.html", "/"), *paths]
        return tuple(dict.fromkeys(path.replace("//", "/") for path in paths))

    def word(self, path: str, front: Mapping[str, Any]) -> str:
        """The word of which the slug is made."""
        return strip_date(super().word(path, front))

    def is_page(self, path: str, front: Mapping[str, Any]) -> bool:
        """Whether a text is a page and no dated post."""
        folder = self._inner(path)[1].removesuffix("/index.md")
        return "/" not in folder and not moment_of(front.get("date")) and strip_date(stem_of(path)) == stem_of(path)

    def files(self) -> dict[str, str]:
        """Files that it publishes as they are."""
        copied = re.findall(r"addPassthroughCopy\(\s*[\"'`]([^\"'`\n]{1,200})[\"'`]", self.code)
        copied += re.findall(r"[\"'`]([^\"'`\n]{1,200})[\"'`]\s*:\s*[\"'`]/?[\"'`]", self.code)
        files: dict[str, str] = {}
        for name in (name.strip("./") for name in copied):
            base = name if f'"{name}": "' in self.code or f"'{name}': '" in self.code else self.input
            for path in self.tree.below(name) or ([name] if name in self.tree.sizes else []):
                files[f"/{path.removeprefix(base).lstrip('/')}"] = path
                files.setdefault(f"/{path.removeprefix(base).lstrip('/').removeprefix('public/')}", path)
        return files

    def expand(self, page: FormerPage, code: HiddenCode, text: str) -> str:
        """Its notation as Markdown."""
        scope = {**self.data, **page.front, "page": {"url": page.path}}
        return template_tags(self.report, code, text, scope)


FORMATS = tuple(map(format_of_site, (Docusaurus, Astro, Eleventy)))
