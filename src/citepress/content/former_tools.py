"""The tools that a folder is written for, known by their settings, and what they say there that is not public."""

import fnmatch
import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from pathspec import GitIgnoreSpec

from citepress.content import lenient_values, privacy_rules
from citepress.content.lenient_values import items, table, words
from citepress.content.privacy_rules import PATH_RULES, PathRule, SettingRule
from citepress.content.source_map import split
from citepress.content.value_marks import ParseFault

MARKS: Mapping[str, tuple[str, ...]] = {
    "hugo": ("hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json", "config/_default"),
    "zola": ("zola.toml",),
    "jekyll": ("_config.yml", "_config.yaml", "_config.toml", "_posts"),
    "mkdocs": ("mkdocs.yml", "mkdocs.yaml"),
    "obsidian": (".obsidian",),
    "logseq": ("logseq/config.edn",),
    "quartz": ("quartz.config.ts", "quartz.config.js"),
    "docusaurus": tuple(f"docusaurus.config.{ending}" for ending in ("js", "ts", "mjs", "cjs")),
    "eleventy": (".eleventy.js", *(f"eleventy.config.{ending}" for ending in ("js", "ts", "mjs", "cjs"))),
    "astro": tuple(f"astro.config.{ending}" for ending in ("mjs", "js", "ts", "mts", "cjs")),
}
"""Files and folders by which a tool is known."""
HEXO_MARKS = ("scaffolds", "source/_posts", "source/_drafts")
"""Folders that distinguish a site of Hexo from one of Jekyll, whose settings have the same name."""
HUGO_OR_ZOLA = ("config.toml", "config.yaml", "config.yml", "config.json")
SETTINGS: Mapping[str, tuple[str, ...]] = {
    "hexo": ("_config.yml",),
    "hugo": (*MARKS["hugo"][:4], *HUGO_OR_ZOLA),
    "zola": ("zola.toml", "config.toml"),
    "jekyll": MARKS["jekyll"][:3],
    "mkdocs": MARKS["mkdocs"],
}
"""Files of settings that are read; the first that is there counts."""
TEXT_ENDINGS = (".md", ".markdown", ".mdx")
MAX_REGEX_CHARS = 300
_FOLDER = re.compile(r"[\w.-]+/")
"""A folder of a name at any depth, as a line of ``.gitignore``."""
_NESTED = re.compile(r"\([^()]*[+*{][^()]*\)[+*{]")
"""A repetition inside a repetition, which may take a time that doubles with each character."""


class ToolFiles(Protocol):
    """The files of a folder as a tool sees them."""

    @property
    def paths(self) -> Collection[str]:
        """Paths of files without a hidden name in them."""
        ...

    def has(self, path: str) -> bool:
        """Whether there is a file or folder, hidden ones too."""
        ...

    def text(self, path: str) -> str | None:
        """The text of a file, hidden ones too; ``None`` where it cannot be read."""
        ...


class PathMatch(NamedTuple):
    """Paths that one rule keeps back."""

    rule: PathRule | SettingRule
    fits: Callable[[str], bool]


class Handed(NamedTuple):
    """Front matter that settings or a folder's own file hand down to the files below."""

    rule: SettingRule
    pattern: str
    """Of paths, as ``fnmatch`` reads it, in small letters; a star reaches across folders. Each line has to fit."""
    members: Mapping[str, Any]

    def fits(self, path: str) -> bool:
        """Whether the members are handed to a file."""
        return all(fnmatch.fnmatchcase(path.lower(), line) for line in self.pattern.lower().split("\n"))


def tools_of(has: Callable[[str], bool]) -> tuple[str, ...]:
    """The tools that a folder is written for, by the files and folders that it has; often none, sometimes two."""
    tools = [tool for tool, marks in MARKS.items() if any(map(has, marks))]
    if not {"hugo", "zola"}.intersection(tools) and has("content") and any(map(has, HUGO_OR_ZOLA)):
        tools.append("zola" if has("config.toml") and has("templates") else "hugo")
    if "jekyll" in tools and any(map(has, HEXO_MARKS)):
        tools[tools.index("jekyll")] = "hexo"
    return tuple(tools)


