"""What an author sees in an editor: stock language servers over an archive that `citepress init` made, offline.

``yaml-language-server`` reads YAML. It takes the front matter of a Markdown file as a document of its own, which is how
an editor that hands it front matter does; of a whole Markdown file it reads the front matter rightly and takes the text
below for YAML too.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from judges import Verdict, verdict, without
from language_server import LanguageServer, language_server
from workshop import HOME, Workshop

YAML = "yaml-language-server/bin/yaml-language-server"
SETTINGS = {
    "yaml": {"validate": True, "hover": True, "completion": True, "schemaStore": {"enable": False}},
    "evenBetterToml": {"schema": {"enabled": True, "catalogs": []}},
}
SITE = """title = "Notes"
page_size = 500
licence = "MIT"

[theme]
name = "pap"
"""
SOURCES = """sources:
  rfc9110:
    url: https://www.rfc-editor.org/rfc/rfc9110
    role: tertiary
    published_at: June 2022
    """
NOTE = """title: A note
summary: What it says.
date: 2026-13-01
draft: perhaps
topics: [content-negotiation]
made_with: human
sourcs: []
"""
BODY = "---\n\nWhat *it* says.\n"
Claim = tuple[str, Callable[[LanguageServer, str], bool]]
"""What an author sees, and whether it is so in a file."""


def _lines(server: LanguageServer, path: str, lines: set[int]) -> bool:
    """Whether exactly these lines of a file are marked."""
    return {line for line, _ in server.faults(path, len(lines))} == lines


TOML_CLAIMS: tuple[Claim, ...] = (
    ("faults at their lines", lambda server, path: _lines(server, path, {3, 4, 7})),
    ("hover over a key", lambda server, path: "Cards a page of a collection list" in server.hover(path, 3, 2)),
    ("hover over a table", lambda server, path: "How pages look" in server.hover(path, 6, 3)),
    ("values of a key", lambda server, path: {'"paper"', '"plain"'} <= server.complete(path, 7, 10)),
    ("keys", lambda server, path: {"license", "base_url", "owner"} <= server.complete(path, 5, 1)),
)
SOURCES_CLAIMS: tuple[Claim, ...] = (
    ("faults at their lines", lambda server, path: _lines(server, path, {5, 6})),
    ("hover over a key", lambda server, path: "report about it" in server.hover(path, 5, 6)),
    ("values of a key", lambda server, path: {"primary", "secondary"} <= server.complete(path, 5, 11)),
    ("keys", lambda server, path: {"publisher", "archive_url"} <= server.complete(path, 7, 5)),
)
NOTE_CLAIMS: tuple[Claim, ...] = (
    ("faults at their lines", lambda server, path: _lines(server, path, {4, 5, 8})),
    ("a sentence for a date", lambda server, path: "not a date" in dict(server.faults(path, 3))[4]),
    ("hover over a key", lambda server, path: "unless drafts are asked for" in server.hover(path, 5, 3)),
    ("topics of the archive", lambda server, path: "content-negotiation" in server.complete(path, 6, 12)),
    ("values of a key", lambda server, path: {"human", "ai_assisted"} <= server.complete(path, 7, 13)),
    ("keys", lambda server, path: {"claims", "retrieval_nugget"} <= server.complete(path, 9, 1)),
)
MARKDOWN_CLAIMS: tuple[Claim, ...] = (
    ("faults at their lines", lambda server, path: {5, 6, 9} <= {line for line, _ in server.faults(path, 3)}),
    ("hover over a key", lambda server, path: "unless drafts are asked for" in server.hover(path, 6, 3)),
)


def editors(tools: Workshop) -> Iterator[Verdict]:
    """Completion, hover and marks in the files that authors write."""
    if missing := without(tools, "node", "taplo"):
        yield missing
        return
    with tempfile.TemporaryDirectory(prefix="editors-") as name:
        root = Path(name).resolve() / "notes"
        _citepress("init", str(root))
        _citepress("schema", "--write", "--content", str(root))
        toml = [tools.node, str(HOME / "clients" / "taplo.mjs")]
        with language_server(toml, root, SETTINGS) as server:
            text = _line(root / "site.toml", 1) + SITE
            yield _judged(server, "taplo site.toml", "site.toml", "toml", text, TOML_CLAIMS)
        text = _line(root / "content/posts/first-note.md", 2) + NOTE
        shared = text.partition("\n")[0].replace("../../", "../").replace("posts.json", "sources.json") + "\n" + SOURCES
        (root / "content/sources.yaml").write_text("sources: {}\n", "utf-8")
        _citepress("schema", "--write", "--content", str(root))
        with language_server([tools.node, str(tools.package(YAML)), "--stdio"], root, SETTINGS) as server:
            path = "content/sources.yaml"
            yield _judged(server, "yaml-ls sources.yaml", path, "yaml", shared, SOURCES_CLAIMS)
            yield _judged(server, "yaml-ls front matter", "content/posts/a.yaml", "yaml", text, NOTE_CLAIMS)
            whole = f"---\n{text}{BODY}"
            yield _judged(server, "yaml-ls whole Markdown", "content/posts/a.md", "yaml", whole, MARKDOWN_CLAIMS)
        yield from _agreement(root, {"site.toml": _line(root / "site.toml", 1) + SITE, "content/posts/a.md": whole})


def _judged(
    server: LanguageServer, name: str, path: str, language: str, text: str, claims: tuple[Claim, ...]
) -> Verdict:
    """What of the claims is so in a file that an author has just written."""
    server.open(path, language, text)
    missed = tuple(about for about, is_so in claims if not is_so(server, path))
    return verdict(name, not missed, f"{len(claims) - len(missed)} of {len(claims)} helps", missed)


def _agreement(root: Path, files: dict[str, str]) -> Iterator[Verdict]:
    """Whether `check` has its errors at the lines that the servers marked."""
    (root / "content/sources.yaml").unlink()
    for path, text in files.items():
        (root / path).write_text(text, "utf-8")
    faults = json.loads(_citepress("check", str(root), "--drafts", "--format", "json", code=1))["faults"]
    lines = {(fault["file"], fault["line"]) for fault in faults if fault["level"] == "error"}
    marked = {*(("site.toml", line) for line in (3, 4, 7)), *(("content/posts/a.md", line) for line in (5, 6, 9))}
    yield verdict("check marks the same lines", lines == marked, f"{len(lines)} lines", tuple(map(str, lines ^ marked)))


def _line(path: Path, number: int) -> str:
    """The line of a file that leads to its schema."""
    return path.read_text("utf-8").splitlines()[number - 1] + "\n"


def _citepress(*words: str, code: int = 0) -> str:
    command = [sys.executable, "-m", "citepress", *words]
    done = subprocess.run(command, cwd=HOME, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != code:
        raise RuntimeError(f"{' '.join(words)}: {done.stdout}{done.stderr}")
    return done.stdout
