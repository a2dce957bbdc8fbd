"""Eleventy: its folders, what it ignores, and the data of folders and files, in JSON and in code."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

from citepress.content.value_marks import ParseFault
from citepress.content.written_dates import moment_of
from citepress_notes import privacy_rules
from citepress_notes.former_tools import MARKS, Handed, ToolFiles, ToolSettings
from citepress_notes.lenient_values import settings, table
from citepress_notes.liquid import Liquid
from citepress_notes.reading_order import eleventy_order
from citepress_notes.script_values import Script, ScriptFunction, is_known, texts
from citepress_notes.site_layout import SiteLayout, folder_path
from citepress_notes.usual_keys import strip_date

_DATA = re.compile(r"(?:(\.11tydata)(?:\.(?:json|cjs|mjs|js)))$|\.json$")
TEMPLATES = (
    *(".md", ".markdown", ".njk", ".liquid", ".html", ".hbs", ".mustache", ".ejs", ".haml", ".pug", ".webc", ".mdx"),
)


class EleventySettings:
    """The settings of one site."""

    def __init__(self, files: ToolFiles) -> None:
        self._files = files
        self.name = next((name for name in MARKS["eleventy"] if files.has(name)), "")
        self.script = Script(files.text(self.name) or "" if self.name else "")
        config = self.script.constant("config")
        own = self.script.exported()
        self.members = own if own.get("dir") else (config if isinstance(config, dict) else own)
        given = table(self.members.get("dir"))
        self.input = self._folder("setInputDirectory", given.get("input"), "")
        self.output = self._folder("setOutputDirectory", given.get("output"), "_site")
        inner = {
            "includes": self._folder("setIncludesDirectory", given.get("includes"), "_includes"),
            "layouts": self._folder("setLayoutsDirectory", given.get("layouts"), ""),
            "data": self._folder("setDataDirectory", given.get("data"), "_data"),
        }
        self.data = posixpath.normpath(posixpath.join(self.input, inner["data"]))
        self.inner = [posixpath.normpath(posixpath.join(self.input, name)) for name in inner.values() if name]

    def _folder(self, call: str, value: object, usual: str) -> str:
        called = [arguments[0] for arguments in self.script.calls(call) if arguments and isinstance(arguments[0], str)]
        return folder_path(called[-1] if called else value, usual)

    def ignored(self) -> tuple[list[str], bool]:
        """The globs that its settings ignore, and whether all of them could be read."""
        arguments = [rows[0] for rows in self.script.calls("ignores.add") if rows]
        return texts(arguments), is_known(arguments)

    def data_files(self) -> Iterator[tuple[str, str]]:
        """Globs of files and the data file that applies to them; the nearest last, and code after JSON."""
        rows: list[tuple[tuple[int, bool, bool, str], str]] = []
        paths = self._files.paths
        for path in paths:
            match = _DATA.search(path)
            if match is None or (self.input and not path.startswith(f"{self.input}/")):
                continue
            stem = path[: match.start()]
            folder, name = posixpath.split(stem)
            is_whole = posixpath.basename(folder) == name
            if is_whole or match[1] or any(f"{stem}{ending}" in paths for ending in TEMPLATES):
                rows.append(
                    (
                        (path.count("/"), not is_whole, path.endswith("js"), path),
                        f"{folder}/*" if is_whole else f"{stem}.*",
                    )
                )
        for (_, _, _, path), pattern in sorted(rows):
            yield pattern, path

    def global_data(self) -> Iterator[dict[str, Any]]:
        """Front matter that the settings and the data of all texts give to each of them."""
        for arguments in self.script.calls("addGlobalData"):
            if len(arguments) > 1 and isinstance(arguments[0], str):
                name, _, rest = arguments[0].partition(".")
                value = _result(arguments[1])
                yield {name: {rest: value} if rest else value}
        steps = [row[2] for row in self.script.calls("addPreprocessor") if len(row) > 2]  # noqa: PLR2004  (name, globs)
        if steps:
            yield {"eleventyPreprocessor": steps}
        for path in sorted(self._files.paths):
            folder, name = posixpath.split(path)
            if folder == self.data and name.partition(".")[0] == "eleventyComputed":
                yield {"eleventyComputed": data_members(self._files.text(path) or "", path)}

    @cached_property
    def values(self) -> dict[str, Any]:
        """The files of data that are no code, by their names."""
        files: dict[str, Any] = {}
        for path in sorted(self._files.paths):
            stem, _, ending = posixpath.basename(path).rpartition(".")
            if posixpath.dirname(path) == self.data and ending in ("json", "yml", "yaml"):
                with suppress(ParseFault):
                    files[stem] = settings(self._files.text(path) or "", path)
        return files

    def layout(self) -> SiteLayout:
        """The folders of its texts and their paths."""
        return SiteLayout({self.input: "/"}, address=self.addresses, arrange=eleventy_order, files=(self.input,))

    def addresses(self, at: str, inner: str, front: Mapping[str, Any]) -> tuple[str, ...]:
        """The paths of a text, by its permalink if the data say what it makes, and by its file."""
        stem = re.sub(r"\.\w+$", "", inner)
        folder, _, name = stem.rpartition("/")
        name = strip_date(name)
        is_whole = name == "index" or (folder and name == posixpath.basename(folder))
        bare = posixpath.join(folder, "" if is_whole else name).strip("/")
        usual = f"{at}{bare}/" if bare else at
        rule = front.get("permalink")
        if not isinstance(rule, str) or not rule.strip():
            return (usual,)
        page = {
            "fileSlug": posixpath.basename(folder) if name == "index" else name,
            "filePathStem": f"/{posixpath.join(folder, name)}",
            "date": moment_of(front.get("date")) or moment_of(posixpath.basename(stem)[:10]),
            "inputPath": inner,
        }
        unsaid: list[str] = []
        given = Liquid({**self.values, **front, "page": page}, unsaid.append, lambda _: "").render(rule)
        if unsaid:  # a filter of its own makes an address that nobody can tell
            return (usual,)
        ending = "/" if given.endswith("/") or "." not in posixpath.basename(given) else ""
        own = f"/{given.strip('/')}{ending}".replace("/index.html", "/").replace("//", "/")
        return tuple(dict.fromkeys((own, usual)))


def keep_private(own: ToolSettings) -> SiteLayout:
    """Keep back what a site of Eleventy does not publish."""
    site = EleventySettings(own.files)
    own.keep_outside(site.input)
    own.keep(privacy_rules.ELEVENTY_FOLDERS, [f"/{folder}/" for folder in (*site.inner, site.output) if folder != "."])
    for folder in dict.fromkeys(("", site.input)):
        name = posixpath.join(folder, ".eleventyignore")
        if own.files.has(name):
            lines = (own.files.text(name) or "").split("\n")
            own.keep(privacy_rules.ELEVENTY_IGNORE, [_line_below(folder, line.strip()) for line in lines])
    globs, complete = site.ignored()
    own.keep(privacy_rules.ELEVENTY_IGNORE, [f"/{folder_path(glob, '')}" for glob in globs])
    if not complete:
        own.add_problem(site.name, "what `ignores.add` gets is not a text")
    for members in site.global_data():
        own.handed.append(Handed(privacy_rules.DIRECTORY_DATA, "*", members))
    for pattern, path in site.data_files():
        members = (own.members(path) or {}) if path.endswith(".json") else script_data(own.files.text(path) or "")
        own.handed.append(Handed(privacy_rules.DIRECTORY_DATA, pattern, members))
    return site.layout()


def _result(value: object) -> object:
    """A value, or what the function gives that makes it."""
    if isinstance(value, ScriptFunction) and isinstance(value.returned, dict | ScriptFunction):
        return value.returned
    return value


def data_members(text: str, path: str) -> dict[str, Any]:
    """The members of a file of data, in JSON or in code, functions too; nothing where it cannot be read."""
    try:
        return settings(text, path) if path.endswith(".json") else Script(text).exported()
    except ParseFault:
        return {}


def script_data(text: str) -> dict[str, Any]:
    """The members of a file of data that is code, as far as they can be read."""
    return {key: value for key, value in Script(text).exported().items() if is_known(value)}


def _line_below(folder: str, line: str) -> str:
    """A line of an ignore file, relative to the top folder."""
    if not folder or not line or line.startswith("#"):
        return line
    mark, glob = ("!", line[1:]) if line.startswith("!") else ("", line)
    return f"{mark}/{posixpath.join(folder, glob.removeprefix('./').lstrip('/'))}"
