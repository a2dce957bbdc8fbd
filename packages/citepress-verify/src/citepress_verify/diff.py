"""``citepress diff``: which public addresses changed since an edition."""

from collections import Counter
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from cyclopts import Parameter

from citepress.base import clock
from citepress.base.text import counted
from citepress.base.timestamps import rfc3339
from citepress.cli.console import Folder, answer, complain, is_content, report, waiting_for
from citepress.cli.faults import written
from citepress.cli.progress import building
from citepress.contract.fault import Faults
from citepress.edition.served import PATH_SAFE
from citepress.settings import from_environment
from citepress_verify.changed_addresses import AddressChange, AddressDifference, changed_addresses


def diff(
    folder: Folder = Path(),
    *,
    since: str | None = None,
    all_: Annotated[bool, Parameter(name="--all")] = False,
    base_url: str | None = None,
    state: Path | None = None,
    json: bool = False,
) -> int:
    """List the public addresses that publishing now would change, or that changed since an edition.

    Parameters
    ----------
    folder
        The content folder.
    since
        A date, a time (2026-11-01T12:00:00Z) or the number of an edition; the last edition when left out.
    all_
        Also representations, feeds and documents, not only pages of sitemaps.
    base_url
        Public address; overrides base_url in site.toml.
    state
        Folder of the state; by default state/ in the content folder.
    json
        Every address as JSON.
    """
    if not is_content(folder):
        return 2
    settings = from_environment(folder, state=state, base_url=base_url)
    if settings.state.exists() and not settings.state.is_dir():
        complain(f"{settings.state} is not a folder; name the state folder of the archive with --state")
        return 2
    try:
        with building("Reading and rendering"):
            difference = changed_addresses(settings, since, clock.now(), waiting_for)
    except Faults as faults:
        report(written(faults.faults, "text", records=None, terminal=False).rstrip())
        return 1
    answer("\n".join(_lines(difference, whole=all_)), _document(difference), as_json=json)
    return 0


def _lines(difference: AddressDifference, *, whole: bool) -> list[str]:
    shown = [each for each in difference.addresses if whole or each.announced]
    lines = [f"{each.change:<8} {_url(difference, each.path)}" for each in shown]
    counts = Counter(each.change for each in shown)
    total = ", ".join(
        f"{counts[change]} {change}" for change in (AddressChange.ADDED, AddressChange.CHANGED, AddressChange.REMOVED)
    )
    since = difference.since
    numbers = f"edition {max(since.numbers)} of " if since.numbers else "the edition of "
    what = "addresses" if whole else "pages"
    if not difference.addresses:
        return [f"Nothing changed since {numbers}{rfc3339(since.at)}."]
    lines.append(f"Since {numbers}{rfc3339(since.at)}: {total} {what}.")
    if hidden := len(difference.addresses) - len(shown):
        lines[-1] += f" --all shows {counted(hidden, 'more address')}: forms, feeds and documents."
    return lines


def _document(difference: AddressDifference) -> dict[str, object]:
    since = difference.since
    return {
        "since": {"at": rfc3339(since.at), "digest": since.digest, "numbers": sorted(since.numbers)},
        "digest": difference.digest,
        "addresses": [
            {"url": _url(difference, each.path), "change": str(each.change), "announced": each.announced}
            for each in difference.addresses
        ],
    }


def _url(difference: AddressDifference, path: str) -> str:
    return difference.base_url + quote(path, safe=PATH_SAFE)
