"""What is rendered from a small fixed archive, as last agreed: a change shows up in review as a difference."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from citepress.admin.build import Builder
from citepress.app.registry import catalogue, render_context, table
from citepress.edition.compiler import render_units
from citepress.edition.leaf import Leaf
from citepress.edition.passthrough import passthrough_leaves
from citepress.kinds import ALL as KINDS
from citepress.settings import Settings

HERE = Path(__file__).parent
EXPECTED = HERE / "expected"
MOMENT = datetime(2026, 11, 21, tzinfo=UTC)
CONTRACTS = ("/openapi.json", "/openapi-route-catalog.json")
DOCUMENTS = (
    *CONTRACTS,
    "/llms.txt",
    "/llms-full.txt",
    "/changes.xml",
    "/sitemap.xml",
    "/robots.txt",
    "/.well-known/api-catalog",
    "/mcp-readonly.json",
    "/discovery-graph/000.json",
    "/source-ledger.json",
    "/posts.json",
    "/feed.json",
    "/index.md",
    "/datasets/departures.md",
)
MOVING = ((re.compile(rb"/theme/([a-z-]+)-[0-9a-f]+\.(css|svg)"), rb"/theme/\1.\2"),)
"""What names the bytes of another file, and so would repeat its changes here."""
LOG = (".well-known/edition.json", ".well-known/edition/log/", ".well-known/http-message-signatures-directory")


@cache
def _leaves() -> Mapping[str, Leaf]:
    with tempfile.TemporaryDirectory() as folder:  # where no history of this project gives records other revisions
        root = shutil.copytree(HERE / "archive", Path(folder) / "archive")
        archive, warnings = Builder(Settings(root, Path(folder) / "state")).archive(MOMENT)
    assert warnings == ()
    at = render_context(archive)
    return {
        leaf.path: leaf
        for work in chain(render_units(at, catalogue(), b""), passthrough_leaves(at))
        for leaf in work.render()
    }


def _names() -> Iterator[str]:
    yield "routes.txt"
    yield from DOCUMENTS
    for kind in KINDS:
        (file,) = (HERE / "archive" / "content" / kind.name).glob("*.md")
        yield from (f"/{kind.name}/{file.stem}{end}" for end in ("/", ".md", ".json"))


def _file(name: str) -> Path:
    if name in CONTRACTS:
        return EXPECTED / (name.strip("/").removesuffix(".json") + ".txt")
    return EXPECTED / (name.strip("/") + (".html" if name.endswith("/") else ""))


def _rendered(name: str) -> bytes:
    if name == "routes.txt":
        return re.sub(r" {2,}", "  ", table().text()).encode()
    leaf = _leaves()[name]
    body = leaf.body
    for pattern, steady in MOVING:
        body = pattern.sub(steady, body)
    return _readable(name, body) if leaf.kind == "json" else body


def _readable(name: str, body: bytes) -> bytes:
    """JSON over many lines; an OpenAPI document with one line a path and one a component."""
    document = json.loads(body)
    if name == "/openapi-route-catalog.json":  # the other contract holds the schemas whole
        document["schemas"] = sorted(document["components"].pop("schemas"))
    if name in CONTRACTS:
        return "".join(f"{line}\n" for line in sorted(_contract_lines(document))).encode()
    return json.dumps(document, indent=1, ensure_ascii=False).encode() + b"\n"


def _contract_lines(contract: Mapping[str, Any]) -> Iterator[str]:
    for member, value in contract.items():
        if member == "paths":
            yield from (f"{path} {_compact(item)}" for path, item in value.items())
        elif member == "components":
            for section, parts in value.items():
                yield from (f"{section}/{part} {_compact(schema)}" for part, schema in parts.items())
        else:
            yield f"{member} {_compact(value)}"


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@pytest.mark.parametrize("name", [*_names()])
def test_what_is_rendered_is_as_agreed(name: str, pytestconfig: pytest.Config) -> None:
    text, file = _rendered(name), _file(name)
    if pytestconfig.getoption("--update"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text)
    assert file.is_file(), f"no golden yet: {file.name}; see docs/contributing.md"
    assert text.decode() == file.read_text("utf-8")


def test_no_golden_is_left_over() -> None:
    assert {path for path in EXPECTED.rglob("*") if path.is_file()} == {_file(name) for name in _names()}


def test_two_processes_write_the_same_bytes(tmp_path: Path) -> None:
    for seed in ("1", "2"):
        command = [
            sys.executable,
            "-m",
            "citepress",
            "build",
            str(HERE / "archive"),
            "-o",
            str(tmp_path / seed),
            "--state",
            str(tmp_path / f"s{seed}"),
        ]
        subprocess.run(
            command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, timeout=300, check=True
        )
    # Each state folder has a key and a log of its own, which are no part of the content.
    first, second = (
        {
            path: (tmp_path / seed / path).read_bytes()
            for file in (tmp_path / seed).rglob("*")
            if file.is_file() and not (path := file.relative_to(tmp_path / seed).as_posix()).startswith(LOG)
        }
        for seed in "12"
    )
    assert len(first) > 200
    assert first == second
