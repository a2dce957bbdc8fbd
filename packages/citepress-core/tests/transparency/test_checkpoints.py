"""Signed heads: what is in a note, which keys vouch for it, and what is refused."""

import base64
import hashlib
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from citepress.transparency.checkpoints import (
    Checkpoint,
    CheckpointError,
    key_of,
    opened_note,
    signed_note,
)
from citepress.transparency.public_keys import verifier_key
from citepress.transparency.signing import KEY_FILE, SigningKey, signing_key

HEAD = Checkpoint("notes.example", 7, hashlib.sha256(b"root").digest())


@pytest.fixture
def key(tmp_path: Path) -> SigningKey:
    return signing_key(tmp_path / "own")[0]


def test_a_note_is_signed_as_its_format_says(key: SigningKey) -> None:
    text, _, block = signed_note(HEAD, [key]).partition("\n\n")
    assert text.split("\n") == ["notes.example", "7", base64.b64encode(HEAD.root).decode()]
    dash, name, signature = block.rstrip("\n").split(" ")
    raw, public = base64.b64decode(signature), base64.b64decode(key.public)
    assert (dash, name, len(raw)) == ("\u2014", "notes.example", 68)
    assert raw[:4] == hashlib.sha256(b"notes.example\n\x01" + public).digest()[:4]
    Ed25519PublicKey.from_public_bytes(public).verify(raw[4:], f"{text}\n".encode())


def test_a_note_tells_which_keys_signed_it(key: SigningKey, tmp_path: Path) -> None:
    former, stranger = (signing_key(tmp_path / name)[0] for name in ("former", "stranger"))
    note = signed_note(HEAD, [key, former])
    assert opened_note(note, [former.public, stranger.public, key.public]) == (HEAD, (former.public, key.public))
    assert opened_note(note, [stranger.public]) == (HEAD, ())


def test_a_note_that_was_changed_is_refused(key: SigningKey) -> None:
    note = signed_note(HEAD, [key])
    foreign = "\u2014 notes.example AAAA\n"
    for changed in (
        note.replace("\n7\n", "\n8\n"),
        note.replace("\n7\n", "\n07\n"),
        note.replace("\n7\n", "\n-7\n"),
        note.replace("\n\n", "\nmore\n\n"),
        note.replace("\n\n", "\n"),
        note[:-1],
        note + foreign,
        note + "\n",
        "",
        "\n\n",
        note.partition("\n\n")[0] + "\n\n",
        note + "\u2014 a+b c\n",
        note + "\u2014 other.example AAAAAAAA\n" * 20,
        "x" * 20_000 + note,
    ):
        with pytest.raises(CheckpointError):
            opened_note(changed, [key.public])
    renamed = note.replace("notes.example", "other.example", 1)
    assert opened_note(renamed, [key.public])[1] == ()


def test_a_key_is_read_as_verifiers_write_it_or_as_base64(key: SigningKey) -> None:
    assert key_of(verifier_key("notes.example", key.public)) == key.public
    assert key_of(key.public) == key.public
    for wrong in (
        "",
        "x",
        key.public[:-4],
        verifier_key("a", key.public).replace("a+", "b+", 1),
        f"a+00000000+{key.public}",
    ):
        with pytest.raises(CheckpointError, match="Ed25519"):
            key_of(wrong)


def test_the_key_is_for_its_owner_alone(tmp_path: Path) -> None:
    signing_key(tmp_path)
    assert (tmp_path / KEY_FILE).stat().st_mode & 0o777 == 0o600


def test_bits_of_base64_that_count_for_nothing_are_no_other_way_to_write_a_signature(key: SigningKey) -> None:
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    note = signed_note(HEAD, [key])
    assert opened_note(note, [key.public])[1] == (key.public,)
    body, last = note.removesuffix("=\n")[:-1], note.removesuffix("=\n")[-1]
    changed = f"{body}{alphabet[alphabet.index(last) + 1]}=\n"
    assert base64.b64decode(changed.rsplit(maxsplit=1)[-1]) == base64.b64decode(note.rsplit(maxsplit=1)[-1])
    with pytest.raises(CheckpointError, match="cannot be read"):
        opened_note(changed, [key.public])
