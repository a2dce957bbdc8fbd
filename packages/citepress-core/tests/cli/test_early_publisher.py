"""A large folder that was never built: its pages can be read before the first edition is whole."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from citepress.admin.build import Builder
from citepress.app.registry import render_context
from citepress.base import clock
from citepress.cli.early_publisher import MIN_EARLY_FILES
from citepress.edition.early_pack import EarlyPack, early_edition
from citepress.edition.edition import Edition, open_edition, pointer
from citepress.edition.verification.declared import ALL as OF_THE_LOG
from citepress.settings import Settings
from support.folder import folder, post
from support.running_server import HOST, Server, free_port, serving, serving_command
from support.waiting import PATIENCE_S, until

POSTS = MIN_EARLY_FILES + 100
MEETING = {"/posts/p0001/", "/posts/p0001.json", "/posts/", "/", "/llms.txt", "/sitemap.xml"}


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    files = {f"content/posts/p{number:04}.md": post(title=f"Post {number}") for number in range(POSTS)}
    return folder(tmp_path_factory.mktemp("large"), files)


def children(pid: int) -> list[int]:
    with suppress(OSError):
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


def descendants(pid: int) -> Iterator[int]:
    for child in children(pid):
        yield child
        yield from descendants(child)


def builder_of(server: Server) -> int:
    """The process that builds: the one whose child keeps further ones."""
    with_grandchildren = [pid for pid in children(server.process.pid) if any(map(children, children(pid)))]
    assert len(with_grandchildren) == 1
    return with_grandchildren[0]


def held_back(server: Server) -> int:
    """Stop the process that builds, so that the edition stays early."""
    builder = builder_of(server)
    os.kill(builder, signal.SIGSTOP)
    return builder


def ready(port: int) -> tuple[int, dict[str, object]]:
    try:
        with urllib.request.urlopen(f"http://{HOST}:{port}/ready", timeout=10) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_every_address_answers_as_it_will_when_the_edition_is_whole(tmp_path: Path) -> None:
    early: list[Edition] = []

    def begun(pack: EarlyPack) -> int:
        pack.written = 1_700_000_000
        early.append(early_edition(pack).render_with(render_context))
        return pack.written

    site = Path(__file__).parents[4] / "examples/agent-archive"
    settings = Settings(site, tmp_path / "state")
    Builder(settings, lasting=False, begun=begun).build(clock.now())
    whole = open_edition(pointer(settings.state)).render_with(render_context)
    of_the_log = tuple(re.sub(r"\{.*", "", item.path) for item in OF_THE_LOG)
    addresses = [path for path in whole.addresses() if not path.startswith(of_the_log)]
    stored = set(whole.paths())
    on_request = [path for path in addresses if path not in stored]  # each when it is asked for, from what is stored
    for path in (*(path for path in addresses if path in stored), *on_request[::40]):
        early_leaf, wanted = early[0].find(path), whole.find(path)
        assert early_leaf is not None, path
        assert wanted is not None, path
        assert (early_leaf.sum, early_leaf.modified) == (wanted.sum, wanted.modified), path
        assert bytes(early_leaf.leaf.body) == bytes(wanted.leaf.body), path
        assert early_leaf.codings == wanted.codings, path


def test_pages_are_read_before_the_edition_is_whole_and_stay_as_they_are(large: Path, tmp_path: Path) -> None:
    admin = free_port()
    with serving(large, tmp_path, "--admin", f"{HOST}:{admin}") as server:
        builder = held_back(server)
        early = {path: server.ask(path) for path in MEETING}
        assert {answer.status for answer in early.values()} == {200}
        assert server.ask("/posts/p0001/", accept="application/json").json()["title"] == "Post 1"
        assert server.ask("/posts.json?since=2026-01-01").status == 200
        assert server.ask("/posts/p9999/").status == 404
        assert server.ask("/posts/p0001").status == 308
        assert server.ask("/posts/p0001/", "POST", b"{}").status == 405
        unchanged = server.ask("/posts/p0001/", if_none_match=early["/posts/p0001/"].fields["etag"])
        assert unchanged.status == 304
        head = server.ask("/posts/p0001/", "HEAD")
        assert (head.status, head.body) == (200, b"")
        assert head.fields["content-length"] == early["/posts/p0001/"].fields["content-length"]
        for path in ("/search.json?query=post", "/search/?query=post", "/.well-known/edition.json"):
            refused = server.ask(path)
            assert (refused.status, refused.type) == (503, "application/problem+json")
            assert int(refused.fields["retry-after"]) > 0
            assert "still being built" in refused.json()["detail"]
        status, document = ready(admin)
        assert (status, document["status"]) == (503, "building the first edition")
        assert isinstance(document["rendered_units"], int)
        assert not pointer(tmp_path).exists()
        os.kill(builder, signal.SIGCONT)
        assert until(lambda: ready(admin)[0] == 200)
        for path, answer in early.items():
            whole = server.ask(path)
            fields = [(each.fields["etag"], each.fields["last-modified"]) for each in (answer, whole)]
            assert fields[0] == fields[1], path
            assert whole.body == answer.body
        assert until(lambda: server.ask("/search.json?query=post").status == 200)
        assert server.ask("/.well-known/edition.json").status == 200


def test_an_edit_while_the_first_edition_is_built_is_published_after_it(tmp_path: Path) -> None:
    copied = folder(tmp_path / "site", {f"content/posts/q{n:04}.md": post(title=f"Q {n}") for n in range(POSTS)})
    with serving(copied, tmp_path / "state", "--watch") as server:
        builder = held_back(server)
        (copied / "content/posts/q0007.md").write_text(post(title="Another title"))
        assert "Q 7" in server.ask("/posts/q0007.md").text
        os.kill(builder, signal.SIGCONT)
        assert until(lambda: "Another title" in server.ask("/posts/q0007.md").text)


def test_a_process_that_renders_is_replaced_when_it_dies(large: Path, tmp_path: Path) -> None:
    with serving(large, tmp_path) as server:
        held_back(server)
        for maker in [pid for child in children(builder_of(server)) for pid in children(child)]:
            os.kill(maker, signal.SIGKILL)
        assert until(lambda: server.ask("/posts/p0002/").status == 200)


def test_a_first_build_that_dies_ends_the_service_and_the_next_start_serves(large: Path, tmp_path: Path) -> None:
    with serving(large, tmp_path) as server:
        os.kill(builder_of(server), signal.SIGKILL)
        assert until(lambda: server.process.poll() is not None)
        assert server.process.poll() == 1
    with serving(large, tmp_path) as server:
        assert server.ask("/posts/p0003/").status == 200


def test_a_first_build_that_is_killed_before_its_first_page_says_so(large: Path, tmp_path: Path) -> None:
    command = ["serve", str(large), "--port", str(free_port()), "--state", str(tmp_path)]
    with subprocess.Popen([sys.executable, "-m", "citepress", *command], stderr=subprocess.PIPE, text=True) as process:
        assert until(lambda: any(map(children, children(process.pid))))  # its readers have begun
        (builder,) = [pid for pid in children(process.pid) if children(pid)]
        os.kill(builder, signal.SIGKILL)
        _, message = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1
    assert "SIGKILL ended its process" in message


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_a_service_that_ends_while_it_builds(large: Path, tmp_path: Path, sign: int) -> None:
    with serving_command(large, tmp_path) as server:
        started = list(descendants(server.process.pid))
        assert len(started) >= 4  # a worker, the one that builds, and those that render
        server.process.send_signal(sign)
        assert until(lambda: server.process.poll() is not None)
        assert server.process.poll() == (0 if sign == signal.SIGTERM else -sign)
        assert until(lambda: not any(_runs(pid) for pid in started))


def test_a_template_that_fails_is_told_and_ends_the_service(tmp_path: Path) -> None:
    files = {f"content/posts/p{number:04}.md": post() for number in range(POSTS)}
    files["templates/footer.html"] = "{{ 1 // 0 }}"
    site = folder(tmp_path / "site", files)
    command = ["serve", str(site), "--port", str(free_port()), "--state", str(tmp_path / "state")]
    done = subprocess.run(
        [sys.executable, "-m", "citepress", *command], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert done.returncode == 1
    assert "templates/footer.html:1" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_small_folder_is_served_whole_from_its_first_page(tmp_path: Path) -> None:
    site = folder(tmp_path / "site", {"content/posts/one.md": post()})
    with serving(site, tmp_path / "state") as server:
        assert pointer(tmp_path / "state").exists()
        assert server.ask("/search.json?query=post").status == 200


def _runs(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False
