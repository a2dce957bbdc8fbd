"""Reads ``site.toml``, or the settings of a server alone, and reports every wrong setting with its line."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

from citepress.base.public_urls import is_public_site
from citepress.content import toml_loader
from citepress.content.files import ContentFile, one_file
from citepress.content.front import InvalidError, validated
from citepress.content.open_text import open_text
from citepress.content.parsed import Parsed
from citepress.content.text import line_of
from citepress.content.validation_messages import ValidationIssue, dotted
from citepress.content.value_marks import ParseFault
from citepress.contract.fault import (
    BAD_DEPRECATION,
    BAD_SITE,
    UNKNOWN_KEY,
    UNTOLD_HUB,
    WIDE_PROXIES,
    Fault,
    Faults,
    Span,
)
from citepress.contract.refs import Location
from citepress.contract.site import NAME_PROXIES, Deployment, Deprecation, Site, is_wide
from citepress.contract.version import SUNSET_WINDOW_DAYS
from citepress.extension import install_hint, installed_with

SETTINGS_FILE = "site.toml"
SITE_BYTES = 262_144
_Settings = TypeVar("_Settings", Site, Deployment)


def read_site(root: Path, file: ContentFile) -> Parsed[Site]:
    """The settings of a content folder. Raises ``Faults``."""
    text = open_text(root, file, SITE_BYTES)
    site = _model(Site, SETTINGS_FILE, text)
    return Parsed(site, (*_window_faults(text, site), *_hub_faults(text, site), *_proxy_faults(text, site)))


def site_of(root: Path) -> Site:
    """The settings of a content folder alone, without reading anything else of it. Raises ``Faults``."""
    files, faults = one_file(root, SETTINGS_FILE)
    if faults:
        raise Faults(faults)
    read = read_site(root, files[0]).content if files else None
    return read or Site()


def has_base_url(root: Path) -> bool:
    """Whether a content folder names its public address; not where its settings cannot be read."""
    try:
        with (root / SETTINGS_FILE).open("rb") as opened:
            return "base_url" in toml_loader.load(opened.read(SITE_BYTES).decode())
    except (OSError, ValueError):
        return False


def read_deployment(path: Path) -> Deployment:
    """The settings of a server that has no content folder, named as in ``site.toml``. Raises ``Faults``."""
    try:
        with path.open("rb") as opened:
            text = opened.read(SITE_BYTES + 1).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Faults([Fault.at(BAD_SITE, Span(path.name, 1, 1, ""), f"cannot be read: {error}", "")]) from None
    if len(text) > SITE_BYTES:
        raise Faults([Fault.at(BAD_SITE, Span(path.name, 1, 1, ""), f"has more than {SITE_BYTES:,} bytes", "")])
    return _model(Deployment, path.name, text)


def find(text: str, location: Location) -> tuple[int, int]:
    """Line and column of a setting: of its key, or of the nearest table around it."""
    return toml_loader.marks(text).find(location, key=True)


def place(root: Path, location: Location) -> Span:
    """Where a setting of the folder's ``site.toml`` is written."""
    return _place((root / SETTINGS_FILE).read_text("utf-8"), location)


def _model(model: type[_Settings], name: str, text: str) -> _Settings:
    """A file of settings as its model. Raises ``Faults``."""
    try:
        return validated(model, toml_loader.load(text, code=BAD_SITE))
    except ParseFault as error:
        line, column = error.mark
        place = Span(name, line, column, line_of(text, line))
        raise Faults([Fault.at(BAD_SITE, place, error.message, error.hint)]) from None
    except InvalidError as error:
        raise Faults(_fault(text, issue, name) for issue in error.issues) from None


def _fault(text: str, issue: ValidationIssue, name: str) -> Fault:
    place = _place(text, issue.location, name)
    hint = install_hint(_offered_as(issue.location)) if issue.code is UNKNOWN_KEY else ""
    return Fault.at(BAD_SITE, place, f"{dotted(issue.location)}: {issue.message}", hint or issue.hint)


def _offered_as(location: Location) -> str:
    """``site.purge`` or ``site.theme.cards``: the name under which a package offers a table, or a member of one."""
    return ".".join(("site", *map(str, location[:2])))


def _place(text: str, location: Location, name: str = SETTINGS_FILE) -> Span:
    line, column = find(text, location)
    return Span(name, line, column, line_of(text, line))


def _window_faults(text: str, site: Site) -> tuple[Fault, ...]:
    windows = ((place, _window_fault(row)) for place, row in enumerate(site.deprecations))
    return tuple(
        Fault.at(
            BAD_DEPRECATION,
            _place(text, ("deprecations", place, "sunset_on")),
            f"deprecations[{place}].sunset_on: {message}",
            hint,
        )
        for place, (message, hint) in windows
        if message
    )


def _hub_faults(text: str, site: Site) -> tuple[Fault, ...]:
    """A hub that nobody tells, of a site that readers elsewhere can find."""
    if not site.hub or not is_public_site(site.base_url) or installed_with(("publications",)):
        return ()
    place = _place(text, ("hub",))
    return (Fault.at(UNTOLD_HUB, place, "hub: nobody tells it of editions", install_hint("site.hub")),)


def _proxy_faults(text: str, site: Site) -> Iterator[Fault]:
    """Networks that hold clients too, each of which could then choose its own address and limits."""
    for place, network in enumerate(site.trusted_proxies):
        if is_wide(network):
            at = ("trusted_proxies", place)
            message = f"{dotted(at)}: every client in {network} can choose its own address"
            yield Fault.at(WIDE_PROXIES, _place(text, at), message, NAME_PROXIES)


def _window_fault(row: Deprecation) -> tuple[str, str]:
    if row.sunset_on is None:
        return "", ""
    if row.sunset_on < row.deprecated_on:
        return "is before deprecated_on", ""
    window = row.sunset_on - row.deprecated_on
    if window < timedelta(days=SUNSET_WINDOW_DAYS) and row.urgent is None:
        return (
            f"leaves {window.days} days; {SUNSET_WINDOW_DAYS} are promised",
            "move it, or give the reason in `urgent`",
        )
    return "", ""
