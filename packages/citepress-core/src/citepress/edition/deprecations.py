"""Checks the deprecations of ``site.toml`` against the route table."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from citepress.base.text import did_you_mean
from citepress.content.folder import Folder
from citepress.content.settings_file import place
from citepress.contract.fault import BAD_DEPRECATION, PAST_SUNSET, UNANNOUNCED, UNKNOWN_PATH, Fault, FaultCode
from citepress.contract.site import Deprecation, Site
from citepress.contract.table import RouteTable


def deprecated_paths(site: Site, table: RouteTable) -> dict[str, str]:
    """The regular expression of each deprecated path that is a template of the route table."""
    patterns = {route.path: route.pattern.pattern for route in table}
    return {row.path: patterns[row.path] for row in site.deprecations if row.path in patterns}


def faults(root: Path, folder: Folder, table: RouteTable, moment: datetime) -> tuple[Fault, ...]:
    """Rows that no answer would carry, and rows without the day readers were informed, with their places."""
    numbered = [
        (number, fault)
        for number, row in enumerate(folder.site.deprecations)
        for fault in _faults(row, folder, table, moment)
    ]
    return tuple(
        Fault.at(code, place(root, ("deprecations", number, name)), f"deprecations[{number}].{name}: {message}", hint)
        for number, (code, name, message, hint) in numbered
    )


def _faults(
    row: Deprecation, folder: Folder, table: RouteTable, moment: datetime
) -> Iterator[tuple[FaultCode, str, str, str]]:
    if not _answered(row.path, folder, table):
        near = did_you_mean(row.path, sorted({route.path for route in table}))
        yield UNKNOWN_PATH, "path", f"{row.path} is not in the route table", near or "citepress routes lists them"
    if row.sunset_on is not None and row.sunset_on < moment:
        hint = "move the date, or remove the row if the path stays"
        yield PAST_SUNSET, "sunset_on", "has passed, and the path is still served", hint
    if row.announced_on is None:
        hint = "add announced_on: the day of the announcement"
        yield UNANNOUNCED, "deprecated_on", "lies in the future, and announced_on is missing", hint
    elif row.announced_on > moment:
        yield (
            BAD_DEPRECATION,
            "announced_on",
            "lies in the future; what is published is announced",
            "write the day of the announcement",
        )


def _answered(path: str, folder: Folder, table: RouteTable) -> bool:
    """Whether a row's path is a template or a path of the route table, or a file of the archive's own."""
    return path in folder.static or any(path == route.path or route.pattern.fullmatch(path) for route in table)
