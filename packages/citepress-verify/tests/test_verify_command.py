"""``citepress verify`` against servers that are honest and servers that lie, and against files of an export."""

import json
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.edition.edition import Edition, open_edition, pointer
from citepress.history.state_files import EDITIONS_LOG
from citepress.settings import Settings
from citepress.transparency.log_file import LogFile
from citepress.transparency.signing import FORMER_KEY_FILE, KEY_FILE
from support.commands import citepress
from support.export import exported
from support.fake_http_server import Answer, answering
from support.folder import folder, post
from support.running_server import serving

FILES = {"content/posts/otters.md": post("Otters swim.")}
HEAD = "/.well-known/edition.json"
Reply = Callable[[str, bytes], bytes]
"""What a server makes of the path and the bytes of an edition."""


@dataclass
class Publisher:
    """An archive that is shown by a server whose answers the test may bend."""

    root: Path
    base_url: str = ""
    edition: Edition | None = None
    bent: Reply = field(default=lambda _path, data: data)
    breaking: bool = False
    """Whether it goes on with a key that nobody knows."""

    @property
    def settings(self) -> Settings:
        return Settings(self.root / "site", self.root / "state", base_url=self.base_url, break_history=self.breaking)

    def publish(self, text: str = "Otters swim.") -> None:
        folder(self.root / "site", {"content/posts/otters.md": post(text)})
        self.edition = open_edition(Builder(self.settings).build(clock.now()).pointer)

    def forget(self) -> None:
        """Let nothing remind the publisher of what it published."""
        for file in (pointer(self.settings.state), self.settings.state / "editions.head"):
            file.unlink()

    def answer(self, path: str, _body: bytes) -> Answer:
        prefix = "/notes" if self.base_url.endswith("/notes") else ""
        path = path.removeprefix(prefix) if path.startswith(prefix) else ""
        served = self.edition.find(path) if self.edition else None
        return Answer(self.bent(path, bytes(served.leaf.body))) if served else Answer(b"nothing", 404)

    def verify(self, *options: str, path: str = "/posts/otters.md") -> tuple[int, dict[str, Any], str]:
        """Exit code, what was result, and the sentence of a failure."""
        heads = str(self.root / "known.json")
        done = citepress("verify", f"{self.base_url}{path}", "--heads", heads, "--json", *options)
        return done.returncode, json.loads(done.stdout or "{}"), done.stderr

    def refused(self, *options: str, path: str = "/posts/otters.md") -> str:
        """Why nothing was verified."""
        code, result, sentence = self.verify(*options, path=path)
        assert (code, result) == (1, {})
        return sentence


@contextmanager
def published(root: Path, prefix: str = "") -> Iterator[Publisher]:
    folder(root / "site", FILES)
    publisher = Publisher(root)
    with answering(publisher.answer) as address:
        publisher.base_url = address + prefix
        publisher.publish()
        yield publisher


@pytest.fixture
def publisher(tmp_path: Path) -> Iterator[Publisher]:
    with published(tmp_path) as running:
        yield running


@pytest.mark.requirement("editions verified")
def test_a_reader_remembers_the_first_key_and_then_follows_the_log(publisher: Publisher) -> None:
    code, first, _ = publisher.verify()
    assert (code, first["edition"], first["trust"], first["compared_with"]) == (0, 1, "first", None)
    publisher.publish("Otters dive.")
    publisher.publish("Otters sleep.")
    code, later, _ = publisher.verify()
    assert (code, later["edition"], later["trust"], later["compared_with"]) == (0, 3, "remembered", 1)
    assert (later["key"], later["sha256"] != first["sha256"]) == (first["key"], True)
    assert publisher.verify(path="/")[1]["compared_with"] == 3
    assert publisher.verify(path="/posts/otters/")[0] == 0


@pytest.mark.parametrize(
    ("path", "bent", "reason"),
    [
        ("/posts/otters.md", lambda data: data + b" ", "not those of"),
        (HEAD, lambda data: data.replace(b'"number":1', b'"number":2'), "contradicts itself"),
        (HEAD, lambda data: data.replace(b'"entries":', b'"entries":1'), "not the newest entry"),
        (HEAD, lambda data: data.replace(b"\\n1\\n", b"\\n2\\n"), "changed after it was signed"),
        (HEAD, lambda _data: b"<html>", "no JSON"),
        (HEAD, lambda _data: b"[]", "no JSON object"),
    ],
)
def test_what_a_server_changes_is_noticed(
    publisher: Publisher, path: str, bent: Callable[[bytes], bytes], reason: str
) -> None:
    publisher.bent = lambda at, data: bent(data) if at == path else data
    assert reason in publisher.refused()


