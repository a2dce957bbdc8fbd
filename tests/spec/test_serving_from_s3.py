"""Whole processes over a real S3 service: a publisher, servers without content, and what happens between them."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from threading import Event

import orjson
import pytest

from citepress_objects import open_objects
from support.distribution import ArchivePublisher
from support.fake_http_server import Answer, answering
from support.folder import SITE, post
from support.preloaded import ForkedProcess, start
from support.running_server import HOST, Server, forked, free_port
from support.s3 import BUCKET, FaultyLink, faulty_link
from support.waiting import PATIENCE_S, until

pytestmark = pytest.mark.long

NUMBERS = count(1)
PAGE = "/posts/note-1.md"


@dataclass
class Node:
    """A server without content, and what it writes for its operator."""

    server: Server
    state: Path
    log: Path

    def text(self, path: str = PAGE) -> str:
        """What it answers with 200."""
        answer = self.server.ask(path, **self.server.client())
        assert answer.status == 200, answer.text
        return answer.text

    def shows(self, words: str, path: str = PAGE) -> bool:
        """Whether it comes to show these words."""
        return until(lambda: words in self.text(path))

    def says(self, *sentences: str) -> bool:
        """Whether it comes to tell its operator one of these."""
        return until(lambda: any(words in self.log.read_text() for words in sentences))


@dataclass
class Command:
    """A command in a process of its own."""

    process: ForkedProcess
    log: Path

    def code(self) -> int:
        """Its exit code."""
        return self.process.wait(PATIENCE_S)

    @property
    def text(self) -> str:
        return self.log.read_text()


@dataclass
class Fleet:
    """A publisher, its bucket, and the way from there to the servers, which a test may break."""

    root: Path
    publisher: ArchivePublisher
    target: str
    near: FaultyLink
    """Between the publisher and the bucket."""
    far: FaultyLink
    """Between the servers and the bucket."""
    texts: "count[int]" = field(default_factory=lambda: count(1))

    def edit(self, publisher: ArchivePublisher | None = None, settings: str = "") -> str:
        """Change the page; what it says now."""
        number = next(self.texts)
        words = f"Walruses number {number}:{'.' * number}"  # files of one size and time count as unchanged
        (publisher or self.publisher).edit({"content/posts/note-1.md": post(words), "site.toml": SITE + settings})
        return words

    def publish(self) -> str:
        """Publish a change of the page; what it says now."""
        words = self.edit()
        assert self.publisher.publish().moved
        return words

    def command(self, *arguments: str | Path) -> Command:
        """Begin a command of the publisher."""
        log = self.root / f"command-{next(NUMBERS)}.log"
        with log.open("wb") as output:
            process = start(
                "citepress.cli:main",
                [str(argument) for argument in arguments],
                {**os.environ, **self.near.environment},
                streams=(0, output.fileno(), output.fileno()),
            )
        return Command(process, log)

    def publishing(self, publisher: ArchivePublisher | None = None) -> Command:
        """Begin to publish with the command."""
        settings = (publisher or self.publisher).settings
        return self.command("publish", settings.root, self.target, "--state", settings.state)

    @contextmanager
    def node(self, name: str, hours: int = 0, number: str = "") -> Iterator[Node]:
        """A running server, its clock so many hours off; a name keeps its state folder."""
        port, log, state = free_port(), self.root / f"{name}.log", self.root / name
        place = ["--host", HOST, "--port", str(port), "--state", str(state), "--workers", "1"]
        command = [str(hours), "serve", "--edition", self.target + number, *place]
        environment = {**self.far.environment, "CITEPRESS_TRUSTED_PROXIES": HOST}
        with forked("support.edition_server:main", command, port, environment, log) as server:
            yield Node(server, state, log)


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    root = tmp_path_factory.mktemp("fleet")
    with faulty_link() as near, faulty_link() as far, pytest.MonkeyPatch.context() as environment:
        for name, value in near.environment.items():
            environment.setenv(name, value)
        target = f"s3://{BUCKET}/{root.name}"
        publisher = ArchivePublisher(root / "publisher", open_objects(target))
        publisher.publish()
        yield Fleet(root, publisher, target, near, far)


@pytest.fixture(scope="module")
def node(fleet: Fleet) -> Iterator[Node]:
    with fleet.node("node") as running:
        yield running


def test_servers_without_content_follow_with_equal_bytes_whatever_their_clocks_say(fleet: Fleet, node: Node) -> None:
    with ExitStack() as stack:
        nodes = [node, *(stack.enter_context(fleet.node(f"off{hours}", hours)) for hours in (-1, 1))]
        words = fleet.publish()
        assert all(each.shows(words) for each in nodes)
        for path in (PAGE, "/posts/note-1/", "/posts.json", "/llms.txt", "/rss.xml", "/openapi.json"):
            answers = [each.server.ask(path, **each.server.client()) for each in nodes]
            assert {answer.status for answer in answers} == {200}
            assert len({(answer.fields["etag"], answer.body) for answer in answers}) == 1, path
        for each in nodes:
            assert each.shows("note-1", "/search.json?query=walruses")


@pytest.mark.parametrize(
    ("mode", "sentence"),
    [
        ("away", "The newest edition cannot be served: current of {target}"),
        ("failing", "500"),
        ("skewed", "RequestTimeTooSkewed"),
        ("truncated", "packs/{pack} of {target}"),
        ("flipped", "packs/{pack} of {target} is damaged: its bytes do not fit its digest"),
    ],
)
def test_whatever_happens_to_the_bucket_the_last_edition_stays(
    fleet: Fleet, node: Node, mode: str, sentence: str
) -> None:
    before = node.text()
    node.log.write_text("")
    fleet.far.mode = mode
    words = fleet.publish()
    packs = [layer.sha256 for layer in fleet.publisher.store.listed()[0].manifest.layers]
    try:
        sentences = [sentence.format(target=fleet.target, pack=pack) for pack in packs]
        assert node.says(*sentences), node.log.read_text()
        assert node.text() == before
    finally:
        fleet.far.mode = "whole"
    assert node.shows(words)
    assert node.says("can be followed again")
    assert "Traceback" not in node.log.read_text()


def test_a_slow_bucket_delays_an_edition_and_nothing_else(fleet: Fleet, node: Node) -> None:
    before, earlier = node.text(), len(fleet.far.served)
    fleet.far.resumed.clear()
    fleet.far.mode = "slow"
    words = fleet.publish()
    assert until(lambda: any("GET" in line and "/packs/" in line for line in fleet.far.served[earlier:]))
    assert node.text() == before
    fleet.far.mode = "whole"
    fleet.far.resumed.set()
    assert node.shows(words)


def test_a_server_killed_while_it_downloads_serves_the_edition_when_it_is_back(fleet: Fleet) -> None:
    with fleet.node("killed") as node:
        before, earlier = node.text(), len(fleet.far.served)
        fleet.far.resumed.clear()
        fleet.far.mode = "slow"
        words = fleet.publish()
        assert until(lambda: any("/packs/" in line for line in fleet.far.served[earlier:]))
        assert until(lambda: list((node.state / "edition").glob("*.part")))
        assert node.text() == before
        node.server.process.kill()
        node.server.process.wait(PATIENCE_S)
    with fleet.node("killed") as node:
        assert node.text() == before, "it begins with what it has: the bucket is slow still"
        fleet.far.mode = "whole"
        fleet.far.resumed.set()
        assert node.shows(words)
        assert not list((node.state / "edition").glob("*.part"))


def test_of_two_publishers_at_once_one_wins_and_the_other_says_so(fleet: Fleet, node: Node) -> None:
    other = fleet.publisher.copied(fleet.root / "other")
    fleet.edit()
    slow = _held_at_the_pointer(fleet)
    words = fleet.edit(other)
    fleet.near.held = ""
    quick = fleet.publishing(other)
    assert quick.code() == 0, quick.text
    fleet.near.resumed.set()
    assert slow.code() == 1
    assert "another publisher moved the pointer" in slow.text
    assert "Traceback" not in slow.text
    assert node.shows(words)
    again = fleet.publish()
    assert node.shows(again)


def test_a_publisher_killed_before_it_moves_the_pointer_changes_nothing(fleet: Fleet, node: Node) -> None:
    before, words = node.text(), fleet.edit()
    command = _held_at_the_pointer(fleet)
    command.process.kill()
    command.code()
    fleet.near.mode, fleet.near.held, fleet.near.dropped = "away", "", []
    fleet.near.resumed.set()
    assert until(lambda: fleet.near.dropped), "the request that the killed publisher had sent"
    assert node.text() == before
    fleet.near.mode = "whole"
    again = fleet.publishing()
    assert again.code() == 0, again.text
    assert ": 0 of " in again.text, "what it had uploaded is used"
    assert node.shows(words)


def test_a_publisher_killed_before_it_purges_makes_up_for_it(fleet: Fleet, node: Node) -> None:
    purging, release, keys = Event(), Event(), list[list[str]]()

    def answer(_path: str, body: bytes) -> Answer:
        purging.set()
        release.wait(PATIENCE_S)
        keys.append(orjson.loads(body)["keys"])
        return Answer(b"{}")

    with answering(answer) as url:
        purge = f'[purge]\ndriver = "http"\nurls = ["{url}"]\nsettle_s = 0\n'
        words = fleet.edit(settings=purge)
        command = fleet.publishing()
        assert until(purging.is_set), command.text
        command.process.kill()
        command.code()
        assert node.shows(words), "the pointer was moved before"
        release.set()
        again = fleet.publishing()
        assert again.code() == 0, again.text
        assert "is this content already" in again.text
        assert "Purged 1 key" in again.text
        assert keys[-1] == ["archive"]


def test_a_rollback_and_a_preview_are_moves_of_the_pointer(fleet: Fleet, node: Node) -> None:
    before = fleet.publish()
    assert node.shows(before)
    number = str(fleet.publisher.store.listed()[0].manifest.number)
    after = fleet.publish()
    assert node.shows(after)
    stored = [row for row in fleet.near.served if row.startswith("PUT") and "/packs/" in row]
    back = fleet.command("editions", "rollback", fleet.target, "--state", fleet.publisher.settings.state)
    assert back.code() == 0, back.text
    assert node.shows(before)
    with fleet.node("preview", number=f"@{int(number) + 1}") as preview:
        assert after in preview.text()
        assert before in node.text()
    assert [row for row in fleet.near.served if row.startswith("PUT") and "/packs/" in row] == stored


def _held_at_the_pointer(fleet: Fleet) -> Command:
    """A publisher that has uploaded everything and waits for the bucket to move the pointer."""
    fleet.near.resumed.clear()
    fleet.near.holding.clear()
    fleet.near.held = "current"
    command = fleet.publishing()
    assert until(fleet.near.holding.is_set), command.text
    return command
