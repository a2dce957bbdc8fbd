"""Pelican: where its articles and pages are, the metadata that its settings give them, and what they keep private."""

import glob
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from citepress_notes import privacy_rules
from citepress_notes.former_tools import NESTED, Handed, PathMatch, ToolSettings
from citepress_notes.lenient_values import items, table, words
from citepress_notes.python_settings import literals

SETTINGS = ("pelicanconf.py", "publishconf.py")
"""The second overrides the first when a site is published."""
TEXTS = (".md", ".markdown", ".mkd", ".mdown", ".mdx", ".rst", ".html", ".htm")
LINED = TEXTS[:5]
"""Endings of texts with lines of metadata above them."""
LINK = re.compile(r"[{|](filename|static|attach|tag|category|author|index|archives)[}|](/?)(.*)", re.DOTALL)
"""The kind of a link, whether it begins at the top, and the rest."""
SPACED_LINK = re.compile(
    r"(?<=\]\()\s*([{|](?:filename|static|attach|tag|category|author)[}|][^()<>\n]*[^()<>\s])\s*(?=\))"
)
"""An address that may hold spaces, as Python-Markdown reads it."""
CODE_LANGUAGE = re.compile(r"(?<=\n\n)(?: {4}|\t)(?::::|#!)\w[\w+#-]{0,30}[^\n/]*\n(?= {4}|\t)")
"""The line above indented code that names its language; ``#!/bin/sh`` is code."""
PRIVATE_SETTINGS = frozenset({
    "PATH", "ARTICLE_PATHS", "PAGE_PATHS", "ARTICLE_EXCLUDES", "PAGE_EXCLUDES", "IGNORE_FILES", "DEFAULT_METADATA",
    "EXTRA_PATH_METADATA", "FILENAME_METADATA", "PATH_METADATA", "all of them",
})  # fmt: skip
"""Settings that decide what is private; if one of them is code, everything is held back."""
MAX_PATTERN_CHARS = 200
DATE_IN_NAME = r"(?P<date>\d{4}-\d{2}-\d{2}).*"


def pelican_settings(text: Callable[[str], str | None]) -> tuple[dict[str, Any], list[str]]:
    """The settings of a site, and the names of those that are code; ``text`` gives the text of a file."""
    values: dict[str, Any] = {}
    unread: list[str] = []
    for name in SETTINGS:
        if code := text(name):
            values, missed = literals(code, values)
            unread = [*unread, *missed]
    for former, now in (("ARTICLE_DIR", "ARTICLE_PATHS"), ("PAGE_DIR", "PAGE_PATHS")):
        if former in values:
            values.setdefault(now, [values[former]])
    return values, unread


def root_of(settings: Mapping[str, Any]) -> str:
    """The folder of all content."""
    return words(settings.get("PATH", "content")).removeprefix("./").strip("/").removeprefix(".")


def is_page(settings: Mapping[str, Any], inner: str) -> bool:
    """Whether a text, by its path below the folder of content, is a page and no article."""
    return _is_below(inner, _folders(settings, "PAGE_PATHS", ["pages"])) and not _is_below(
        inner, _folders(settings, "PAGE_EXCLUDES", [])
    )


def read_pelican(own: ToolSettings, settings: dict[str, Any]) -> None:
    """Keep back what is neither an article nor a page, and hand down the metadata that settings give to files."""
    _, unread = pelican_settings(own.files.text)
    if missed := sorted(PRIVATE_SETTINGS.intersection(unread)):
        own.add_problem(SETTINGS[0], f"{', '.join(missed)} is code, which is not run")
    root = root_of(settings)
    own.keep_outside(root)
    own.keep(privacy_rules.PELICAN_IGNORED, map(str, items(settings.get("IGNORE_FILES"))))
    articles, pages = _folders(settings, "ARTICLE_PATHS", [""]), _folders(settings, "PAGE_PATHS", ["pages"])
    left_articles = [*_folders(settings, "ARTICLE_EXCLUDES", []), *filter(None, pages)]
    left_pages = [*_folders(settings, "PAGE_EXCLUDES", []), *filter(None, articles)]

    def is_left(path: str) -> bool:
        inner = path.removeprefix(f"{root}/") if root else path
        if not path.lower().endswith(TEXTS) or (root and inner == path):
            return False
        is_article = _is_below(inner, articles) and not _is_below(inner, left_articles)
        return not is_article and not (_is_below(inner, pages) and not _is_below(inner, left_pages))

    def is_article(path: str) -> bool:
        inner = path.removeprefix(f"{root}/") if root else path
        return path.lower().endswith(TEXTS) and _is_below(inner, articles) and not is_page(settings, inner)

    own.matches.append(PathMatch(privacy_rules.PELICAN_EXCLUDED, is_left))
    own.handed += _skipped(settings, unread, is_article, root)
    if given := _members(settings.get("DEFAULT_METADATA")):
        own.handed.append(Handed(privacy_rules.PELICAN_DEFAULT, "*", given))
    _keep_named(own, root, settings)
    for name, about in table(settings.get("EXTRA_PATH_METADATA")).items():
        path = glob.escape(f"{root}/{str(name).strip('/')}".strip("/"))
        for pattern in (path, f"{path}/*".lstrip("/")):
            own.handed.append(Handed(privacy_rules.PELICAN_EXTRA, pattern, table(about)))