def test_an_entry_that_is_left_out_is_noticed(publisher: Publisher) -> None:
    def without(path: str, data: bytes) -> bytes:
        if "/shards/" not in path:
            return data
        document = json.loads(data)
        document["entries"] = [row for row in document["entries"] if row["path"] != "/posts/otters.md"]
        return json.dumps(document).encode()

    publisher.bent = without
    assert "changed, added or left out" in publisher.refused()


def test_an_address_that_the_edition_does_not_cover_is_not_verified(publisher: Publisher) -> None:
    assert "has no /.well-known/edition.json" in publisher.refused(path=HEAD)
    assert "nothing is published" in publisher.refused(path="/posts/none.md")


def test_a_server_that_sends_slowly_holds_nobody_for_longer_than_allowed(tmp_path: Path) -> None:
    held = threading.Event()

    def slow(_path: str, _body: bytes) -> Answer:
        held.wait(60)
        return Answer(b"late")

    with answering(slow) as address:
        done = citepress("verify", f"{address}/x.md", "--heads", str(tmp_path / "known.json"), "--timeout", "0.3")
        held.set()
    assert done.returncode == 1
    assert "it took more than 0.3 seconds: allow more with --timeout" in done.stderr
    refused = citepress("verify", "http://127.0.0.1:9/x.md", "--timeout", "0")
    assert (refused.returncode, "a number of seconds above 0" in refused.stderr) == (2, True)


@pytest.mark.requirement("editions verified")
def test_a_publisher_who_rewrites_or_takes_back_history_is_caught(publisher: Publisher) -> None:
    publisher.publish("Otters dive.")
    assert publisher.verify()[0] == 0
    log = LogFile(publisher.settings.state / EDITIONS_LOG)
    first, second = log.lines()
    log.write([first.replace(b'"entries":', b'"entries":1'), second])
    publisher.forget()
    publisher.publish("Otters sleep.")
    assert "not those of before: history was rewritten" in publisher.refused()
    log.write([])
    publisher.forget()
    publisher.publish("Otters eat.")
    assert "history was taken back" in publisher.refused()


def test_another_key_is_trusted_when_it_is_named_and_not_because_it_signed_too(publisher: Publisher) -> None:
    first = publisher.verify()[1]["key"]
    publisher.breaking = True
    state = publisher.settings.state
    (state / KEY_FILE).rename(state / FORMER_KEY_FILE)
    hidden = (state / FORMER_KEY_FILE).rename(state / "elsewhere")
    publisher.publish("Otters dive.")
    assert "not signed with the key that is trusted" in publisher.refused()
    hidden.rename(state / FORMER_KEY_FILE)
    publisher.publish("Otters dive.")
    assert publisher.verify()[1]["key"] == first
    hidden = (state / FORMER_KEY_FILE).rename(state / "elsewhere")
    publisher.publish("Otters sleep.")
    assert "not signed with the key that is trusted" in publisher.refused()
    hidden.rename(state / FORMER_KEY_FILE)
    publisher.publish("Otters wake.")
    assert publisher.edition
    head = publisher.edition.find(HEAD)
    assert head
    named = json.loads(bytes(head.leaf.body))["log"]["verifier_keys"][0]
    assert publisher.verify("--key", named)[0] == 0
    (state / FORMER_KEY_FILE).unlink()
    publisher.publish("Otters sleep.")
    assert publisher.verify()[1]["key"] != first


def test_a_key_can_be_named_as_the_head_names_it(publisher: Publisher) -> None:
    assert publisher.edition
    head = publisher.edition.find(HEAD)
    assert head
    key = json.loads(bytes(head.leaf.body))["log"]["verifier_keys"][0]
    code, result, _ = publisher.verify("--key", key)
    assert (code, result["trust"]) == (0, "named")
    stranger = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    assert "not signed with the key" in publisher.refused("--key", stranger)
    assert publisher.verify("--key", "nonsense")[0] == 2


def test_a_copy_is_checked_by_the_proof_that_was_kept(publisher: Publisher, tmp_path: Path) -> None:
    proof, copy, heads = tmp_path / "proof.json", tmp_path / "otters.md", tmp_path / "known.json"
    assert publisher.verify("--save", str(proof))[0] == 0
    assert publisher.edition
    served = publisher.edition.find("/posts/otters.md")
    assert served
    copy.write_bytes(bytes(served.leaf.body))
    publisher.publish("Otters dive.")
    assert publisher.verify()[1]["edition"] == 2
    publisher.edition = None
    words = ("verify", str(copy), "--proof", str(proof), "--json", "--heads")
    result = json.loads(citepress(*words, str(heads)).stdout)
    assert (result["edition"], result["compared_with"]) == (1, None)
    unknown = citepress(*words, str(tmp_path / "nobody.json"))
    assert (unknown.returncode, "name its key with --key" in unknown.stderr) == (1, True)
    copy.write_bytes(copy.read_bytes() + b"\n")
    assert citepress(*words, str(heads)).returncode == 1
    heads.write_bytes(b"{")
    assert "restore or delete it" in citepress(*words, str(heads)).stderr


