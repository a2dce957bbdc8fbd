"""Wheels of the tree, installed where the tree is not: commands and pages have everything that they need."""

import json
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from support.commands import without_settings
from support.running_server import serving_command
from support.tree import ROOT, SOURCES, files, project
from support.wheels import build, environment, output, packages

pytestmark = pytest.mark.long
DEFAULTS = {"citepress", *(Requirement(text).name.replace("-", "_") for text in project("citepress")["dependencies"])}
"""Our packages that everybody has."""
ENVIRONMENT = without_settings({"PATH": "/usr/bin:/bin"})


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A wheel of each package."""
    return build(tmp_path_factory.mktemp("wheels"), *packages())


@pytest.fixture(scope="module")
def program(wheels: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command as ``pip install citepress`` brings it."""
    return _installed(tmp_path_factory.mktemp("installed") / "environment", wheels, DEFAULTS)


def _installed(folder: Path, wheels: list[Path], names: set[str]) -> Path:
    """The command of these packages in an environment of its own."""
    return environment(folder, [wheel for wheel in wheels if wheel.name.partition("-")[0] in names]) / "citepress"


def test_the_wheels_hold_every_file_of_the_packages(wheels: list[Path]) -> None:
    held = set()
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as content:
            held |= {name for name in content.namelist() if ".dist-info/" not in name}
    assert held == {path.relative_to(ROOT / folder).as_posix() for folder in SOURCES for path in files(folder)}


def test_an_installed_wheel_makes_checks_builds_and_serves_an_archive(program: Path) -> None:
    archive, dist = program.parent / "archive", program.parent / "dist"
    assert str(program.parents[1]) in _run(program, "-c", "import citepress; print(citepress.__file__)", name="python")
    assert "is ready" in _run(program, "init", archive)
    assert "no faults" in _run(program, "check", archive)
    _run(program, "build", archive, "--output", dist, "--base-url", "https://e.example")
    assert "One address, many forms" in (dist / "patterns/one-address-many-forms/index.html").read_text()
    with serving_command(archive, program.parent / "state", program=[str(program)]) as server:
        page = server.ask("/posts/first-note/")
        assert (page.status, page.type) == (200, "text/html; charset=utf-8")
        style = page.text.partition('<link rel="stylesheet" href="')[2].partition('"')[0]
        for path, media_type in {
            style: "text/css",
            "/icon-48.png": "image/png",
            "/posts/first-note.md": "text/markdown",
            "/openapi.json": "application/json",
            "/presence-schema.json": "application/json",
        }.items():
            answer = server.ask(path)
            assert (answer.status, answer.type.partition(";")[0]) == (200, media_type), path
            assert answer.body
        assert server.ask("/search.json?query=address").json()["total"] >= 1
        prompts = _mcp(server.ask, "prompts/list")["prompts"]
        assert "verify_a_claim" in {prompt["name"] for prompt in prompts}


def test_a_command_that_is_not_installed_leaves_no_trace_and_names_its_extra(
    program: Path, wheels: list[Path], tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "otters.md").write_text("---\ntitle: Otters\ndate: 2026-03-01\n---\nThey hold hands.\n")
    command = ("import", "markdown", tmp_path / "notes", tmp_path / "archive")
    assert "Import the site of another tool" not in _run(program, "--help")
    refused = output(program, *command, code=2, cwd=tmp_path, env=ENVIRONMENT)
    assert "it needs an extension that is not installed: pip install 'citepress[import]'" in " ".join(refused.split())
    extended = _installed(tmp_path / "environment", wheels, DEFAULTS | {"citepress_import"})
    assert "Import the site of another tool" in _run(extended, "--help")
    assert "1 post" in _run(extended, *command)
    assert "1 record" in _run(program, "check", tmp_path / "archive")


def _mcp(ask, method):
    """The result of an MCP request."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": {}}).encode()
    return ask("/mcp", "POST", body, content_type="application/json", accept="application/json").json()["result"]


def _run(program: Path, *words: object, name: str = "citepress") -> str:
    """What a command of that environment prints, run where no tree is."""
    return output(program.with_name(name), *words, cwd=program.parent, env=ENVIRONMENT)
