"""Where every former path, file and name of a site is now."""

import posixpath
import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from citepress.content.images import SUFFIXES
from citepress_import.former_site import FormerPage, FormerSite
from citepress_import.slugs import slug_for
from citepress_notes.attachments import ATTACHED
from citepress_notes.privacy_rules import Fate

STATIC_BYTES = 5_242_880
STATIC_TOTAL = 268_435_456
PAGE_ENDINGS = (".md", ".mdx", *(f"/{name}" for name in ("index.md", "_index.md", "README.md", "index.mdx")))
"""What a link may leave out of the name of a file."""
_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]*")
_REFUSED = (
    *(".html", ".htm", ".js", ".mjs", ".css", ".php", ".py", ".md"),
    *(".markdown", ".mdx", ".rst", ".xml", ".toml", ".yml", ".yaml"),
)
"""Endings of files that run on a page or that make the former site."""


def plain_path(path: str) -> str:
    """The one form in which former paths are compared: without index page, ending and slashes at its ends."""
    path = re.sub(r"(?:^|/)index\.html?$", "", path)
    return re.sub(r"\.html?$", "", path).strip("/")


class AddressBook:
    """Finds pages by former path, file and name, and files that are copied when something first asks for them."""

    def __init__(self, site: FormerSite) -> None:
        self._site = site
        self._paths: dict[str, str] = {}
        self._folded: dict[str, str] = {}
        self._sources: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self.copies: dict[str, str] = {}
        """Public path of each file that is copied, and its path in the source."""
        self._public: dict[str, str] = {}
        self._assets = {path.lstrip("/"): file for path, file in site.assets.items()}
        self._unmoved: dict[str, str] = {}
        for path, file in self._assets.items():
            if _is_static(path):
                self._unmoved.setdefault(file, f"/{path}")
        self._by_name: dict[str, str] = {}
        self._left = STATIC_TOTAL
        self.private: set[str] = set()
        """Present paths of drafts."""
        self.kept_back: set[str] = set()
        """Files that only drafts use, which are not copied."""
        for file in site.tree.sizes:
            self._by_name.setdefault(posixpath.basename(file).lower(), file)

    def add(self, page: FormerPage, public: str, former: Iterable[str], *, draft: bool = False) -> None:
        """A page with the path that it has now."""
        if draft:
            self.private.add(public)
        self._sources[page.source] = public
        for path in former:
            self._paths.setdefault(plain_path(path), public)
            self._folded.setdefault(plain_path(path).lower(), public)
        stem = re.sub(r"\.(?:md|markdown|mdx)$", "", page.source, flags=re.IGNORECASE)
        for name in (stem, stem.rpartition("/")[2], *page.titles):
            self._names.setdefault(name.strip().lower(), page.source)

    def page_at(self, path: str) -> str:
        """The present path of the page at a former path; nothing where there is none."""
        plain = plain_path(path)
        return self._paths.get(plain) or self._folded.get(plain.lower()) or ""

    def page_of(self, file: str) -> str:
        """The present path of the page of a source file."""
        for name in (file, *(f"{file}{ending}" for ending in PAGE_ENDINGS)):
            if name in self._sources:
                return self._sources[name]
        return ""

    def page_named(self, name: str, near: str = "") -> str:
        """The source file of the page that a wiki link means, the nearest one first."""
        name = re.sub(r"\.md$", "", name.strip(), flags=re.IGNORECASE).lower().strip("/")
        beside = posixpath.join(posixpath.dirname(near).lower(), name)
        return self._names.get(beside) or self._names.get(name) or self._names.get(name.rpartition("/")[2]) or ""

    def file_named(self, name: str) -> str:
        """The source file that a wiki link means, by its name alone."""
        return self._by_name.get(posixpath.basename(name.strip()).lower(), "")

    def asset_at(self, path: str) -> str:
        """The source file that the former site published at a path."""
        bare = path.lstrip("/")
        return self._assets.get(bare) or self._assets.get(unquote(bare)) or ""

    def copied(self, file: str, slug: str, *, draft: bool = False) -> tuple[str, str]:
        """The public path of a file of the source, which is then copied; else nothing and the reason.

        What only a ``draft`` uses is not copied: everything that is copied is public.
        """
        if file in self._public:
            return self._public[file], ""
        if reason := self._refusal(file):
            return "", reason
        public = self._unmoved.get(file, "")
        if draft:
            self.kept_back.add(file)
            return public or self._own_path(file, slug), ""
        public = public if public and public not in self.copies else self._own_path(file, slug)
        self._left -= self._site.tree.sizes[file]
        self._public[file] = public
        self.copies[public] = file
        return public, ""

    def _refusal(self, file: str) -> str:
        """Why a file is not copied; nothing for one that may be."""
        size = self._site.tree.sizes.get(file)
        if size is None:
            return "it is not in the source"
        if file.lower().endswith(_REFUSED):
            return "files of this type are not published"
        if size > STATIC_BYTES:
            return f"it has {size:,} bytes; at most {STATIC_BYTES:,} are published"
        if size > self._left:
            return f"all files together have over {STATIC_TOTAL:,} bytes"
        held = self._site.rules.of_path(file) if self._site.rules else None
        return f"the former site does not publish it ({held.reason})" if held and held.fate is Fate.LEFT else ""

    def copy_published(self) -> dict[str, str]:
        """Copy every image and PDF file that the former site published as it is, so that its address answers.

        What drafts use, and no page that is shown, is not copied.

        Gives the files that cannot be copied, each with the reason.
        """
        left: dict[str, str] = {}
        for path, file in self._assets.items():
            if (
                file.lower().endswith(ATTACHED)
                and file not in self.kept_back
                and (reason := self.copied(file, "site")[1])
            ):
                left[f"/{path}"] = reason
        return left

    def moved(self) -> Iterator[tuple[str, str]]:
        """The decoded former path of each copied file that the former site published, and its path now."""
        for path, file in self._assets.items():
            if public := self._public.get(file):
                yield f"/{path}", public

    def _own_path(self, file: str, slug: str) -> str:
        stem, ending = posixpath.splitext(posixpath.basename(file))
        folder = "img" if ending.lower() in SUFFIXES else "files"
        name = slug_for(stem) or "file"
        ending = ending.lower() if _PART.fullmatch(f"a{ending}") else ""
        number, path = 1, f"/{folder}/{slug}/{name}{ending}"
        while path in self.copies:
            number += 1
            path = f"/{folder}/{slug}/{name}-{number}{ending}"
        return path


def _is_static(path: str) -> bool:
    """Whether a path can be one of a static file."""
    return all(_PART.fullmatch(part) for part in path.strip("/").split("/"))


def joined(folder: str, path: str) -> str:
    """A path of the source tree as seen from one of its folders; nothing where it leads out of the tree."""
    whole = posixpath.normpath(posixpath.join(folder, path))
    return "" if whole.startswith(("..", "/")) else whole
