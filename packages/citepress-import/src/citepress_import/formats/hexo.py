"""Sites of Hexo: posts of ``source/_posts``, pages, permalinks, tag plugins and folders of assets."""

import posixpath
import re
from collections.abc import Callable, Mapping
from typing import Any

from citepress_import.formats.markdown_files import MARKDOWN, stem_of
from citepress_import.formats.markdown_site import MarkdownSite, format_of_site
from citepress_import.former_site import FormerPage
from citepress_notes import lenient_values
from citepress_notes.blog_addresses import HexoAddresses
from citepress_notes.calls import ShortcodeCall
from citepress_notes.hidden_code import HiddenCode
from citepress_notes.plain_shortcodes import TAG_PLUGINS
from citepress_notes.template_tags import template_tags
from citepress_notes.usual_keys import strip_date


class Hexo(MarkdownSite):
    """One site of Hexo."""

    name = "hexo"
    about = "Hexo: source/_posts/, pages and _config.yml"
    endings = (*MARKDOWN, ".html")
    feeds = ("/atom.xml", "/rss2.xml")
    with_templates = True

    def prepare(self) -> None:
        """Read the settings."""
        self.given = self.rules.settings("hexo")
        self.addresses = HexoAddresses(self.given)
        self.source = self.addresses.source
        self.tags = f"/{lenient_values.words(self.given.get('tag_dir')) or 'tags'}/{{}}/"
        self.by_stem = {stem_of(path): path for path in self.tree.below(self.source, ".md")}
        self._public_of: dict[str, str] = {}
        """The path of each post and page."""

    def folders(self) -> dict[str, str]:
        """Its folders of texts, and the path of each."""
        return {self.source: "/"}

    def settings(self) -> dict[str, str]:
        """What its settings give the archive."""
        url, root = (
            lenient_values.words(self.given.get("url")).rstrip("/"),
            lenient_values.words(self.given.get("root")).strip("/"),
        )
        base = url if not root or url.endswith(f"/{root}") else f"{url}/{root}"
        names = {"title": "title", "description": "description", "owner": "author"}
        languages = lenient_values.items(self.given.get("language"))
        return {
            **{ours: lenient_values.words(self.given.get(theirs)) for ours, theirs in names.items()},
            "language": lenient_values.words(languages[0]) if languages else "",
            "base_url": base if url else "",
        }

    def _post(self, inner: str) -> str:
        return inner.removeprefix("_posts/") if inner.startswith("_posts/") else ""

    def adapt(self, _path: str, front: dict[str, Any], body: str) -> tuple[dict[str, Any], str]:
        """Front matter under names that are understood, and the text."""
        nested = lenient_values.items(front.get("categories") or front.get("category"))
        flat = [word for item in nested for word in (item if isinstance(item, list) else [item])]
        if flat:
            front["categories"] = flat
        return front, body

    def public(self, _at: str, inner: str, front: Mapping[str, Any]) -> tuple[str, ...]:
        """The paths at which the tool publishes a text."""
        return (self.addresses.public(inner, front),)

    def word(self, path: str, front: Mapping[str, Any]) -> str:
        """The word of which the slug is made."""
        return strip_date(super().word(path, front))

    def is_page(self, path: str, _front: Mapping[str, Any]) -> bool:
        """Whether a text is a page and no dated post."""
        return not self._post(self._inner(path)[1])

    def files(self) -> dict[str, str]:
        """Files that it publishes as they are."""
        files: dict[str, str] = {}
        public = {re.sub(r"\.\w+$", "", page): paths for page, paths in self._public_of.items()}
        for path in self.tree.below(self.source):
            inner = path.removeprefix(f"{self.source}/")
            folder = posixpath.dirname(path)
            if folder in public:
                files[posixpath.join(re.sub(r"[^/]*\.html$", "", public[folder]), posixpath.basename(path))] = path
            elif not inner.startswith("_") and not inner.endswith((".md", ".html", ".ejs", ".swig")):
                files[f"/{inner}"] = path
        return files

    def _page(self, path: str, front: dict[str, Any], body: str, toml: bool) -> FormerPage | None:
        page = super()._page(path, front, body, toml)
        if page is not None and not lenient_values.is_true(page.front.get("draft")):
            self._public_of[path] = page.path
        return page

    def expand(self, page: FormerPage, code: HiddenCode, text: str) -> str:
        """Its notation as Markdown."""
        own: dict[str, Callable[[ShortcodeCall], str | None]] = {
            **TAG_PLUGINS,
            "post_link": self._post_link,
            "post_path": lambda call: f"/{self.by_stem.get(posixpath.basename(call.argument(place=0)), '')}",
        }
        return template_tags(self.report.shortcodes, code, text, {"page": page.front}, own)

    def _post_link(self, call: ShortcodeCall) -> str | None:
        name = call.argument(place=0)
        path = self.by_stem.get(posixpath.basename(name))
        words = " ".join(word for word in call.placed[1:] if word not in ("true", "false"))
        if not path or self.rules.of_path(path):
            return words  # not even the name of what is held back
        words = words or name.replace("-", " ")
        return f"[{words}](</{path}>)"


FORMATS = (format_of_site(Hexo),)
