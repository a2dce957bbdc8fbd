"""Merkle trees with the hashing of RFC 6962 section 2.1: roots, proofs, and their verification (RFC 9162)."""

import hashlib
from collections.abc import Iterable, Sequence

HASH_BYTES = 32
EMPTY_ROOT = hashlib.sha256(b"").digest()
"""The root of a tree without leaves."""
_LEAF, _NODE = b"\0", b"\1"


def leaf_hash(data: bytes) -> bytes:
    """The hash of a leaf with these bytes."""
    return hashlib.sha256(_LEAF + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of a node above two others."""
    return hashlib.sha256(_NODE + left + right).digest()


def root_of(leaves: Iterable[bytes]) -> bytes:
    """The root of the tree over these leaf hashes."""
    level = list(leaves)
    while len(level) > 1:
        level = _above(level)
    return level[0] if level else EMPTY_ROOT


def inclusion_proof(leaves: Sequence[bytes], index: int) -> list[bytes]:
    """The audit path of a leaf, from its sibling up. ``leaves`` are leaf hashes; ``index`` counts from 0."""
    level, proof = list(leaves), []
    while len(level) > 1:
        if (sibling := index ^ 1) < len(level):
            proof.append(level[sibling])
        level, index = _above(level), index >> 1
    return proof


def consistency_proof(leaves: Sequence[bytes], size: int) -> list[bytes]:
    """What shows that the tree over the first ``size`` leaves, at least one, was only appended to."""
    return _subproof(leaves, size, whole=True)


def is_included(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Whether an audit path leads from a leaf hash to the root of a tree of this size (RFC 9162 section 2.1.3.2)."""
    if not 0 <= index < size:
        return False
    place, last, node = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return False
        if place & 1 or place == last:
            node = node_hash(sibling, node)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            node = node_hash(node, sibling)
        place, last = place >> 1, last >> 1
    return last == 0 and node == root


def is_consistent(size: int, root: bytes, later_size: int, later_root: bytes, proof: Sequence[bytes]) -> bool:
    """Whether a tree of ``later_size`` leaves begins with one of ``size``, at least one (RFC 9162 section 2.1.4.2)."""
    if not 0 < size <= later_size:
        return False
    if size == later_size:
        return not proof and root == later_root
    # The root of a tree that is full is not repeated in the proof.
    nodes = [root, *proof] if size & (size - 1) == 0 else list(proof)
    if not nodes:
        return False
    place, last = size - 1, later_size - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    former = later = nodes[0]
    for node in nodes[1:]:
        if last == 0:
            return False
        if place & 1 or place == last:
            former, later = node_hash(node, former), node_hash(node, later)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            later = node_hash(later, node)
        place, last = place >> 1, last >> 1
    return last == 0 and former == root and later == later_root


def _above(level: Sequence[bytes]) -> list[bytes]:
    """The nodes above a level; one without a sibling goes up as it is."""
    pairs = list(map(node_hash, level[::2], level[1::2]))
    return [*pairs, level[-1]] if len(level) % 2 else pairs


def _subproof(leaves: Sequence[bytes], size: int, *, whole: bool) -> list[bytes]:
    """``SUBPROOF`` of RFC 6962 section 2.1.2; ``whole`` while the former root is known to the reader."""
    if size == len(leaves):
        return [] if whole else [root_of(leaves)]
    middle = 1 << (len(leaves) - 1).bit_length() - 1
    if size <= middle:
        return [*_subproof(leaves[:middle], size, whole=whole), root_of(leaves[middle:])]
    return [*_subproof(leaves[middle:], size - middle, whole=False), root_of(leaves[:middle])]
