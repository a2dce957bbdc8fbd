"""The paths at which Hexo and Pelican publish a text, by their settings and its front matter."""

import posixpath
import re
from collections.abc import Mapping
from typing import Any

from citepress.base.slugs import plain_letters
from citepress.content.written_dates import moment_of
from citepress_notes import lenient_values, metadata_lines
from citepress_notes.pelican_rules import is_page, named_by, root_of
from citepress_notes.usual_keys import strip_date

_PLACE = re.compile(r":(\w+)")
_SIGNS = re.compile(r"[\s~`!@#$%^&*()\-_+=\[\]{}|\\;:\"'<>,.?/]+")
_FIELD = re.compile(r"\{(\w+)(?::([^{}]{1,20}))?\}")
_ENDING = re.compile(r"\.\w+$")
PELICAN: Mapping[str, Any] = {
    "PATH": "content",
    "ARTICLE_PATHS": [""],
    "PAGE_PATHS": ["pages"],
    "STATIC_PATHS": ["images"],
    "ARTICLE_URL": "{slug}.html",
    "PAGE_URL": "pages/{slug}.html",
    "TAG_URL": "tag/{slug}.html",
    "CATEGORY_URL": "category/{slug}.html",
    "AUTHOR_URL": "author/{slug}.html",
    "ARTICLE_LANG_URL": "{slug}-{lang}.html",
    "PAGE_LANG_URL": "pages/{slug}-{lang}.html",
    "DEFAULT_LANG": "en",
    "DEFAULT_CATEGORY": "misc",
    "FEED_ALL_ATOM": "feeds/all.atom.xml",
    "CATEGORY_FEED_ATOM": "feeds/{slug}.atom.xml",
    "ARCHIVES_SAVE_AS": "archives.html",
}
"""The usual settings."""