@dataclass
class ToolSettings:
    """What the tools of a folder keep back by their settings and by their rules for names."""

    files: ToolFiles
    tools: tuple[str, ...]
    matches: list[PathMatch] = field(default_factory=list)
    handed: list[Handed] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)
    """Files of settings that cannot be read, and why."""
    unsure: bool = False
    """Whether everything has to be kept back, because what is private cannot be known."""

    @classmethod
    def of(cls, files: ToolFiles, also: Iterable[str] = ()) -> "ToolSettings":
        """Read the settings; ``also`` names tools that the caller knows the folder is written for."""
        own = cls(files, tuple(dict.fromkeys((*tools_of(files.has), *also))))
        for rule in PATH_RULES:
            if rule.patterns and (not rule.tools or set(rule.tools).intersection(own.tools)):
                own.keep(rule, rule.patterns)
        for tool in own.tools:
            reader = _READERS.get(tool)
            if reader:
                reader(own, own.settings(tool))
        return own

    def settings(self, tool: str) -> dict[str, Any]:
        """The settings of a tool; where its file cannot be read, everything is kept back."""
        name = next((name for name in SETTINGS.get(tool, ()) if self.files.has(name)), "")
        return (self.members(name, sure=True) or {}) if name else {}

    def members(self, name: str, *, sure: bool = False) -> dict[str, Any] | None:
        """The members of a file of settings; ``None`` where it cannot be read, which is noted in ``problems``.

        ``sure``: whether what is private cannot be known without it.
        """
        text, message = self.files.text(name), "it cannot be read"
        try:
            if text is not None:
                return lenient_values.settings(text, name)
        except ParseFault as error:
            message = f"line {error.mark[0]}: {error.message}"
        self.add_problem(name, message, sure=sure)
        return None

    def add_problem(self, name: str, message: str, *, sure: bool = True) -> None:
        """Note settings that cannot be read; nothing is published where these alone say what is private (``sure``)."""
        self.problems.append((name, message))
        self.unsure = self.unsure or sure

    def keep(self, rule: PathRule | SettingRule, lines: Iterable[str]) -> None:
        """Keep paths back, in the notation of ``.gitignore``."""
        wanted = [line for line in lines if line.strip()]
        if not wanted:
            return
        # Every path is matched; this takes a twentieth of the time of the general matcher.
        if all(_FOLDER.fullmatch(line) for line in wanted):
            inner = [f"/{line}" for line in wanted]
            self.matches.append(PathMatch(rule, lambda path: any(name in f"/{path}" for name in inner)))
            return
        try:
            self.matches.append(PathMatch(rule, GitIgnoreSpec.from_lines(wanted).match_file))
        except ValueError as error:
            self.add_problem(rule.shown, str(error))

    def keep_matching(self, rule: SettingRule, pattern: str, name: str) -> None:
        """Keep the paths back that a regular expression finds."""
        if len(pattern) > MAX_REGEX_CHARS or _NESTED.search(pattern):
            self.add_problem(name, f"{pattern[:60]!r} is too long, or repeats a repetition")
            return
        try:
            expression = re.compile(pattern)
        except re.error as error:
            self.add_problem(name, f"{pattern[:60]!r} cannot be read: {error}")
        else:
            self.matches.append(PathMatch(rule, lambda path: bool(expression.search(path))))

    def keep_outside(self, *folders: str) -> None:
        """Keep the Markdown back that is not below these folders, where there is any of them."""
        inside = tuple(f"{folder.strip('/')}/" for folder in folders if folder.strip("/"))

        def is_outside(path: str) -> bool:
            return path.lower().endswith(TEXT_ENDINGS) and not path.startswith(inside)

        if any(self.files.has(folder.rstrip("/")) for folder in inside):
            self.matches.append(PathMatch(privacy_rules.OUTSIDE, is_outside))

    def fronts(self, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Folder and front matter of each Markdown file of a name, the outer ones first."""
        paths = [path for path in self.files.paths if _stem(path) == name and path.lower().endswith(TEXT_ENDINGS)]
        for path in sorted(paths, key=lambda path: (path.count("/"), path)):
            yield posixpath.dirname(path), lenient_front(self.files.text(path) or "")


def lenient_front(text: str) -> dict[str, Any]:
    """The front matter of a text; nothing where it cannot be read."""
    matter = split(text.lstrip("\ufeff\n"))
    if matter.front is None or not matter.closed:
        return {}
    try:
        members = matter.format.load(matter.front)
    except ParseFault:
        return {}
    return members if isinstance(members, dict) else {}


def _stem(path: str) -> str:
    """The name of a file up to its first dot, as of ``_index.de.md``."""
    return posixpath.basename(path).partition(".")[0]


def _anchored(names: Iterable[object], below: str = "") -> list[str]:
    """Names and globs from the top, as lines of ``.gitignore``."""
    return [
        f"/{posixpath.join(below, str(name).strip().strip('/'))}" for name in names if str(name).strip().strip("/.")
    ]


def _jekyll(own: ToolSettings, settings: dict[str, Any]) -> None:
    source = words(settings.get("source")).strip("./")
    own.keep_outside(source)
    given = settings.get("collections")
    collections = dict.fromkeys(map(str, given), None) if isinstance(given, list) else table(given)
    below = words(settings.get("collections_dir")).strip("./")
    shown = {name for name, about in collections.items() if lenient_values.is_true(table(about).get("output"))}
    hidden = {f"_{name}" for name in collections if name not in shown} - {"_posts", "_drafts"}
    included = [str(name).strip("/") for name in items(settings.get("include")) if name]
    excluded = [str(name).strip("/") for name in items(settings.get("exclude")) if str(name).strip("/")]

    def inner(path: str) -> list[str]:
        path = path.removeprefix(f"{source}/")
        parts = (path.removeprefix(f"{below}/") if below else path).split("/")
        return ["", *parts[1:]] if parts[0][1:] in shown and parts[0].startswith("_") else parts

    def underscored(path: str) -> bool:
        special = [part for part in inner(path) if part.startswith("_") and part not in ("_posts", "_drafts")]
        return bool(special) and not _is_named(path.removeprefix(f"{source}/"), included, anywhere=True)

    def left_out(path: str) -> bool:
        path = path.removeprefix(f"{source}/")
        return _is_named(path, excluded) and not _is_named(path, included, anywhere=True)

    own.matches.append(PathMatch(privacy_rules.COLLECTION, lambda path: not hidden.isdisjoint(inner(path)[:1])))
    own.matches.append(PathMatch(privacy_rules.EXCLUDED, left_out))
    own.matches.append(PathMatch(privacy_rules.UNDERSCORES, underscored))
    for row in items(settings.get("defaults")):
        scope, values = table(table(row).get("scope")), table(table(row).get("values"))
        where, of = posixpath.join(source, str(scope.get("path") or "").strip("/")), str(scope.get("type") or "")
        below_it = "*" if of in ("", "pages") else f"*_{of}/*"
        own.handed.append(Handed(privacy_rules.DEFAULTS, f"{where.rstrip('*')}*\n{below_it}", values))


def _is_named(path: str, names: Iterable[str], *, anywhere: bool = False) -> bool:
    """Whether names or globs from the top mean a path; ``anywhere`` lets them mean a part of it too."""
    parts = path.split("/")
    return any(
        path == name
        or path.startswith(f"{name}/")
        or fnmatch.fnmatchcase(path, name)
        or (anywhere and any(fnmatch.fnmatchcase(part, name) for part in parts))
        for name in names
    )


def _hexo(own: ToolSettings, settings: dict[str, Any]) -> None:
    source = words(settings.get("source_dir")).strip("./") or "source"
    own.keep_outside(source)
    excluded = [str(name).strip("/") for name in items(settings.get("exclude")) if name]

    def underscored(path: str) -> bool:
        parts = path.removeprefix(f"{source}/").split("/")
        return any(part.startswith("_") for part in parts[parts[0] in ("_posts", "_drafts") :])

    def left_out(path: str) -> bool:
        return _is_named(path.removeprefix(f"{source}/"), excluded)

    own.matches.append(PathMatch(privacy_rules.EXCLUDED, left_out))
    own.matches.append(PathMatch(privacy_rules.UNDERSCORES, underscored))


def _hugo(own: ToolSettings, settings: dict[str, Any]) -> None:
    name = next((name for name in SETTINGS["hugo"] if own.files.has(name)), "config/_default")
    settings = lenient_values.lowered(settings)
    for path in sorted(path for path in own.files.paths if path.startswith("config/")):
        stem, ending = posixpath.splitext(path)
        if posixpath.basename(stem) in ("hugo", "config", "cascade") and ending in (".toml", ".yaml", ".yml", ".json"):
            members = lenient_values.lowered(own.members(path, sure=True) or {})
            settings |= {"cascade": members} if stem.endswith("cascade") else members
    content = words(settings.get("contentdir")).strip("./") or "content"
    languages = [table(about).get("contentdir") for about in table(settings.get("languages")).values()]
    if not table(settings.get("module")).get("mounts"):
        own.keep_outside(content, *(str(folder).strip("./") for folder in languages if folder))
    for pattern in items(settings.get("ignorefiles")):
        own.keep_matching(privacy_rules.IGNORED, str(pattern), name)
    for row in items(settings.get("cascade")):
        _cascade(own, content, content, table(row))
    for folder, front in own.fronts("_index"):
        for row in items(lenient_values.lowered(front).get("cascade")):
            _cascade(own, folder.partition("/")[0], folder, table(row))


def _cascade(own: ToolSettings, root: str, folder: str, row: dict[str, Any]) -> None:
    """One row of a cascade for the files below a folder that its target names."""
    target = table(row.get("target") or row.get("_target"))
    if "production" not in str(target.get("environment") or "production").replace("*", "production"):
        return
    members = {key: value for key, value in row.items() if key not in ("target", "_target")}
    kind = str(target.get("kind") or "page")
    below = f"{folder}/*" if "page" in kind or "*" in kind else f"{folder}/*_index.*"
    if not (glob := str(target.get("path") or "").strip("/")):
        own.handed.append(Handed(privacy_rules.CASCADE, below, members))
        return
    for part in _braces(glob):
        # The path of a page has no ending, and two stars reach over any number of folders, none too.
        path = f"{root}/{part.strip('/').replace('**/', '*')}".rstrip("*/")
        own.handed.append(Handed(privacy_rules.CASCADE, f"{path}[./]*\n{below}", members))
        own.handed.append(Handed(privacy_rules.CASCADE, f"{root}/{part.strip('/')}\n{below}", members))


def _braces(glob: str) -> list[str]:
    """A glob with its first ``{a,b}`` written out."""
    match = re.search(r"\{([^{}]{1,400})\}", glob)
    return [f"{glob[: match.start()]}{part}{glob[match.end() :]}" for part in match[1].split(",")] if match else [glob]


def _zola(own: ToolSettings, settings: dict[str, Any]) -> None:
    own.keep_outside("content", "static")
    own.keep(privacy_rules.ZOLA_IGNORED, _expand_braces(settings.get("ignored_content")))
    for folder, front in own.fronts("_index"):
        if lenient_values.is_true(front.get("draft")):
            own.handed.append(Handed(privacy_rules.SECTION, f"{folder}/*", {"draft": True}))


def _expand_braces(globs: object) -> list[str]:
    return [line for glob in items(globs) for line in _braces(str(glob))]


def _mkdocs(own: ToolSettings, settings: dict[str, Any]) -> None:
    docs = words(settings.get("docs_dir")).strip("./") or "docs"
    own.keep_outside(docs)
    for rule, name in ((privacy_rules.EXCLUDE_DOCS, "exclude_docs"), (privacy_rules.DRAFT_DOCS, "draft_docs")):
        lines = str(settings.get(name) or "").split("\n")
        first = ["/templates/"] if rule is privacy_rules.EXCLUDE_DOCS else []
        own.keep(rule, [below for line in (*first, *lines) if (below := _below(docs, line.strip()))])


def _below(folder: str, line: str) -> str:
    """A line of ``.gitignore`` for a folder, as one for the folder above."""
    if not line or line.startswith("#"):
        return ""
    mark, pattern = ("!", line[1:]) if line.startswith("!") else ("", line)
    inner = pattern.strip("/")
    return (
        f"{mark}/{folder}/{pattern.lstrip('/')}"
        if "/" in inner or pattern.startswith("/")
        else f"{mark}/{folder}/**/{pattern}"
    )


def _obsidian(own: ToolSettings, _: dict[str, Any]) -> None:
    folders = ["templates", "Templates", "_templates", "_Templates"]
    for name, key in (("templates.json", "folder"), ("plugins/templater-obsidian/data.json", "templates_folder")):
        if folder := words(_hidden(own, f".obsidian/{name}").get(key)).strip("/"):
            folders.append(folder)
    own.keep(privacy_rules.TEMPLATES, [f"{line}/" for line in _anchored(folders)])
    excluded = items(_hidden(own, ".obsidian/publish.json").get("excluded"))
    own.keep(privacy_rules.NOT_PUBLISHED, _anchored(excluded))


def _hidden(own: ToolSettings, path: str) -> dict[str, Any]:
    """The members of a file that only adds to the usual rules."""
    return (own.members(path) or {}) if own.files.has(path) else {}


def _eleventy(own: ToolSettings, _: dict[str, Any]) -> None:
    if own.files.has(".eleventyignore"):
        own.keep(privacy_rules.ELEVENTY_IGNORE, (own.files.text(".eleventyignore") or "").split("\n"))
    for path in sorted(own.files.paths, key=lambda path: (path.count("/"), path)):
        folder, stem = posixpath.dirname(path), posixpath.basename(path).removesuffix(".json").removesuffix(".11tydata")
        if path.endswith(".json") and stem and (path.endswith(".11tydata.json") or posixpath.basename(folder) == stem):
            members = _hidden(own, path)
            whole = posixpath.basename(folder) == stem
            pattern = f"{folder}/*" if whole else f"{posixpath.join(folder, stem)}.*"
            own.handed.append(Handed(privacy_rules.DIRECTORY_DATA, pattern, members))


def _quartz(own: ToolSettings, _: dict[str, Any]) -> None:
    own.keep_outside("content")
    text = own.files.text(next((name for name in MARKS["quartz"] if own.files.has(name)), "")) or ""
    match = re.search(r"ignorePatterns\s*:\s*\[([^\]]{0,4000})\]", text)
    lines = re.findall(r"""["'`]([^"'`\n]{1,300})["'`]""", match[1]) if match else ["private", "templates"]
    own.keep(privacy_rules.IGNORE_PATTERNS, [f"/content/**/{line.strip('/')}" for line in lines])


_READERS: Mapping[str, Callable[[ToolSettings, dict[str, Any]], None]] = {
    "jekyll": _jekyll,
    "hexo": _hexo,
    "hugo": _hugo,
    "zola": _zola,
    "mkdocs": _mkdocs,
    "obsidian": _obsidian,
    "eleventy": _eleventy,
    "quartz": _quartz,
}
