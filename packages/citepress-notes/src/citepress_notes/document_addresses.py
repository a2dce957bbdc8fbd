"""The paths at which Quartz, Foam, Dendron, Zola and MkDocs publish a text."""

import posixpath
import re
from collections.abc import Mapping
from typing import Any

from citepress.base.slugs import plain_letters, slugify
from citepress.content.written_dates import moment_of
from citepress_notes import lenient_values
from citepress_notes.reading_order import MAX_LEVELS

_ENDING = re.compile(r"\.\w+$")
_INDEX = re.compile(r"(?:^|(?<=/))index$")
ZOLA_DATED = re.compile(r"^\d{4}-\d\d-\d\d(?:T[\d:Z+-]*)?[_-](?=.)")
"""The day, and the hour, that the name of a file begins with."""


def quartz_path(inner: str) -> str:
    """The path of a text of Quartz, by its path below the folder of content."""
    stem = _ENDING.sub("", inner)
    for sign, written in ((" ", "-"), ("&", "-and-"), ("%", "-percent"), ("?", ""), ("#", "")):
        stem = stem.replace(sign, written)
    return f"/{_INDEX.sub('', stem)}"


def quartz_addresses(path: str, front: Mapping[str, Any]) -> tuple[str, ...]:
    """The paths of a text of Quartz."""
    inner = path.removeprefix("content/")
    names = (front.get("aliases"), front.get("alias"), front.get("permalink"))
    given = (str(name).strip("/") for value in names for name in lenient_values.items(value) if name)
    aliases = (f"/{name.replace(' ', '-')}" for name in given if name and "://" not in name)
    return () if inner == path else (quartz_path(inner), *aliases)


def document_path(inner: str) -> str:
    """The usual path of a text: that of its file without the ending; the index of a folder is at the folder."""
    stem = re.sub(r"(?:^|(?<=/))(?:index|readme)$", "", _ENDING.sub("", inner), flags=re.IGNORECASE)
    return f"/{stem.strip('/')}/" if stem.strip("/") else "/"


def foam_addresses(path: str, _front: Mapping[str, Any]) -> tuple[str, ...]:
    """The paths of a text of Foam, with an ending and without."""
    pretty = document_path(path)
    return (pretty, f"{pretty.rstrip('/')}.html") if pretty != "/" else ("/",)


