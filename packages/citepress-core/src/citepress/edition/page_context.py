"""What pages for the site of an edition are rendered with while it is served."""

from collections.abc import Callable
from typing import Any, TypeAlias

from citepress.archive.labels import labelled
from citepress.archive.model import Archive, Owner
from citepress.edition.render_context import RenderContext
from citepress.edition.site_config import SiteConfig
from citepress.kinds import ALL as KINDS
from citepress.kinds import REGISTRIES

Rendering: TypeAlias = Callable[[Archive], RenderContext]
"""Makes the context of an archive."""


def page_context(config: SiteConfig, rendering: Rendering) -> RenderContext:
    """What a page for the site of an edition is rendered with; its archive holds no records."""
    empty: dict[str, Any] = {}
    return rendering(
        Archive(
            site=config.site,
            kinds=tuple(labelled(kind, config.publication) for kind in KINDS),
            registries=REGISTRIES,
            entries=empty,
            collections={kind.name: () for kind in KINDS},
            listed=frozenset(config.filled),
            topics=empty,
            ledger=empty,
            aliases=empty,
            origins=empty,
            datasets=(),
            owner=Owner(config.owner, "Organization", "", "", empty, ""),
            registered=empty,
            pages=empty,
            redirects=empty,
            withdrawn=(),
            changes=(),
            as_of=config.as_of,
            templates=config.templates,
        )
    )
