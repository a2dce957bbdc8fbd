"""``citepress ping``: tell the hub of the feeds and IndexNow which addresses changed."""

from collections.abc import Callable
from pathlib import Path

import orjson

from citepress.admin.build import BUILD_LOCK_WAIT_S, separate_builder
from citepress.admin.state_folders import PUBLISHED_FOLDER
from citepress.base import clock
from citepress.base.folder_lock import exclusive
from citepress.base.text import counted
from citepress.cli.console import answer, complain, is_content, note, say, waiting_for, write
from citepress.cli.faults import written
from citepress.contract.fault import Faults
from citepress.edition.edition import Edition, open_edition
from citepress.settings import from_environment
from citepress_fleet.announcing import INDEXNOW, ChangeAnnouncer

SERVICES = {"hub": ("the WebSub hub", "feed"), "indexnow": ("IndexNow", "page")}
"""What each service is called, and what it is told of."""
TELLING = "announcing"
"""Folder whose lock is held by whoever tells services: beside ``citepress ping`` a server may tell the hub."""


def ping(
    folder: Path,
    /,
    *,
    dry_run: bool = False,
    indexnow: str = INDEXNOW,
    base_url: str | None = None,
    state: Path | None = None,
    json: bool = False,
) -> int:
    """Notify the hub and IndexNow of addresses that changed since the last time.

    Parameters
    ----------
    folder
        The content folder.
    dry_run
        Print the changed addresses, and notify nobody.
    indexnow
        Address of a search engine of IndexNow, which informs the others.
    base_url
        Public address; overrides base_url in site.toml.
    state
        Folder of the state; by default state/ in the content folder.
    json
        Print counts by service, or the addresses of a dry run, as JSON.
    """
    settings = from_environment(folder, state=state, base_url=base_url)
    if not is_content(folder):
        return 2
    try:
        with separate_builder(settings, PUBLISHED_FOLDER, waiting_for) as builder:
            edition = open_edition(builder.ensure(clock.now()).pointer)
            if dry_run:
                return _list(builder.output, edition, as_json=json)
            return announce(builder.output, edition, indexnow, as_json=json)
    except Faults as faults:
        note(written(faults.faults, "text", records=None, terminal=False).rstrip())
        return 1


def announce(
    folder: Path,
    edition: Edition,
    endpoint: str = INDEXNOW,
    say: Callable[[str], object] = say,
    *,
    as_json: bool = False,
) -> int:
    """Tell what changed, and say so. Raises ``AnnouncementError``."""
    if not _is_told(edition):
        return 1
    with exclusive(folder / TELLING, BUILD_LOCK_WAIT_S, _waiting_for):
        counts = ChangeAnnouncer(folder, edition, endpoint).announce()
    if as_json:
        write(orjson.dumps(counts, option=orjson.OPT_APPEND_NEWLINE))
        return 0
    for service, count in counts.items():
        name, word = SERVICES[service]
        say(f"Notified {name} of {counted(count, f'changed {word}')}.")
    if not counts:
        say("Nothing changed since the last notification.")
    return 0


def _list(folder: Path, edition: Edition, *, as_json: bool) -> int:
    """Print what would be told."""
    if not _is_told(edition):
        return 1
    changed: dict[str, list[str]] = {}
    for announcement in ChangeAnnouncer(folder, edition).announcements():
        addresses = (f"{edition.config.base_url}{path}" for path in announcement.digests)
        changed.setdefault(announcement.service, []).extend(addresses)
    lines = [f"{service} {address}" for service, addresses in changed.items() for address in addresses]
    answer("\n".join(lines or ["Nothing changed since the last notification."]), changed, as_json=as_json)
    return 0


def _waiting_for(holder: str) -> None:
    note(f"Waiting for {holder}, which tells the hub.")


def _is_told(edition: Edition) -> bool:
    """Whether the site names anybody who is told of changes; complains otherwise."""
    publication = edition.config.publication
    if publication.hub or publication.indexnow_key:
        return True
    complain("nothing to notify: site.toml names neither hub nor indexnow_key")
    return False
