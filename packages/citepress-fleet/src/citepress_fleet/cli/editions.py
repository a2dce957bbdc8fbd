"""``citepress editions``: list, roll back and prune what was published to an object store."""

from datetime import timedelta
from pathlib import Path

from cyclopts import App

from citepress.admin.state_folders import PUBLISHED_FOLDER
from citepress.base import clock
from citepress.base.canonical import json_bytes
from citepress.base.text import counted
from citepress.base.timestamps import rfc3339
from citepress.cli.console import answer, complain, note, say, write
from citepress.cli.examples import ending
from citepress.contract.settings_table import settings_of
from citepress.edition.edition import pointer
from citepress.settings import DEPLOYMENT, deployment_of
from citepress_fleet.distribution import edition_list, existing_editions
from citepress_fleet.extension import EDITIONS
from citepress_fleet.purging import CachePurger
from citepress_fleet.settings import Purge

editions = App(
    name="editions", help="List, roll back and prune what was published to an object store.", help_format="plaintext"
)
STATE = Path("state")
Json = bool


@editions.command(name="list", help_epilogue=ending(*EDITIONS["editions list"]))
def listed(target: str, /, *, json: Json = False) -> int:
    """List the editions of a target, the newest first.

    Parameters
    ----------
    target
        Where the editions were published.
    json
        Print JSON.
    """
    rows = edition_list(target).listed()
    if json:
        write(json_bytes([{**row.manifest.model_dump(mode="json"), "current": row.current} for row in rows]))
        return 0
    for row in rows:
        manifest = row.manifest
        size = sum(manifest.objects().values())
        back = f"  the content of {manifest.rollback_to}" if manifest.rollback_to else ""
        say(
            f"{'*' if row.current else ' '} {manifest.number:>6}  {rfc3339(manifest.created)}  {size:>15,} bytes"
            f"  {manifest.digest[:16]}{back}"
        )
    if not rows:
        complain(f"{target} has no edition: nothing was published there; citepress publish FOLDER {target} does")
    return int(not rows)


@editions.command(help_epilogue=ending(*EDITIONS["editions rollback"]))
def rollback(target: str, /, *, to: int | None = None, state: Path = STATE, json: Json = False) -> int:
    """Publish an earlier edition again, under a new number.

    Parameters
    ----------
    target
        Where the editions were published.
    to
        Number of the edition; by default the one before the current one.
    state
        The state folder of publish, which has the key.
    json
        Print JSON.
    """
    manifest = existing_editions(state, target).roll_back(to, clock.now().replace(microsecond=0))
    text = f"Edition {manifest.number} of {target} has the content of edition {manifest.rollback_to}."
    answer(text, manifest.model_dump(mode="json"), as_json=json)
    output = state / PUBLISHED_FOLDER
    if (output / DEPLOYMENT).exists() and (rules := settings_of(deployment_of(pointer(output)), Purge)) is not None:
        CachePurger(rules, output, target).purge_everything()
        note("Purged the caches.")
    return 0


@editions.command(help_epilogue=ending(*EDITIONS["editions prune"]))
def prune(target: str, /, *, keep: int = 10, grace_hours: float = 24.0, state: Path = STATE, json: Json = False) -> int:
    """Remove old editions from a target, and objects that no other edition needs.

    Parameters
    ----------
    target
        Where the editions were published.
    keep
        Editions to keep in addition to the current one.
    grace_hours
        Age below which nothing is removed.
    state
        The state folder of publish, which has the key.
    json
        Print JSON.
    """
    pruned = existing_editions(state, target).prune(max(0, keep), timedelta(hours=max(0.0, grace_hours)), clock.now())
    lines = [f"Removed {counted(len(pruned.removed), 'object')} of {sum(pruned.removed.values()):,} bytes."]
    if pruned.young:
        lines.append(
            f"{counted(len(pruned.young), 'object')} of {sum(pruned.young.values()):,} bytes that no edition needs stay"
            f" until they are {grace_hours:g} hours old; --grace-hours 0 removes them where nobody is publishing now."
        )
    answer("\n".join(lines), {"removed": pruned.removed, "young": pruned.young}, as_json=json)
    return 0
