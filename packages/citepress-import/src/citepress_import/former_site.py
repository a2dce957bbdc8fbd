"""A former site as its format reads it, before anything is converted."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from citepress_import.report import ImportReport
from citepress_import.source_tree import SourceTree
from citepress_notes.held_back import PublicRules
from citepress_notes.hidden_code import HiddenCode

Expand: TypeAlias = Callable[["FormerPage", HiddenCode, str], str]
"""``(page, code, text) -> text``: the notation of a format as Markdown."""
Target: TypeAlias = Callable[["FormerPage", str], str]
"""``(page, address) -> address``: the notation of a format for links as a path of its site or tree."""


Rule: TypeAlias = Callable[[str], str]
"""``words -> id``: the id that a tool gives a heading."""


def unchanged(_page: "FormerPage", text: str) -> str:
    """The text as it is."""
    return text


def unexpanded(_page: "FormerPage", code: HiddenCode, text: str) -> str:
    """The text with code among its words out of reach, and nothing else done."""
    return code.spans(text)


@dataclass
class FormerPage:
    """A post or a page of the former site."""

    source: str
    """The path of its file, or its name in an export; unique."""
    front: Mapping[str, object]
    """Its front matter, under the names of its tool."""
    body: str
    name: str
    """The word of which its slug is made."""
    path: str = ""
    """Its public path on the former site, decoded."""
    further: tuple[str, ...] = ()
    """Further former paths."""
    is_page: bool = False
    """Whether it is a page, such as about, and no dated post."""
    mdx: bool = False
    """Whether its body is MDX whatever its name."""
    is_front: bool = False
    """Whether its text is that of the front page."""
    html: bool = False
    """Whether its body is HTML."""
    templated: bool = False
    """Whether its HTML holds the notation of its tool, such as tags of templates."""
    toml: bool = False
    """Whether a bare word among its aliases is a path."""
    titles: tuple[str, ...] = ()
    """Other names by which wiki links refer to it."""


@dataclass(frozen=True)
class ImportFormat:
    """A tool whose sites can be imported."""

    name: str
    about: str
    """What is read, in a few words."""
    detect: Callable[[SourceTree], bool]
    """Whether a source is one of this tool."""
    read: Callable[[SourceTree], "FormerSite"]
    """The site of a source. Raises ``ImportRefusedError``."""
    in_repository: bool = False
    """Whether its sites are often one folder of a repository."""


@dataclass
class FormerSite:
    """Everything that a format reads of a former site."""

    tree: SourceTree
    pages: list[FormerPage]
    report: ImportReport
    settings: dict[str, str] = field(default_factory=dict)
    """Of ``title``, ``description``, ``base_url``, ``language`` and ``owner``."""
    assets: dict[str, str] = field(default_factory=dict)
    """Public path of each file that the site publishes as it is, and its path in the tree."""
    redirects: dict[str, str] = field(default_factory=dict)
    """Former path and the path or address that it leads to."""
    lists: dict[str, str] = field(default_factory=dict)
    """Former path of each list and feed that its tool made without a file, and the path of its like in the archive."""
    expand: Expand = unexpanded
    """Shortcodes, template tags and callouts to Markdown."""
    target: Target = unchanged
    roots: tuple[str, ...] = ("",)
    """Folders of the tree at which links that begin with a slash may begin, the one of pages first."""
    heading_id: Rule | None = None
    """The id that its tool gives a heading of these words; ``None`` where it gives none that is known."""
    wiki: bool = False
    """Whether texts have wiki links."""
    rules: PublicRules | None = None
    """What its tools do not publish; ``None`` for an export, whose format decides."""
    hosts: tuple[str, ...] = ()
    """Further addresses of the site itself."""
