"""Checks without trust: whatever is changed, left out or put in another order is noticed, and nothing else fails."""

import hashlib
import random
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from citepress.transparency.shards import shard_of
from citepress.transparency.signing import signing_key
from citepress_verify.proofs import (
    VerificationError,
    check_consistency,
    check_file,
    verified_head,
    verified_shard,
)
from support.verified_archive import VerifiedArchive

pytestmark = pytest.mark.long
TAMPERINGS = 10_000
PATH = "/posts/7.md"
State = dict[str, Any]
"""What a reader is shown: the file, the documents, and the hashes in the tiles of the log."""
Lie = Callable[[State, random.Random], object]


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> VerifiedArchive:
    archive = VerifiedArchive([signing_key(tmp_path_factory.mktemp("key"))[0]])
    archive.publish({f"/posts/{number}.md": b"text %d" % number for number in range(200)})
    for number in range(12):
        archive.publish({f"/posts/{number}.md": b"edit %d" % number})
    return archive


@pytest.fixture(scope="module")
def remembered(archive: VerifiedArchive) -> tuple[int, bytes]:
    """A head that a reader saw when the log had five entries."""
    former = VerifiedArchive(archive.keys, lines=archive.lines[:5]).checkpoint()
    return former.size, former.root


def shown(archive: VerifiedArchive) -> State:
    return {
        "data": archive.files[PATH],
        "head": archive.head(),
        "shard": archive.shard(shard_of(PATH, 1)),
        "leaves": archive.leaves(),
    }


def verify(state: State, archive: VerifiedArchive, remembered: tuple[int, bytes]) -> None:
    """What a reader does who trusts the key and remembers a head."""
    head = verified_head(state["head"], [archive.keys[0].public])
    check_consistency(remembered, head.checkpoint, state["leaves"])
    entries = verified_shard(state["shard"], head, shard_of(PATH, head.digits))
    check_file(entries, PATH, hashlib.sha256(state["data"]).hexdigest())


def other_character(text: str, chance: random.Random) -> str:
    place = chance.randrange(len(text))
    return text[:place] + chance.choice([c for c in "0123456789abcdefZ/+=\n " if c != text[place]]) + text[place + 1 :]


def change_file(state: State, chance: random.Random) -> None:
    data = bytearray(state["data"])
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    state["data"] = bytes(data)


def change_entry(state: State, chance: random.Random) -> None:
    row = chance.choice(state["shard"]["entries"])
    name = chance.choice(["path", "sha256"])
    row[name] = other_character(row[name], chance)


def change_hash(state: State, chance: random.Random) -> None:
    path = chance.choice([state["shard"], state["head"]["log"]])["audit_path"]
    place = chance.randrange(len(path))
    path[place] = other_character(path[place], chance)


def change_member(state: State, chance: random.Random) -> None:
    head, name = state["head"], chance.choice(["number", "entries", "shards", "digest", "previous", "published_at"])
    value = head[name]
    head[name] = other_character(value, chance) if isinstance(value, str) else value + chance.choice([-1, 1, 16])


def change_checkpoint(state: State, chance: random.Random) -> None:
    log = state["head"]["log"]
    log["checkpoint"] = other_character(log["checkpoint"], chance)


def change_tile(state: State, chance: random.Random) -> None:
    state["leaves"][chance.randrange(len(state["leaves"]))] = chance.randbytes(32)


def omit(state: State, chance: random.Random) -> None:
    rows = chance.choice(
        [state["shard"]["entries"], state["shard"]["audit_path"], state["head"]["log"]["audit_path"], state["leaves"]]
    )
    del rows[chance.randrange(len(rows))]


def omit_member(state: State, chance: random.Random) -> None:
    document = chance.choice([state["head"], state["head"]["log"], state["shard"]])
    del document[chance.choice([name for name in document if name != "base_url"])]


def repeat(state: State, chance: random.Random) -> None:
    rows = chance.choice([state["shard"]["entries"], state["leaves"], state["head"]["log"]["audit_path"]])
    rows.insert(chance.randrange(len(rows) + 1), deepcopy(chance.choice(rows)))


def reorder(state: State, chance: random.Random) -> None:
    rows = chance.choice([state["shard"]["entries"], state["leaves"], state["shard"]["audit_path"]])
    here, elsewhere = chance.sample(range(len(rows)), 2)
    rows[here], rows[elsewhere] = rows[elsewhere], rows[here]


def misplace(state: State, chance: random.Random) -> None:
    document = chance.choice([state["head"], state["head"]["log"], state["shard"], *state["shard"]["entries"]])
    # A reader who knows the key does not depend on the keys that the document names.
    name = chance.choice([name for name in document if name not in {"base_url", "keys"}])
    document[name] = chance.choice([None, True, -1, 1 << 70, 0.5, "", [], {}, [[]], "\x00", ["\u2028"]])


LIES: dict[Lie, int] = {
    change_file: 1,
    change_entry: 1,
    change_hash: 1,
    change_member: 1,
    change_checkpoint: 1,
    change_tile: 1,
    omit: 2,
    omit_member: 1,
    repeat: 1,
    reorder: 2,
    misplace: 1,
}


@pytest.mark.requirement("editions verified")
def test_ten_thousand_tamperings_omissions_and_reorderings_are_all_noticed(
    archive: VerifiedArchive, remembered: tuple[int, bytes]
) -> None:
    chance = random.Random(15)  # noqa: S311  (the same lies each time)
    honest, count = shown(archive), 0
    verify(deepcopy(honest), archive, remembered)
    while count < TAMPERINGS:
        lie = chance.choices([*LIES], [*LIES.values()])[0]
        state = deepcopy(honest)
        lie(state, chance)
        if state == honest:
            continue  # such as the same hash twice in another order
        count += 1
        try:
            verify(state, archive, remembered)
        except VerificationError:
            continue
        pytest.fail(f"{lie.__name__} went unnoticed: {state}")


def test_a_publisher_who_rewrites_history_is_caught_though_every_signature_fits(
    archive: VerifiedArchive, remembered: tuple[int, bytes]
) -> None:
    chance = random.Random(8)  # noqa: S311  (as above)
    for _ in range(40):
        lines = list(archive.lines)
        del lines[chance.randrange(5)]
        rewritten = VerifiedArchive(archive.keys, archive.files, lines)
        with pytest.raises(VerificationError, match="rewritten"):
            check_consistency(remembered, rewritten.checkpoint(), rewritten.leaves())
    shorter = VerifiedArchive(archive.keys, archive.files, archive.lines[:4])
    with pytest.raises(VerificationError, match="taken back"):
        check_consistency(remembered, shorter.checkpoint(), shorter.leaves())


def test_another_key_vouches_for_nothing(archive: VerifiedArchive, tmp_path: Path) -> None:
    stranger = signing_key(tmp_path)[0]
    forged = VerifiedArchive([stranger], archive.files, archive.lines)
    with pytest.raises(VerificationError, match="not signed with the key"):
        verified_head(forged.head(), [archive.keys[0].public])
    both = VerifiedArchive([stranger, archive.keys[0]], archive.files, archive.lines)
    assert verified_head(both.head(), [archive.keys[0].public]).signers == (archive.keys[0].public,)
    assert verified_head(both.head(), None).signers[0] == stranger.public
