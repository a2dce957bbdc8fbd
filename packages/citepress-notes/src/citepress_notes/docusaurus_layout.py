"""Docusaurus: documents, versions, blogs, pages and languages, by its settings and conventions."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from citepress.content import json_loader
from citepress.content.value_marks import ParseFault
from citepress_notes import lenient_values, privacy_rules
from citepress_notes.docusaurus_sidebars import NUMBERED, DocusaurusSidebars
from citepress_notes.former_tools import MARKS, ToolFiles, ToolSettings
from citepress_notes.reading_order import HEADING, ContentsPart, Texts
from citepress_notes.script_values import SPREAD, Script, ScriptCall, is_known, texts
from citepress_notes.site_layout import SiteLayout, folder_path, route

USUAL = {"docs": ("docs", "docs"), "blog": ("blog", "blog"), "pages": ("src/pages", "/")}
"""Folder and path of each sort of content."""
BLOG_DAY = re.compile(r"^(?:.*/)?(\d{4})[-/](\d{1,2})[-/](\d{1,2})[-/]?(.*?)(?:/index)?$")
_CONTENT = re.compile(r"(?:^|/)(?:docusaurus-)?(?:plugin-)?content-(docs|blog|pages)$")
_CLASSIC = re.compile(r"(?:^|/)(?:docusaurus-)?(?:preset-)?classic$")
_REDIRECTS = re.compile(r"(?:^|/)(?:docusaurus-)?(?:plugin-)?client-redirects$")


@dataclass(frozen=True)
class ContentPlugin:
    """One plugin of content."""

    sort: str
    options: Mapping[str, Any]

    @property
    def id(self) -> str:
        """Its id; empty for the default one."""
        given = lenient_values.words(self.options.get("id"))
        return "" if given == "default" else given

    @property
    def folder(self) -> str:
        """Its folder."""
        return folder_path(self.options.get("path"), USUAL[self.sort][0])

    @property
    def route(self) -> str:
        """The path below which it publishes."""
        given = self.options.get("routeBasePath")
        return route(given if isinstance(given, str) else USUAL[self.sort][1])


class DocusaurusSettings:
    """The settings of one site."""

    def __init__(self, files: ToolFiles) -> None:
        self.name = next((name for name in MARKS["docusaurus"] if files.has(name)), "")
        self.members = Script(files.text(self.name) or "").exported() if self.name else {}
        self._files = files
        self.unsaid: list[str] = []
        self.instances = tuple(self._instances())
        i18n = lenient_values.table(self.members.get("i18n"))
        self.language = lenient_values.words(i18n.get("defaultLocale"))
        self._translated = folder_path(i18n.get("path"), "i18n")
        self._locales = {
            name: lenient_values.table(lenient_values.table(i18n.get("localeConfigs")).get(name))
            for name in self._locale_names(i18n)
        }

    def _locale_names(self, i18n: Mapping[str, Any]) -> list[str]:
        given = i18n.get("locales")
        if is_known(given):
            return texts(given) if isinstance(given, list) else []
        self.unsaid.append("which languages it has (`i18n.locales`)")
        inside = (path.split("/") for path in self._files.paths if path.startswith(f"{self._translated}/"))
        return sorted({parts[1] for parts in inside if len(parts) > 2})  # noqa: PLR2004

    def _instances(self) -> Iterator[ContentPlugin]:
        has_content = False
        for name, options in _named(self.members.get("presets")):
            if not _CLASSIC.search(name):
                continue
            has_content = True
            for sort in USUAL:
                given = options.get(sort, {})
                if given is False:
                    continue
                if not isinstance(given, dict) and given is not True and given is not None:
                    self.unsaid.append(f"whether it has `{sort}`")
                yield ContentPlugin(sort, lenient_values.table(given))
        for name, options in _named(self.members.get("plugins")):
            if match := _CONTENT.search(name):
                has_content = True
                yield ContentPlugin(match[1], options)
        if not has_content:
            self.unsaid.append("which plugins of content it has")
            yield from (ContentPlugin(sort, {}) for sort in USUAL)

    def layout(self) -> SiteLayout:
        """The folders of its texts and their paths."""
        layout = SiteLayout(
            language=self.language,
            redirects=self._redirects(),
            unsaid=self.unsaid,
            address=self._address,
            base=lenient_values.words(self.members.get("baseUrl")).strip("/"),
            files=tuple(folder_path(name, "") for name in texts(self.members.get("staticDirectories", "static"))),
        )
        sidebars: list[tuple[str, DocusaurusSidebars]] = []
        for instance in self.instances:
            for folder, at, inner in self.folders_of(instance):
                layout.roots[folder] = at
                if instance.sort == "docs":
                    sidebars.append((folder, self._sidebars(instance, folder, at)))
                of = f"-{instance.id}" if instance.id else ""
                for locale, about in self._locales.items():
                    below = lenient_values.words(about.get("path")) or locale
                    place = f"{self._translated}/{below}/docusaurus-plugin-content-{instance.sort}{of}{inner}"
                    language = lenient_values.words(about.get("htmlLang")) or locale
                    layout.roots[place] = at if locale == self.language else route(below, at)
                    layout.originals[place], layout.languages[place] = folder, language
        layout.arrange = partial(_arranged, sidebars)
        layout.people = self._people()
        return layout

    def _people(self) -> dict[str, Any]:
        """The authors of its blogs."""
        people: dict[str, Any] = {}
        for blog in (plugin for plugin in self.instances if plugin.sort == "blog"):
            stem = posixpath.splitext(lenient_values.words(blog.options.get("authorsMapPath")) or "authors.yml")[0]
            names = (posixpath.join(blog.folder, f"{stem}{ending}") for ending in (".yml", ".yaml", ".json"))
            for name in filter(self._files.has, names):
                with suppress(ParseFault):
                    people |= lenient_values.settings(self._files.text(name) or "", name)
        return people

    def _sidebars(self, instance: ContentPlugin, folder: str, at: str) -> DocusaurusSidebars:
        """The sidebars of a folder of documents; a former version has a copy of its own."""
        _, _, version = folder.rpartition("versioned_docs/")
        of = f"{instance.id}_" if instance.id else ""
        given = f"{of}versioned_sidebars/{version}-sidebars.json" if version != folder else ""
        return DocusaurusSidebars(self._files, folder, at, given or instance.options.get("sidebarPath"), self.unsaid)

    def folders_of(self, instance: ContentPlugin) -> Iterator[tuple[str, str, str]]:
        """Each folder of an instance, its path, and the folder of its translations below ``i18n``."""
        if instance.sort != "docs":
            yield instance.folder, instance.route, ""
            return
        prefix = f"{instance.id}_" if instance.id else ""
        options, about = instance.options, lenient_values.table(instance.options.get("versions"))
        listed = [] if options.get("disableVersioning") is True else self._listed(f"{prefix}versions.json")
        names = (["current"] if options.get("includeCurrentVersion") is not False or not listed else []) + listed
        only = options.get("onlyIncludeVersions")
        if not is_known(only):
            self.unsaid.append("which versions it shows (`onlyIncludeVersions`)")
        elif isinstance(only, list):
            names = [name for name in names if name in only]
        last = options.get("lastVersion")
        last = last if last in names else next((name for name in listed if name in names), "current")
        for name in names:
            given = lenient_values.table(about.get(name)).get("path")
            usual = "" if name == last else "next" if name == "current" else name
            folder = instance.folder if name == "current" else f"{prefix}versioned_docs/version-{name}"
            inner = "/current" if name == "current" else f"/version-{name}"
            yield folder, route(instance.route, given if isinstance(given, str) else usual), inner

    def _listed(self, name: str) -> list[str]:
        try:
            loaded = json_loader.load(self._files.text(name) or "[]") if self._files.has(name) else []
        except ParseFault:
            self.unsaid.append(f"the versions in {name}, which cannot be read")
            return []
        return [str(version) for version in loaded] if isinstance(loaded, list) else []

    def _redirects(self) -> dict[str, str]:
        rows: dict[str, str] = {}
        for name, options in _named(self.members.get("plugins")):
            if not _REDIRECTS.search(name):
                continue
            for row in map(lenient_values.table, lenient_values.items(options.get("redirects"))):
                if isinstance(row.get("to"), str):
                    rows |= dict.fromkeys(texts(row.get("from")), row["to"])
            if "createRedirects" in options:
                self.unsaid.append("the redirects that `createRedirects` makes")
        return rows

    def endings(self) -> list[str]:
        """Further endings under which pages answer."""
        plugins = [row for name, row in _named(self.members.get("plugins")) if _REDIRECTS.search(name)]
        return [ending.strip(".") for row in plugins for ending in texts(row.get("fromExtensions") or [])]

    def is_blog(self, path: str) -> bool:
        """Whether a file is a post of a blog."""
        if "/docusaurus-plugin-content-blog" in f"/{path}":
            return True
        folders = [plugin.folder for plugin in self.instances if plugin.sort == "blog"]
        return path.startswith(tuple(f"{folder}/" for folder in folders)) if folders else False

    def _address(self, at: str, inner: str, front: Mapping[str, Any]) -> tuple[str, ...]:
        """The paths of a text."""
        stem = re.sub(r"\.\w+$", "", inner)
        slug = lenient_values.words(front.get("slug"))
        blogs = {route(plugin.route) for plugin in self.instances if plugin.sort == "blog"}
        own = next(
            (path for path in (at, *(at.removeprefix(f"/{name}") for name in self._locales)) if path in blogs), ""
        )
        if own:
            path = slug.strip("/") or _blog_path(stem)
        else:
            path = _document_path(stem, slug, lenient_values.words(front.get("id")), numbered=at != "/" or "/" in stem)
        bare = route(at, path).rstrip("/")
        paths = (bare, f"{bare}/", *(f"{bare}.{ending}" for ending in self.endings() if bare))
        return tuple(dict.fromkeys(path or "/" for path in paths))


def _arranged(sidebars: list[tuple[str, DocusaurusSidebars]], shown: Texts) -> list[ContentsPart]:
    """The parts of all folders of documents, each below its name where there are several."""
    every = [(folder, parts) for folder, each in sidebars if (parts := each.arrange(shown))]
    if len(every) < 2:  # noqa: PLR2004  (one needs no name)
        return [part for _, parts in every for part in parts]
    named: list[ContentsPart] = []
    for folder, parts in every:
        loose = tuple(part for part in parts if part.path != HEADING)
        label = posixpath.basename(folder).replace("-", " ").capitalize()
        named += [ContentsPart(label, HEADING, loose)] if loose else []
        named += [part._replace(label=f"{label}: {part.label}") for part in parts if part.path == HEADING]
    return named


def _blog_path(stem: str) -> str:
    day = BLOG_DAY.match(stem)
    if day is None:
        return re.sub(r"(?:^|/)index$", "", stem)
    return "/".join(filter(None, (day[1], f"{day[2]:0>2}", f"{day[3]:0>2}", day[4].strip("/"))))


def _document_path(stem: str, slug: str, id_: str, *, numbered: bool) -> str:
    *folders, name = stem.split("/")
    if numbered:
        folders, name = [NUMBERED.sub("", part) for part in folders], NUMBERED.sub("", name)
    if slug:
        return slug.strip("/") if slug.startswith("/") else "/".join([*folders, slug.removeprefix("./").strip("/")])
    is_index = name.lower() in ("index", "readme") or (folders and name.lower() == folders[-1].lower())
    return "/".join(folders if is_index and not id_ else [*folders, id_ or name])


def _named(rows: object) -> Iterator[tuple[str, dict[str, Any]]]:
    """Names of presets or plugins with their options."""
    for row in lenient_values.items(rows):
        name, options = (row[0], row[1] if len(row) > 1 else {}) if isinstance(row, list) and row else (row, {})
        if isinstance(name, ScriptCall):
            name = next((text for text in name.arguments if isinstance(text, str)), "")
        if isinstance(name, str):
            yield name, lenient_values.table(options)


def keep_private(own: ToolSettings) -> SiteLayout:
    """Keep back what a site of Docusaurus does not publish."""
    site = DocusaurusSettings(own.files)
    layout = site.layout()
    own.keep_outside(*layout.roots, always=True)
    for instance in site.instances:
        folders = [folder for folder, _, _ in site.folders_of(instance)]
        folders += [place for place, original in layout.originals.items() if original in folders]
        for key, keep in (("exclude", own.keep_globs), ("include", partial(own.keep_globs, but=True))):
            given = instance.options.get(key)
            unread = (
                SPREAD in instance.options and key not in instance.options and not is_known(instance.options[SPREAD])
            )
            if given is None and not unread:
                continue
            for folder in folders:
                if unread or not is_known(given):
                    own.keep_below(folder, site.name, f"`{key}` is not a list of texts")
                else:
                    keep(privacy_rules.DOCS_EXCLUDED, folder, texts(given))
    return layout
