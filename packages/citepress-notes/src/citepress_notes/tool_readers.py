"""Reads what the settings of each tool keep back: one reader a tool, for its own files and notation."""

import fnmatch
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from citepress.content.files import MARKDOWN_ENDINGS
from citepress_notes import astro_layout, docusaurus_layout, eleventy_layout, lenient_values, privacy_rules
from citepress_notes.blog_addresses import PELICAN, HexoAddresses, PelicanAddresses
from citepress_notes.document_addresses import (
    DendronAddresses,
    MkDocsAddresses,
    ZolaAddresses,
    dendron_publishing,
    foam_addresses,
    quartz_addresses,
)
from citepress_notes.former_tools import MARKS, Handed, PathMatch, ToolFiles, ToolSettings, tools_of
from citepress_notes.hugo_addresses import HugoAddresses
from citepress_notes.hugo_rules import hugo_settings, merge, read_hugo
from citepress_notes.jekyll_addresses import JekyllAddresses
from citepress_notes.lenient_values import items, table, words
from citepress_notes.pelican_rules import pelican_settings, read_pelican, root_of
from citepress_notes.privacy_rules import PATH_RULES
from citepress_notes.reading_order import Arrange, by_navigation, by_weight, jekyll_order
from citepress_notes.script_values import Script, is_known, texts
from citepress_notes.site_layout import Addresses, SiteLayout, branches

_WORD = re.compile(r"[\w.-]{1,100}")
_DATED_POST = re.compile(r"\d{2,4}-\d{1,2}-\d{1,2}-.")
APPS = frozenset({"obsidian", "logseq", "foam", "markdown"})
"""Tools that make no site, so their folders do not say what is public."""
TAGGED = APPS | {"quartz", "dendron"}
"""Tools that read `#tag` in a text as a tag."""
TAKES_OUT = re.compile(r"exclu|filter|privat|secret|restrict|unpublish|encrypt", re.IGNORECASE)
"""Names of plugins of MkDocs that may take pages out."""
KNOWN_PLUGINS = frozenset({"exclude", "exclude-search", "exclude-unused-files"})
PASSWORDS = frozenset({"global_password", "password_file", "password_inventory"})
"""Options that give pages a password which their front matter does not have."""
MAX_INHERIT_DEPTH = 5
PRIVATE_FOLDERS = frozenset({"draft", "drafts", "private", "secret", "secrets", "confidential", "unpublished"})


def read_settings(files: ToolFiles, also: Iterable[str] = ()) -> ToolSettings:
    """What the tools of a folder keep back; ``also`` names tools that the caller knows the folder is written for."""
    own = ToolSettings(files, tuple(dict.fromkeys((*tools_of(files.has, files.text), *also))))
    for rule in PATH_RULES:
        if rule.patterns and (not rule.tools or set(rule.tools).intersection(own.tools)):
            own.keep(rule, rule.patterns)
    if APPS.issuperset(own.tools):
        own.matches.append(PathMatch(privacy_rules.PRIVATE_FOLDER, lambda path: bool(private_folder(path))))
    for tool in own.tools:
        own.given[tool] = _SETTINGS[tool](own) if tool in _SETTINGS else own.of_file(tool)
        if reader := _READERS.get(tool):
            reader(own, own.given[tool])
        if tool in _LAYOUTS and own.layout is None:
            own.layout = _LAYOUTS[tool](own)
    return own


def private_folder(path: str) -> str:
    """The folder of a path whose name looks private; nothing where there is none."""
    return next((name for name in path.split("/")[:-1] if name.lower().strip("_") in PRIVATE_FOLDERS), "")


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

    def undated(path: str) -> bool:
        folders, _, name = path.rpartition("/")
        return (
            "_posts" in folders.split("/") and not _DATED_POST.match(name) and name.lower().endswith(MARKDOWN_ENDINGS)
        )

    own.matches.append(PathMatch(privacy_rules.UNDATED, undated))
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
    globs = {
        key: [
            glob
            for item in items(settings.get(key))
            for line in branches([str(item).strip("/")])
            for glob in (line, line.replace("**/", ""))  # two stars reach over no folder, too
        ]
        for key in ("ignore", "exclude", "skip_render", "include")
    }

    def fits(path: str, *keys: str) -> bool:
        inner = path.removeprefix(f"{source}/")
        return any(_is_named(inner, globs[key]) or _is_named(path, globs[key]) for key in keys)

    def underscored(path: str) -> bool:
        parts = path.removeprefix(f"{source}/").split("/")
        hidden = any(part.startswith("_") for part in parts[parts[0] in ("_posts", "_drafts") :])
        return hidden and not fits(path, "include")

    own.matches.append(PathMatch(privacy_rules.EXCLUDED, lambda path: fits(path, "ignore", "exclude")))
    own.matches.append(
        PathMatch(
            privacy_rules.NOT_RENDERED,
            lambda path: path.lower().endswith((*MARKDOWN_ENDINGS, ".html")) and fits(path, "skip_render"),
        )
    )
    own.matches.append(PathMatch(privacy_rules.UNDERSCORES, underscored))


