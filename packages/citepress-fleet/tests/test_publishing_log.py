"""The log of editions in a store: every server answers with the same head, whoever publishes and whatever is killed."""

import json
import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from citepress.base import clock
from citepress.edition.edition import Edition
from citepress.history.state_files import EDITIONS_LOG
from citepress.transparency.log_file import LogFile
from citepress.transparency.signing import FORMER_KEY_FILE, KEY_FILE, signing_keys
from citepress.transparency.tiles import WIDTH
from citepress_fleet.manifest import EditionManifest
from citepress_fleet.publishing import EditionContent, EditionStore, PublishConflictError
from citepress_verify.proofs import check_consistency, verified_head
from support.distribution import ArchivePublisher, FollowingServer, open_bucket
from support.folder import post

HEAD = "/.well-known/edition.json"
TILE = "/.well-known/edition/log/tile/0/000.p/{}"


@pytest.fixture
def publisher(tmp_path: Path) -> ArchivePublisher:
    (tmp_path / "bucket").mkdir()
    return ArchivePublisher(tmp_path / "publisher", open_bucket(tmp_path / "bucket"))


def edit(publisher: ArchivePublisher, text: str) -> None:
    publisher.edit({"content/posts/note-1.md": post(text)})


def body(edition: Edition, path: str) -> bytes:
    served = edition.find(path)
    assert served is not None, path
    return bytes(served.leaf.body)


def head(server: FollowingServer) -> dict[str, Any]:
    return json.loads(body(server.edition, HEAD))


@pytest.mark.requirement("editions verified")
def test_every_server_answers_with_the_same_head_and_the_same_log(tmp_path: Path, publisher: ArchivePublisher) -> None:
    servers = [FollowingServer(tmp_path / name, publisher.objects) for name in ("first", "second")]
    heads = []
    for number, text in enumerate(("One.", "Two or so.", "Three, and that is all."), 1):
        edit(publisher, text)
        publisher.publish()
        for server in servers:
            assert server.look(), server.notes
        paths = (HEAD, TILE.format(number), "/.well-known/edition/shards/0.json")
        for path in paths:
            assert body(servers[0].edition, path) == body(servers[1].edition, path)
        heads.append(verified_head(head(servers[0]), [publisher.key]))
    assert [each.entry.number for each in heads] == [1, 2, 3]
    tile = body(servers[1].edition, TILE.format(3))
    leaves = [tile[start : start + 32] for start in (0, 32, 64)]
    for former in heads:
        check_consistency((former.checkpoint.size, former.checkpoint.root), heads[-1].checkpoint, leaves)


def test_the_same_content_adds_nothing_and_a_rollback_is_an_entry(tmp_path: Path, publisher: ArchivePublisher) -> None:
    server = FollowingServer(tmp_path / "server", publisher.objects)
    publisher.publish()
    assert not publisher.publish().moved
    assert server.look()
    first = head(server)
    edit(publisher, "Walruses.")
    publisher.publish()
    publisher.store.roll_back(None, clock.now())
    assert server.look()
    assert (head(server)["number"], head(server)["digest"]) == (3, first["digest"])


def test_a_publisher_that_is_killed_before_the_pointer_moves_rewrites_nothing(
    tmp_path: Path, publisher: ArchivePublisher
) -> None:
    server = FollowingServer(tmp_path / "server", publisher.objects)
    publisher.publish()
    assert server.look()
    before = head(server)

    def die(_manifest: EditionManifest) -> None:
        raise KeyboardInterrupt

    edit(publisher, "Never seen.")
    with pytest.raises(KeyboardInterrupt):
        publisher.publish(die)
    assert not server.look()
    assert head(server) == before
    edit(publisher, "Seen.")
    publisher.publish()
    assert server.look()
    assert (head(server)["number"], head(server)["previous"]) == (2, before["digest"])


def test_the_store_has_the_log_for_a_publisher_that_lost_its_own(tmp_path: Path, publisher: ArchivePublisher) -> None:
    publisher.publish()
    log = publisher.settings.state / EDITIONS_LOG
    held = log.read_bytes()
    other = publisher.copied(tmp_path / "other")
    edit(other, "Walruses.")
    other.publish()
    shutil.rmtree(log.parent)
    edit(publisher, "Seals.")
    assert publisher.publish().manifest.number == 3
    assert log.read_bytes().startswith(held)
    assert len(LogFile(log).lines()) == 3


def test_of_two_publishers_at_once_one_enters_its_edition(tmp_path: Path, publisher: ArchivePublisher) -> None:
    publisher.publish()
    other = publisher.copied(tmp_path / "other")
    edit(publisher, "Walruses.")
    edit(other, "Seals.")
    with pytest.raises(PublishConflictError):
        publisher.publish(lambda _manifest: other.publish())
    server = FollowingServer(tmp_path / "server", publisher.objects)
    assert server.look()
    assert head(server)["number"] == 2
    assert b"Seals" in server.text("/posts/note-1.md")


def test_a_log_goes_on_in_a_store_where_a_server_kept_it(publisher: ArchivePublisher) -> None:
    LogFile(publisher.settings.state / EDITIONS_LOG).write(_entries(publisher, WIDTH + 3))
    manifest = publisher.publish().manifest
    assert manifest.log
    assert len(manifest.log.files) == 2
    edit(publisher, "Walruses.")
    later = publisher.publish().manifest
    assert later.log
    assert later.log.files[0] == manifest.log.files[0]
    assert publisher.store.prune(0, timedelta(0), clock.now() + timedelta(seconds=5)).removed
    edit(publisher, "Seals.")
    assert json.loads((publisher.publish().manifest.log or later.log).entry)["number"] == WIDTH + 6


def test_an_edition_of_an_earlier_version_is_served_without_a_log(tmp_path: Path, publisher: ArchivePublisher) -> None:
    manifest = publisher.publish().manifest
    edit(publisher, "Walruses.")
    content = manifest.model_copy(update={"tree": None, "log": None, "digest": "0" * 32, "layers": manifest.layers})
    publisher.store.publish(EditionContent(content.model_copy(update={"base_url": "https://former.test"}), {}))
    assert publisher.publish().moved
    server = FollowingServer(tmp_path / "server", publisher.objects)
    assert server.look()
    assert head(server)["number"] == 2


def test_a_new_key_goes_on_where_the_former_one_is_kept(tmp_path: Path, publisher: ArchivePublisher) -> None:
    publisher.publish()
    state = publisher.settings.state
    (state / KEY_FILE).rename(state / FORMER_KEY_FILE)
    keys = signing_keys(state)
    publisher.store = EditionStore(publisher.objects, keys, LogFile(state / EDITIONS_LOG))
    assert publisher.publish().moved, "servers that know the new key alone need a manifest that it signed"
    assert not publisher.publish().moved
    server = FollowingServer(tmp_path / "server", publisher.objects)
    assert server.look()
    assert verified_head(head(server), [publisher.key]).signers == (publisher.key,)
    assert verified_head(head(server), None).signers == (keys[0].public, publisher.key)
    assert head(server)["number"] == 1


def _entries(publisher: ArchivePublisher, count: int) -> list[bytes]:
    """A log of so many editions, the last of them not that of the publisher."""
    publisher.publish()
    line = LogFile(publisher.settings.state / EDITIONS_LOG).lines()[0]
    shutil.rmtree(Path(publisher.objects.target.removeprefix("file://")))
    Path(publisher.objects.target.removeprefix("file://")).mkdir()
    entry = json.loads(line)
    return [
        json.dumps({**entry, "number": number, "digest": f"{number:064x}"}).encode() for number in range(1, count + 1)
    ]