def _skipped(
    settings: Mapping[str, Any], unread: Iterable[str], is_article: Callable[[str], bool], root: str
) -> Iterator[Handed]:
    """What stands for a title and a date where neither a text nor its name has one: Pelican skips such a text."""

    def lacks(path: str, key: str) -> bool:
        inner = path.removeprefix(f"{root}/") if root else path
        return path.lower().endswith(LINED) and key not in named_by(settings, path, inner)

    rule, said = privacy_rules.PELICAN_DEFAULT, privacy_rules.SKIPPED
    yield Handed(rule, "*", {"title": said}, lambda path: lacks(path, "title"))
    if not (settings.get("DEFAULT_DATE") or "DEFAULT_DATE" in unread):
        yield Handed(rule, "*", {"date": said}, lambda path: is_article(path) and lacks(path, "date"))


def named_by(settings: Mapping[str, Any], path: str, inner: str) -> dict[str, str]:
    """What the name and the path of a text say of it, by patterns of the settings."""
    stem = re.sub(r"\.\w+$", "", path.rpartition("/")[2])
    named = settings.get("FILENAME_METADATA", DATE_IN_NAME), settings.get("PATH_METADATA", "")
    matches = (
        re.match(pattern, text)
        for pattern, text in zip(named, (stem, inner), strict=True)
        if pattern and is_safe(pattern)
    )
    return {key: value for match in matches if match for key, value in match.groupdict().items() if value}


def _members(value: object) -> dict[str, Any]:
    """A mapping, or pairs as older settings have them."""
    pairs = [item for item in items(value) if isinstance(item, list | tuple) and len(item) == 2]  # noqa: PLR2004  (a pair)
    return table(value) or {str(key): about for key, about in pairs}


def _keep_named(own: ToolSettings, root: str, settings: Mapping[str, Any]) -> None:
    """Keep back files whose path or name has a private status, if a pattern of the settings reads it."""
    for key in ("PATH_METADATA", "FILENAME_METADATA"):
        pattern = settings.get(key)
        if not isinstance(pattern, str) or "(?P<status>" not in pattern:
            continue
        if not is_safe(pattern):
            own.add_problem(SETTINGS[0], f"{key} is too long, or repeats a repetition")
            continue
        expression = re.compile(pattern)
        own.matches.append(PathMatch(privacy_rules.PELICAN_NAMED, _named_privately(expression, root, key)))


def _named_privately(expression: re.Pattern[str], root: str, key: str) -> Callable[[str], bool]:
    def fits(path: str) -> bool:
        name = (
            path.removeprefix(f"{root}/") if key == "PATH_METADATA" else re.sub(r"\.\w+$", "", path.rpartition("/")[2])
        )
        match = expression.match(name)
        return match is not None and str(match["status"] or "").lower() in privacy_rules.PRIVATE_WORDS

    return fits


def is_safe(pattern: object) -> bool:
    """Whether a pattern for names is valid, short, and has no nested repetition (``(a+)+``)."""
    if not isinstance(pattern, str) or len(pattern) > MAX_PATTERN_CHARS or NESTED.search(pattern):
        return False
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


def _folders(settings: Mapping[str, Any], key: str, default: list[str]) -> list[str]:
    given = settings.get(key, default)
    return [str(name).removeprefix("./").strip("/") for name in ([""] if given == "" else items(given))]


def _is_below(inner: str, folders: Iterable[str]) -> bool:
    return any(not folder or inner == folder or inner.startswith(f"{folder}/") for folder in folders)
