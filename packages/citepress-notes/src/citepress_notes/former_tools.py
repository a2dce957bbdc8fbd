"""The tools that a folder is written for, known by their settings, and what they say there that is not public."""

import fnmatch
import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from pathspec import GitIgnoreSpec

from citepress.content.files import MARKDOWN_ENDINGS
from citepress.content.source_map import YAML, split
from citepress.content.value_marks import ParseFault
from citepress.content.yaml_loader import FIRST, LAST
from citepress_notes import lenient_values, privacy_rules
from citepress_notes.privacy_rules import PathRule, SettingRule
from citepress_notes.site_layout import SiteLayout, glob_matcher

MARKS: Mapping[str, tuple[str, ...]] = {
    "hugo": ("hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json", "config/_default"),
    "zola": ("zola.toml",),
    "jekyll": ("_config.yml", "_config.yaml", "_config.toml", "_posts"),
    "mkdocs": ("mkdocs.yml", "mkdocs.yaml"),
    "pelican": ("pelicanconf.py",),
    "dendron": ("dendron.yml",),
    "foam": (".foam", ".vscode/foam.json"),
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
WIKI_PARTS = ("_Sidebar.md", "_Footer.md", "_Header.md")
"""Files of a wiki of GitHub or GitLab that are shown around its pages."""
HUGO_OR_ZOLA = ("config.toml", "config.yaml", "config.yml", "config.json")
SETTINGS: Mapping[str, tuple[str, ...]] = {
    "hexo": ("_config.yml",),
    "hugo": (*MARKS["hugo"][:4], *HUGO_OR_ZOLA),
    "zola": ("zola.toml", "config.toml"),
    "jekyll": MARKS["jekyll"][:3],
    "mkdocs": MARKS["mkdocs"],
    "dendron": MARKS["dendron"],
}
"""Files of settings that are read; the first that is there counts."""
MAX_REGEX_CHARS = 300
_FOLDER = re.compile(r"[\w.-]+/")
"""A folder of a name at any depth, as a line of ``.gitignore``."""
_BASE_URL = re.compile(r"^\s*base_url\s*=", re.MULTILINE)
_HUGO_URL = re.compile(r"^\s*baseurl\s*=", re.MULTILINE | re.IGNORECASE)
NESTED = re.compile(r"\([^()]*[+*{][^()]*\)[+*{]")
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
    only: Callable[[str], bool] = bool
    """Which paths that fit the pattern."""

    def fits(self, path: str) -> bool:
        """Whether the members are handed to a file."""
        return self.only(path) and all(
            fnmatch.fnmatchcase(path.lower(), line) for line in self.pattern.lower().split("\n")
        )


def tools_of(has: Callable[[str], bool], text: Callable[[str], str | None]) -> tuple[str, ...]:
    """The tools that a folder is written for, by the files and folders that it has; often none, sometimes two.

    ``text`` gives the text of a file, for settings whose name two tools share.
    """
    tools = [tool for tool, marks in MARKS.items() if any(map(has, marks))]
    if not {"hugo", "zola"}.intersection(tools) and has("content") and any(map(has, HUGO_OR_ZOLA)):
        tools.append("zola" if has("config.toml") and _is_of_zola(has, text) else "hugo")
    if not tools and has("Home.md") and any(map(has, WIKI_PARTS)):
        tools.append("wiki")
    if "jekyll" in tools and any(map(has, HEXO_MARKS)):
        tools[tools.index("jekyll")] = "hexo"
    return tuple(tools)


def _is_of_zola(has: Callable[[str], bool], text: Callable[[str], str | None]) -> bool:
    """Whether ``config.toml`` is Zola's, which cannot be without ``base_url``; Hugo writes ``baseURL``."""
    settings = text("config.toml") or ""
    return bool(_BASE_URL.search(settings)) or (has("templates") and not _HUGO_URL.search(settings))


@dataclass
class ToolSettings:
    """What the tools of a folder keep back by their settings and by their rules for names."""

    files: ToolFiles
    tools: tuple[str, ...]
    matches: list[PathMatch] = field(default_factory=list)
    handed: list[Handed] = field(default_factory=list)
    given: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The settings of each tool."""
    problems: list[tuple[str, str]] = field(default_factory=list)
    """Files of settings that cannot be read, and why."""
    unsure: bool = False
    """Whether everything has to be kept back, because what is private cannot be known."""
    layout: SiteLayout | None = None
    """Where the texts of the site lie; ``None`` where its tool has none that is known here."""

    def of_file(self, tool: str) -> dict[str, Any]:
        """The settings of a tool that has them in one file; where that cannot be read, everything is kept back."""
        name = self.settings_file(tool)
        return (self.members(name, sure=True) or {}) if name else {}

    def settings_file(self, tool: str) -> str:
        """The file with the settings of a tool; empty where there is none."""
        return next((name for name in SETTINGS.get(tool, ()) if self.files.has(name)), "")

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
        if len(pattern) > MAX_REGEX_CHARS or NESTED.search(pattern):
            self.add_problem(name, f"{pattern[:60]!r} is too long, or repeats a repetition")
            return
        try:
            expression = re.compile(pattern)
        except re.error as error:
            self.add_problem(name, f"{pattern[:60]!r} cannot be read: {error}")
        else:
            self.matches.append(PathMatch(rule, lambda path: bool(expression.search(path))))

    def keep_outside(self, *folders: str, always: bool = False) -> None:
        """Keep the Markdown back that is not below these folders, where there is any of them, or ``always``."""
        inside = tuple(f"{folder.strip('/')}/" for folder in folders if folder.strip("/"))

        def is_outside(path: str) -> bool:
            return path.lower().endswith(MARKDOWN_ENDINGS) and not path.startswith(inside)

        if "" not in folders and (always or any(self.files.has(folder.rstrip("/")) for folder in inside)):
            self.matches.append(PathMatch(privacy_rules.OUTSIDE, is_outside))

    def keep_globs(self, rule: SettingRule, folder: str, globs: Collection[str], *, but: bool = False) -> None:
        """Keep what is below a folder back that fits one of these globs, or the Markdown that does not (``but``)."""
        below, matches = f"{folder}/" if folder else "", glob_matcher(globs)

        def is_private(path: str) -> bool:
            fits = path.startswith(below) and matches(path.removeprefix(below))
            return path.startswith(below) and not fits and path.lower().endswith(MARKDOWN_ENDINGS) if but else fits

        self.matches.append(PathMatch(rule, is_private))

    def fronts(self, name: str, key: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Folder and front matter of each Markdown file of a name, the outer ones first; keys are in small letters.

        What is below a folder is held back where nobody can tell what this key hands down there.
        """
        paths = [path for path in self.files.paths if _stem(path) == name and path.lower().endswith(MARKDOWN_ENDINGS)]
        for path in sorted(paths, key=lambda path: (path.count("/"), path)):
            folder, text = posixpath.dirname(path), self.files.text(path) or ""
            try:
                first, last = (lenient_values.lowered(front_members(text, doubled)) for doubled in (FIRST, LAST))
            except ParseFault as error:
                self.keep_below(folder, path, f"line {error.mark[0]}: {error.message}")
                continue
            if first.get(key) != last.get(key):
                self.keep_below(folder, path, f"the key {key!r} is given twice")
            yield folder, last

    def keep_below(self, folder: str, path: str, message: str) -> None:
        """Keep back what is below a folder, because a file cannot be read that may say what is private there."""
        self.add_problem(path, message, sure=False)
        below = f"{folder}/" if folder else ""
        self.matches.append(PathMatch(privacy_rules.UNREADABLE_SETTINGS, lambda path: path.startswith(below)))


def front_members(text: str, doubled: int) -> dict[str, Any]:
    """The front matter of a text; of a key that is given twice, the first value or the last. Raises ``ParseFault``."""
    matter = split(text.lstrip("\ufeff\n"))
    if matter.front is None or not matter.closed:
        return {}
    is_yaml = matter.format.load is YAML.load
    members = matter.format.load(matter.front, **({"doubled": doubled} if is_yaml else {}))
    return members if isinstance(members, dict) else {}


def _stem(path: str) -> str:
    """The name of a file up to its first dot, as of ``_index.de.md``."""
    return posixpath.basename(path).partition(".")[0]
