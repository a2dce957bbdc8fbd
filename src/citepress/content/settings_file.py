"""``site.toml`` as a ``Site``, every wrong setting told with its line."""

import re
import tomllib
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from citepress.content.draft import open_text
from citepress.content.files import File
from citepress.content.front import validated
from citepress.content.text import line_of, position
from citepress.content.wording import Slip, dotted
from citepress.contract.fault import BAD_DEPRECATION, BAD_SITE, Fault, Place
from citepress.contract.refs import Location
from citepress.contract.site import Deprecation, Site
from citepress.contract.version import SUNSET_WINDOW_DAYS

NAME = "site.toml"
SITE_BYTES = 262_144
_AT = re.compile(r"\(at line (\d+), column (\d+)\)|\(at end of document\)")
_KEY = re.compile(r"""\s*["']?([A-Za-z0-9_.-]+)["']?\s*=""")
_TABLE = re.compile(r"\s*(\[\[?)\s*([A-Za-z0-9_.\" -]+?)\s*\]\]?")


@dataclass(frozen=True, slots=True)
class SiteFile:
    """The settings, and where each is written."""

    site: Site
    faults: tuple[Fault, ...] = ()


def read_site(root: Path, file: File) -> SiteFile:
    """The settings of a content folder; the defaults where the file is at fault."""
    text = open_text(root, file, SITE_BYTES)
    if isinstance(text, Fault):
        return SiteFile(Site(), (text,))
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return SiteFile(Site(), (_unreadable(text, str(error)),))
    except RecursionError:
        return SiteFile(Site(), (Fault.at(BAD_SITE, Place(NAME, 1, 1), "is nested too deep"),))
    site = validated(Site, raw)
    if isinstance(site, tuple):
        return SiteFile(Site(), tuple(_fault(text, slip) for slip in site))
    return SiteFile(site, _window_faults(text, site))


def find(text: str, location: Location) -> tuple[int, int]:
    """Line and column of a setting: of its key, or of the nearest table around it."""
    best: tuple[int, tuple[int, int]] = (0, (1, 1))
    here: Location = ()
    counts: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if table := _TABLE.match(line):
            here = _table(table, counts)
            found = here
        elif key := _KEY.match(line):
            found = (*here, *key[1].split("."))
        else:
            continue
        if found == location[: len(found)] and len(found) > best[0]:
            best = len(found), (number, len(line) - len(line.lstrip()) + 1)
    return best[1]


def _table(found: re.Match[str], counts: dict[str, int]) -> Location:
    name = found[2].replace('"', "")
    if found[1] == "[":
        return tuple(name.split("."))
    counts[name] = counts.get(name, -1) + 1
    return (*name.split("."), counts[name])


def place(root: Path, location: Location) -> Place:
    """Where a setting of the folder's ``site.toml`` is written."""
    return _place((root / NAME).read_text("utf-8"), location)


def _unreadable(text: str, message: str) -> Fault:
    at = _AT.search(message)
    line, column = (int(at[1]), int(at[2])) if at and at[1] else position(text, len(text))
    return Fault.at(
        BAD_SITE, Place(NAME, line, column, line_of(text, line)), f"the TOML cannot be read: {_AT.sub('', message).strip().lower()}"
    )


def _fault(text: str, slip: Slip) -> Fault:
    return Fault.at(BAD_SITE, _place(text, slip.location), f"{dotted(slip.location)}: {slip.message}", slip.hint)


def _place(text: str, location: Location) -> Place:
    line, column = find(text, location)
    return Place(NAME, line, column, line_of(text, line))


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
