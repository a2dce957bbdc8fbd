"""Sites of Jekyll: posts, drafts, collections, pages, permalinks, defaults and Liquid."""

import posixpath
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from citepress.base.slugs import plain_letters, slugify
from citepress.content.written_dates import moment_of
from citepress_import import front_matter
from citepress_import.calls import ShortcodeCall, replace_shortcodes
from citepress_import.errors import ImportRefusedError
from citepress_import.formats.markdown_files import (
    MARKDOWN,
    OTHER_TEXTS,
    pages_of,
    read_data,
    settings_of,
    site_settings,
    stem_of,
)
from citepress_import.former_addresses import FEED, POSTS, TAGS
from citepress_import.former_lists import FormerLists, size_of
from citepress_import.former_site import FormerPage, FormerSite, ImportFormat
from citepress_import.heading_ids import kramdown
from citepress_import.hidden_code import HiddenCode
from citepress_import.liquid import UNSAID, Liquid
from citepress_import.report import ImportReport
from citepress_import.shortcodes import Shortcodes, note_of
from citepress_import.source_tree import SourceTree
from citepress_import.template_tags import RAW, template_marks
from citepress_notes import lenient_values
from citepress_notes.usual_keys import strip_date

STYLES = {
    "date": "/:categories/:year/:month/:day/:title:output_ext",
    "pretty": "/:categories/:year/:month/:day/:title/",
    "ordinal": "/:categories/:year/:y_day/:title:output_ext",
    "weekdate": "/:categories/:year/W:week/:short_day/:title:output_ext",
    "none": "/:categories/:title:output_ext",
}
MACHINERY = frozenset({"_includes", "_layouts", "_sass", "_site", "_data", "_plugins", "vendor", "assets"})
_PLACE = re.compile(r":(\w+)")
_ADDRESS_AS_WORDS = re.compile(r"(?<!\S)(?<!\]: )(\{%-?\s*(?:post_url|link)\s[^%\n]{1,300}%\})(?=[\s.,;!?]|\Z)")
"""A tag that writes an address into the text. The address is another now, and may be that of a draft."""
_QUOTED = re.compile(r"""^["']([^"']*)["']""")
_ABBREVIATION = re.compile(r"^\*\[[^\]\n]+\]:[^\n]*$", re.MULTILINE)
_KRAMDOWN = re.compile(r"\{::/?\w*[^}\n]*\}")
UNSEEN = frozenset(
    {"posts", "pages", "time", "collections", "documents", "static_files", "categories", "tags", "related_posts"}
)
"""Values of ``site`` that Jekyll itself makes."""


def _detect(tree: SourceTree) -> bool:
    return any(name in tree.sizes for name in ("_config.yml", "_config.yaml", "_config.toml")) or tree.has("_posts")


class _JekyllPlace(NamedTuple):
    """Where a file lies."""

    parts: list[str]
    sort: str
    """``_posts`` or ``_drafts``; nothing for a page."""
    collection: str
    kind: str
    front: dict[str, Any]
    folders: list[str]
    """Those above the folder of posts."""
    categories: list[str]


