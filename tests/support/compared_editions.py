"""Two editions of the same content, compared path by path."""

import shutil
from datetime import UTC, datetime
from pathlib import Path

from citepress.edition.edition import Edition
from citepress.edition.verification.declared import LOG
from citepress.edition.verification.tree import tree_of, tree_paths

MOMENT = datetime(2026, 11, 21, tzinfo=UTC)
PLACES = frozenset({"packed", "bodies", "dictionary"})
"""What of a meta record depends on the pack that it lies in."""


def with_history(state: Path, fresh: Path) -> Path:
    """A fresh state folder with the revisions that another one keeps: they are no part of the content."""
    shutil.copytree(state / "revisions", fresh / "revisions", ignore=shutil.ignore_patterns("*.lock"))
    return fresh


def assert_same(grown: Edition, fresh: Edition) -> None:
    """Every path answers with the same bytes and the same header fields."""
    assert list(grown.paths()) == list(fresh.paths())
    assert _addresses(grown) == _addresses(fresh)
    for path in fresh.paths():
        metas = [edition.meta(path) or {} for edition in (grown, fresh)]
        one_side, other = ({name: value for name, value in meta.items() if name not in PLACES} for meta in metas)
        assert (path, one_side) == (path, other)
        assert bytes(grown.body(path) or b"") == bytes(fresh.body(path) or b""), path
    assert grown.digest == fresh.digest
    tree = tree_of(fresh.layers[0].notes)
    assert tree is not None
    assert tree_of(grown.layers[0].notes) == tree
    assert all(grown.body(path) == fresh.body(path) for path in tree_paths(tree))


def _addresses(edition: Edition) -> list[str]:
    """Every address but those of the log, which is about the editions before as well."""
    return sorted(address for address in edition.addresses() if not address.startswith(LOG))
