"""Following an object store: what is verified, what is refused; the last good edition stays whatever happens."""

import base64
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import orjson
import pytest

from citepress.admin.metrics import OperatorView
from citepress.base import clock
from citepress.base.canonical import canonical_bytes, digest
from citepress.edition.edition import open_edition, pointer
from citepress.edition.pack import DamagedPackError
from citepress.search.models import Query
from citepress.search.state import open_index
from citepress.settings import Settings
from citepress.stores.local.worker_metrics import MetricsTable
from citepress.transparency.signing import signing_key
from citepress_fleet.following import SERVER_FILE, Trust
from citepress_fleet.manifest import FORMAT
from support.distribution import ArchivePublisher, FollowingServer, open_bucket
from support.folder import post

EDIT = {"content/posts/note-1.md": post("Walruses now.")}


class Bucket:
    """A bucket with a published edition, whose files a test may change behind everybody's back."""

    def __init__(self, root: Path) -> None:
        self.root = root / "bucket"
        self.publisher = ArchivePublisher(root, open_bucket(self.root))
        self.publisher.publish()

    def next(self) -> dict[str, int]:
        """Publish a change; the objects that were new."""
        self.publisher.edit(EDIT)
        return dict(self.publisher.publish().uploaded)

    def file(self, name: str) -> Path:
        return self.root / name

    def rewrite(self, number: int, change: Callable[[dict[str, object]], object], key: str | None = None) -> None:
        """Change a manifest, and let the pointer name it; ``key`` signs it, in a state folder of its own."""
        file = self.file(f"editions/{number}.json")
        document = orjson.loads(file.read_bytes())
        change(document)
        if key:
            signer, _ = signing_key(self.root.parent / key)
            document = {name: value for name, value in document.items() if name != "signature"} | {"key": signer.public}
            document["signature"] = base64.b64encode(signer.sign(canonical_bytes(document))).decode()
        file.write_bytes(canonical_bytes(document))
        self.point(number)

    def point(self, number: int) -> None:
        """Let the pointer name an edition."""
        data = self.file(f"editions/{number}.json").read_bytes()
        self.file("current").write_bytes(orjson.dumps({"number": number, "digest": digest(data)}))


@pytest.fixture
def bucket(tmp_path: Path) -> Bucket:
    return Bucket(tmp_path)


@pytest.fixture
def server(tmp_path: Path, bucket: Bucket) -> FollowingServer:
    server = FollowingServer(tmp_path / "server", bucket.publisher.objects)
    assert server.look()
    return server


def _stays(server: FollowingServer, reason: str) -> None:
    """The former edition stays, and the operator is told why, once."""
    server.notes.clear()
    assert not server.look()
    assert not server.look()
    assert b"Otters number 1" in server.text("/posts/note-1.md")
    assert len(server.notes) == 1
    assert reason in server.notes[0]


def test_servers_follow_with_equal_bytes_and_etags(tmp_path: Path, bucket: Bucket, server: FollowingServer) -> None:
    second = FollowingServer(tmp_path / "second", bucket.publisher.objects)
    for change in (None, EDIT):
        if change:
            bucket.next()
            assert server.look()
        assert second.look()
        paths = list(server.edition.paths())
        assert paths == list(second.edition.paths())
        for path in paths:
            leaf_here, leaf_there = server.edition.find(path), second.edition.find(path)
            assert leaf_here
            assert leaf_there
            assert (bytes(leaf_here.leaf.body), leaf_here.sum) == (bytes(leaf_there.leaf.body), leaf_there.sum)
    assert not server.look()
    assert b"Walruses now" in server.text("/posts/note-1.md")
    hits = open_index(server.state / "search").search(Query(text="walruses")).hits
    assert [hit.id for hit in hits] == ["posts/note-1"]
    assert len(list((server.state / "edition").glob("*.pack"))) == 2, "of a third edition nothing is left"


def test_a_server_pins_the_first_key_and_says_so(bucket: Bucket, server: FollowingServer) -> None:
    assert server.notes == [
        f"Pinned the publisher's key {bucket.publisher.key}, seen for the first time; CITEPRESS_EDITION_KEY names it."
    ]
    assert orjson.loads((server.state / SERVER_FILE).read_bytes())["key"] == bucket.publisher.key


