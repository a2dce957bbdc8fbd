"""The layout of a site: its folders of texts, the paths at which they are published, and their languages."""

import posixpath
import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import quote, unquote

from citepress.content.files import markdown_stem
from citepress_notes import lenient_values
from citepress_notes.lenient_values import words
from citepress_notes.reading_order import Arrange

MAX_GLOB_CHARS = 2_000
IN_PATHS = "/:@!$&'()*+,;=~._-"
"""Signs that a path may hold as they are."""
MAX_BRANCHES = 2_000
_BRACES = re.compile(r"\{([^{}]*)\}")
_EXTENDED = {"@": "(?:{})", "+": "(?:{})+", "*": "(?:{})*", "?": "(?:{})?", "!": "(?!(?:{})(?:[/.]|$))[^/]*"}
"""Regular expressions for ``@(a|b)`` and its like."""
_GLOB = re.compile(r"[@+*?!]\([^()]*\)|\*\*/|\*\*|\*|\?|\[[!^]?[^\]/]+\]|.", re.DOTALL)

Addresses = Callable[[str, Mapping[str, Any]], tuple[str, ...]]
"""``(path of a file, front matter) -> paths at which its tool publishes it``."""


@dataclass
class SiteLayout:
    """The folders, paths and languages that the settings of a tool declare."""

    roots: dict[str, str] = field(default_factory=dict)
    """Folders of texts, and the path at which each is published."""
    languages: dict[str, str] = field(default_factory=dict)
    """Folders with a language of their own."""
    language: str = ""
    """The language of all other texts; empty if the settings name none."""
    originals: dict[str, str] = field(default_factory=dict)
    """Folders of translations, and the folder that each of them translates."""
    redirects: dict[str, str] = field(default_factory=dict)
    """Former paths and their targets, both below the path of the site."""
    unsaid: list[str] = field(default_factory=list)
    """Settings whose values are known only when the code runs, for the report of an import."""
    base: str = ""
    """The path of the site on its host, without slashes at its ends."""
    address: Callable[[str, str, Mapping[str, Any]], tuple[str, ...]] = lambda *_: ()
    """``(path of the folder, path below it, front matter) -> paths``."""
    settings: str = ""
    """What else decides the paths, to compare it."""
    locate: Addresses | None = None
    """``(path of a file, front matter) -> paths``, for tools that need more than the folders to tell."""

    arrange: Arrange | None = None
    """The order in which its texts are read, where its tool has one that an author declares."""

    files: tuple[str, ...] = ()
    """Folders whose files its tool publishes as if they were at the top, which may be the top itself."""

    people: Mapping[str, Any] = field(default_factory=dict)
    """Authors by the names that front matter has for them."""

    titles: Mapping[str, str] = field(default_factory=dict)
    """Titles of files whose front matter gives none."""

    def former_files(self, path: str, bundles: Mapping[str, str]) -> list[str]:
        """The paths at which the tool publishes a file; ``bundles`` are folders with the path of the page of each."""
        paths = [f"/{path}".removeprefix(f"/{folder}") for folder in self.files if f"/{path}".startswith(f"/{folder}/")]
        paths += [f"/{path}"] if "" in self.files else []
        folder = posixpath.dirname(path)
        while folder and folder not in bundles:
            folder = posixpath.dirname(folder)
        paths += [bundles[folder] + path.removeprefix(f"{folder}/")] if folder else []
        paths = [quote(former, safe=IN_PATHS) for former in paths]
        return [*paths, *self.below_base(paths)]

    def root_of(self, path: str) -> str | None:
        """The folder of texts that contains a file, or ``None``."""
        fitting = [folder for folder in self.roots if not folder or path.startswith(f"{folder}/")]
        return max(fitting, key=len, default=None)

    def addresses(self, path: str, front: Mapping[str, Any]) -> tuple[str, ...]:
        """The paths at which the tool publishes a file; empty for files outside the folders of texts."""
        if self.locate:
            return tuple(unquote(path) for path in self.locate(path, front) if path)
        root = self.root_of(path)
        return () if root is None else self.address(self.roots[root], path.removeprefix(root).lstrip("/"), front)

    def former_paths(self, path: str, front: Mapping[str, Any]) -> list[str]:
        """The paths of a file, without and with the base path of the site."""
        paths = [quote(at, safe=IN_PATHS) for at in self.addresses(path, front) if at.strip("/") and "?" not in at]
        return [*paths, *self.below_base(paths)]

    def below_base(self, paths: Iterable[str]) -> list[str]:
        """The same paths below the path of the site on its host; none if it has none."""
        return [f"/{self.base}{path}" for path in paths] if self.base else []

    @cached_property
    def digest(self) -> str:
        """What decides the address and language of a file, apart from its path and front matter."""
        return repr((self.roots, self.languages, self.base, self.settings, self.people, self.titles))

    @cached_property
    def translated(self) -> frozenset[str]:
        """Folders whose texts have translations elsewhere."""
        return frozenset(self.originals.values())

    def translation_key(self, path: str) -> str:
        """The key that a file shares with its translations; empty if its tool keeps no translations in folders."""
        original = self.original_of(path)
        root = self.root_of(path)
        return markdown_stem(original) if original != path or root in self.translated else ""

    def said_of(self, path: str, front: Mapping[str, Any]) -> dict[str, Any]:
        """The front matter of a file, completed with the language and translation key of its folder."""
        said = {"language": self.language_of(path), "translationKey": self.translation_key(path)}
        own = {key.lower() for key in front}
        if path in self.titles and not words(front.get("title")):
            front = {**front, "title": self.titles[path]}
        if own & {"lang", "language", "locale"}:
            del said["language"]
        given = lenient_values.items(front.get("authors")) if self.people else []
        authors = [self.people.get(name, name) if isinstance(name, str) else name for name in given]
        authors = [named if isinstance(named, str) else _person(named) for named in authors]
        return (
            {key: value for key, value in said.items() if value} | dict(front) | ({"authors": authors} if given else {})
        )

    def language_of(self, path: str) -> str:
        """The language of the folder of a file; empty if it has none of its own."""
        fitting = [folder for folder in self.languages if path.startswith(f"{folder}/")]
        return self.languages[max(fitting, key=len)] if fitting else ""

    def original_of(self, path: str) -> str:
        """The file that a file translates, or the file itself."""
        folder = next((folder for folder in self.originals if path.startswith(f"{folder}/")), "")
        return f"{self.originals[folder]}/{path.removeprefix(folder).lstrip('/')}".lstrip("/") if folder else path


