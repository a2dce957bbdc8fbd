"""Hugo: the settings in all its files, its mounts, languages and bundles, and what they keep private."""

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

from citepress_notes import lenient_values, privacy_rules
from citepress_notes.former_tools import SETTINGS, Handed, PathMatch, ToolSettings
from citepress_notes.lenient_values import items, table, words
from citepress_notes.site_layout import branches

CONFIG_FOLDERS = ("config/_default", "config/production")
"""The second overrides the first when a site is published."""
ENDINGS = (".toml", ".yaml", ".yml", ".json")
PRIVATE_LISTS = ("cascade", "ignorefiles", "disablelanguages")
"""Lists that are merged from all files: what one of them keeps back is private."""
TEXTS = (
    *(".md", ".markdown", ".mdown", ".mkd", ".html", ".htm", ".adoc"),
    *(".asciidoc", ".ad", ".org", ".rst", ".pdc", ".pandoc"),
)
"""Endings of content; an ``index`` with one of them makes its folder a leaf bundle."""


def hugo_settings(paths: Iterable[str], members: Callable[[str], Mapping[str, Any] | None]) -> dict[str, Any]:
    """The merged settings of a site, with keys in lower case; ``members`` reads one file."""
    every = set(paths)
    name = next((name for name in SETTINGS["hugo"] if name in every), "")
    settings = lenient_values.lowered(members(name) or {}) if name else {}
    for folder in CONFIG_FOLDERS:
        for path in sorted(path for path in every if path.startswith(f"{folder}/") and path.endswith(ENDINGS)):
            stem = posixpath.splitext(posixpath.basename(path))[0].lower()
            given = lenient_values.lowered(members(path) or {})
            merge(settings, given if stem in ("hugo", "config") else {stem: given})
    return settings


def merge(into: dict[str, Any], given: Mapping[str, Any]) -> None:
    """Lay settings over others; tables are merged, and lists that say what is private."""
    for key, value in given.items():
        if isinstance(value, Mapping) and isinstance(into.get(key), dict):
            merge(into[key], value)
        elif key in PRIVATE_LISTS:
            into[key] = [*items(into.get(key)), *items(value)]
        else:
            into[key] = value


class HugoMount(NamedTuple):
    """A folder of the source that is published under another path."""

    source: str
    below: str
    """The path below the target."""
    language: str
    excluded: tuple[str, ...] = ()
    """Globs of its files that are left out."""
    included: tuple[str, ...] = ()
    """Globs of those that are not; all of them where there is none."""


def hugo_mounts(settings: Mapping[str, Any], target: str) -> list[HugoMount]:
    """The mounts for a folder of Hugo, such as ``content``; settings have their keys in lower case.

    A module may have mounts of its own, but what it mounts is not in the source.
    """
    mounts: list[HugoMount] = []
    for row in map(lenient_values.lowered, map(table, items(table(settings.get("module")).get("mounts")))):
        source, place = words(row.get("source")).strip("./"), words(row.get("target")).strip("/")
        if source and (place == target or place.startswith(f"{target}/")):
            below, language = place.removeprefix(target).strip("/"), words(row.get("lang")).lower()
            globs = (tuple(map(str, items(row.get(key)))) for key in ("excludefiles", "includefiles"))
            mounts.append(HugoMount(source, below, language, *globs))
    return mounts