@pytest.mark.parametrize("folder", ["packs", "index"])
def test_one_flipped_byte_is_refused_by_the_name_of_its_object(
    bucket: Bucket, server: FollowingServer, folder: str
) -> None:
    name = max(
        (name for name in bucket.next() if name.startswith(folder)), key=lambda name: bucket.file(name).stat().st_size
    )
    whole = bucket.file(name).read_bytes()
    middle = len(whole) // 2
    bucket.file(name).write_bytes(whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :])
    _stays(server, f"{name} of {bucket.root.as_uri()} is damaged")
    bucket.file(name).write_bytes(whole[:-1])
    _stays(server, f"it has {len(whole) - 1:,} instead of {len(whole):,} bytes")
    bucket.file(name).write_bytes(whole + b"more")
    _stays(server, f"it has more than {len(whole):,} bytes")
    bucket.file(name).unlink()
    _stays(server, f"has no {name}")
    bucket.file(name).write_bytes(whole)
    assert server.look()
    assert b"Walruses now" in server.text("/posts/note-1.md")


def test_a_changed_manifest_is_refused(bucket: Bucket, server: FollowingServer) -> None:
    bucket.next()
    bucket.rewrite(2, lambda document: document.update(base_url="https://evil.test"))
    _stays(server, "the signature of editions/2.json does not fit")


def test_a_manifest_that_is_not_the_one_of_the_pointer_is_refused(bucket: Bucket, server: FollowingServer) -> None:
    bucket.next()
    file = bucket.file("editions/2.json")
    file.write_bytes(file.read_bytes() + b"\n")
    _stays(server, "is not the manifest that current names")


@pytest.mark.parametrize("left", ["signature", "key"])
def test_an_unsigned_edition_is_refused_unless_the_operator_takes_it(
    bucket: Bucket, server: FollowingServer, left: str
) -> None:
    bucket.next()
    bucket.rewrite(2, lambda document: document.pop(left))
    _stays(server, "editions/2.json is not signed")
    trusting = FollowingServer(server.state, bucket.publisher.objects, Trust(unsigned=True))
    assert trusting.look()


def test_an_edition_of_another_signer_is_refused_unless_its_key_is_named(
    bucket: Bucket, server: FollowingServer
) -> None:
    bucket.next()
    bucket.rewrite(2, lambda _: None, key="stranger")
    stranger = signing_key(bucket.root.parent / "stranger")[0].public
    _stays(server, f"editions/2.json is signed with {stranger}, and this server trusts {bucket.publisher.key}")
    trusting = FollowingServer(server.state, bucket.publisher.objects, Trust(key=stranger))
    assert trusting.look()


def test_a_named_key_refuses_even_the_first_edition_of_another(tmp_path: Path, bucket: Bucket) -> None:
    other = signing_key(tmp_path / "other")[0].public
    fresh = FollowingServer(tmp_path / "fresh", bucket.publisher.objects, Trust(key=other))
    assert not fresh.look()
    assert fresh.follower.served() is None
    assert "this server trusts" in fresh.notes[0]


def test_an_older_edition_is_refused_after_a_restart_too(bucket: Bucket, server: FollowingServer) -> None:
    bucket.next()
    assert server.look()
    bucket.point(1)
    for each in (server, FollowingServer(server.state, bucket.publisher.objects)):
        each.notes.clear()
        assert not each.look()
        assert "current names edition 1, which is older than edition 2" in each.notes[0]
        assert b"Walruses now" in each.text("/posts/note-1.md")
    trusting = FollowingServer(server.state, bucket.publisher.objects, Trust(older=True))
    assert trusting.look()
    assert b"Otters number 1" in trusting.text("/posts/note-1.md")


