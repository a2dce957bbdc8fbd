"""The lines that lead a language server to a schema: written by `init` and `new`, in nobody's way afterwards."""

import json
from pathlib import Path

import pytest

from citepress.cli import run
from citepress_editors.schema_lines import SCHEMAS_FOLDER, schema_line, with_line
from citepress_inbox.patch import edit_file
from support.folder import SITE, folder, post

LINE = "# yaml-language-server: $schema=../../.citepress/schemas/posts.json\n"


def lines_of(root: Path) -> dict[str, str]:
    """The schema that each file names, by its path from the root."""
    schemas = {}
    for path in (path for path in root.rglob("*") if path.is_file() and path.suffix in (".md", ".toml", ".yaml")):
        for line in path.read_text("utf-8").splitlines()[:2]:
            if line.startswith(("#:schema ", "# yaml-language-server: $schema=")):
                named = line.rpartition("=" if line.startswith("# ") else " ")[2]
                schemas[path.relative_to(root).as_posix()] = (path.parent / named).resolve()
    return {path: schema.relative_to(root.resolve()).as_posix() for path, schema in schemas.items() if schema.is_file()}


@pytest.mark.parametrize("template", ["archive", "notes"])
def test_every_file_of_a_new_archive_names_a_schema_that_is_there(tmp_path: Path, template: str) -> None:
    root = tmp_path / "a"
    assert run(["init", str(root), "--template", template]) == 0
    texts = [path for path in root.rglob("*") if path.suffix in (".md", ".toml")]
    assert len(lines_of(root)) == len(texts)
    assert lines_of(root)["site.toml"] == f"{SCHEMAS_FOLDER}/site.json"


def test_what_new_writes_names_the_schema_of_its_kind(tmp_path: Path) -> None:
    root = tmp_path / "a"
    assert run(["init", str(root), "--template", "notes"]) == 0
    assert run(["new", "forecasts", "rain", "--content", str(root)]) == 0
    assert run(["new", "owner", "--content", str(root)]) == 0
    assert lines_of(root)["content/forecasts/rain.md"] == f"{SCHEMAS_FOLDER}/forecasts.json"
    assert lines_of(root)["content/owner.md"] == f"{SCHEMAS_FOLDER}/owner.json"


def test_a_plain_folder_and_an_older_archive_stay_as_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["init", str(tmp_path / "plain"), "--template", "minimal"]) == 0
    assert [path.name for path in (tmp_path / "plain").rglob("*")] == ["first-note.md"]
    older = folder(tmp_path / "older", {"content/posts/a.md": post()})
    assert run(["new", "posts", "b", "--content", str(older)]) == 0
    assert (lines_of(older), (older / SCHEMAS_FOLDER).exists()) == ({}, False)
    assert run(["schema", "--write", "--content", str(tmp_path / "plain")]) == 2
    assert "is not an archive: it has no site.toml" in capsys.readouterr().err


def test_an_older_archive_has_schemas_and_lines_once_it_asks_for_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    older = folder(tmp_path, {"content/posts/a.md": post()})
    before = (older / "content/posts/a.md").read_bytes()
    assert run(["schema", "--write", "--content", str(older), "--json"]) == 0
    names = [Path(name).name for name in json.loads(capsys.readouterr().out)["files"]]
    assert names == ["site.json", "posts.json"]
    assert (older / "content/posts/a.md").read_bytes() == before
    assert run(["new", "posts", "b", "--content", str(older)]) == 0
    assert lines_of(older) == {"content/posts/b.md": f"{SCHEMAS_FOLDER}/posts.json"}


def test_a_schema_that_an_archive_has_is_refreshed_with_its_topics(tmp_path: Path) -> None:
    root = tmp_path / "a"
    assert run(["init", str(root), "--template", "notes"]) == 0
    assert run(["new", "topics", "rivers", "--content", str(root)]) == 0
    assert b"rivers" not in (root / SCHEMAS_FOLDER / "posts.json").read_bytes()
    assert run(["schema", "--write", "--content", str(root)]) == 0
    assert b'"enum":["rivers"]' in (root / SCHEMAS_FOLDER / "posts.json").read_bytes()


@pytest.mark.parametrize("command", ["schema", "skill"])
def test_a_folder_that_cannot_be_written_is_named_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    (tmp_path / "file").write_text("x")
    assert run([command, "--out", str(tmp_path / "file")]) == 1
    said = " ".join(capsys.readouterr().err.split())
    assert "file cannot be written to: " in said
    assert said.endswith("Name another folder")


def test_faults_are_at_their_lines_below_the_comment(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    note = with_line("content/posts/a.md", post(date="soon").encode(), "posts").decode()
    assert note.startswith(f"---\n{LINE}")
    site = schema_line("site.toml", "site").decode() + SITE + "page_size = 1\n"
    root = folder(tmp_path, {"content/posts/a.md": note}, site)
    assert run(["check", str(root), "--format", "json"]) == 1
    faults = json.loads(capsys.readouterr().out)["faults"]
    places = {(fault["file"], fault["line"], fault["source"]) for fault in faults}
    assert places == {("content/posts/a.md", 5, "date: soon"), ("site.toml", 4, "page_size = 1")}


def test_the_comment_is_not_published(tmp_path: Path) -> None:
    note = with_line("content/posts/a.md", post().encode(), "posts")
    root = folder(tmp_path / "a", {"content/posts/a.md": note})
    assert run(["build", str(root), "--output", str(tmp_path / "dist")]) == 0
    pages = [path for path in (tmp_path / "dist").rglob("*") if path.is_file()]
    assert len(pages) > 100
    assert [path for path in pages if b"yaml-language-server" in path.read_bytes()] == []


def test_an_accepted_correction_leaves_the_comment_where_it_is() -> None:
    note = with_line("content/posts/a.md", post().encode(), "posts").decode()
    change = {"date": "2026-11-23", "note": "It changed."}
    edited = edit_file(note, {"corrections": [change]}, {"summary": "What it says now."})
    assert edited.startswith(f"---\n{LINE}title: A note\nsummary: What it says now.\n")


def test_an_import_takes_no_comment_over_and_leaves_that_of_an_edited_file_when_it_is_repeated(tmp_path: Path) -> None:
    """The comment of the former folder names a schema that the new one does not have."""
    text = f"---\n{LINE}title: A note\ndate: 2026-05-01\n---\n\nSome text.\n"
    site = folder(tmp_path / "site", {"content/posts/a.md": text, "hugo.toml": "title = 'A'\n"}, None)
    words = ["import", "auto", str(site), str(tmp_path / "new")]
    assert run(words) == 0
    moved = next((tmp_path / "new" / "content" / "posts").glob("*.md"))
    assert "title: A note" in moved.read_text("utf-8")
    assert "$schema=" not in moved.read_text("utf-8")
    moved.write_bytes(edited := with_line("content/posts/a.md", moved.read_bytes(), "posts"))
    assert run(words) == 0
    assert moved.read_bytes() == edited
