"""Reads the content folder of a deployment under its settings, without building an edition."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from citepress.archive.resolve import derived_ahead
from citepress.content.cache import ReadCache
from citepress.content.files import Survey
from citepress.content.folder import Folder, read
from citepress.content.source_record import SourceRecord
from citepress.content.sources_file import SharedSources
from citepress.contract.site import Site
from citepress.kinds import ALL as KINDS
from citepress.kinds import REGISTRIES
from citepress.settings import Settings


def read_content(
    settings: Settings,
    moment: datetime,
    cache: ReadCache | None = None,
    surveyed: Survey | None = None,
    also: Callable[[SourceRecord], object] = id,
) -> Folder:
    """The content folder as it is now, or as it was surveyed, with the site as this run serves it.

    ``also`` notes something with each record that another process reads.
    """
    cache = cache or ReadCache()
    packed = cache.frames is not None

    def derive(shared: SharedSources, site: Site) -> Callable[[object], None]:
        return derived_ahead(shared, settings.applied(site), also, packed=packed)

    cache.derive = derive
    folder = read(
        settings.root, KINDS, REGISTRIES, moment=moment, drafts=settings.drafts, cache=cache, surveyed=surveyed
    )
    return replace(folder, site=settings.applied(folder.site))
