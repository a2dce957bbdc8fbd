"""Trees and their proofs: RFC 6962, and a second implementation that agrees."""

import pytest
from pymerkle import InmemoryTree, verify_consistency, verify_inclusion

from citepress.transparency.merkle import (
    EMPTY_ROOT,
    consistency_proof,
    inclusion_proof,
    is_consistent,
    is_included,
    leaf_hash,
    root_of,
)
from citepress.transparency.tiles import WIDTH, tile, tile_hashes, tile_name, tile_names

INPUTS = [
    bytes.fromhex(text)
    for text in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
]
"""The leaves of the test vectors of Certificate Transparency."""
SIZES = range(1, 71)
ENTRIES = [f"entry {number}".encode() for number in range(SIZES[-1])]
LEAVES = [leaf_hash(entry) for entry in ENTRIES]


def test_roots_are_those_of_certificate_transparency() -> None:
    assert EMPTY_ROOT.hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    leaves = [leaf_hash(data) for data in INPUTS]
    assert root_of(leaves[:1]).hex() == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"
    assert root_of(leaves).hex() == "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"


@pytest.mark.requirement("editions verified")
def test_a_second_implementation_has_the_same_roots_and_proofs() -> None:
    tree = InmemoryTree(algorithm="sha256")
    for entry in ENTRIES:
        tree.append_entry(entry)
    for size in SIZES:
        root = root_of(LEAVES[:size])
        assert tree.get_root(size) == root
        for index in range(size):
            foreign = tree.prove_inclusion(index + 1, size)
            own = inclusion_proof(LEAVES[:size], index)
            assert sorted(foreign.path) == sorted([LEAVES[index], *own])
            verify_inclusion(LEAVES[index], root, foreign)
            assert is_included(LEAVES[index], index, size, own, root)
        for former in range(1, size):
            verify_consistency(root_of(LEAVES[:former]), root, tree.prove_consistency(former, size))
            assert is_consistent(former, root_of(LEAVES[:former]), size, root, consistency_proof(LEAVES[:size], former))


def test_a_proof_holds_for_nothing_else() -> None:
    for size in (1, 2, 7, 8, 33):
        leaves, root = LEAVES[:size], root_of(LEAVES[:size])
        for index in range(size):
            proof = inclusion_proof(leaves, index)
            assert not any(
                is_included(leaves[index], other, size, proof, root) for other in range(size) if other != index
            )
            assert not is_included(leaf_hash(b"other"), index, size, proof, root)
            assert not is_included(leaves[index], index, size, [*proof, root], root)
            assert not proof or not is_included(leaves[index], index, size, proof[:-1], root)
        for former in range(1, size):
            proof = consistency_proof(leaves, former)
            assert not is_consistent(former, leaf_hash(b"other"), size, root, proof)
            assert not is_consistent(former, root_of(leaves[:former]), size, leaf_hash(b"other"), proof)
            assert not is_consistent(former, root_of(leaves[:former]), size, root, proof[:-1])
    assert not is_included(LEAVES[0], 0, 0, [], EMPTY_ROOT)
    assert not is_consistent(0, EMPTY_ROOT, 3, root_of(LEAVES[:3]), [])


def test_tiles_hold_what_the_log_is_made_of() -> None:
    lines = [f"edition {number}".encode() for number in range(WIDTH * 2 + 5)]
    leaves = [leaf_hash(line) for line in lines]
    full, rest, above = (tile(name, lines) for name in ("0/000", "0/002.p/5", "1/000.p/2"))
    assert tile_hashes(full, WIDTH) == leaves[:WIDTH]
    assert tile_hashes(rest, 5) == leaves[-5:]
    assert tile_hashes(above, 2) == [root_of(leaves[:WIDTH]), root_of(leaves[WIDTH : 2 * WIDTH])]
    assert tile("entries/002.p/1", lines) == b"\0\x0b" + lines[512]
    assert set(tile_names(len(lines))) == {
        *("0/000", "0/001", "0/002.p/5", "1/000.p/2"),
        *("entries/000", "entries/001", "entries/002.p/5"),
    }
    assert tile_name("entries", 1_234_067, 9) == "entries/x001/x234/067.p/9"
    beyond = ("0/002", "0/002.p/6", "0/003.p/1", "1/000", "2/000.p/1")
    for absent in (*beyond, "0/000.p/0", "0/000.p/256", "8/000", "0/x000/000", "0/../000"):
        assert tile(absent, lines) is None, absent
