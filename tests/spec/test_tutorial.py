"""The tutorial: every command of the page works as it is printed, in its order, and prints what the page says."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from support.commands import citepress, without_settings
from support.running_server import HOST, free_port, serving
from support.tree import ROOT
from support.waiting import until

pytestmark = pytest.mark.long
PAGE = (ROOT / "docs" / "tutorial.md").read_text("utf-8")
STEP = re.compile(
    r"^## (?P<title>[^\n]+)$"
    r"|^```sh\n(?P<commands>.*?)^```\n(?:\n```text\n(?P<printed>.*?)^```$)?"
    r"|`(?P<file>[\w/.-]+)` and add to its front matter[^`]*`---`:\n\n```yaml\n(?P<front>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
SERVE = re.compile(r"(?P<settings>(?:CITEPRESS_\w+=\S+ )*)citepress serve my-archive(?P<options>.*)\n")
SIMPLE = re.compile(r"citepress [^|<>$]+")
"""A command that needs no shell, which a process that has imported the package runs sooner."""
READING = ("curl --silent http", "curl --silent --head", "citepress check")
"""How commands begin that may be repeated until a server has published what they show."""


@dataclass
class Reader:
    """Somebody who follows the page, in a folder of their own and at ports of their own."""

    folder: Path
    server: ExitStack = field(default_factory=ExitStack)
    port: int = 0
    proxy: int = field(default_factory=free_port)

    def run(self, commands: str, printed: str) -> None:
        """Run commands, and see that they print this; those that only read, until they do."""
        if served := SERVE.fullmatch(commands):
            self.serve(served["settings"], served["options"].split())
            return
        output = ""

        def done() -> bool:
            nonlocal output
            output = self.output(commands)
            return all(line.strip() in output for line in self.mine(printed).splitlines())

        reads = all(line.startswith(READING) for line in commands.splitlines())
        assert until(done) if reads else done(), f"{commands}\nprinted\n{output}\nand not all of\n{printed}"

    def serve(self, settings: str, options: list[str]) -> None:
        """Serve in place of what is served, as the second terminal does."""
        self.server.close()
        environment = {
            name.removeprefix("CITEPRESS_").lower(): value
            for name, _, value in (setting.partition("=") for setting in self.mine(settings).split())
        }
        archive = self.folder / "my-archive"
        self.port = self.server.enter_context(serving(archive, archive / "state", *options, **environment)).port

    def output(self, commands: str) -> str:
        """What the commands print; each has to succeed."""
        lines = self.mine(commands).splitlines()
        if all(SIMPLE.fullmatch(line) for line in lines):
            return "".join(self._printed(citepress(*shlex.split(line)[1:], directory=self.folder)) for line in lines)
        shell = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", self.mine(commands)],
            check=False,
            cwd=self.folder,
            env=without_settings(os.environ) | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
        )
        return self._printed(shell)

    @staticmethod
    def _printed(done: "subprocess.CompletedProcess[str]") -> str:
        assert done.returncode == 0, f"{done.args}\n{done.stdout}{done.stderr}"
        return done.stdout

    def mine(self, text: str) -> str:
        """The same with our own ports."""
        text = re.sub(r"(citepress deploy-config \w+ my-archive)", rf"\1 --port {self.port}", text)
        return text.replace(f"{HOST}:8000", f"{HOST}:{self.port}").replace(f"{HOST}:8080", f"{HOST}:{self.proxy}")


@pytest.fixture(scope="module")
def reader() -> Iterator[Reader]:
    with tempfile.TemporaryDirectory(prefix="citepress-tutorial-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # the workers of an nginx that root starts are somebody else
        shutil.copytree(ROOT / "examples" / "small-files", folder / "examples" / "small-files")
        reader = Reader(folder)
        with reader.server:
            yield reader
        with suppress(FileNotFoundError):  # what a failed block left running
            os.kill(int((folder / "nginx" / "nginx.pid").read_text()), signal.SIGQUIT)


def _chapters() -> dict[str, list[re.Match[str]]]:
    """What each chapter asks to do, in order."""
    chapters: dict[str, list[re.Match[str]]] = {}
    for step in STEP.finditer(PAGE):
        if title := step["title"]:
            chapters[title] = []
        else:
            chapters[list(chapters)[-1]].append(step)
    return chapters


def test_every_block_of_the_page_is_a_step() -> None:
    steps = [step for chapter in _chapters().values() for step in chapter]
    commands, front = ([step for step in steps if step[name]] for name in ("commands", "front"))
    assert (len(commands), len(front)) == (PAGE.count("\n```sh\n"), PAGE.count("\n```yaml\n"))
    assert sum(step["printed"] is not None for step in commands) == PAGE.count("\n```text\n")


@pytest.mark.parametrize("chapter", _chapters())
def test_a_chapter_works_as_it_is_printed(reader: Reader, chapter: str) -> None:
    if chapter == "Behind nginx" and not shutil.which("nginx"):
        pytest.skip("nginx is not installed")
    for step in _chapters()[chapter]:
        if name := step["file"]:
            file = reader.folder / name
            file.write_text(file.read_text("utf-8").replace("\n---\n", f"\n{step['front']}---\n", 1), "utf-8")
        else:
            reader.run(step["commands"], step["printed"] or "")
