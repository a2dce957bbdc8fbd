"""``site.toml`` as a ``Site``, every wrong setting told with its line."""

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from citepress.content import toml_loader
from citepress.content.files import ContentFile
from citepress.content.front import validated
from citepress.content.source_record import open_text
from citepress.content.text import line_of
from citepress.content.validation_messages import ValidationIssue, dotted
from citepress.content.value_marks import ParseFault
from citepress.contract.fault import BAD_DEPRECATION, BAD_SITE, Fault, Span
from citepress.contract.refs import Location
from citepress.contract.site import Deprecation, Site
from citepress.contract.version import SUNSET_WINDOW_DAYS

NAME = "site.toml"
SITE_BYTES = 262_144


@dataclass(frozen=True, slots=True)
class SiteFile:
    """The settings, and where each is written."""

    site: Site
    faults: tuple[Fault, ...] = ()


def read_site(root: Path, file: ContentFile) -> SiteFile:
    """The settings of a content folder; the defaults where the file is at fault."""
    text = open_text(root, file, SITE_BYTES)
    if isinstance(text, Fault):
        return SiteFile(Site(), (text,))
    try:
        raw = toml_loader.load(text, code=BAD_SITE)
    except ParseFault as error:
        line, column = error.mark
        return SiteFile(Site(), (Fault.at(BAD_SITE, Span(NAME, line, column, line_of(text, line)), error.message, error.hint),))
    site = validated(Site, raw)
    if isinstance(site, tuple):
        return SiteFile(Site(), tuple(_fault(text, slip) for slip in site))
    return SiteFile(site, _window_faults(text, site))


def find(text: str, location: Location) -> tuple[int, int]:
    """Line and column of a setting: of its key, or of the nearest table around it."""
    return toml_loader.marks(text).find(location, key=True)


def place(root: Path, location: Location) -> Span:
    """Where a setting of the folder's ``site.toml`` is written."""
    return _place((root / NAME).read_text("utf-8"), location)


def _fault(text: str, slip: ValidationIssue) -> Fault:
    return Fault.at(BAD_SITE, _place(text, slip.location), f"{dotted(slip.location)}: {slip.message}", slip.hint)


def _place(text: str, location: Location) -> Span:
    line, column = find(text, location)
    return Span(NAME, line, column, line_of(text, line))


def _window_faults(text: str, site: Site) -> tuple[Fault, ...]:
    found = ((place, _window_fault(row)) for place, row in enumerate(site.deprecations))
    return tuple(
        Fault.at(BAD_DEPRECATION, _place(text, ("deprecations", place, "sunset_on")), f"deprecations[{place}].sunset_on: {message}", hint)
        for place, (message, hint) in found
        if message
    )


def _window_fault(row: Deprecation) -> tuple[str, str]:
    if row.sunset_on is None:
        return "", ""
    if row.sunset_on < row.deprecated_on:
        return "is before deprecated_on", ""
    window = row.sunset_on - row.deprecated_on
    if window < timedelta(days=SUNSET_WINDOW_DAYS) and row.urgent is None:
        return f"leaves {window.days} days; {SUNSET_WINDOW_DAYS} are promised", "move it, or give the reason in `urgent`"
    return "", ""
