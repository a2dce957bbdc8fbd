"""Astro and Starlight: collections with their folders and globs, pages, languages and redirects of the settings."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

from citepress_notes import lenient_values, privacy_rules
from citepress_notes.former_tools import MARKS, ToolFiles, ToolSettings
from citepress_notes.reading_order import MAX_LEVELS, ContentsPart, OrderedText, Texts, children, number, sorted_parts
from citepress_notes.script_values import Script, ScriptCall, is_known, is_plain, texts
from citepress_notes.site_layout import SiteLayout, folder_path, route

CODE = (".astro", ".ts", ".js", ".mjs", ".mts", ".tsx", ".jsx", ".svelte", ".vue")
MAX_CODE_FILES = 2_000
_ASKED = re.compile(r"\b(?:getCollection|getEntry|getEntryBySlug)\(\s*(?:[\"'`]([\w-]+)[\"'`]|([^\s\"'`)]))")
_COLLECTIONS = tuple(
    f"{name}.{ending}" for name in ("content.config", "content/config") for ending in ("ts", "mjs", "js", "mts")
)


class AstroSettings:
    """The settings of one site."""

    def __init__(self, files: ToolFiles) -> None:
        self._files = files
        self.name = next((name for name in MARKS["astro"] if files.has(name)), "")
        self.members = Script(files.text(self.name) or "").exported() if self.name else {}
        self.source = folder_path(self.members.get("srcDir"), "src")
        integrations = [
            integration
            for integration in lenient_values.items(self.members.get("integrations"))
            if isinstance(integration, ScriptCall)
        ]
        starlight = next((integration for integration in integrations if integration.name == "starlight"), None)
        self.is_starlight = starlight is not None or "starlight" in (files.text(self.name) or "")
        self.starlight = lenient_values.table(starlight.arguments[0]) if starlight and starlight.arguments else {}
        self.unsaid: list[str] = []
        self.globs: dict[str, list[str]] = {}
        """Folders of collections, and the globs that their texts have to fit."""
        self.folders = self._collections()
        """The folder of each collection."""

    def _collections(self) -> dict[str, str]:
        below = f"{self.source}/content/"
        usual = {path.removeprefix(below).partition("/")[0]: "" for path in self._files.paths if path.startswith(below)}
        usual = {
            name: f"{below}{name}"
            for name in usual
            if any(path.startswith(f"{below}{name}/") for path in self._files.paths)
        }
        name = next((name for name in _COLLECTIONS if self._files.has(f"{self.source}/{name}")), "")
        if not name:
            return usual
        script = Script(self._files.text(f"{self.source}/{name}") or "")
        given = script.constant("collections")
        if not isinstance(given, dict):
            self.unsaid.append(f"the collections of {self.source}/{name}")
            return usual
        folders: dict[str, str] = {}
        for collection, value in given.items():
            given_to = value.arguments[0] if isinstance(value, ScriptCall) and value.arguments else {}
            loader = lenient_values.table(given_to).get("loader")
            if isinstance(loader, ScriptCall) and "glob" in loader.name.lower():
                self._add(collection, lenient_values.table(next(iter(loader.arguments), {})), folders)
            elif not isinstance(loader, ScriptCall) or loader.name.rpartition(".")[2] == "docsLoader":
                folders[collection] = usual.get(collection, f"{below}{collection}")
        return folders

    def _add(self, collection: str, about: Mapping[str, Any], folders: dict[str, str]) -> None:
        """A collection of the files that a glob finds."""
        folder = folder_path(about.get("base"), "")
        pattern = about.get("pattern")
        globs = texts(pattern)
        if not is_known(pattern) or not globs:
            self.unsaid.append(f"the pattern of the collection {collection}")
        if not folder and len(globs) == 1:  # older settings have no base: the pattern contains the folder
            fixed = re.match(r"(?:[^*{[?/]+/)+", globs[0].removeprefix("./"))
            folder = fixed[0].rstrip("/") if fixed else ""
            globs = [globs[0].removeprefix("./").removeprefix(f"{folder}/")]
        folders[collection] = folder
        self.globs.setdefault(folder, []).extend(globs)

    def layout(self) -> SiteLayout:
        """The folders of its texts and their paths."""
        asked = self._read_collections()
        base = lenient_values.words(self.members.get("base")).strip("/")
        files = (folder_path(self.members.get("publicDir"), "public"),)
        layout = SiteLayout(unsaid=self.unsaid, address=_address, base=base, files=files)
        layout.roots[f"{self.source}/pages"] = "/"
        for collection, folder in self.folders.items():
            if collection in asked or not asked or (self.is_starlight and collection == "docs"):
                layout.roots.setdefault(folder, asked.get(collection) or route(collection))
        if self.is_starlight and "docs" in self.folders:
            layout.roots[self.folders["docs"]] = "/"
        if self.is_starlight and "docs" in self.folders:
            sidebar = StarlightSidebar(self.starlight.get("sidebar"), self.folders["docs"])
            layout.arrange = sidebar.arrange
            self.unsaid += ["all of the sidebar"] if not sidebar.is_plain else []
        self._add_languages(layout)
        for former, target in lenient_values.table(self.members.get("redirects")).items():
            end = target.get("destination") if isinstance(target, dict) else target
            if isinstance(end, str) and "[" in former:
                self.unsaid.append(f"the redirects of {former}, which match many addresses")
            elif isinstance(end, str):
                layout.redirects[former] = end
        return layout

    def _read_collections(self) -> dict[str, str]:
        """The path of each collection that code reads, empty if no page does; nothing if a name is not literal."""
        asked: dict[str, str] = {}
        paths = [
            path for path in sorted(self._files.paths) if path.startswith(f"{self.source}/") and path.endswith(CODE)
        ]
        pages = f"{self.source}/pages"
        for path in paths[:MAX_CODE_FILES]:
            for name, other in _ASKED.findall(self._files.text(path) or ""):
                if other:
                    return {}
                asked.setdefault(name, "")
                if path.startswith(f"{pages}/") and "[" in path:
                    folder = re.sub(r"/?\[.*", "", posixpath.dirname(path).removeprefix(pages))
                    asked[name] = asked[name] or route(folder)
        return asked

    def _add_languages(self, layout: SiteLayout) -> None:
        starlight, i18n = self.starlight, lenient_values.table(self.members.get("i18n"))
        if locales := lenient_values.table(starlight.get("locales")):
            tags = {
                name: lenient_values.words(lenient_values.table(of).get("lang")) or name for name, of in locales.items()
            }
            default = lenient_values.words(starlight.get("defaultLocale"))
            layout.language = tags.get("root") or tags.get(default) or "en"
        else:
            rows = lenient_values.items(i18n.get("locales"))
            tags = {name: name for row in rows for name in texts(row.get("path") if isinstance(row, dict) else row)}
            layout.language = lenient_values.words(i18n.get("defaultLocale"))
        for root in tuple(layout.roots):
            for name, tag in tags.items():
                if name != "root" and (any(path.startswith(f"{root}/{name}/") for path in self._files.paths)):
                    layout.languages[f"{root}/{name}"] = tag
                    layout.originals[f"{root}/{name}"] = root


class StarlightSidebar:
    """The sidebar of Starlight: links, groups and generated folders, or the whole folder of documents."""

    def __init__(self, given: object, folder: str) -> None:
        """``given`` is the setting; ``folder`` that of the documents."""
        self._given, self._folder = given, folder
        self.is_plain = is_plain(given)

    def arrange(self, shown: Texts) -> list[ContentsPart]:
        """Its parts; nothing where neither settings nor front matter declare an order."""
        own = {path: text for path, text in shown.items() if path.startswith(f"{self._folder}/")}
        slugs = {self._slug(path, text.front): path for path, text in own.items()}
        if isinstance(self._given, list):
            return list(self._parts(self._given, own, slugs, 0))
        declared = any(_order(text) is not None for text in own.values())
        return list(self._tree(self._folder, own, 0)[1]) if declared else []

    def _slug(self, path: str, front: Mapping[str, Any]) -> str:
        return _address("/", path.removeprefix(f"{self._folder}/"), front)[0].strip("/") or "index"

    def _parts(self, rows: list[object], own: Texts, slugs: Mapping[str, str], depth: int) -> Iterator[ContentsPart]:
        for row in rows if depth < MAX_LEVELS else ():
            about = {"slug": row} if isinstance(row, str) else lenient_values.table(row)
            label = lenient_values.words(about.get("label"))
            generated = lenient_values.table(about.get("autogenerate"))
            if isinstance(inner := about.get("items"), list):
                yield ContentsPart(label, "", tuple(self._parts(inner, own, slugs, depth + 1)))
            elif generated:
                folder = folder_path(generated.get("directory"), "")
                yield ContentsPart(label, "", self._tree(posixpath.join(self._folder, folder), own, depth)[1])
            elif path := slugs.get(_named_page(about), ""):
                yield ContentsPart(label or _label(own[path]), path)

    def _tree(self, folder: str, own: Texts, depth: int) -> tuple[float | None, tuple[ContentsPart, ...]]:
        """The smallest position in a folder, and its parts."""
        entries: list[tuple[tuple[Any, ...], ContentsPart]] = []
        for name, paths in children(own, folder.rstrip("/")) if depth < MAX_LEVELS else ():
            if name.endswith("/"):
                position, parts = self._tree(posixpath.join(folder, name[:-1]), own, depth + 1)
                entries += [((position, name), ContentsPart(name[:-1], "", parts))] if parts else []
            elif not lenient_values.is_true(_sidebar(own[paths[0]]).get("hidden")):
                entries.append(((_order(own[paths[0]]), name), ContentsPart(_label(own[paths[0]]), paths[0])))
        positions = [key[0] for key, _ in entries if key[0] is not None]
        return min(positions, default=None), sorted_parts(entries)


def _named_page(about: Mapping[str, Any]) -> str:
    slug, link = (lenient_values.words(about.get(key)) for key in ("slug", "link"))
    return slug.strip("/") or link.strip("/") or ("index" if link == "/" else "")


def _sidebar(text: OrderedText) -> dict[str, Any]:
    return lenient_values.table(text.front.get("sidebar"))


def _order(text: OrderedText) -> float | None:
    return number(_sidebar(text).get("order"))


def _label(text: OrderedText) -> str:
    return lenient_values.words(_sidebar(text).get("label"))


def slug_part(words: str) -> str:
    """A part of a path as the tool writes it."""
    return re.sub(r"[^\w\- ]", "", words.strip().lower()).replace(" ", "-")


def _address(at: str, inner: str, front: Mapping[str, Any]) -> tuple[str, ...]:
    """The paths of a text."""
    stem = re.sub(r"\.\w+$", "", inner)
    slug = lenient_values.words(front.get("slug")).strip("/")
    path = slug or "/".join(map(slug_part, stem.split("/")))
    return (route(at, re.sub(r"(?:^|(?<=/))index$", "", path)),)


def keep_private(own: ToolSettings) -> SiteLayout:
    """Keep back what a site of Astro does not publish."""
    site = AstroSettings(own.files)
    layout = site.layout()
    own.keep_outside(*layout.roots, always=bool(site.folders))
    for folder, globs in site.globs.items():
        if globs:
            own.keep_globs(privacy_rules.COLLECTION_GLOB, folder, globs, but=True)
        else:
            own.keep_below(folder, site.name, "the pattern of a collection is not a list of texts")
    return layout
