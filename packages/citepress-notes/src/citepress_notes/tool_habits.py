"""What the settings of a tool say of all texts of its site: how they are written, and in which languages."""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from citepress.content.dialects import Dialect
from citepress_notes import lenient_values
from citepress_notes.lenient_values import items, table, words
from citepress_notes.site_notation import HIGHLIGHTS, MARKUP, TEMPLATES, VAULT

NAME_BLOCKS = frozenset({"obsidian", "logseq", "quartz", "foam", "dendron"})
"""Tools whose texts name blocks."""
METADATA = ("pelican", "logseq", "hexo")
"""Tools whose front matter has a notation of its own."""
NOTATIONS = {
    "mkdocs": MARKUP,
    "pelican": "tags",
    "obsidian": VAULT,
    "quartz": VAULT,
    "hugo": "hugo",
    "zola": "zola",
    "docusaurus": HIGHLIGHTS,
    "astro": HIGHLIGHTS,
    "eleventy": TEMPLATES,
    "jekyll": TEMPLATES,
    "hexo": TEMPLATES,
}


LABEL_FIRST = frozenset({"dendron", "wiki"})
"""Tools whose links have the label before the name, as in ``[[label|name]]``."""
EMOJI_EXTENSIONS = ("pymdownx.emoji", "materialx.emoji")
Settings = Callable[[str], Mapping[str, Any]]
"""The settings of a tool by its name."""


def dialect_of(tools: Collection[str], settings: Settings) -> Dialect:
    """How the texts of a site are written."""
    return Dialect(
        blocks=not NAME_BLOCKS.isdisjoint(tools),
        emoji="wiki" in tools or any(_draws_emoji(tool, settings(tool)) for tool in tools),
        mdx="docusaurus" in tools,
        metadata=metadata_of(tools),
        notation=next((NOTATIONS[tool] for tool in tools if tool in NOTATIONS), ""),
    )


ZONES = {"pelican": "TIMEZONE", "hexo": "timezone", "hugo": "timezone"}
"""The setting that names the zone of dates without an offset."""


def zone_of(tools: Collection[str], settings: Settings) -> str:
    """The zone in which the author of a site writes; empty where its tool reads dates in UTC."""
    return next((zone for tool in tools if tool in ZONES and (zone := words(settings(tool).get(ZONES[tool])))), "")


def metadata_of(tools: Collection[str]) -> str:
    """The tool whose own notation of front matter the texts have; nothing for the usual ones."""
    return next((tool for tool in METADATA if tool in tools), "")


def _draws_emoji(tool: str, settings: Mapping[str, Any]) -> bool:
    if tool == "hugo":
        return lenient_values.is_true(lenient_values.lowered(settings).get("enableemoji"))
    if tool == "zola":
        return lenient_values.is_true(table(settings.get("markdown")).get("render_emoji"))
    if tool == "jekyll":
        return "jemoji" in [*items(settings.get("plugins")), *items(settings.get("gems"))]
    if tool == "mkdocs":
        extensions = items(settings.get("markdown_extensions"))
        names = [name for item in extensions for name in (item if isinstance(item, Mapping) else [item])]
        return any(words(name) in EMOJI_EXTENSIONS for name in names)
    return False
