"""The paths at which Hugo publishes a text: permalinks, sections, bundles, languages and aliases."""

import posixpath
import re
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from citepress_notes import lenient_values
from citepress_notes.hugo_paths import aliases_of, by_rule, urlized
from citepress_notes.hugo_rules import HugoLayout

_ENDING = re.compile(r"\.\w+$")


class HugoPlace(NamedTuple):
    """Where a text is in a site."""

    language: str
    """Empty if neither its name nor its folder says one."""
    name: str
    """The name of its file without the ending and the language."""
    sections: list[str]
    prefix: str
    """The path of its language."""

    @property
    def word(self) -> str:
        """The last part of its path, unless its front matter says another."""
        return (self.sections[-1] if self.sections else "home") if self.name == "index" else self.name

    @property
    def parents(self) -> list[str]:
        """The sections that it is in."""
        return self.sections[:-1] if self.name == "index" else self.sections


class HugoAddresses:
    """The paths of the texts of one site."""

    def __init__(self, settings: Mapping[str, Any], paths: Collection[str]) -> None:
        """``settings`` have their keys in lower case; ``paths`` are those of all files."""
        self.settings, self.layout = settings, HugoLayout(settings, paths)
        self._below = {mount.source: mount.below for mount in self.layout.mounts}
        self.ending = ".html" if lenient_values.is_true(settings.get("uglyurls")) else ""
        """How the paths of pages end, where not with a slash."""

    def place(self, path: str) -> HugoPlace:
        """Where the text at a path is."""
        folder, language = self.layout.place(path)
        name = _ENDING.sub("", posixpath.basename(path))
        if language and name.lower().endswith(f".{language}"):
            name = name[: -len(language) - 1]
        inner = posixpath.join(self._below.get(folder, ""), posixpath.dirname(path.removeprefix(folder).lstrip("/")))
        return HugoPlace(language, name, [part for part in inner.split("/") if part], self.prefix(language))

    def prefix(self, language: str) -> str:
        """The path of a language."""
        main, languages = self.layout.main, self.layout.languages
        below = lenient_values.is_true(self.settings.get("defaultcontentlanguageinsubdir")) and languages
        return f"/{language or main}" if (language or main) != main or below else ""

    def __call__(self, path: str, front: Mapping[str, Any]) -> tuple[str, ...]:
        """The paths of a text, its aliases last."""
        at = self.place(path)
        public = [self.of_section(at, front)] if at.name == "_index" else self.of_page(at, front)
        return (*public, *self.aliases(at, front, public[0]))

    def aliases(self, at: HugoPlace, front: Mapping[str, Any], public: str) -> list[str]:
        """The aliases of a page, of which some begin beside it."""
        return aliases_of(front, public, at.prefix, ending=self.ending)

    def of_section(self, at: HugoPlace, front: Mapping[str, Any]) -> str:
        """The path of a section."""
        public = str(front.get("url") or "/".join(["", *at.sections, ""])).lower()
        return at.prefix + (public if public.startswith("/") else f"/{public}")

    def of_page(self, at: HugoPlace, front: Mapping[str, Any]) -> list[str]:
        """The path at which Hugo publishes a page, and then that of older versions where it differs."""
        if isinstance(url := front.get("url"), str) and url:
            path = url if url.startswith("/") else f"/{url}"
            return [path if "." in path.rpartition("/")[2] or path.endswith("/") else f"{path}/"]
        rules = lenient_values.table(self.settings.get("permalinks"))
        own = lenient_values.table(rules.get("page")) | {
            key: rule for key, rule in rules.items() if isinstance(rule, str)
        }
        sections = at.parents
        rule = own.get(sections[0].lower()) if sections else own.get("/")
        word = lenient_values.words(front.get("slug")).removesuffix("-") or at.word
        paths: dict[str, None] = {}
        for older in (False, True):
            path = "/".join(["", *sections, word, ""])
            if isinstance(rule, str):
                path = by_rule(rule, front, at.word, sections, older=older)
            path = re.sub(r"/{2,}", "/", urlized(f"/{path}", older=older))
            done = path.endswith(".html") or (path.endswith("/") and not self.ending)
            paths.setdefault(at.prefix + (path if done else f"{path.rstrip('/')}{self.ending or '/'}"))
        return list(paths)