def _person(about: object) -> dict[str, str]:
    """The name and the address of an author whom a tool describes."""
    given = lenient_values.table(about)
    named = {"name": words(given.get("name")), "url": words(given.get("url"))}
    return {key: value for key, value in named.items() if value}


def branches(globs: Iterable[str]) -> list[str]:
    """Globs with each ``{a,b}`` written out; beyond ``MAX_BRANCHES`` a star stands for what is between braces."""
    waiting, written = deque(globs), list[str]()
    while waiting:
        glob = waiting.popleft()
        match = _BRACES.search(glob)
        if match is None:
            written.append(glob)
        elif len(waiting) + len(written) > MAX_BRANCHES:
            waiting.append(_BRACES.sub("*", glob))
        else:
            waiting += [f"{glob[: match.start()]}{part}{glob[match.end() :]}" for part in match[1].split(",")]
    return written


def glob_matcher(globs: Collection[str]) -> Callable[[str], bool]:
    """Whether a path matches one of these globs and none that begins with ``!``; a star does not match ``/``."""
    negated = [glob for glob in branches(globs) if glob.startswith("!") and not glob.startswith("!(")]
    negative = [re.compile(_expression(glob[1:])) for glob in negated]
    positive = [re.compile(_expression(glob)) for glob in branches(globs) if glob not in negated]
    return lambda path: (
        any(expression.fullmatch(path) for expression in positive)
        and not any(expression.fullmatch(path) for expression in negative)
    )


def _expression(glob: str) -> str:
    signs = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    glob = re.sub(r"\*{3,}", "**", glob.removeprefix("./").lstrip("/"))[:MAX_GLOB_CHARS]
    return "".join(signs.get(part) or _sign(part) for part in _GLOB.findall(glob))


def _sign(part: str) -> str:
    if part.endswith(")") and len(part) > 1:
        return _EXTENDED[part[0]].format("|".join(_expression(choice) for choice in part[2:-1].split("|")))
    return f"[{_class(part[1:-1])}]" if len(part) > 1 else re.escape(part)


def _class(inside: str) -> str:
    mark = "^" if inside[:1] in "!^" else ""
    return mark + re.sub(r"([\\\[\]^])", r"\\\1", inside[len(mark) :])


def folder_path(value: object, usual: str) -> str:
    """The path of a folder in settings, or the usual one; empty for the top folder."""
    text = lenient_values.words(value) or usual
    parts = [part for part in text.replace("\\", "/").split("/") if part not in ("", ".")]
    return "/".join(parts)


def route(*parts: str) -> str:
    """Join parts of a path, with a slash at both ends."""
    inner = "/".join(part.strip("/") for part in parts if part.strip("/"))
    return f"/{inner}/" if inner else "/"
