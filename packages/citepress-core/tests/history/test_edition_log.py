"""The log of editions beside an edition: what it covers, when it grows, and that nothing loses or rewrites it."""

import hashlib
import json
import os
import random
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.base.media import HTML, JSON, PLAIN_TEXT
from citepress.edition import publisher
from citepress.edition.compiler import RenderUnit
from citepress.edition.edition import Edition, open_edition, pointer
from citepress.edition.publisher import Notes, publish
from citepress.edition.verification.tree import tree_of
from citepress.history.state_files import EDITIONS_LOG
from citepress.settings import Settings
from citepress.transparency.continuity import BrokenHistoryError
from citepress.transparency.log_file import LogFile
from citepress.transparency.public_keys import SigningError
from citepress.transparency.shards import digits_for, edition_root, shard_digests, shard_of, shard_root
from citepress.transparency.signing import FORMER_KEY_FILE, KEY_FILE, signing_key
from citepress_verify.proofs import verified_head, verified_shard
from support.edition import SHELLS, leaf, moved, site_config, withdrawn
from support.folder import folder, post, topic

HEAD = "/.well-known/edition.json"
SHARD = "/.well-known/edition/shards/{}.json"
FILES: Mapping[str, str] = {
    "content/topics/moves.md": topic(),
    **{f"content/posts/note-{number}.md": post(f"Otters number {number}.") for number in range(5)},
}


class Archive:
    """A content folder that is built into a state folder."""

    def __init__(self, root: Path) -> None:
        self.settings = Settings(folder(root / "site", FILES), root / "state")
        self.log = LogFile(self.settings.state / EDITIONS_LOG)

    def edit(self, text: str) -> None:
        folder(self.settings.root, {"content/posts/note-1.md": post(text)})

    def build(self) -> Edition:
        """The edition of the content as it is now, as a process that has just started builds it."""
        return open_edition(Builder(self.settings).build(clock.now()).pointer)

    def head(self) -> dict[str, Any]:
        return document(open_edition(pointer(self.settings.state)), HEAD)


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive(tmp_path)


def document(edition: Edition, path: str) -> dict[str, Any]:
    served = edition.find(path)
    assert served is not None, path
    return json.loads(bytes(served.leaf.body))


def test_the_digests_of_an_edition_are_those_of_what_it_sends(archive: Archive) -> None:
    edition = archive.build()
    head = verified_head(document(edition, HEAD), None)
    covered = {}
    for number in range(head.entry.shards):
        name = f"{number:x}"
        covered |= verified_shard(document(edition, SHARD.format(name)), head, name)
    assert len(covered) == head.entry.entries
    assert {
        "/",
        "/posts/note-1/",
        "/posts/note-1.md",
        "/posts/note-1.json",
        "/robots.txt",
        "/rss.xml",
    } <= covered.keys()
    for path, digest in covered.items():
        served = edition.find(path)
        assert served is not None
        assert (served.leaf.status, served.leaf.live) == (200, False)
        assert hashlib.sha256(bytes(served.coded["identity"].body)).hexdigest() == digest
    left_out = set(edition.paths()) - covered.keys()
    live = {path for path in edition.paths() if (edition.meta(path) or {})["live"]}
    assert live
    assert left_out == live | {path for path in edition.paths() if (edition.meta(path) or {})["status"] != 200}


def test_an_edition_with_the_same_content_adds_nothing_and_an_edit_adds_an_entry(archive: Archive) -> None:
    archive.build()
    first = archive.head()
    archive.build()
    assert archive.head() == first
    archive.edit("Other otters.")
    archive.build()
    second = archive.head()
    assert (first["number"], first["previous"], second["number"], second["previous"]) == (1, None, 2, first["digest"])
    archive.edit("Otters number 1.")
    archive.build()
    third = archive.head()
    assert (third["number"], third["previous"], len(archive.log.lines())) == (3, second["digest"], 3)