class HugoLayout:
    """Where the texts of a site are, and in which languages."""

    def __init__(self, settings: Mapping[str, Any], paths: Collection[str]) -> None:
        """``settings`` have their keys in lower case; ``paths`` are those of all files."""
        tops = {posixpath.dirname(path) for path in paths}
        every = {folder[: place or None] for folder in tops for place in _ends(folder)}
        self.languages = {str(name).lower(): table(about) for name, about in table(settings.get("languages")).items()}
        self.main = str(settings.get("defaultcontentlanguage") or next(iter(self.languages), "en")).lower()
        given = {str(name).lower() for name in items(settings.get("disablelanguages"))}
        off = {name for name, about in self.languages.items() if lenient_values.is_true(about.get("disabled"))}
        self.disabled = (given | off) - {self.main}
        """Languages that are not published."""
        self.mounts = [mount for mount in hugo_mounts(settings, "content") if mount.source in every]
        default = words(settings.get("contentdir")).strip("./") or "content"
        own = {
            folder: name
            for name, about in self.languages.items()
            if (folder := words(about.get("contentdir")).strip("./"))
        }
        shared = {default: ""} if len(own) < max(len(self.languages), 1) else {}
        self.folders = {mount.source: mount.language for mount in self.mounts} or shared | own
        """Folders of texts and their languages; an empty language if a folder has several."""
        self.leaves = {
            posixpath.dirname(path) for path in paths if _is_index(path) and posixpath.dirname(path) not in self.folders
        }
        """Leaf bundles: folders whose files belong to their ``index.md``."""

    def place(self, path: str) -> tuple[str, str]:
        """The folder of content of a file, and its language if its name or its folder says one."""
        folder = max(
            (folder for folder in self.folders if not folder or path.startswith(f"{folder}/")), key=len, default=""
        )
        stem = posixpath.splitext(posixpath.basename(path))[0].lower()
        suffix = stem.rpartition(".")[2] if "." in stem else ""
        return folder, suffix if suffix in self.languages or suffix in self.disabled else self.folders.get(folder, "")

    def is_resource(self, path: str) -> bool:
        """Whether a text is a resource of the ``index.md`` in its folder or above, not a page."""
        folder = posixpath.dirname(path)
        if not path.lower().endswith(TEXTS):
            return False
        above = (folder[: place or None] for place in _ends(folder) if place)
        return (folder in self.leaves and not _is_index(path)) or not self.leaves.isdisjoint(above)


def _ends(folder: str) -> list[int]:
    """The positions at which the paths of the folders above end, and 0 for the folder itself."""
    return [*(match.start() for match in re.finditer("/", folder)), 0]


def _is_index(path: str) -> bool:
    stem = posixpath.basename(path).lower()
    return stem.partition(".")[0] == "index" and stem.endswith(TEXTS)


def read_hugo(own: ToolSettings, settings: dict[str, Any]) -> None:
    """Keep back files outside the folders of content, resources, ignored files and disabled languages."""
    layout = HugoLayout(settings, own.files.paths)
    folders = list(layout.folders)
    own.keep_outside(*folders)
    name = own.settings_file("hugo") or CONFIG_FOLDERS[0]
    for pattern in items(settings.get("ignorefiles")):
        own.keep_matching(privacy_rules.IGNORED, str(pattern), name)
    below = tuple(f"{folder}/" if folder else "" for folder in folders)
    own.matches.append(
        PathMatch(privacy_rules.RESOURCE, lambda path: path.startswith(below) and layout.is_resource(path))
    )
    for mount in layout.mounts:
        own.keep_globs(privacy_rules.UNMOUNTED, mount.source, mount.excluded)
        if mount.included:
            own.keep_globs(privacy_rules.UNMOUNTED, mount.source, mount.included, but=True)
    if layout.disabled:
        own.matches.append(
            PathMatch(
                privacy_rules.DISABLED_LANGUAGE,
                lambda path: path.startswith(below) and layout.place(path)[1] in layout.disabled,
            )
        )
    for row in items(settings.get("cascade")):
        for root in folders if layout.mounts else folders[:1]:
            _cascade(own, root, root, table(row))
    for folder, front in own.fronts("_index", "cascade"):
        roots = [root for root in folders if f"{folder}/".startswith(f"{root}/")]
        for row in items(front.get("cascade")):
            _cascade(own, max(roots, key=len, default=folder.partition("/")[0]), folder, table(row))


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
    for part in branches([glob]):
        # The path of a page has no ending, and two stars reach over any number of folders, none too.
        path = f"{root}/{part.strip('/').replace('**/', '*')}".rstrip("*/")
        own.handed.append(Handed(privacy_rules.CASCADE, f"{path}[./]*\n{below}", members))
        own.handed.append(Handed(privacy_rules.CASCADE, f"{root}/{part.strip('/')}\n{below}", members))
