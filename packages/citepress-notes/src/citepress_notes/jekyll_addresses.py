"""The paths at which Jekyll publishes a text: permalinks, defaults, collections and categories."""

import posixpath
import re
from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from citepress.content.written_dates import moment_of
from citepress_notes import lenient_values
from citepress_notes.usual_keys import strip_date

STYLES = {
    "date": "/:categories/:year/:month/:day/:title:output_ext",
    "pretty": "/:categories/:year/:month/:day/:title/",
    "ordinal": "/:categories/:year/:y_day/:title:output_ext",
    "weekdate": "/:categories/:year/W:week/:short_day/:title:output_ext",
    "none": "/:categories/:title:output_ext",
}
_PLACE = re.compile(r":(\w+)")
_ENDING = re.compile(r"\.\w+$")
_DATES = {
    "year": "%Y",
    "month": "%m",
    "day": "%d",
    "short_year": "%y",
    "y_day": "%j",
    "week": "%V",
    "hour": "%H",
    "minute": "%M",
    "second": "%S",
    "short_day": "%a",
    "long_month": "%B",
    "short_month": "%b",
}


class JekyllPlace(NamedTuple):
    """Where a file lies."""

    parts: list[str]
    sort: str
    """``_posts`` or ``_drafts``; nothing for a page."""
    collection: str
    kind: str
    front: dict[str, Any]
    """Its front matter, completed by the settings."""
    categories: list[str]

    @property
    def folders(self) -> list[str]:
        """Those above the folder of posts."""
        return self.parts[: self.parts.index(self.sort)] if self.sort else []


class JekyllAddresses:
    """The paths of the texts of one site."""

    def __init__(self, settings: Mapping[str, Any], paths: Collection[str]) -> None:
        """``paths`` are those of all files."""
        self.settings, self._paths = settings, paths
        self.source = lenient_values.words(settings.get("source")).strip("./")
        given = settings.get("collections")
        self.collections = (
            {str(name): {} for name in given}
            if isinstance(given, list)
            else {str(name): lenient_values.table(about) for name, about in lenient_values.table(given).items()}
        )

    def __call__(self, path: str, front: Mapping[str, Any]) -> tuple[str, ...]:
        """The path of a text, and that without its ending."""
        public = self.public(path, self.place(path, front))
        return (public, public.removesuffix(".html")) if public.endswith(".html") else (public,)

    def place(self, path: str, front: Mapping[str, Any]) -> JekyllPlace:
        """Where a file lies, with the front matter that the settings give it."""
        parts = path.removeprefix(self.source).strip("/").split("/")
        sort = next((part for part in parts[:-1] if part in ("_posts", "_drafts")), "")
        collection = parts[0][1:] if parts[0].startswith("_") and not sort else ""
        kind = "posts" if sort else collection or "pages"
        whole = {**self._defaults(parts, kind), **front}
        above = parts[: parts.index(sort)] if sort else []
        categories = [str(word) for word in (*above, *_categories(whole))]
        return JekyllPlace(parts, sort, collection, kind, whole, categories)

    def is_index(self, path: str) -> bool:
        """Whether a page is the one of its folder: an index, or a README where there is none."""
        folder, stem = posixpath.dirname(path), _stem(path).lower()
        others = (posixpath.join(folder, f"index{ending}") for ending in (".md", ".html", ".markdown"))
        return stem == "index" or (stem == "readme" and not any(other in self._paths for other in others))

    def _defaults(self, parts: list[str], kind: str) -> dict[str, Any]:
        members: dict[str, Any] = {}
        for row in lenient_values.items(self.settings.get("defaults")):
            scope = lenient_values.table(lenient_values.table(row).get("scope"))
            path, of = str(scope.get("path") or "").strip("/"), scope.get("type")
            fits = not path or "/".join(parts).startswith(path)
            if fits and of in (None, "", kind):
                members |= lenient_values.table(lenient_values.table(row).get("values"))
        return {key: value for key, value in members.items() if key != "layout"}

    def public(self, path: str, at: JekyllPlace) -> str:
        """The path at which Jekyll publishes a file."""
        rule = lenient_values.words(at.front.get("permalink"))
        site_rule = lenient_values.words(self.settings.get("permalink")) or "date"
        inner = path.removeprefix(self.source).strip("/")
        stem = strip_date(_stem(path))
        if not rule and at.kind == "pages" and self.is_index(path):
            return f"/{posixpath.dirname(inner)}/".replace("//", "/")
        if not rule and at.kind == "pages":
            pretty = site_rule == "pretty" or site_rule.endswith("/")
            return f"/{posixpath.dirname(inner)}/{stem}{'/' if pretty else '.html'}".replace("//", "/")
        if not rule and at.collection:
            given = lenient_values.words(self.collections.get(at.collection, {}).get("permalink"))
            rule = given or "/:collection/:path:output_ext"
        rule = STYLES.get(rule or site_rule, rule or site_rule)
        values = self._values(path, inner, stem, at)
        public = _PLACE.sub(lambda match: values.get(match[1], match[0]), rule)
        return re.sub(r"/{2,}", "/", f"/{public}").replace("%20", " ")

    def _values(self, path: str, inner: str, stem: str, at: JekyllPlace) -> dict[str, str]:
        """What stands in a path for each placeholder."""
        moment = moment_of(at.front.get("date")) or _day_of(path)
        slug = lenient_values.words(at.front.get("slug")) or stem
        return {name: moment.strftime(form) if moment else "" for name, form in _DATES.items()} | {
            "i_month": str(moment.month) if moment else "",
            "i_day": str(moment.day) if moment else "",
            "title": slug,
            "slug": slug.lower(),
            "name": stem,
            "basename": stem,
            "categories": "/".join(word.lower().replace(" ", "%20") for word in at.categories),
            "slugified_categories": "/".join(re.sub(r"[^\w]+", "-", word.lower()).strip("-") for word in at.categories),
            "collection": at.collection,
            "path": posixpath.splitext(inner.partition("/")[2])[0],
            "output_ext": ".html",
        }


def _categories(front: Mapping[str, Any]) -> list[object]:
    value = front.get("categories") or front.get("category")
    return list(value.split()) if isinstance(value, str) else lenient_values.items(value)


def _stem(path: str) -> str:
    return _ENDING.sub("", posixpath.basename(path))


def _day_of(path: str) -> datetime | None:
    match = re.match(r"(\d{4}-\d\d?-\d\d?)-", posixpath.basename(path))
    return moment_of(match[1]) if match else None