def _zola(own: ToolSettings, settings: dict[str, Any]) -> None:
    own.keep_outside("content", "static")
    own.keep(privacy_rules.ZOLA_IGNORED, branches(map(str, items(settings.get("ignored_content")))))
    for folder, front in own.fronts("_index", "draft"):
        if lenient_values.is_true(front.get("draft")):
            own.handed.append(Handed(privacy_rules.SECTION, f"{folder}/*", {"draft": True}))


def _mkdocs(own: ToolSettings, settings: dict[str, Any]) -> None:
    docs = words(settings.get("docs_dir")).strip("./") or "docs"
    own.keep_outside(docs)
    for rule, name in ((privacy_rules.EXCLUDE_DOCS, "exclude_docs"), (privacy_rules.DRAFT_DOCS, "draft_docs")):
        lines = str(settings.get(name) or "").split("\n")
        first = ["/templates/"] if rule is privacy_rules.EXCLUDE_DOCS else []
        own.keep(rule, [below for line in (*first, *lines) if (below := _below(docs, line.strip()))])
    name, plugins = own.settings_file("mkdocs"), MkDocsAddresses(settings).plugins
    for glob in items(plugins.get("exclude", {}).get("glob")):
        own.keep_matching(privacy_rules.MKDOCS_EXCLUDED, f"^{re.escape(docs)}/{fnmatch.translate(str(glob))}", name)
    for pattern in items(plugins.get("exclude", {}).get("regex")):
        own.keep_matching(privacy_rules.MKDOCS_EXCLUDED, f"^{re.escape(docs)}/(?:{pattern})", name)
    for plugin in filter(TAKES_OUT.search, plugins.keys() - KNOWN_PLUGINS):
        if plugin == "encryptcontent" and PASSWORDS.isdisjoint(plugins[plugin]):
            continue  # a page without a password of its own is not encrypted
        own.add_problem(name, f"the plugin {plugin} may take pages out by rules that are not known here")


def _mkdocs_settings(own: ToolSettings, name: str, depth: int = 0) -> dict[str, Any]:
    """The settings of MkDocs, laid over those of the file that they inherit."""
    members = (own.members(name, sure=True) or {}) if name else {}
    if not (above := words(members.get("INHERIT"))) or depth >= MAX_INHERIT_DEPTH:
        return members
    settings = _mkdocs_settings(own, posixpath.normpath(posixpath.join(posixpath.dirname(name), above)), depth + 1)
    merge(settings, members)
    return settings


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
    own.keep(privacy_rules.TEMPLATE_FOLDER, [f"{line}/" for line in _anchored(folders)])
    excluded = items(_hidden(own, ".obsidian/publish.json").get("excluded"))
    own.keep(privacy_rules.NOT_PUBLISHED, _anchored(excluded))
    for line in map(str, items(_hidden(own, ".obsidian/app.json").get("userIgnoreFilters"))):
        if expression := re.fullmatch("/(.+)/", line):
            own.keep_matching(privacy_rules.NOT_SEARCHED, expression[1], ".obsidian/app.json")
        elif start := line.lstrip("/").lower():
            own.matches.append(PathMatch(privacy_rules.NOT_SEARCHED, partial(_begins, start)))


def _begins(start: str, path: str) -> bool:
    return path.lower().startswith(start)


def _logseq(own: ToolSettings, _: dict[str, Any]) -> None:
    text = re.sub(r";.*", "", own.files.text("logseq/config.edn") or "")
    if not re.search(r":(?:publishing/)?all-pages-public\?\s+true\b", text):
        own.handed.append(Handed(privacy_rules.NOT_EXPORTED, "*", {"public": False}))
    hidden = re.search(r":hidden\s*\[([^\]]{0,4000})\]", text)
    own.keep(privacy_rules.LOGSEQ_HIDDEN, _anchored(re.findall(r'"([^"\n]{1,300})"', hidden[1])) if hidden else ())


