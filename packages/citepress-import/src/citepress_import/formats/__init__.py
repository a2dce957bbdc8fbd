"""The formats that can be imported, in the order in which a source is tried."""

from citepress_import.formats import feed, ghost, hugo, jekyll, markdown, mkdocs, obsidian, wordpress, zola
from citepress_import.former_site import ImportFormat

ALL: tuple[ImportFormat, ...] = (
    wordpress.FORMAT,
    ghost.FORMAT,
    feed.FORMAT,
    mkdocs.FORMAT,
    zola.FORMAT,
    hugo.FORMAT,
    jekyll.FORMAT,
    obsidian.FORMAT,
    markdown.FORMAT,
)
"""The first that recognises a source reads it; any folder of Markdown comes last."""
