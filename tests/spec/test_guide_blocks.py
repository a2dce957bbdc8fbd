"""Blocks and commands of ``docs/guides`` are what the program takes: settings, records, datasets, command lines."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.cli import application
from citepress.edition.edition import open_edition, pointer
from citepress.settings import Settings
from support.command_docs import commands
from support.commands import citepress
from support.folder import folder, post
from support.tree import ROOT

GUIDES = {path.stem: path.read_text("utf-8") for path in sorted((ROOT / "docs" / "guides").glob("*.md"))}
FENCE = re.compile(r"^```([a-z]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"(?<!`)`([^`]+)`(?!`)")
PLACEHOLDERS = {
    "ID": "abcd",
    "FORMAT": "hugo",
    "TARGET": "file:///tmp/editions",
    "KEY": "openai",
    "URL": "https://a.example",
    "\u2026": "x",
}
"""Words that a guide leaves to its reader, with one that a reader could write."""
VALUE_OF = re.compile(r"<[a-z]+>")
MACHINE_FAULTS = {"CP082", "CP084"}
"""Faults of a machine that has no model and no extra: not of the settings."""
MIN_COMMANDS = 40
DIGEST = "0" * 64
SITE = 'title = "Guide"\nbase_url = "https://notes.example"\nlicense = "CC-BY-4.0"\n'
PAYMENTS = f'[payments]\nnetworks = "test"\npay_to_evm = "0x{"2" * 40}"\n'
OTTERS = {"content/posts/otters.md": post(title="Otters")}
SCHEMA = {"opened": "string", "visitors": "integer", "country": "string"}


def blocks(guide: str, language: str) -> list[str]:
    return [text for name, text in FENCE.findall(GUIDES[guide]) if name == language]


def checked(root: Path) -> str:
    """What ``check`` says of a folder, without faults of the machine."""
    printed = citepress("check", str(root), "--all").stdout
    return "\n".join(line for line in printed.splitlines() if not any(code in line for code in MACHINE_FAULTS))


def errors(root: Path) -> list[str]:
    return [line for line in checked(root).splitlines() if re.search(r" error CP\d+ ", line)]


def _settings() -> Iterator[tuple[str, str]]:
    for guide in GUIDES:
        yield from ((guide, text) for text in blocks(guide, "toml"))


@pytest.mark.parametrize(("guide", "text"), list(_settings()))
def test_every_block_of_settings_is_taken(guide: str, text: str, tmp_path: Path) -> None:
    secret = tmp_path / "purge.token"
    secret.write_text("token")
    secret.chmod(0o600)
    site = SITE + (PAYMENTS if "[payments." in text else "") + text.replace("/etc/citepress/purge.token", str(secret))
    site = site.replace('"\u2026"', f'"{DIGEST}"')
    faults = [line for line in errors(folder(tmp_path / "archive", OTTERS, site)) if line.startswith("site.toml")]
    assert faults == [], guide


def test_the_record_of_the_guide_is_published(tmp_path: Path) -> None:
    record, _ = blocks("write", "markdown")
    root = folder(tmp_path / "archive", {"content/posts/five-revisions-at-a-glance.md": record}, SITE)
    (root / "content/topics").mkdir()
    (root / "content/topics/agent-protocols.md").write_text(
        "---\ntitle: Protocols\nsummary: S.\ndate: 2026-06-01\nquestion: What?\nshort_answer: That.\n---\n"
    )
    assert errors(root) == []


def test_the_reading_order_of_the_guide_leads_from_one_record_to_the_next(tmp_path: Path) -> None:
    _, contents = blocks("write", "markdown")
    files = {f"content/posts/{slug}.md": post(title=slug) for slug in ("first-steps", "editor", "other")}
    root = folder(tmp_path / "archive", {"content/pages/contents.md": contents, **files}, SITE)
    assert errors(root) == []
    Builder(Settings(root, tmp_path / "state")).build(clock.now())
    page = (open_edition(pointer(tmp_path / "state")).body("/posts/first-steps/") or b"").decode()
    assert re.search(r'rel="next" href="[^"]*/posts/editor/"|href="[^"]*/posts/editor/" rel="next"', page)


def test_the_shared_sources_of_the_guide_can_be_cited(tmp_path: Path) -> None:
    (shared,) = blocks("sources", "yaml")
    files = {"content/sources.yaml": shared, "content/posts/a.md": post(sources=["changelog"])}
    assert errors(folder(tmp_path / "archive", files, SITE)) == []


def test_the_dataset_and_the_chart_of_the_guide_are_drawn(tmp_path: Path) -> None:
    (schema,), (charts,) = blocks("datasets", "json"), blocks("datasets", "yaml")
    front = "---\ntitle: {}\nsummary: Rows.\ndate: 2026-06-01\n{}---\n\nText.\n"
    visitors = json.loads(schema) | {
        "properties": {name: {"type": type_, "description": name} for name, type_ in SCHEMA.items()},
        "required": list(SCHEMA),
        "x-citepress-primary-key": ["opened"],
    }
    visitors["properties"]["opened"]["format"] = "date"
    files = {
        "datasets/ratings/README.md": front.format("Ratings", ""),
        "datasets/ratings/schema.json": schema,
        "datasets/ratings/v1.csv": "id,score,read_on\na,4.5,2026-05-01\nb,2,\n",
        "datasets/visitors/README.md": front.format("Visitors", charts),
        "datasets/visitors/schema.json": json.dumps(visitors),
        "datasets/visitors/v1.csv": "opened,visitors,country\n2016-01-01,10,PT\n2026-01-01,20,PT\n",
    }
    root = folder(tmp_path / "archive", OTTERS | files, SITE)
    assert errors(root) == []
    assert citepress("build", str(root), "-o", str(tmp_path / "dist")).returncode == 0
    page = (tmp_path / "dist/datasets/visitors/index.html").read_text("utf-8")
    assert "<svg" in page
    assert "Visitors doubled in ten years." in page


def _commands() -> Iterator[tuple[str, str]]:
    """Every command line of a guide, in a block or within a sentence."""
    for guide, text in GUIDES.items():
        lines = [line for _, block in FENCE.findall(text) for line in block.splitlines()]
        inline = [" ".join(code.split()) for code in INLINE.findall(FENCE.sub("", text))]
        for line in (*lines, *inline):
            command = re.sub(r"^(?:[A-Z_]+=\S+ )+", "", line).partition(" #")[0].partition(" > ")[0].strip()
            if re.match(r"citepress [a-z]+", command):
                yield guide, VALUE_OF.sub("base-usdc", command)


def _words(command: str) -> list[str]:
    return [PLACEHOLDERS.get(word, word) for word in shlex.split(command)[1:]]


def _is_named_only(words: list[str]) -> bool:
    """Whether a sentence names a command, or an option of it, without its arguments."""
    line = " ".join(words)
    name = max((name for name in commands() if f"{line} ".startswith(f"{name} ")), key=len, default="")
    return all(word.startswith("--") for word in line.removeprefix(name).split())


def test_every_command_line_of_a_guide_is_one_that_the_program_takes() -> None:
    wrong = {}
    lines = [(guide, command) for guide, command in _commands() if not _is_named_only(_words(command))]
    for guide, command in lines:
        try:
            application().parse_args(_words(command), exit_on_error=False, print_error=False)
        except Exception as error:  # noqa: BLE001  (whatever the parser raises is what a reader would see)
            wrong[f"{guide}: {command}"] = str(error)
    assert len(lines) >= MIN_COMMANDS
    assert wrong == {}


def test_the_commands_of_verifying_work_on_an_export(tmp_path: Path) -> None:
    root = folder(tmp_path / "archive", OTTERS, SITE)
    built = "citepress build my-archive -o dist --base-url https://archive.example"
    assert f"{built}\n" in GUIDES["static-export"]
    words = built.replace("my-archive", str(root)).replace("https://archive.example", "https://notes.example").split()
    assert citepress(*words[1:], directory=tmp_path).returncode == 0
    head = orjson.loads((tmp_path / "dist/.well-known/edition.json").read_bytes())
    key = next(value for value in _strings(head) if re.fullmatch(r"notes\.example\+[0-9a-f]{8}\+\S+", value))
    shown = [line.partition(" #")[0].strip() for line in "".join(blocks("verify", "")).splitlines()]
    run = [
        line.replace("notes.example+5f0c1b2a+AXbd\u2026", key).replace("https://notes.example", "dist").split()[1:]
        for line in shown
        if "--key" in line or "--save" in line
    ]
    for words in [*run, ["verify", "dist/posts/otters.md", "--proof", "otters.proof"]]:
        done = citepress(*words, "--heads", "heads.json", directory=tmp_path)
        assert done.returncode == 0, (words, done.stderr)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _strings(part)


def test_the_unit_of_the_guide_names_the_folders(tmp_path: Path) -> None:
    (line,) = (line for line in "".join(blocks("deploy", "")).splitlines() if "deploy-config systemd" in line)
    root = folder(tmp_path / "archive", OTTERS, SITE)
    words = line.partition(" > ")[0].replace("/srv/archive", str(root)).split()[1:]
    unit = citepress(*words).stdout
    assert f"serve {root}" in unit
    assert "/var/lib/citepress" in unit


@pytest.mark.parametrize("guide", [name for name in GUIDES if any("#!/bin/sh" in text for text in blocks(name, ""))])
def test_the_scripts_of_a_guide_are_scripts(guide: str) -> None:
    for script in (text for text in blocks(guide, "") if text.startswith("#!/bin/sh")):
        command, *words = shlex.split(script.splitlines()[-1].removeprefix("exec "))
        assert command == "citepress"
        application().parse_args(words, exit_on_error=False, print_error=False)
        assert Path(words[1]).is_absolute()