class _Jekyll:
    """One site of Jekyll as it is read."""

    def __init__(self, tree: SourceTree) -> None:
        self.tree, self.report, self.rules = tree, ImportReport(), tree.public_rules("jekyll")
        self.settings = settings_of(tree, "_config.yml", "_config.yaml", "_config.toml")
        self.source = lenient_values.words(self.settings.get("source")).strip("./")
        self.collections = self._collections()
        self.people = self._people()
        self.data = self._data()
        self.by_stem: dict[str, str] = {}
        self.redirects: dict[str, str] = {}
        self.lists = self._lists()

    def _lists(self) -> FormerLists:
        """The front page with its further pages, and the feed of the usual plugin."""
        size = self.settings.get("paginate")
        further = lenient_values.words(self.settings.get("paginate_path")) or "/page:num/"
        lists = FormerLists(further=further.lstrip("/").replace(":num", "{}") if size else "", size=size_of(size, 10))
        feed = lenient_values.words(lenient_values.table(self.settings.get("feed")).get("path")) or "feed.xml"
        for name in (feed, "atom.xml", "rss.xml"):
            lists.lead(f"/{name.lstrip('/')}", FEED)
        return lists

    def _list_templates(self) -> None:
        """HTML pages of the site's own: those that list posts or tags lead to the lists of the archive."""
        for path in self.tree.below(self.source, ".html"):
            inner = path.removeprefix(self.source).strip("/")
            if inner.startswith("_") or "/_" in inner or inner.partition("/")[0] in MACHINERY:
                continue
            try:
                front, body, _ = front_matter.parted(self.tree.text(path))
            except ImportRefusedError:
                continue
            public = lenient_values.words(front.get("permalink")) or f"/{inner.removesuffix('index.html')}"
            lists_posts = re.search(r"\b(?:site\.posts|paginator\.posts)\b", body)
            if lists_posts or re.search(r"\bsite\.(?:tags|categories)\b", body):
                self.lists.lead(public, POSTS if lists_posts else TAGS)
            elif front and public != "/":
                self.report.notes.append(f"{path} is an HTML page of the former site; it is not imported")

    def _is_index(self, path: str) -> bool:
        """Whether a page is the one of its folder: an index, or a README where there is none."""
        folder, stem = posixpath.dirname(path), stem_of(path).lower()
        others = (posixpath.join(folder, f"index{ending}") for ending in (".md", ".html", ".markdown"))
        return stem == "index" or (stem == "readme" and not any(other in self.tree.sizes for other in others))

    def _list(self, front: Mapping[str, Any], categories: list[str]) -> None:
        """Count a post in the lists that the plugin for archives, or pages by hand, usually make of it."""
        self.lists.add("/")
        if "jekyll-archives" not in self.settings:
            return
        rules = lenient_values.table(lenient_values.table(self.settings["jekyll-archives"]).get("permalinks"))
        for sort, words in (("tag", lenient_values.items(front.get("tags"))), ("category", categories)):
            rule = lenient_values.words(rules.get(sort)) or f"/{sort}/:name/"
            for word in filter(None, map(lenient_values.words, words)):
                self.lists.add_tag(rule.replace(":name", slugify(plain_letters(word)) or word), word)

    def _collections(self) -> dict[str, dict[str, Any]]:
        given = self.settings.get("collections")
        if isinstance(given, list):
            return {str(name): {} for name in given}
        return {str(name): lenient_values.table(about) for name, about in lenient_values.table(given).items()}

    def _people(self) -> dict[str, Any]:
        name = next(
            (path for path in self.tree.below("_data", ".yml", ".yaml") if stem_of(path).startswith("authors")), ""
        )
        try:
            return front_matter.settings(self.tree.text(name), name) if name else {}
        except ImportRefusedError:
            return {}

    def _data(self) -> dict[str, Any]:
        """The files of data by their names; a folder is a table of its files."""
        data: dict[str, Any] = {}
        for path in self.tree.below(posixpath.join(self.source, "_data"), ".yml", ".yaml", ".json", ".csv"):
            *folders, name = path.removeprefix(self.source).strip("/").split("/")[1:]
            table = data
            for folder in folders:
                table = table.setdefault(folder, {}) if isinstance(table, dict) else {}
            table[name.rpartition(".")[0]] = read_data(self.tree, path)
        return data

    def site(self) -> FormerSite:
        paths = [path for path in self.tree.below(self.source, *MARKDOWN, *OTHER_TEXTS, ".html") if self._wanted(path)]
        self.by_stem = {stem_of(path): path for path in paths}
        is_garden = "foam" in self.rules.tools  # whose readme is the front page that its theme shows
        pages = pages_of(self.tree, self.rules, paths, self._page, self.report, readme=is_garden, moved=self._moved)
        self._list_templates()
        settings = site_settings(
            self.settings, title="title", description="description", language="lang", owner="author", base_url="url"
        )
        if base := lenient_values.words(self.settings.get("baseurl")).strip("/"):
            settings["base_url"] = f"{settings.get('base_url', 'http://localhost').rstrip('/')}/{base}"
        hidden = (*MARKDOWN, ".html", ".liquid", ".scss", ".sass", ".yml", ".yaml", ".xml", ".lock", ".gemspec")
        assets = {
            f"/{path.removeprefix(self.source).lstrip('/')}": path
            for path in self.tree.below(self.source)
            if not path.removeprefix(self.source).lstrip("/").startswith("_") and not path.endswith(hidden)
        }
        return FormerSite(
            self.tree,
            pages,
            self.report,
            rules=self.rules,
            settings=settings,
            assets=assets,
            redirects=self.redirects,
            lists=dict(self.lists.paths()),
            heading_id=kramdown,
            expand=self._expand,
            roots=(self.source,),
            wiki="foam" in self.rules.tools,
        )

    def _wanted(self, path: str) -> bool:
        parts = path.removeprefix(self.source).strip("/").split("/")
        if MACHINERY.intersection(parts[:1]):
            return False
        return not path.endswith(".html") or "_posts" in parts

    def _where(self, path: str, front: dict[str, Any]) -> "_JekyllPlace":
        """Where a file lies, with the front matter that the settings give it."""
        parts = path.removeprefix(self.source).strip("/").split("/")
        sort = next((part for part in parts[:-1] if part in ("_posts", "_drafts")), "")
        collection = parts[0][1:] if parts[0].startswith("_") and not sort else ""
        kind = "posts" if sort else collection or "pages"
        front = {**self._defaults(parts, kind), **front}
        folders = parts[: parts.index(sort)] if sort else []
        categories = [str(word) for word in (*folders, *self._categories(front))]
        return _JekyllPlace(parts, sort, collection, kind, front, folders, categories)

    def _moved(self, path: str, front: dict[str, Any]) -> None:
        """Lead the address of a page that has only a target to it."""
        at = self._where(path, front)
        to = str(lenient_values.items(front["redirect_to"])[0])
        self.redirects[self._public(path, at.front, at.categories, at.kind, at.collection)] = to

    def _page(self, path: str, front: dict[str, Any], body: str, toml: bool) -> FormerPage | None:
        parts, sort, collection, kind, front, folders, categories = self._where(path, front)
        if folders:
            front["categories"] = categories
        if isinstance(front.get("tags"), str):
            front["tags"] = str(front["tags"]).split()
        self._name_authors(front)
        name = strip_date(stem_of(path))
        is_index = not (sort or collection) and self._is_index(path)
        if is_index:
            name = parts[-2] if len(parts) > 1 else "home"
        public = self._public(path, front, categories, kind, collection)
        further = (public.removesuffix(".html"),) if public.endswith(".html") else ()
        stem = stem_of(path)
        if (stem == "404" or (is_index and _lists_posts(body))) and not (sort or collection):
            self.report.pass_over(path, "it is a page of the former site's own layout")
            return None
        if is_index and len(parts) == 1:
            return FormerPage(path, front, body, name, "/", is_front=bool(body.strip()), is_page=True, html=False)
        if sort == "_posts" and not front.get("draft"):
            self._list(front, [str(word) for word in categories])
        return FormerPage(
            path, front, body, name, public, further, is_page=kind == "pages", html=path.endswith(".html"), toml=toml
        )

    def _categories(self, front: Mapping[str, Any]) -> list[object]:
        value = front.get("categories") or front.get("category")
        return list(value.split()) if isinstance(value, str) else lenient_values.items(value)

    def _name_authors(self, front: dict[str, Any]) -> None:
        given = lenient_values.items(front.get("authors") or front.get("author"))
        people = [self.people.get(str(name), name) if not isinstance(name, Mapping) else name for name in given]
        if people:
            front["authors"] = people
            front.pop("author", None)

    def _defaults(self, parts: list[str], kind: str) -> dict[str, Any]:
        members: dict[str, Any] = {}
        for row in lenient_values.items(self.settings.get("defaults")):
            scope = lenient_values.table(lenient_values.table(row).get("scope"))
            path, of = str(scope.get("path") or "").strip("/"), scope.get("type")
            fits = not path or "/".join(parts).startswith(path)
            if fits and of in (None, "", kind):
                members |= lenient_values.table(lenient_values.table(row).get("values"))
        return {key: value for key, value in members.items() if key != "layout"}

    def _public(self, path: str, front: Mapping[str, Any], categories: list[str], kind: str, collection: str) -> str:
        """The path at which Jekyll publishes a file."""
        rule = lenient_values.words(front.get("permalink"))
        site_rule = lenient_values.words(self.settings.get("permalink")) or "date"
        inner = path.removeprefix(self.source).strip("/")
        stem = strip_date(stem_of(path))
        if not rule and kind == "pages" and self._is_index(path):
            return f"/{posixpath.dirname(inner)}/".replace("//", "/")
        if not rule and kind == "pages":
            folder = posixpath.dirname(inner)
            pretty = site_rule == "pretty" or site_rule.endswith("/")
            return f"/{folder}/{stem}{'/' if pretty else '.html'}".replace("//", "/")
        if not rule and collection:
            rule = (
                lenient_values.words(self.collections.get(collection, {}).get("permalink"))
                or "/:collection/:path:output_ext"
            )
        rule = STYLES.get(rule or site_rule, rule or site_rule)
        moment = moment_of(front.get("date")) or _day_of(path)
        slug = lenient_values.words(front.get("slug")) or stem
        dates = {
            "year": "%Y",
            "month": "%m",
            "day": "%d",
            "short_year": "%y",
            "y_day": "%j",
            "week": "%V",
            "hour": "%H",
        }
        dates |= {"minute": "%M", "second": "%S", "short_day": "%a", "long_month": "%B", "short_month": "%b"}
        values = {name: moment.strftime(form) if moment else "" for name, form in dates.items()}
        values |= {
            "i_month": str(moment.month) if moment else "",
            "i_day": str(moment.day) if moment else "",
            "title": slug,
            "slug": slug.lower(),
            "name": stem,
            "basename": stem,
            "categories": "/".join(word.lower().replace(" ", "%20") for word in categories),
            "slugified_categories": "/".join(re.sub(r"[^\w]+", "-", word.lower()).strip("-") for word in categories),
            "collection": collection,
            "path": posixpath.splitext(inner.partition("/")[2])[0],
            "output_ext": ".html",
        }
        public = _PLACE.sub(lambda match: values.get(match[1], match[0]), rule)
        return re.sub(r"/{2,}", "/", f"/{public}").replace("%20", " ")

    def _expand(self, page: FormerPage, code: HiddenCode, text: str) -> str:
        handler = Shortcodes(code, self.report, self._tags())
        if "{%" in text:
            text = RAW.sub(lambda match: code.put(code.shown(match[1])), text)
            text = replace_shortcodes(
                text, (mark for mark in template_marks(text) if mark.name == "highlight"), handler, code.shown
            )
        text = code.spans(text)
        text = Liquid(self._scope(page), lambda words: self._output(code.shown(words)), self._note).render(text)
        if "{%" in text:
            text = _ADDRESS_AS_WORDS.sub(r"[this page](\1)", text)
            text = replace_shortcodes(text, template_marks(text), handler, code.shown)
        return _KRAMDOWN.sub("", _ABBREVIATION.sub("", text))

    def _tags(self) -> dict[str, Any]:
        return {
            "include": self._include,
            "include_relative": self._include,
            "post_url": self._post_url,
            "link": lambda call: f"/{call.text.strip().strip('/')}",
            "include_cached": self._include,
            "raw": lambda call: call.inner or "",
            "seo": lambda _: "",
            "feed_meta": lambda _: "",
        }

    def _include(self, call: ShortcodeCall) -> str | None:
        """An include as the shortcode of its name."""
        name = call.placed[0] if call.placed else ""
        stem = stem_of(name)
        inner = ShortcodeCall(stem, call.named, call.placed[1:], None, call.text)
        own = {"toc": "", "analytics": "", "comments": "", "share": ""}
        if stem in own:
            return own[stem]
        named = Shortcodes(HiddenCode(), self.report, {})
        return named(inner)

    def _post_url(self, call: ShortcodeCall) -> str:
        """The source path of the post that a tag names."""
        name = call.text.strip()
        return f"/{self.by_stem.get(posixpath.basename(name), name)}"

    def _scope(self, page: FormerPage) -> dict[str, Any]:
        """What Liquid may read: the settings, the files of data, and the front matter of the page."""
        addresses = {"baseurl": "", "url": "", "github": {"url": ""}}
        site = self.settings | addresses | dict.fromkeys(UNSEEN, UNSAID)
        return {
            "site": site | {"data": self.data},
            "jekyll": {"environment": "production"},
            "page": {"url": page.path, **page.front},
        }

    def _note(self, what: str) -> str:
        self.report.shortcodes[what, "left out, with a note in the text"] += 1
        return note_of(what)

    def _output(self, expression: str) -> str:
        """What a Liquid expression writes that the source does not answer by itself."""
        first = expression.partition("|")[0].strip()
        if quoted := _QUOTED.match(first):
            return quoted[1]
        return self._note(f"{{{{ {first[:40]} }}}}") if first else ""


def _day_of(path: str) -> Any:  # noqa: ANN401
    match = re.match(r"(\d{4}-\d\d?-\d\d?)-", posixpath.basename(path))
    return moment_of(match[1]) if match else None


def _lists_posts(body: str) -> bool:
    """Whether a text is nothing but a list of posts that a tool makes."""
    return not body.strip() or bool(re.search(r"\b(?:site\.posts|paginator\.posts)\b", body))


def _read(tree: SourceTree) -> FormerSite:
    return _Jekyll(tree).site()


FORMAT = ImportFormat(
    "jekyll", "Jekyll: _posts/, _drafts/, collections, pages and _config.yml", _detect, _read, in_repository=True
)