def dendron_publishing(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of Dendron for its site, which had another name."""
    return lenient_values.table(settings.get("publishing") or settings.get("site"))


class DendronAddresses:
    """The paths of the notes of one site of Dendron."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        publishing = dendron_publishing(settings)
        self._notes = lenient_values.words(publishing.get("siteNotesDir")).strip("/") or "notes"
        hierarchies = [str(name) for name in lenient_values.items(publishing.get("siteHierarchies"))]
        self._index = lenient_values.words(publishing.get("siteIndex")) or next(iter(hierarchies), "root")

    def __call__(self, path: str, front: Mapping[str, Any]) -> tuple[str, ...]:
        """The paths of a note, by its id and by its name; that of the front page first for its note."""
        stem = _ENDING.sub("", posixpath.basename(path))
        id_ = lenient_values.words(front.get("id")) or stem
        own = [f"/{self._notes}/{name}{end}" for name in dict.fromkeys((id_, stem)) for end in ("/", ".html")]
        return ("/", *own) if stem == self._index else tuple(own)


class ZolaAddresses:
    """The paths of the texts of one site of Zola."""

    def __init__(self, settings: Mapping[str, Any], root: str = "content") -> None:
        self.languages = lenient_values.table(settings.get("languages"))
        self._root = root

    def place(self, path: str) -> tuple[str, str, list[str]]:
        """The language of a text, its name, and the sections that it is in."""
        name = _ENDING.sub("", posixpath.basename(path))
        language = name.rpartition(".")[2] if "." in name and name.rpartition(".")[2] in self.languages else ""
        name = name.removesuffix(f".{language}") if language else name
        return (
            language,
            name,
            [part for part in posixpath.dirname(path.removeprefix(self._root).lstrip("/")).split("/") if part],
        )

    def __call__(self, path: str, front: Mapping[str, Any]) -> tuple[str, ...]:
        """The path of a text or of a section."""
        language, name, sections = self.place(path)
        prefix = f"/{language}" if language else ""
        if name == "_index":
            return (f"{prefix}/{'/'.join([*map(zola_slug, sections), ''])}",)
        if name == "index":
            name, sections = (sections[-1] if sections else "home"), sections[:-1]
        word = lenient_values.words(front.get("slug")) or ZOLA_DATED.sub("", name)
        given = lenient_values.words(front.get("path"))
        inner = given.strip("/") if given else "/".join([*map(zola_slug, sections), zola_slug(word)])
        return (f"{prefix}/{inner}/",)


def zola_slug(word: str) -> str:
    """A part of a path as Zola writes it."""
    slug = slugify(plain_letters(word))
    letters = sum(char.isalnum() for char in word)
    return slug if len(slug.replace("-", "")) * 2 > letters else slugify(word) or word


class MkDocsAddresses:
    """The paths of the documents of one site of MkDocs, and of the posts of its blog."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.root = lenient_values.words(settings.get("docs_dir")).strip("./") or "docs"
        self.pretty = not lenient_values.is_false(settings.get("use_directory_urls"))
        self.plugins: dict[str, dict[str, Any]] = {}
        given = settings.get("plugins")
        for item in given.items() if isinstance(given, Mapping) else lenient_values.items(given):
            pairs = item.items() if isinstance(item, Mapping) else [item] if isinstance(item, tuple) else [(item, {})]
            self.plugins |= {str(name).rpartition("/")[2]: lenient_values.table(about) for name, about in pairs}
        blog = self.plugins.get("blog", {})
        self.blog = lenient_values.words(blog.get("blog_dir")).strip("./") or "blog"
        self._form = lenient_values.words(blog.get("post_url_format")) or "{date}/{slug}"

    def __call__(self, path: str, front: Mapping[str, Any]) -> tuple[str, ...]:
        """The path of a document; its front matter has the title that its text gives it."""
        inner = path.removeprefix(f"{self.root}/")
        return () if inner == path else (self.post(inner, front) if self.is_post(inner) else self.document(inner),)

    def titles(self, nav: object, depth: int = 0) -> dict[str, str]:
        """The titles that the navigation gives documents, by their paths."""
        named: dict[str, str] = {}
        for item in lenient_values.items(nav) if depth < MAX_LEVELS else ():
            for title, target in item.items() if isinstance(item, Mapping) else ():
                inner = self.titles(target, depth + 1) if isinstance(target, list) else {f"{self.root}/{target}": title}
                named |= {path: str(words) for path, words in inner.items()}
        return named

    def is_post(self, inner: str) -> bool:
        """Whether a document is a post of the blog, by its path below the folder of documents."""
        return "blog" in self.plugins and inner.startswith(f"{self.blog}/posts/")

    def document(self, path: str) -> str:
        """The path at which MkDocs publishes a document."""
        stem = re.sub(r"\.(?:md|markdown)$", "", path.strip("/"), flags=re.IGNORECASE)
        folder, _, name = stem.rpartition("/")
        if name in ("index", "README"):
            return f"/{folder}/" if folder else "/"
        return f"/{stem}/" if self.pretty else f"/{stem}.html"

    def post(self, inner: str, front: Mapping[str, Any]) -> str:
        """The path of a post of the blog plugin."""
        name = _ENDING.sub("", posixpath.basename(inner))
        date = front.get("date")
        moment = moment_of(date.get("created") if isinstance(date, Mapping) else date)
        title = lenient_values.words(front.get("title")) or name
        slug = lenient_values.words(front.get("slug")) or re.sub(
            r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title.lower())
        ).strip("-")
        day = moment.strftime("%Y/%m/%d") if moment else ""
        path = self._form.replace("{date}", day).replace("{slug}", slug).replace("{file}", name)
        return f"/{self.blog}/{path}/".replace("//", "/")

    def redirects(self) -> dict[str, str]:
        """The redirects of the plugin for them."""
        maps = lenient_values.table(self.plugins.get("redirects", {}).get("redirect_maps"))
        ends = {str(former): str(target) for former, target in maps.items()}
        return {self.document(former): end if "://" in end else self.document(end) for former, end in ends.items()}