def test_an_edition_of_a_later_format_is_refused_in_words(bucket: Bucket, server: FollowingServer) -> None:
    bucket.next()
    bucket.rewrite(2, lambda document: document.update(reader=FORMAT + 1))
    _stays(server, "editions/2.json needs a newer version of citepress")


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b'{"number": 0, "digest": ""}', b"\xff" * 5000])
def test_a_damaged_pointer_is_refused_in_words(bucket: Bucket, server: FollowingServer, data: bytes) -> None:
    bucket.next()
    bucket.file("current").write_bytes(data)
    _stays(server, "current")


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_clock_that_is_an_hour_off_changes_nothing(
    tmp_path: Path, bucket: Bucket, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    right = clock.now
    monkeypatch.setattr(clock, "now", lambda: right() + timedelta(hours=hours))
    off = FollowingServer(tmp_path / "off", bucket.publisher.objects)
    assert off.look()
    bucket.next()
    assert off.look()
    assert b"Walruses now" in off.text("/posts/note-1.md")


def test_what_a_killed_server_left_is_downloaded_again(bucket: Bucket, server: FollowingServer) -> None:
    new = next(name for name in bucket.next() if name.startswith("packs/"))
    left = server.state / "edition" / f"{new.removeprefix('packs/')}.pack"
    left.with_name(left.name + ".part").write_bytes(b"half of it")
    (server.state / "search.part").mkdir()
    (server.state / "search.part" / "half").write_bytes(b"of it")
    again = FollowingServer(server.state, bucket.publisher.objects)
    assert again.look()
    assert b"Walruses now" in again.text("/posts/note-1.md")
    assert not list(server.state.rglob("*.part"))


def test_a_pack_that_was_damaged_on_the_disk_of_a_server_is_downloaded_again(
    bucket: Bucket, server: FollowingServer
) -> None:
    pack = next((server.state / "edition").glob("*.pack"))
    whole = pack.read_bytes()
    pack.unlink()
    pack.write_bytes(whole[:200] + bytes([whole[200] ^ 1]) + whole[201:])
    again = FollowingServer(server.state, bucket.publisher.objects)
    again.look()
    assert "was damaged on this disk" in again.notes[0]
    assert pack.read_bytes() == whole


def test_a_pack_that_is_damaged_under_a_server_is_downloaded_again(server: FollowingServer) -> None:
    pack = next((server.state / "edition").glob("*.pack"))
    whole, edition = pack.read_bytes(), open_edition(pointer(server.state))
    meta = edition.meta("/posts/note-1.md")
    assert meta
    place = meta["packed"][0] + 12
    with pack.open("r+b") as file:
        file.seek(place)
        file.write(bytes([whole[place] ^ 1]))
    with pytest.raises(DamagedPackError):
        edition.find("/posts/note-1.md")
    assert server.look(), "the pointer is written anew, so that servers open the file again"
    assert pack.read_bytes() == whole
    assert not server.look()


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"target": "x", "key": 5, "number": 1}', '{"key": null}'])
def test_a_server_that_forgot_whom_it_trusts_takes_nothing_new(
    bucket: Bucket, server: FollowingServer, text: str
) -> None:
    (server.state / SERVER_FILE).write_text(text)
    bucket.next()
    _stays(server, f"{SERVER_FILE} is damaged")
    assert (server.state / SERVER_FILE).read_text() == text


def test_the_number_and_the_age_of_the_edition_are_metrics(bucket: Bucket, server: FollowingServer) -> None:
    view = OperatorView(Settings(server.state, server.state), MetricsTable.create(server.state))
    bucket.next()
    assert server.look()
    values = {family.name: family.samples[0].value for family in view.metrics() if family.samples}
    view.close()
    assert values["citepress_edition_number"] == 2
    published = bucket.publisher.store.listed()[0].manifest.created
    age = (clock.now() - published).total_seconds()
    assert 0 <= values["citepress_edition_age_seconds"] <= age


def test_a_numbered_edition_stays(tmp_path: Path, bucket: Bucket) -> None:
    bucket.next()
    preview = FollowingServer(tmp_path / "preview", bucket.publisher.objects, number=1)
    assert preview.look()
    assert b"Otters number 1" in preview.text("/posts/note-1.md")
    assert not preview.look()