def test_an_archive_below_a_path_is_found(tmp_path: Path) -> None:
    with published(tmp_path, "/notes") as publisher:
        code, result, sentence = publisher.verify()
        assert (code, result.get("path")) == (0, "/posts/otters.md"), sentence
        assert result["origin"].endswith("/notes")


@pytest.mark.requirement("editions verified")
def test_files_of_a_static_export_are_checked_where_they_lie(tmp_path: Path) -> None:
    output = exported(tmp_path, FILES)
    key = json.loads((output / HEAD.lstrip("/")).read_bytes())["log"]["verifier_keys"][0]
    heads = ("--heads", str(tmp_path / "known.json"))
    for file in ("index.html", "posts/otters/index.html", "posts/otters.md", "robots.txt"):
        done = citepress("verify", str(output / file), "--key", key, *heads)
        assert done.returncode == 0, done.stderr
    for file, path in (("posts/otters.md", "/posts/otters.md"), ("posts/otters/index.html", "/posts/otters/")):
        (output / file).write_bytes(b"Otters fly.")
        done = citepress("verify", str(output / file), *heads)
        assert (done.returncode, f"the bytes are not those of {path} in the edition" in done.stderr) == (1, True)
    assert "does not vouch" in citepress("verify", str(output / "archive.db"), *heads).stderr
    shutil.rmtree(output / ".well-known")
    assert "--proof" in citepress("verify", str(output / "robots.txt"), *heads).stderr


def test_a_server_answers_with_what_verifies_it(tmp_path: Path) -> None:
    root = folder(tmp_path / "site", FILES)
    heads = ("--heads", str(tmp_path / "known.json"))
    with serving(root, tmp_path / "state") as server:
        head = server.ask(HEAD)
        assert (head.status, head.type) == (200, "application/json")
        assert head.fields["link"].startswith('<https://archive.test/schemas/EditionHead.json>; rel="describedby"')
        assert server.ask(HEAD, if_none_match=head.fields["etag"]).status == 304
        assert server.ask("/.well-known/edition/log/checkpoint").text == head.json()["log"]["checkpoint"]
        tile = server.ask("/.well-known/edition/log/tile/0/000.p/1")
        assert (tile.type, len(tile.body)) == ("application/octet-stream", 32)
        assert server.ask("/.well-known/edition/log/tile/0/000").status == 404
        assert server.ask("/.well-known/edition/shards/00.json").status == 404
        address = f"http://127.0.0.1:{server.port}/posts/otters/"
        # Its site.toml names another address, so that its log has another name.
        assert "name its key with --key" in citepress("verify", address, *heads).stderr
        key = head.json()["log"]["verifier_keys"][0]
        done = citepress("verify", address, "--key", key, *heads)
        assert done.returncode == 0, done.stderr


@pytest.mark.requirement("editions verified")
def test_a_server_whose_log_is_damaged_goes_on_with_the_last_good_edition(tmp_path: Path) -> None:
    site, state = folder(tmp_path / "site", FILES), tmp_path / "state"
    with serving(site, state) as server:
        assert server.ask("/posts/otters.md").status == 200
    (state / EDITIONS_LOG).write_bytes(b"{\n{\n")
    folder(site, {"content/posts/otters.md": post("Otters never seen.")})
    with serving(site, state) as server:
        now = server.ask("/posts/otters.md")
        assert (now.status, "Otters never seen." in now.text) == (200, False)
        assert server.ask(HEAD).json()["number"] == 1
    with serving(site, state, "--break-history") as server:
        assert "Otters never seen." in server.ask("/posts/otters.md").text


@pytest.mark.requirement("editions verified")
def test_an_export_whose_log_and_edition_are_both_lost_is_refused_until_that_is_said(tmp_path: Path) -> None:
    site, state, output = folder(tmp_path / "site", FILES), tmp_path / "state", str(tmp_path / "dist")

    def build(*options: str) -> tuple[int, str]:
        done = citepress("build", str(site), "--state", str(state), "--output", output, *options)
        return done.returncode, done.stderr

    assert build()[0] == 0
    folder(site, {"content/posts/otters.md": post("Otters dive and swim.")})
    assert build()[0] == 0
    for lost in ("export", "log"):
        shutil.rmtree(state / lost)
    code, sentence = build()
    assert code == 1
    assert f"{state / 'log' / 'export.jsonl'}, line 1: it ends before entry 2, which was published" in sentence
    assert "--break-history" in sentence
    assert "Traceback" not in sentence
    code, sentence = build("--break-history")
    assert (code, "a new log of editions begins" in sentence) == (0, True)
    assert build()[0] == 0, "said once, it is over"
