"""Sites of Jekyll: posts, drafts, collections, pages, permalinks, defaults and Liquid."""

import posixpath
import re
from collections.abc import Collection, Mapping
from typing import Any

from citepress.base.slugs import plain_letters, slugify
from citepress_import import front_matter
from citepress_import.errors import ImportRefusedError
from citepress_import.formats.markdown_files import (
    MARKDOWN,
    OTHER_TEXTS,
    as_html,
    pages_of,
    read_data,
    site_settings,
    stem_of,
)
from citepress_import.former_addresses import FEED, POSTS, TAGS
from citepress_import.former_lists import FormerLists, size_of
from citepress_import.former_site import FormerPage, FormerSite, ImportFormat
from citepress_import.heading_ids import kramdown
from citepress_import.report import ImportReport
from citepress_import.source_tree import SourceTree
from citepress_notes import lenient_values
from citepress_notes.calls import ShortcodeCall, replace_shortcodes
from citepress_notes.document_texts import has_words
from citepress_notes.hidden_code import HiddenCode
from citepress_notes.jekyll_addresses import JekyllAddresses
from citepress_notes.liquid import UNSAID, Liquid
from citepress_notes.shortcode_marks import RAW, template_marks
from citepress_notes.shortcodes import Shortcodes, note_of
from citepress_notes.usual_keys import strip_date

MACHINERY = frozenset({"_includes", "_layouts", "_sass", "_site", "_data", "_plugins", "vendor", "assets"})
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


class _Jekyll:
    """One site of Jekyll as it is read."""

    def __init__(self, tree: SourceTree) -> None:
        self.tree, self.report, self.rules = tree, ImportReport(), tree.public_rules("jekyll")
        self.settings = self.rules.settings("jekyll")
        self.addresses = JekyllAddresses(self.settings, tree.sizes)
        self.source = self.addresses.source
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

    def _list_templates(self, wanted: Collection[str]) -> None:
        """HTML pages of the site's own: those that list posts or tags lead to the lists of the archive."""
        for path in self.tree.below(self.source, ".html"):
            inner = path.removeprefix(self.source).strip("/")
            if path in wanted or inner.startswith("_") or "/_" in inner or inner.partition("/")[0] in MACHINERY:
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
        self._list_templates(frozenset(paths))
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
        return not path.endswith(".html") or "_posts" in parts or has_words(self.tree.text(path))

    def _moved(self, path: str, front: dict[str, Any]) -> None:
        """Lead the address of a page that has only a target to it."""
        at = self.addresses.place(path, front)
        to = str(lenient_values.items(front["redirect_to"])[0])
        self.redirects[self.addresses.public(path, at)] = to

    def _page(self, path: str, front: dict[str, Any], body: str, toml: bool) -> FormerPage | None:
        at = self.addresses.place(path, front)
        parts, sort, collection, front = at.parts, at.sort, at.collection, at.front
        if at.folders:
            front["categories"] = at.categories
        if isinstance(front.get("tags"), str):
            front["tags"] = str(front["tags"]).split()
        self._name_authors(front)
        name = strip_date(stem_of(path))
        is_index = not (sort or collection) and self.addresses.is_index(path)
        if is_index:
            name = parts[-2] if len(parts) > 1 else "home"
        public = self.addresses.public(path, at)
        further = (public.removesuffix(".html"),) if public.endswith(".html") else ()
        if is_index and _lists_posts(body):
            self.report.pass_over(path, "it is a page of the former site's own layout")
            return None
        if is_index and len(parts) == 1:
            return FormerPage(path, front, body, name, "/", is_front=bool(body.strip()), is_page=True, **as_html(path))
        if sort == "_posts" and not front.get("draft"):
            self._list(front, at.categories)
        return FormerPage(
            path, front, body, name, public, further, is_page=at.kind == "pages", toml=toml, **as_html(path)
        )

    def _name_authors(self, front: dict[str, Any]) -> None:
        given = lenient_values.items(front.get("authors") or front.get("author"))
        people = [self.people.get(str(name), name) if not isinstance(name, Mapping) else name for name in given]
        if people:
            front["authors"] = people
            front.pop("author", None)

    def _expand(self, page: FormerPage, code: HiddenCode, text: str) -> str:
        handler = Shortcodes(code, self.report.shortcodes, self._tags())
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
        named = Shortcodes(HiddenCode(), self.report.shortcodes, {})
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


def _lists_posts(body: str) -> bool:
    """Whether a text is nothing but a list of posts that a tool makes."""
    return not body.strip() or bool(re.search(r"\b(?:site\.posts|paginator\.posts)\b", body))


FORMAT = ImportFormat(
    "jekyll",
    "Jekyll: _posts/, _drafts/, collections, pages and _config.yml",
    _detect,
    lambda tree: _Jekyll(tree).site(),
    in_repository=True,
)