def _foam(own: ToolSettings, _: dict[str, Any]) -> None:
    code = own.files.text(".vscode/settings.json") or ""
    for key in ("ignore", "exclude"):
        lists = Script(code).named(f"foam.files.{key}")
        own.keep(privacy_rules.FOAM_IGNORED, branches(line for given in lists for line in texts(given)))


def _hidden(own: ToolSettings, path: str) -> dict[str, Any]:
    """The members of a file that only adds to the usual rules."""
    return (own.members(path) or {}) if own.files.has(path) else {}


def _quartz_settings(own: ToolSettings) -> dict[str, Any]:
    code = own.files.text(next((name for name in MARKS["quartz"] if own.files.has(name)), "")) or ""
    script = Script(code)
    ignored = script.named("ignorePatterns")
    return {"ignored": ignored, "explicit": script.uses("ExplicitPublish"), "locale": script.text("locale")}


def _quartz(own: ToolSettings, settings: dict[str, Any]) -> None:
    own.keep_outside("content")
    if not all(map(is_known, settings["ignored"])):
        own.add_problem(MARKS["quartz"][0], "`ignorePatterns` is not a list of texts")
    lists = settings["ignored"] or [["private", "templates"]]
    lines = branches(line for given in lists for line in texts(given))
    own.keep(privacy_rules.IGNORE_PATTERNS, [f"/content/**/{line.strip('/')}" for line in lines])
    if settings["explicit"]:
        own.handed.append(Handed(privacy_rules.NOT_SAID, "content/*", {"publish": False}))


def _dendron(own: ToolSettings, settings: dict[str, Any]) -> None:
    for vault in _vaults(settings):
        if str(vault.get("visibility") or "").lower() == "private":
            folder = _vault_folder(vault)
            own.keep(privacy_rules.PRIVATE_VAULT, [f"/{folder}/" if folder else "/*"])
    publishing = dendron_publishing(settings)
    shown = [str(name) for name in items(publishing.get("siteHierarchies")) if name]
    if shown and shown != ["root"]:
        own.matches.append(PathMatch(privacy_rules.NOT_IN_HIERARCHY, lambda path: not _is_below(path, shown)))
    hierarchy = table(publishing.get("hierarchy") or publishing.get("config"))
    # The row of the longest name counts: what is handed down last.
    for name, about in sorted(hierarchy.items(), key=lambda row: (row[0] != "root", str(row[0]).count("."))):
        said = table(about).get("publishByDefault")
        said = not any(map(lenient_values.is_false, said.values())) if isinstance(said, Mapping) else said
        for pattern in ("*",) if name == "root" else (f"{name}.*", f"*/{name}.*"):
            if said is not None and (name == "root" or _WORD.fullmatch(str(name))):
                members = {"published": not lenient_values.is_false(said)}
                own.handed.append(Handed(privacy_rules.NOT_BY_DEFAULT, pattern, members))


