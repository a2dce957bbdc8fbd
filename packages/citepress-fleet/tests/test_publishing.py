"""Publishing to an object store: only what is new moves, the pointer last, and two publishers never interleave."""

from datetime import timedelta
from pathlib import Path

import orjson
import pytest

from citepress.base import clock
from citepress.transparency.public_keys import SigningError
from citepress.transparency.signing import KEY_FILE, signing_key
from citepress_fleet.manifest import EditionManifest, ManifestError
from citepress_fleet.publishing import PublishConflictError
from support.distribution import ArchivePublisher, FollowingServer, open_bucket
from support.folder import post

EDIT = {"content/posts/note-1.md": post("Walruses now.")}


@pytest.fixture
def publisher(tmp_path: Path) -> ArchivePublisher:
    return ArchivePublisher(tmp_path, open_bucket(tmp_path / "bucket"))


def _current(publisher: ArchivePublisher) -> int:
    stored = publisher.objects.get("current", 4096)
    assert stored
    return int(orjson.loads(stored.data)["number"])


def test_only_what_is_new_moves(publisher: ArchivePublisher) -> None:
    first = publisher.publish()
    assert first.manifest.number == 1
    assert first.uploaded == first.manifest.content()
    again = publisher.publish()
    assert not again.moved
    publisher.edit(EDIT)
    second = publisher.publish()
    assert second.manifest.number == 2
    base = f"packs/{first.manifest.layers[0].sha256}"
    assert base in second.manifest.objects()
    assert base not in second.uploaded
    assert len([name for name in second.uploaded if name.startswith("packs/")]) == 1
    files = {file.path.rpartition("/")[2] for file in second.manifest.index}
    assert "leftovers.json" in files
    assert "records.json" not in files, "only a build reads it, and it has a line for each record"
    assert _current(publisher) == 2


def test_of_two_publishers_at_once_one_wins_and_the_other_says_so(tmp_path: Path, publisher: ArchivePublisher) -> None:
    publisher.publish()
    other = publisher.copied(tmp_path / "other")
    publisher.edit(EDIT)
    other.edit({"content/posts/note-2.md": post("Seals now.")})
    with pytest.raises(PublishConflictError, match="another publisher"):
        publisher.publish(lambda _manifest: other.publish())
    stands = _current(publisher)
    server = FollowingServer(tmp_path / "server", publisher.objects)
    assert server.look()
    assert b"Seals now" in server.text("/posts/note-2.md")
    assert b"Walruses" not in server.text("/posts/note-1.md")
    assert publisher.publish().manifest.number > stands


def test_a_publisher_killed_before_it_moves_the_pointer_leaves_the_edition_and_the_way_free(
    tmp_path: Path, publisher: ArchivePublisher
) -> None:
    publisher.publish()
    publisher.edit(EDIT)

    def die(_manifest: EditionManifest) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        publisher.publish(die)
    server = FollowingServer(tmp_path / "server", publisher.objects)
    assert server.look()
    assert _current(publisher) == 1
    assert b"Otters number 1" in server.text("/posts/note-1.md")
    published = publisher.publish()
    assert published.uploaded == {}, "what it had uploaded is used"
    assert _current(publisher) == published.manifest.number
    assert published.manifest.number > 1
    assert server.look()
    assert b"Walruses now" in server.text("/posts/note-1.md")


def test_a_rollback_is_an_edition_of_its_own_that_uploads_nothing(tmp_path: Path, publisher: ArchivePublisher) -> None:
    publisher.publish()
    publisher.edit(EDIT)
    publisher.publish()
    server = FollowingServer(tmp_path / "server", publisher.objects)
    assert server.look()
    back = publisher.store.roll_back(None, clock.now())
    assert (back.number, back.rollback_to) == (3, 1)
    assert server.look()
    assert b"Otters number 1" in server.text("/posts/note-1.md")
    forth = publisher.store.roll_back(2, clock.now())
    assert (forth.number, forth.rollback_to) == (4, 2)
    with pytest.raises(ManifestError, match="edition 4 is the current one"):
        publisher.store.roll_back(4, clock.now())


def test_pruning_removes_what_no_edition_needs_and_nothing_else(tmp_path: Path, publisher: ArchivePublisher) -> None:
    for number in range(4):
        publisher.edit({"content/posts/note-1.md": post(f"State {number}." + "." * number)})
        publisher.publish()
    waiting = publisher.store.prune(0, timedelta(hours=1), clock.now())
    assert waiting.removed == {}, "a younger object may be about to be named"
    assert {"editions/1.json", "editions/2.json", "editions/3.json"} <= waiting.young.keys()
    removed = publisher.store.prune(1, timedelta(0), clock.now() + timedelta(seconds=5)).removed
    assert {name for name in removed if name.startswith("editions/")} == {"editions/1.json", "editions/2.json"}
    assert [row.manifest.number for row in publisher.store.listed()] == [4, 3]
    server = FollowingServer(tmp_path / "server", publisher.objects)
    assert server.look()
    assert b"State 3" in server.text("/posts/note-1.md")
    with pytest.raises(ManifestError, match="has no edition 2; its newest are 4 and 3"):
        publisher.store.roll_back(2, clock.now())


def test_a_publisher_with_another_key_is_refused(tmp_path: Path, publisher: ArchivePublisher) -> None:
    publisher.publish()
    stranger = ArchivePublisher(tmp_path / "stranger", publisher.objects)
    stranger.edit(EDIT)
    with pytest.raises(ManifestError, match="signed with another key"):
        stranger.publish()
    assert _current(publisher) == 1


def test_the_key_is_its_owners_alone(tmp_path: Path) -> None:
    key, created = signing_key(tmp_path)
    again, recreated = signing_key(tmp_path)
    assert (created, recreated) == (True, False)
    assert key.public == again.public
    file = tmp_path / KEY_FILE
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o644)
    with pytest.raises(SigningError, match="chmod 600"):
        signing_key(tmp_path)
    file.write_text("no key")
    file.chmod(0o600)
    with pytest.raises(SigningError, match="cannot be used"):
        signing_key(tmp_path)