class HexoAddresses:
    """The paths of the texts of one site of Hexo."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self.settings = settings
        self.source = lenient_values.words(settings.get("source_dir")).strip("./") or "source"
        self._rule = lenient_values.words(settings.get("permalink")) or ":year/:month/:day/:title/"

    def __call__(self, path: str, front: Mapping[str, Any]) -> tuple[str, ...]:
        """The path of a text; nothing for one outside the folder of texts."""
        inner = path.removeprefix(f"{self.source}/")
        return () if inner == path else (self.public(inner, front),)

    def public(self, inner: str, front: Mapping[str, Any]) -> str:
        """The path of a text, by its path below the folder of texts."""
        own = lenient_values.words(front.get("permalink"))
        if own:
            return f"/{own.strip('/')}{'/' if not own.endswith('.html') else ''}"
        post = inner.removeprefix("_posts/") if inner.startswith("_posts/") else ""
        stem = _ENDING.sub("", post or inner)
        if not post:
            return f"/{stem.removesuffix('index')}" if posixpath.basename(stem) == "index" else f"/{stem}.html"
        values = self._values(stem, front)
        path = _PLACE.sub(lambda match: values.get(match[1], lenient_values.words(front.get(match[1]))), self._rule)
        return re.sub(r"/{2,}", "/", f"/{path}")

    def _values(self, stem: str, front: Mapping[str, Any]) -> dict[str, str]:
        folder, _, name = stem.rpartition("/")
        moment = moment_of(front.get("date")) or moment_of(name[:10])
        dates = {"year": "%Y", "month": "%m", "day": "%d", "hour": "%H", "minute": "%M", "second": "%S"}
        given = front.get("categories") or front.get("category")
        categories = [str(word) for item in lenient_values.items(given) for word in lenient_values.items(item)]
        default = lenient_values.words(self.settings.get("default_category")) or "uncategorized"
        return {name: moment.strftime(form) if moment else "" for name, form in dates.items()} | {
            "i_month": str(moment.month) if moment else "",
            "i_day": str(moment.day) if moment else "",
            "title": posixpath.join(folder, strip_date(name)),
            "name": strip_date(name),
            "post_title": _SIGNS.sub("-", lenient_values.words(front.get("title"))).strip("-"),
            "category": "/".join(_SIGNS.sub("-", word).strip("-") for word in categories) or default,
            "lang": lenient_values.words(front.get("lang")),
        }


class PelicanAddresses:
    """The paths of the texts of one site of Pelican."""

    def __init__(self, settings: Mapping[str, Any], *, has_root: bool = True) -> None:
        """``has_root``: whether the texts are in the folder that the settings name, not at the top."""
        self.settings = {**PELICAN, **settings}
        self.root = (root_of(self.settings) or "content") if has_root else ""

    def __call__(self, path: str, front: Mapping[str, Any]) -> tuple[str, ...]:
        """The path of a text; nothing for one outside the folder of texts."""
        inner = path.removeprefix(self.root).lstrip("/")
        if self.root and not path.startswith(f"{self.root}/"):
            return ()
        return (self.public(inner, self.completed(path, front)),)

    def completed(self, path: str, front: Mapping[str, Any]) -> dict[str, Any]:
        """The front matter of a text with what its folder and its name say."""
        inner = path.removeprefix(self.root).lstrip("/")
        whole = metadata_lines.with_lists({key.lower(): value for key, value in front.items()})
        by_folder = self.settings.get("USE_FOLDER_AS_CATEGORY", True) and not is_page(self.settings, inner)
        if "/" in inner and not whole.get("categories") and by_folder:
            whole["categories"] = [inner.split("/")[-2]]
        return named_by(self.settings, path, inner) | whole

    def slug(self, path: str, front: Mapping[str, Any]) -> str:
        """The slug of a text, as its address has it."""
        if own := lenient_values.words(front.get("slug")):
            return own
        stem = _ENDING.sub("", posixpath.basename(path))
        by_name = self.settings.get("SLUGIFY_SOURCE") == "basename"
        return slugified(stem if by_name else lenient_values.words(front.get("title")) or stem)

    def public(self, inner: str, front: Mapping[str, Any]) -> str:
        """The path of a text, by its path below the folder of texts and its completed front matter."""
        key = "PAGE_URL" if is_page(self.settings, inner) else "ARTICLE_URL"
        saved = key.replace("_URL", "_SAVE_AS")
        rule = lenient_values.words(front.get("url")) or lenient_values.words(self.settings.get(key))
        language = lenient_values.words(front.get("lang"))
        if language and language != self.settings.get("DEFAULT_LANG") and not front.get("url"):
            rule = lenient_values.words(self.settings.get(key.replace("_URL", "_LANG_URL")))
        rule = rule or lenient_values.words(front.get("save_as") or self.settings.get(saved))
        moment = moment_of(front.get("date"))
        author = front.get("author") or next(iter(lenient_values.items(front.get("authors"))), "")
        values = {
            "slug": self.slug(inner, front),
            "lang": language or str(self.settings.get("DEFAULT_LANG")),
            "category": slugified(category_of(front) or str(self.settings.get("DEFAULT_CATEGORY"))),
            "author": slugified(lenient_values.words(author or self.settings.get("AUTHOR"))),
        }

        def value(match: re.Match[str]) -> str:
            if match[1] == "date":
                return moment.strftime(match[2] or "%Y-%m-%d") if moment else ""
            return values.get(match[1], "")

        return re.sub(r"/{2,}", "/", f"/{_FIELD.sub(value, rule)}").replace("/index.html", "/")


def category_of(front: Mapping[str, Any]) -> str:
    """The category of a text of Pelican, which has one."""
    return next(iter(map(lenient_values.words, lenient_values.items(front.get("categories")))), "")


def slugified(words: str) -> str:
    """A slug as Pelican makes it."""
    plain = re.sub(r"[^\w\s-]", "", plain_letters(words)).strip().lower()
    return re.sub(r"[-\s]+", "-", plain)
