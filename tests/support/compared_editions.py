"""Two editions of the same content, compared path by path."""

from datetime import UTC, datetime

from citepress.edition.edition import Edition

MOMENT = datetime(2026, 11, 21, tzinfo=UTC)
PLACES = frozenset({"packed", "bodies", "dictionary"})
"""What of a meta record depends on the pack that it lies in."""


def assert_same(grown: Edition, fresh: Edition) -> None:
    """Every path answers with the same bytes and the same header fields."""
    assert list(grown.paths()) == list(fresh.paths())
    assert sorted(grown.addresses()) == sorted(fresh.addresses())
    for path in fresh.paths():
        metas = [edition.meta(path) or {} for edition in (grown, fresh)]
        one_side, other = ({name: value for name, value in meta.items() if name not in PLACES} for meta in metas)
        assert (path, one_side) == (path, other)
        assert bytes(grown.body(path) or b"") == bytes(fresh.body(path) or b""), path
    assert grown.digest == fresh.digest