def _vaults(settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    return list(map(table, items(table(settings.get("workspace")).get("vaults") or settings.get("vaults"))))


def _vault_folder(vault: Mapping[str, Any]) -> str:
    return words(vault.get("fsPath")).strip("./")


def _is_below(path: str, names: Iterable[str]) -> bool:
    """Whether a note of Dendron is one of these or below one in the hierarchy; files that are no notes are."""
    if not path.lower().endswith(".md"):
        return True
    stem = posixpath.basename(path)[: -len(".md")]
    return any(stem == name or stem.startswith(f"{name}.") for name in names)


_READERS: Mapping[str, Callable[[ToolSettings, dict[str, Any]], None]] = {
    "jekyll": _jekyll,
    "hexo": _hexo,
    "hugo": read_hugo,
    "zola": _zola,
    "mkdocs": _mkdocs,
    "obsidian": _obsidian,
    "pelican": read_pelican,
    "dendron": _dendron,
    "quartz": _quartz,
    "logseq": _logseq,
    "foam": _foam,
}
_SETTINGS: Mapping[str, Callable[[ToolSettings], dict[str, Any]]] = {
    "hugo": lambda own: hugo_settings(own.files.paths, partial(own.members, sure=True)),
    "mkdocs": lambda own: _mkdocs_settings(own, own.settings_file("mkdocs")),
    "pelican": lambda own: pelican_settings(own.files.text)[0],
    "quartz": _quartz_settings,
}
"""Readers of settings that are not one file of data."""


def _located(own: ToolSettings) -> SiteLayout:
    """The layout of a tool whose texts have the paths that its table of addresses says."""
    tool = next(tool for tool in own.tools if tool in _ADDRESSES)
    settings = own.given[tool]
    address = words(settings.get(_HOSTS.get(tool, "")))
    base = words(settings.get("baseurl")) if tool == "jekyll" else urlsplit(address).path if address else ""
    return SiteLayout(
        locate=_ADDRESSES[tool](own, settings),
        base=base.strip("/"),
        settings=repr(settings),
        redirects=MkDocsAddresses(settings).redirects() if tool == "mkdocs" else {},
        arrange=_ORDERS[tool](settings) if tool in _ORDERS else None,
        files=tuple(_FILES[tool](settings)) if tool in _FILES else (),
        people=_mkdocs_people(own, settings) if tool == "mkdocs" else {},
        titles=MkDocsAddresses(settings).titles(settings.get("nav")) if tool == "mkdocs" else {},
    )


def _mkdocs_people(own: ToolSettings, settings: dict[str, Any]) -> dict[str, Any]:
    addresses = MkDocsAddresses(settings)
    name = f"{addresses.root}/{addresses.blog}/.authors.yml"
    members = (own.members(name) or {}) if own.files.has(name) else {}
    return table(members.get("authors"))


def _of_pelican(own: ToolSettings, settings: dict[str, Any]) -> PelicanAddresses:
    root = root_of({**PELICAN, **settings}) or "content"
    return PelicanAddresses(settings, has_root=any(path.startswith(f"{root}/") for path in own.files.paths))


_ADDRESSES: Mapping[str, Callable[[ToolSettings, dict[str, Any]], Addresses]] = {
    "hugo": lambda own, settings: HugoAddresses(settings, own.files.paths),
    "jekyll": lambda own, settings: JekyllAddresses(settings, own.files.paths),
    "hexo": lambda _, settings: HexoAddresses(settings),
    "pelican": _of_pelican,
    "quartz": lambda *_: quartz_addresses,
    "foam": lambda *_: foam_addresses,
    "dendron": lambda _, settings: DendronAddresses(settings),
    "zola": lambda _, settings: ZolaAddresses(settings),
    "mkdocs": lambda _, settings: MkDocsAddresses(settings),
}
_ORDERS: Mapping[str, Callable[[dict[str, Any]], Arrange]] = {
    "hugo": lambda _: by_weight,
    "zola": lambda _: by_weight,
    "jekyll": lambda _: jekyll_order,
    "mkdocs": lambda settings: lambda _: by_navigation(settings.get("nav"), MkDocsAddresses(settings).root),
}
"""The order in which an author has texts read."""
_FILES: Mapping[str, Callable[[dict[str, Any]], Iterable[str]]] = {
    "hugo": lambda _: ["content", ""],
    "zola": lambda _: ["content", ""],
    "quartz": lambda _: ["content"],
    "jekyll": lambda settings: [words(settings.get("source")).strip("./")],
    "hexo": lambda settings: [words(settings.get("source_dir")).strip("./") or "source"],
    "pelican": lambda settings: [root_of({**PELICAN, **settings}) or "content"],
    "mkdocs": lambda settings: [MkDocsAddresses(settings).root],
    "dendron": lambda settings: map(_vault_folder, _vaults(settings)),
}
"""Folders whose files a tool publishes as if they were at the top."""
_HOSTS = {"hugo": "baseurl", "zola": "base_url", "hexo": "url", "pelican": "SITEURL", "mkdocs": "site_url"}
"""The setting with the address of the site, which may have a path."""
_LAYOUTS: Mapping[str, Callable[[ToolSettings], SiteLayout]] = {
    **dict.fromkeys(_ADDRESSES, _located),
    "docusaurus": docusaurus_layout.keep_private,
    "astro": astro_layout.keep_private,
    "eleventy": eleventy_layout.keep_private,
}
"""Tools whose settings or conventions say where the texts lie, or at which paths they are published."""
