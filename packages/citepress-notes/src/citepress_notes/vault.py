"""The notes and files of a vault by the names that links have for them, as note-taking tools look them up."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from hashlib import blake2b
from typing import NamedTuple
from urllib.parse import quote, unquote

from citepress.content.files import is_markdown, markdown_stem
from citepress.content.headings import anchor_of
from citepress.content.images import is_image
from citepress.content.rewritten import AddressEdit
from citepress.content.written_dates import moment_of
from citepress_notes.attachments import is_attachment
from citepress_notes.foreign_markup import WIKI_MARKUP, is_named, prose_without_links
from citepress_notes.graph import Graph

_INDEX = re.compile(r"/_?index$")
_MARKED = re.compile(rb"(?<![=\w])(==)(?=\S)[^=\n]{1,400}?(?<=\S)(==)(?![=\w])")


class WikiLink(NamedTuple):
    """What double brackets say."""

    name: str
    """Of the note or file; empty for a part of the same text."""
    part: str
    label: str

    @property
    def words(self) -> str:
        """What a reader sees of it."""
        part = "" if self.name and self.part.startswith("^") else self.part  # the name of a block
        named = f"{self.name}: {part}" if self.name and part else self.name or part
        return re.sub(r"[\[\]]", "", self.label or named).strip("# ")


class Vault:
    """The files of a folder that is written for a note-taking tool."""

    def __init__(
        self, paths: Iterable[str], *, label_first: bool = False, graph: Graph | None = None, brackets: bool = True
    ) -> None:
        """``brackets``: whether double brackets are links.

        ``label_first``: whether the label of a link is before the name, as in ``[[label|name]]`` of Dendron and of
        wikis, where links name notes without an ending too.
        """
        self._paths = sorted(paths, key=lambda path: (path.count("/"), path))
        self.label_first, self._brackets, self.graph = label_first, brackets, graph

    @cached_property
    def digest(self) -> bytes:
        """What the links of a note depend on, beside its text."""
        paths = "\0".join(self._paths) + (repr(self.graph) if self.graph else "")
        return blake2b(paths.encode("utf-8", "surrogateescape"), digest_size=16).digest()

    @cached_property
    def _by_name(self) -> dict[str, list[tuple[str, str]]]:
        """Names in lower case without the folder, and the names with it and the paths of the files."""
        by_name: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for path in self._paths:
            own = markdown_stem(path).lower()
            for name in dict.fromkeys(
                (own, unquote(own).replace("___", "/"), _INDEX.sub("", own))
            ):  # a/b of Logseq is a___b.md
                by_name[posixpath.basename(name)].append((name, path))
        return by_name

    def find(self, name: str, path: str) -> str:
        """The file that a note at a path means by a name: beside it, from the top, or anywhere; nothing for none."""
        wanted = posixpath.normpath(markdown_stem(name.strip().strip("/"))).lower()
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(path).lower(), wanted))
        candidates = self._by_name.get(posixpath.basename(wanted), [])
        for fits in (beside, wanted):
            if file_path := next((file for own, file in candidates if own == fits), ""):
                return file_path
        if "-" not in wanted and " " in wanted and (file_path := self.find(name.strip().replace(" ", "-"), path)):
            return file_path  # a wiki writes Two-Words.md for the page “Two Words”
        inner = wanted.removeprefix("../").removeprefix("./")
        if file_path := next((file for own, file in candidates if f"/{own}".endswith(f"/{inner}")), ""):
            return file_path
        if self.graph and (page := self.graph.names.get(name.strip().lower(), "")):
            return page
        moment = None if "/" in name or is_attachment(name) else moment_of(name)
        names = (f"{moment:%Y_%m_%d}", f"{moment:%Y-%m-%d}") if moment else ()  # a day of a journal
        return next((self._by_name[day][0][1] for day in names if day in self._by_name), "")

    def read(self, inside: str) -> WikiLink:
        """What double brackets say that hold this text."""
        first, _, second = (part.strip() for part in inside.replace("\\|", "|").partition("|"))
        if self.label_first and is_image(first):  # a picture has its words as ``alt=``, and other options
            return WikiLink(first, "", next((part[4:] for part in inside.split("|") if part.startswith("alt=")), ""))
        target, label = (second, first) if second and self.label_first else (first, second)
        if self.label_first:  # [[dendron://vault/note]]
            target = target.removeprefix("dendron://").rpartition("/")[2]
        name, _, part = target.partition("#")
        return WikiLink(name.strip(), part.strip(), label)

    def has(self, inside: str, path: str) -> bool:
        """Whether double brackets in the note at a path lead to a note, a file, or a part of the same text."""
        link = self.read(inside)
        return self._brackets and bool(self.find(link.name, path) if link.name else link.part)

    def link_edits(
        self, text: str, path: str, address: Callable[[str], str], *, embeds: bool = True
    ) -> Iterator[AddressEdit]:
        """Double brackets of the note at a path as links of Markdown; ``address`` is that of a note by its path.

        What leads nowhere becomes its words. ``embeds``: whether notes that are shown inside are links too.
        """
        if not self._brackets or ("[[" not in text and "==" not in text):
            return
        prose = prose_without_links(text)
        marks = (
            AddressEdit(*match.span(place), tag)
            for match in _MARKED.finditer(prose)
            for place, tag in ((1, b"<mark>"), (2, b"</mark>"))
        )
        yield from sorted([*marks, *self._links(prose, path, address, embeds=embeds)])

    def _links(self, prose: bytes, path: str, address: Callable[[str], str], *, embeds: bool) -> Iterator[AddressEdit]:
        for match in WIKI_MARKUP.finditer(prose):
            link, is_embed = self.read(match[1].decode()), match[0][:1] == b"!"
            if is_named(match):
                hides = is_embed and not embeds and not is_image(link.name)
                words = "" if hides else self._markdown(link, path, address, embeds=is_embed)
                yield AddressEdit(*match.span(), words.encode())

    def _markdown(self, link: WikiLink, path: str, address: Callable[[str], str], *, embeds: bool) -> str:
        if not link.name:
            return f"[{link.words}](#{anchor_of(link.part)})"
        file = self.find(link.name, path)
        if not file:
            return "" if embeds else link.words
        if (embeds or self.label_first) and is_image(file):
            width = re.fullmatch(r"\d+(?:x\d+)?", link.label)
            return f"![{'' if width else link.label}](/{quote(file)})"
        anchor = anchor_of(link.part.rpartition("#")[2]) if link.part and not link.part.startswith("^") else ""
        target = address(file) if is_markdown(file) else f"/{quote(file)}"
        return f"[{link.words}]({target}{'#' if anchor else ''}{anchor})"
