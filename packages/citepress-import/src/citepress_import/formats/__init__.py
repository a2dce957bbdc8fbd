"""The formats that can be imported, in the order in which a source is tried."""

from citepress_import.formats import (
    feed,
    ghost,
    hexo,
    hugo,
    javascript_sites,
    jekyll,
    markdown,
    mkdocs,
    obsidian,
    pelican,
    vaults,
    wordpress,
    zola,
)
from citepress_import.former_site import ImportFormat

ALL: tuple[ImportFormat, ...] = (
    wordpress.FORMAT,
    ghost.FORMAT,
    feed.FORMAT,
    *vaults.FORMATS[:3],
    *pelican.FORMATS,
    *javascript_sites.FORMATS,
    *hexo.FORMATS,
    mkdocs.FORMAT,
    zola.FORMAT,
    hugo.FORMAT,
    jekyll.FORMAT,
    *vaults.FORMATS[3:],
    obsidian.FORMAT,
    markdown.FORMAT,
)
"""The first that recognises a source reads it; any folder of Markdown comes last."""
