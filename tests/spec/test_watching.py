"""`serve --watch` survives anything that happens to its folder, and publishes it once it is repaired."""

import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.folder import SITE, folder, post
from support.git_folder import Commit, at, git, repository
from support.running_server import Server, free_port, serving
from support.waiting import PATIENCE_S, until

pytestmark = pytest.mark.long

ONE = "content/posts/one.md"
NEW = post("Mended.", title="Mended")
Break = Callable[[Path, Server], None]


def put(name: str, content: str | bytes) -> Break:
    return lambda root, _: folder(root, {name: content}, site=None) and None


def instead(make: Callable[[Path], object]) -> Break:
    """Something else at the place of a record."""

    def act(root: Path, _: Server) -> None:
        (root / ONE).unlink()
        make(root / ONE)

    return act


def vanish(root: Path, _: Server) -> None:
    shutil.rmtree(root)


def move_away(root: Path, _: Server) -> None:
    root.rename(root.with_name("elsewhere"))


def full_disk(_: Path, server: Server) -> None:
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))


BROKEN: dict[str, Break] = {
    "redirects of one path": put("redirects.txt", "/old/ /posts/\n/old /posts/\n"),
    "front matter": put(ONE, "---\ntitle: a: b\n---\n"),
    "settings": put("site.toml", "title = "),
    "template": put("templates/page.html", "{% if %}"),
    "no UTF-8": put(ONE, b"\xff\xfe\x00"),
    "pipe": instead(lambda path: os.mkfifo(path)),  # noqa: PLW0108
    "circle of links": instead(lambda path: path.symlink_to(path.name)),
    "folder": instead(lambda path: folder(path, {"inner.md": post()}, site=None)),
    "link to nothing": instead(lambda path: path.symlink_to("nowhere.md")),
    "vanished": vanish,
    "moved away": move_away,
    "full disk": full_disk,
}


@pytest.fixture(scope="module")
def root_and_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Server]]:
    base = tmp_path_factory.mktemp("watched")
    root = folder(base / "site", {ONE: post()})
    with serving(root, base / "state", "--watch") as server:
        yield root, server


def awaited(server: Server, path: str, status: int, seconds: float = PATIENCE_S) -> bool:
    """Whether a path answers so within a generous time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if server.ask(path, **server.client()).status == status:
            return True
        time.sleep(0.05)
    return False


def mend(root: Path, server: Server, name: str) -> None:
    """The folder as it should be, with one record more; nothing of what was broken is touched again afterwards."""
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    shutil.rmtree(root, ignore_errors=True)
    shutil.rmtree(root.with_name("elsewhere"), ignore_errors=True)
    folder(root, {ONE: post(), f"content/posts/{name}.md": NEW})


@pytest.mark.parametrize("state", BROKEN)
def test_a_broken_folder_keeps_the_last_edition_and_a_mended_one_is_published(
    root_and_server: tuple[Path, Server], state: str
) -> None:
    root, server = root_and_server
    assert awaited(server, "/posts/one/", 200)
    BROKEN[state](root, server)
    if root.is_dir():
        folder(root, {"content/posts/late.md": post()}, site=None)
    time.sleep(1.5)
    assert server.ask("/posts/one/", **server.client()).status == 200
    assert server.ask("/posts/late/", **server.client()).status == 404
    name = f"after-{state.lower().replace(' ', '-')}"
    mend(root, server, name)
    assert awaited(server, f"/posts/{name}/", 200)
    assert server.process.poll() is None


@pytest.mark.parametrize("name", [ONE, "content/posts"])
def test_a_permission_that_is_given_back_is_enough(root_and_server: tuple[Path, Server], name: str) -> None:
    root, server = root_and_server
    (root / name).chmod(0)
    if os.access(root / name, os.R_OK):
        (root / name).chmod(0o755)
        pytest.skip("whoever runs this may read anything")
    (root / name).chmod(0o755)
    assert awaited(server, "/posts/one/", 200)
    (root / name).chmod(0)
    time.sleep(1.5)
    assert server.ask("/posts/one/", **server.client()).status == 200
    (root / name).chmod(0o755)
    fresh = f"given-{Path(name).stem}"
    folder(root, {f"content/posts/{fresh}.md": NEW}, site=None)
    assert awaited(server, f"/posts/{fresh}/", 200)


def test_a_disk_that_has_room_again_needs_no_further_save(root_and_server: tuple[Path, Server]) -> None:
    root, server = root_and_server
    full_disk(root, server)
    folder(root, {"content/posts/waiting.md": NEW}, site=None)
    time.sleep(1.5)
    assert server.ask("/posts/waiting/", **server.client()).status == 404
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert awaited(server, "/posts/waiting/", 200)


def test_inside_the_archive_the_state_folder_is_not_watched(tmp_path: Path) -> None:
    """As ``citepress new`` suggests it: in the folder itself, with the state beside the content."""
    root = folder(tmp_path / "site", {ONE: post()})
    log = tmp_path / "log"
    command = [sys.executable, "-m", "citepress", "serve", ".", "--watch", "--port", str(free_port())]
    with log.open("wb") as output, subprocess.Popen(command, cwd=root, stdout=output, stderr=output) as process:
        try:
            lines(log, "Serving", 1)
            (root / ONE).write_text(NEW)
            lines(log, "Published:", 1)
            time.sleep(3)
            assert lines(log, "Published:", 1) == 1
        finally:
            process.terminate()


def lines(log: Path, start: str, least: int, seconds: float = PATIENCE_S) -> int:
    """How many lines of a log begin so, once there are as many as expected or the time is over."""
    end = time.monotonic() + seconds
    while True:
        count = sum(line.startswith(start) for line in log.read_text().splitlines())
        if count >= least or time.monotonic() > end:
            assert count >= least, log.read_text()
            return count
        time.sleep(0.05)


def test_a_commit_alone_is_published(tmp_path: Path) -> None:
    """It changes no file of the content, but what readers see: dates of notes, and the revision that now stands."""
    root = repository(tmp_path / "site", [Commit(at(0), {"site.toml": SITE, ONE: post("As it was.")})])
    with serving(root, tmp_path / "state", "--watch") as server:
        (root / ONE).write_text(post("As it is."))
        assert until(lambda: "As it is." in server.ask("/posts/one.md", **server.client()).text)
        assert server.ask("/posts/one/@2/").status == 404, "nothing is committed yet"
        git(root, "commit", "-q", "-a", "-m", "Say it as it is")
        assert awaited(server, "/posts/one/@2/", 200)
