"""The agent skill: its form, every command in it, and an agent that does what it says until the archive is clean."""

import json
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from citepress.cli import run
from citepress.content import yaml_loader
from citepress.content.source_map import split
from citepress_editors.skill_command import FILE, NAME
from support.commands import citepress
from support.folder import folder, post
from support.tree import ROOT

SKILL = (ROOT / "packages/citepress-editors/src/citepress_editors/skills" / FILE).read_text("utf-8")
BLOCK = re.compile(r"^( *)```(sh|markdown)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
ROUNDS = 5
"""Rounds of checks after which the skill says to stop."""
SLIPS = (
    ("sources:\n", "sorces:\n"),
    ("accessed_at: 2026-11-28", "accessed_at: 28.11.2026"),
    ("source_refs: [rfc9110]", "source_refs: [rfc9111]"),
    ("topics: [content-negotiation]", "topics: [content-negotiations]"),
    ("role: primary", "role: primery"),
)
"""What an agent may get wrong in the record of the skill."""


def blocks() -> list[tuple[str, str]]:
    """The fenced blocks in order, without their indentation: the language and the text."""
    return [(language, re.sub(f"(?m)^{indent}", "", text)) for indent, language, text in BLOCK.findall(SKILL)]


@dataclass
class Agent:
    """Does what the skill says, literally, and knows nothing of citepress beyond it."""

    folder: Path
    read: dict[str, str]
    """What the agent has read in sources, by address; it may cite nothing else."""
    written: Path = Path()
    transcript: list[str] = field(default_factory=list)

    def run(self, command: str) -> str:
        """A command of the skill, in the folder that the agent was given."""
        program, *words = shlex.split(command)
        assert program == "citepress"
        done = citepress(*words, directory=self.folder)
        self.transcript.append(command)
        assert done.returncode == 0 or words[0] == "check", (command, done.stderr)
        if words[0] == "new":
            self.written = self.folder / done.stdout.splitlines()[0]
        return done.stdout

    def write(self, text: str) -> None:
        """A record whose sources are ones that the agent has read, and whose quotes stand in them."""
        matter = split(text)
        front: Any = yaml_loader.load(matter.front or "")
        for source in front.get("sources", ()):
            assert source["url"] in self.read
        for claim in front["claims"]:
            assert claim["quote"] in " ".join(self.read.values())
        self.written.write_text(text, "utf-8")

    def mend(self, fault: dict[str, Any]) -> None:
        """Do what the hint says: put the word that it names in place of the one that the message quotes."""
        meant = re.search(r'did you mean "([^"]+)"|write (\S+)$|its sources are (\S+)$', fault["hint"])
        assert meant, f"an agent would have to guess: {fault}"
        wrong = [*re.findall(r"'([^']+)'", fault["message"]), fault["message"].partition(":")[0]]
        wrong_word = wrong[-2] if wrong[1:] else wrong[0]
        right_word = next(filter(None, meant.groups()))
        path = self.folder / "archive" / fault["file"]
        lines = path.read_text("utf-8").splitlines(keepends=True)
        line = lines[fault["line"] - 1]
        if wrong_word not in line:  # the folder of the kind is left out where the key says which is meant
            wrong_word, right_word = wrong_word.rpartition("/")[2], right_word.rpartition("/")[2]
        assert wrong_word in line
        lines[fault["line"] - 1] = line.replace(wrong_word, right_word)
        path.write_text("".join(lines), "utf-8")


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    abstract = (
        "The Hypertext Transfer Protocol (HTTP) is a stateless application-level protocol for distributed systems"
    )
    return Agent(tmp_path, {"https://www.rfc-editor.org/rfc/rfc9110": abstract})


def test_the_skill_has_the_form_of_an_agent_skill() -> None:
    front: Any = yaml_loader.load(split(SKILL).front or "")
    assert front["name"] == NAME == Path(FILE).parent.name
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", front["name"])
    assert len(front["name"]) <= 64
    assert 1 <= len(front["description"]) <= 1024
    assert len(front["compatibility"]) <= 500
    assert set(front) <= {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
    assert SKILL.count("\n") < 500


def test_every_command_of_the_skill_runs_in_an_empty_folder_as_it_is_printed(agent: Agent) -> None:
    answers = {}
    for language, text in blocks():
        if language == "markdown":
            agent.write(text)
            continue
        for command in text.splitlines():
            answers[command] = agent.run(command)
    assert agent.transcript[0] == "citepress init archive"
    assert json.loads(answers["citepress check archive --drafts --format json"])["faults"] == []
    named = set(re.findall(r"`(citepress [a-z]+)", SKILL)) | {" ".join(line.split()[:2]) for line in answers}
    assert {words.split()[1] for words in named} == {"init", "schema", "new", "check", "explain"}


def test_an_agent_that_slips_meets_faults_mends_them_by_their_hints_and_ends_clean(agent: Agent) -> None:
    (right,) = [text for language, text in blocks() if language == "markdown"]
    first, *_ = [command for language, text in blocks() if language == "sh" for command in text.splitlines()]
    agent.run(first)
    agent.run('citepress new posts what-http-is --title "What HTTP is" --content archive')
    slipped = right
    for good, bad in SLIPS:
        assert good in slipped
        slipped = slipped.replace(good, bad)
    agent.written.write_text(slipped, "utf-8")
    counts = []
    for _ in range(ROUNDS):
        faults = json.loads(agent.run("citepress check archive --drafts --format json"))["faults"]
        counts.append(len(faults))
        for fault in sorted(faults, key=lambda fault: -fault["line"]):
            agent.mend(fault)
    assert counts[-1] == 0, counts
    assert sum(counts) >= len(SLIPS)
    assert citepress("check", "archive", "--drafts", directory=agent.folder).returncode == 0
    agent.write(agent.written.read_text("utf-8"))
    assert "draft: true" in agent.written.read_text("utf-8"), "the owner publishes"


def test_a_fault_that_only_the_owner_can_decide_has_no_value_in_its_hint(agent: Agent) -> None:
    """A forecast without its outcome: a hint that named one would have an agent invent it."""
    agent.run("citepress init archive")
    agent.run("citepress new forecasts rain --content archive")
    text = agent.written.read_text("utf-8").replace("status: open", "status: resolved")
    agent.written.write_text(text, "utf-8")
    faults = json.loads(agent.run("citepress check archive --drafts --format json"))["faults"]
    errors = [fault for fault in faults if fault["level"] == "error"]
    assert errors
    assert not any(re.search(r"(outcome|resolution): (true|false|yes|no)\b", fault["hint"]) for fault in errors)


def test_the_skill_is_printed_and_installed(tmp_path: Path, capfdbinary: Any) -> None:
    assert run(["skill"]) == 0
    assert capfdbinary.readouterr().out.decode() == SKILL
    assert run(["skill", "--out", str(tmp_path / "skills"), "--json"]) == 0
    path = tmp_path / "skills" / FILE
    assert json.loads(capfdbinary.readouterr().out)["file"] == str(path)
    assert path.read_text("utf-8") == SKILL


@pytest.mark.parametrize(
    ("link", "command"),
    [
        (".citepress", ["schema", "--write"]),
        (".citepress/schemas/posts.json", ["schema", "--write"]),
        ("agents/citepress-records", ["skill", "--out", "agents"]),
        ("content/posts", ["new", "posts", "mine"]),
    ],
)
def test_no_command_writes_through_a_link_that_leads_out_of_the_folder(
    tmp_path: Path, link: str, command: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    archive, victim = folder(tmp_path / "archive", {"content/posts/first.md": post()}), tmp_path / "victim"
    victim.mkdir()
    (archive / "content/posts").rename(archive / "content/moved") if link == "content/posts" else None
    (archive / link).parent.mkdir(parents=True, exist_ok=True)
    (archive / link).symlink_to(victim / "file" if link.endswith(".json") else victim)
    monkeypatch.chdir(archive)
    assert run(command) == 1
    assert "leads out of" in capsys.readouterr().err
    assert list(victim.iterdir()) == []
