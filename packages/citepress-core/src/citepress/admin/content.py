"""Reads the content folder of a deployment under its settings, without building an edition."""

from dataclasses import replace
from datetime import datetime

from citepress.content.cache import ReadCache
from citepress.content.files import Survey
from citepress.content.folder import Folder, read
from citepress.kinds import ALL as KINDS
from citepress.kinds import REGISTRIES
from citepress.settings import Settings


def read_content(
    settings: Settings, moment: datetime, cache: ReadCache | None = None, surveyed: Survey | None = None
) -> Folder:
    """The content folder as it is now, or as it was surveyed, with the site as this run serves it."""
    folder = read(
        settings.root,
        KINDS,
        REGISTRIES,
        moment=moment,
        drafts=settings.drafts,
        cache=cache or ReadCache(),
        surveyed=surveyed,
    )
    return replace(folder, site=settings.applied(folder.site))
