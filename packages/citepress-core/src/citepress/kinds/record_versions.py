"""How the page of a record leads to its revisions."""

from collections.abc import Mapping

from citepress.archive.model import Entry
from citepress.base.ids import revision_path, twin


def history_path(entry: Entry) -> str:
    """Path of the history of a record; empty where no revision is kept."""
    return f"{entry.path}history/" if entry.revisions and entry.revisions.published else ""


def timemap_path(entry: Entry) -> str:
    """Path of the TimeMap of a record; empty where no revision is kept."""
    history = history_path(entry)
    return history and twin(history, ".link")


def version_links(entry: Entry) -> Mapping[str, str]:
    """The links of a record to its revisions (RFC 5829), as paths by their relations."""
    history = history_path(entry)
    if not history or entry.revisions is None:
        return {}
    before = entry.revisions.predecessor
    links = {"version-history": history, "latest-version": entry.path}
    return links | ({"predecessor-version": revision_path(entry.path, before)} if before else {})


def version_inputs(entry: Entry) -> bytes:
    """What the page of a record shows of its revisions beside their number and address."""
    return repr(sorted(version_links(entry).items())).encode()
