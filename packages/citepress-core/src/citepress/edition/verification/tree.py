"""The tree of an edition in its packs: one private leaf for each shard and one for their roots.

An edit writes those shards anew that hold a path of it, and takes the others over.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from itertools import chain
from typing import Any

from citepress.edition.leaf import PRIVATE, Leaf
from citepress.transparency.entries import EditionTree
from citepress.transparency.merkle import HASH_BYTES
from citepress.transparency.shards import (
    digits_for,
    edition_root,
    shard_body,
    shard_digests,
    shard_entries,
    shard_names,
    shard_of,
    shard_root,
)

TREE_MEMBER = "tree"
"""Member of the notes of a pack that says what the tree of its edition comes to."""
_ROUTE = f"{PRIVATE}tree/"
ROOTS = f"{_ROUTE}roots"
"""Private path of the roots of all shards, one after the other."""
Stored = Callable[[str], bytes | None]
"""Reads what is stored at a path."""


def shard_path(name: str) -> str:
    """Private path of a shard."""
    return f"{_ROUTE}{name}"


def tree_paths(tree: EditionTree) -> Iterator[str]:
    """The private paths of a tree."""
    yield ROOTS
    yield from map(shard_path, shard_names(tree.digits))


def tree_of(notes: Mapping[str, Any]) -> EditionTree | None:
    """The tree that the notes of a pack tell of; ``None`` in a pack of an earlier version."""
    return EditionTree(**notes[TREE_MEMBER]) if TREE_MEMBER in notes else None


def note_of(tree: EditionTree) -> dict[str, Any]:
    """A tree as the notes of a pack tell of it."""
    return asdict(tree)


def stored_roots(stored: Stored, tree: EditionTree) -> list[bytes]:
    """The roots of the shards of a tree that is stored."""
    roots = stored(ROOTS) or b""
    return [roots[number * HASH_BYTES : (number + 1) * HASH_BYTES] for number in range(tree.shards)]


def revised_tree(
    former: EditionTree | None, stored: Stored, written: Mapping[str, str], gone: Iterable[str]
) -> tuple[EditionTree, Iterable[Leaf]]:
    """The tree of an edition, and the leaves of it that are new.

    ``former`` is that of the edition before, of which ``stored`` reads the leaves; ``written`` has the digests of the
    paths that are new or changed and that the log covers, ``gone`` every path that it may have covered and covers no
    more.
    """
    if former is None:
        return _whole(written)
    digits = former.digits
    changed: dict[str, dict[str, str]] = {}
    count = former.entries
    for path in (*gone, *written):
        name = shard_of(path, digits)
        if name not in changed:
            changed[name] = dict(shard_entries(stored(shard_path(name)) or b""))
        entries = changed[name]
        count -= entries.pop(path, None) is not None
    for path, digest in written.items():
        changed[shard_of(path, digits)][path] = digest
    count += len(written)
    if digits_for(count) != digits:
        names = (name for name in shard_names(digits) if name not in changed)
        stayed = [shard_entries(stored(shard_path(name)) or b"") for name in names]
        return _whole(
            dict(entry for entries in (*stayed, *(each.items() for each in changed.values())) for entry in entries)
        )
    roots = stored_roots(stored, former)
    for name, entries in changed.items():
        roots[int(name, 16)] = shard_root(sorted(entries.items()))
    return _tree_and_leaves(count, changed, roots)


def _whole(digests: Mapping[str, str]) -> tuple[EditionTree, Iterable[Leaf]]:
    """A tree with every shard of it."""
    shards = shard_digests(digests, digits_for(len(digests)))
    roots = [shard_root(sorted(entries.items())) for entries in shards.values()]
    return _tree_and_leaves(len(digests), shards, roots)


def _tree_and_leaves(
    count: int, shards: Mapping[str, Mapping[str, str]], roots: list[bytes]
) -> tuple[EditionTree, Iterable[Leaf]]:
    leaves = (_leaf(shard_path(name), shard_body(entries)) for name, entries in sorted(shards.items()))
    return EditionTree(edition_root(roots).hex(), count, len(roots)), chain(leaves, [_leaf(ROOTS, b"".join(roots))])


def _leaf(path: str, body: bytes) -> Leaf:
    return Leaf(path, _ROUTE, "text", "text/plain; charset=utf-8", body, "")