def test_drafts_are_entered_nowhere(archive: Archive) -> None:
    settings = Settings(archive.settings.root, archive.settings.state, drafts=True)
    edition = open_edition(Builder(settings).build(clock.now()).pointer)
    assert edition.find(HEAD) is None
    assert archive.log.lines() == []


def test_a_process_that_dies_before_the_edition_is_pointed_to_takes_nothing_back(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive.build()
    first = archive.head()
    archive.edit("Never seen.")
    monkeypatch.setattr(publisher, "_point", lambda *_: os._exit(9))
    child = os.fork()
    if not child:
        archive.build()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    monkeypatch.undo()
    assert archive.head() == first
    held = archive.log.lines()
    assert len(held) == 2
    archive.build()
    assert (archive.head()["number"], archive.log.lines()) == (2, held)
    archive.edit("Seen.")
    archive.build()
    assert archive.log.lines()[:2] == held
    assert archive.head()["number"] == 3


def test_an_entry_that_was_half_written_is_written_again(archive: Archive) -> None:
    archive.build()
    archive.edit("More otters.")
    archive.build()
    whole = archive.log.path.read_bytes()
    archive.edit("Most otters.")
    archive.build()
    archive.log.path.write_bytes(archive.log.path.read_bytes()[: len(whole) + 40])
    assert Builder(archive.settings).standing(clock.now()) is None
    archive.build()
    assert archive.log.path.read_bytes().startswith(whole)
    assert archive.head()["number"] == len(archive.log.lines()) == 3


def test_an_edition_answers_from_its_own_part_of_a_log_that_grew_since(archive: Archive) -> None:
    edition = archive.build()
    archive.edit("More otters.")
    archive.build()
    assert edition.find("/.well-known/edition/log/tile/0/000.p/2") is None
    assert open_edition(pointer(archive.settings.state)).find("/.well-known/edition/log/tile/0/000.p/1") is not None


def test_an_edition_without_its_log_is_read_all_the_same(archive: Archive) -> None:
    edition = archive.build()
    archive.log.path.unlink()
    assert edition.find("/.well-known/edition/log/tile/0/000.p/1") is None
    assert edition.find(HEAD) is not None
    assert Builder(archive.settings).standing(clock.now()) is None


def _cut(lines: list[bytes]) -> None:
    del lines[1:]


def _garble(lines: list[bytes]) -> None:
    lines[1] = b"{" + lines[1]


def _skip(lines: list[bytes]) -> None:
    del lines[0]


def _swap(lines: list[bytes]) -> None:
    lines[2] = lines[2].replace(b'"published_at":"2', b'"published_at":"3')


def _retouch(lines: list[bytes]) -> None:
    lines[0] = lines[0].replace(b'"published_at":"2', b'"published_at":"3')


@pytest.mark.requirement("editions verified")
@pytest.mark.parametrize(
    ("damage", "named"),
    [
        (_cut, "line 2: it ends before entry 3"),
        (_garble, "line 2: the entry cannot be read"),
        (_skip, "line 1: the entry does not follow"),
        (_swap, "line 3: the entry is another one"),
        (_retouch, "lines 1 to 3: an entry was changed"),
        (list.clear, "line 1: it ends before entry 3"),
    ],
)
def test_a_damaged_log_is_not_published_as_a_new_history(
    archive: Archive, damage: Callable[[list[bytes]], None], named: str
) -> None:
    for text in ("One.", "Two.", "Three."):
        archive.edit(text)
        archive.build()
    whole = archive.log.path.read_bytes()
    lines = archive.log.lines()
    damage(lines)
    archive.log.path.write_bytes(b"".join(line + b"\n" for line in lines))
    damaged = archive.log.path.read_bytes()
    assert Builder(archive.settings).standing(clock.now()) is None, "a server looks at it when it starts"
    archive.edit("Four.")
    with pytest.raises(BrokenHistoryError, match=named) as refused:
        archive.build()
    assert str(archive.log.path) in str(refused.value)
    assert "--break-history" in str(refused.value)
    assert (archive.log.path.read_bytes(), archive.head()["number"]) == (damaged, 3), "all stays as it was"
    archive.log.path.write_bytes(whole)
    archive.build()
    assert archive.head()["number"] == 4, "restored, it goes on"


def test_a_new_log_begins_once_and_only_when_that_is_said(archive: Archive) -> None:
    archive.build()
    archive.edit("Two.")
    archive.build()
    archive.log.path.write_bytes(b"")
    archive.edit("Three.")
    builder = Builder(replace(archive.settings, break_history=True))
    builder.build(clock.now())
    assert (archive.head()["number"], len(archive.log.lines())) == (1, 1)
    assert archive.log.path.with_name("editions.jsonl.broken-1").exists(), "nothing is thrown away"
    archive.edit("Four.")
    archive.build()
    assert archive.head()["number"] == 2
    archive.log.path.write_bytes(b"")
    with pytest.raises(BrokenHistoryError):
        builder.build(clock.now())


def test_a_log_that_is_lost_with_the_edition_is_not_begun_anew_in_silence(archive: Archive) -> None:
    for text in ("One.", "Two.", "Three."):
        archive.edit(text)
        archive.build()
    state, backup = archive.settings.state, archive.log.path.read_bytes()
    shutil.rmtree(pointer(state).parent)
    archive.build()
    assert archive.head()["number"] == 3, "an edition alone can be lost: it is the same one again"
    older = b"".join(backup.splitlines(keepends=True)[:1])
    for held in (None, b"", older):
        for lost in (pointer(state).parent, archive.log.path.parent):
            shutil.rmtree(lost, ignore_errors=True)
        if held is not None:
            archive.log.path.parent.mkdir()
            archive.log.path.write_bytes(held)
        archive.edit("Four.")
        with pytest.raises(BrokenHistoryError, match=r"editions\.jsonl, line [12]: it ends before entry 3") as refused:
            archive.build()
        assert "--break-history" in str(refused.value)
    remembered = state / "editions.head"
    whole = remembered.read_bytes()
    remembered.write_bytes(whole[:-40])
    with pytest.raises(BrokenHistoryError, match=r"editions\.head: the head that was published last cannot be read"):
        archive.build()
    remembered.write_bytes(whole)
    archive.log.path.write_bytes(backup)
    archive.build()
    assert archive.head()["number"] == 4, "restored, it goes on"


@pytest.mark.parametrize("forgetful", [False, True])
def test_a_lost_key_is_not_replaced_in_silence(archive: Archive, forgetful: bool) -> None:
    archive.build()
    state, former = archive.settings.state, archive.head()["keys"][0]["kid"]
    (state / KEY_FILE).unlink()
    if forgetful:  # the packed edition may be deleted at any time
        pointer(state).unlink()
    archive.edit("More otters.")
    with pytest.raises(BrokenHistoryError, match=r"edition\.key: the key is lost"):
        archive.build()
    assert not (state / KEY_FILE).exists()
    if not forgetful:
        signing_key(state)
        with pytest.raises(BrokenHistoryError, match=r"another key than the one that signed edition 1"):
            archive.build()
        (state / KEY_FILE).unlink()
    Builder(replace(archive.settings, break_history=True)).build(clock.now())
    head = archive.head()
    assert (head["number"], head["keys"][0]["kid"] == former) == (2, False), "the log is whole, and goes on"


def test_a_new_key_signs_beside_the_former_one_while_that_is_kept(archive: Archive) -> None:
    archive.build()
    state = archive.settings.state
    former = archive.head()["keys"][0]
    (state / KEY_FILE).rename(state / FORMER_KEY_FILE)
    archive.build()
    head = archive.head()
    assert [key["kid"] for key in head["keys"]][1:] == [former["kid"]]
    assert head["keys"][0]["kid"] != former["kid"]
    assert len(verified_head(head, None).signers) == 2
    (state / FORMER_KEY_FILE).unlink()
    archive.build()
    assert archive.head()["keys"] == head["keys"][:1]


def test_a_key_that_others_can_read_signs_nothing(archive: Archive) -> None:
    archive.build()
    key = archive.settings.state / KEY_FILE
    key.chmod(0o640)
    archive.edit("More otters.")
    with pytest.raises(SigningError, match="chmod 600"):
        archive.build()
    assert archive.head()["number"] == 1
    key.chmod(0o600)


def test_the_tree_of_an_edited_edition_is_that_of_a_new_one(tmp_path: Path) -> None:
    chance = random.Random(6)  # noqa: S311  (edits, not secrets)
    texts = {f"/r{number}.txt": "first" for number in range(2045)}
    for step in range(30):
        for _ in range(chance.randrange(4)):
            texts[f"/r{chance.randrange(2060)}.txt"] = f"{step}"
        for path in chance.sample(sorted(texts), chance.randrange(4)):
            del texts[path]
        works = [unit(path, text) for path, text in texts.items()]
        result = publish(works, tmp_path, Notes(site_config(), SHELLS), {})
        edition = open_edition(result.pointer)
        digests = {path: hashlib.sha256(text.encode()).hexdigest() for path, text in texts.items()}
        shards = shard_digests(digests, digits_for(len(texts)))
        roots = [shard_root(sorted(shard.items())) for shard in shards.values()]
        tree = tree_of(edition.layers[0].notes)
        assert tree is not None
        assert (tree.digest, tree.entries, tree.shards) == (edition_root(roots).hex(), len(texts), len(roots))


def test_what_nobody_can_fetch_or_what_does_not_stay_is_not_covered(tmp_path: Path) -> None:
    leaves = (
        leaf("/a.json", JSON, "{}"),
        leaf("/counts.json", JSON, "{}", live=True),
        moved("/old/", "/new/"),
        withdrawn("/gone/", HTML, "It was withdrawn."),
        leaf("/two\nlines.txt", PLAIN_TEXT, "x"),
    )
    works = [RenderUnit(item.path.encode(), lambda item=item: (item,)) for item in leaves]
    result = publish(works, tmp_path, Notes(site_config(), SHELLS), {})
    tree = tree_of(open_edition(result.pointer).layers[0].notes)
    assert tree is not None
    assert tree.entries == 1


def test_an_edit_writes_the_shards_of_its_paths_alone(tmp_path: Path) -> None:
    texts = {f"/r{number}.txt": "first" for number in range(3000)}
    notes = Notes(site_config(), SHELLS)
    publish([unit(path, text) for path, text in texts.items()], tmp_path, notes, {})
    texts["/r7.txt"] = "second"
    result = publish([unit(path, text) for path, text in texts.items()], tmp_path, notes, {})
    changes = list(open_edition(result.pointer).layers[0].paths())
    assert changes == ["\0tree/" + shard_of("/r7.txt", 2), "\0tree/roots", "/r7.txt"]


def test_two_processes_that_publish_the_same_content_enter_it_once(archive: Archive) -> None:
    archive.build()
    tree = tree_of(open_edition(pointer(archive.settings.state)).layers[0].notes)
    assert tree is not None
    assert len(LogFile(archive.settings.state / EDITIONS_LOG).extended(tree, "2030-01-01T00:00:00Z")) == 1


def test_the_log_and_the_key_are_where_the_guide_says(archive: Archive) -> None:
    archive.build()
    state = archive.settings.state
    assert (state / "log" / "editions.jsonl").is_file()
    assert not signing_key(state)[1]


def unit(path: str, text: str) -> RenderUnit:
    return RenderUnit(
        hashlib.blake2b(f"{path} {text}".encode(), digest_size=16).digest(), lambda: (leaf(path, PLAIN_TEXT, text),)
    )
