"""What is known of a note beside its file, and what follows from it for its text and its addresses."""

from collections.abc import Callable, Hashable, Mapping
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

from citepress.content.dialects import COMMON, Dialect
from citepress.content.git_dates import Committed
from citepress.content.rewritten import Rewritten
from citepress.content.source_map import FrontMatter
from citepress.contract.kind import Kind
from citepress_notes.graph import page_names
from citepress_notes.held_back import HeldBack
from citepress_notes.note_links import Apart, former_slugs, is_mdx, rewrite_links
from citepress_notes.site_layout import SiteLayout
from citepress_notes.vault import Vault


class Around(NamedTuple):
    """What is known of a note beside its file."""

    committed: Committed | None = None
    held: HeldBack | None = None
    """Why its path holds it back."""
    handed: Mapping[str, object] = MappingProxyType({})
    """Members that settings hand down to it."""
    has_time: bool = True
    """Whether its author set the time of the file."""
    apart: Apart = MappingProxyType({})
    """Slugs of notes whose own another one has."""
    dialect: Dialect = COMMON
    tagged: bool = False
    """Whether a private tag in its text holds it back."""
    zone: str = ""
    """The zone of hours without an offset."""
    spoken: str = ""
    """The language that settings give it; empty where they do not."""
    layout: SiteLayout = SiteLayout()
    """Where its tool publishes it, and in which language."""
    vault: Vault | None = None
    """Notes and files by the names that links have for them, where its tool is a note-taking one."""

    public: str = ""
    """The path at which its tool published it; empty if none is known."""

    @property
    def key(self) -> tuple[Hashable, ...]:
        """What it is compared by."""
        handed = repr(self.handed) if self.handed else ""
        vault = self.vault.digest if self.vault else b""
        of_tool = self.dialect, self.tagged, self.zone, self.spoken, vault, self.layout.digest
        alone = (self.committed, self.held, handed, self.has_time, *of_tool)
        return (*alone, *sorted(self.apart.items()))

    def completed(self, path: str, front: Mapping[str, object]) -> dict[str, object]:
        """The front matter of the note at a path, under the keys that count and with what its folder says."""
        if self.dialect.metadata == "pelican":
            front = {key.lower(): value for key, value in front.items()}
        elif self.dialect.metadata == "logseq":
            front = {"title": page_names(path)[0], **front}
        return self.layout.said_of(path, front)

    def at(self, path: str, raw: Mapping[str, object]) -> "Around":
        """The same for the note at a path, whose relative links begin at the path that its tool gave it."""
        addresses = self.layout.addresses(path, {**self.handed, **raw})
        return self._replace(public=addresses[0] if addresses else "")

    def linked(self, body: str, path: str, kind: Kind, *, cut: int = 0) -> Rewritten:
        """The text of the note at a path with its links led to notes and files, without the first bytes."""
        links = partial(rewrite_links, body, path, kind.name, self.apart, self.dialect, self.vault)
        return links(cut=cut, public=self.public)

    def text_below(
        self, matter: FrontMatter, path: str, kind: Kind, shown_from: tuple[Rewritten, int]
    ) -> tuple[Rewritten, int]:
        """The text of a note below the heading that opens it, its links led on, and the line at which it begins."""
        shown, start = shown_from
        if is_mdx(path, self.dialect):  # a picture below the heading may be named by an import above it
            cut = len(shown.text.encode()) - len(shown.text[start:].lstrip("\n").encode())
            return self.linked(matter.body, path, kind, cut=cut), matter.body_line
        body, line = below(matter, shown, start) if start else (matter.body, matter.body_line)
        return self.linked(body, path, kind), line

    def former_paths(self, path: str, slug: str, raw: Mapping[str, object], kind: Kind) -> list[str]:
        """Where the note at a path was, by the rules of its tool and by other slugs."""
        slugs = former_slugs(path, slug, self.apart)
        addresses = self.layout.former_paths(path, {**self.handed, **raw})
        addresses += (f"/{kind.name}/{other}/" for other in slugs)
        return [address for address in addresses if address.rstrip("/") != f"/{kind.name}/{slug}"]

    def leads(self, path: str) -> Callable[[str], bool]:
        """Whether double brackets in the note at a path became a link, by what they hold."""
        return lambda inside: self.vault is not None and self.vault.has(inside, path)


NOTHING_KNOWN = Around()


def below(matter: FrontMatter, shown: Rewritten, start: int) -> tuple[str, int]:
    """The text below the heading that opens it, and its line; ``shown`` is the text without what its author hid."""
    at = shown.original_offset(len(shown.text[:start].encode()))
    rest = matter.body.encode()[at:].decode()
    cut = rest.lstrip("\n")
    return cut, matter.body_line + matter.body[: len(matter.body) - len(cut)].count("\n")
