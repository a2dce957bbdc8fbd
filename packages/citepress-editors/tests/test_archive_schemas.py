"""Schemas and `check` agree: what a schema refuses is an error of `check`, and it refuses nothing else."""

import json
import random
import sys
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from citepress.cli import run
from citepress.content import toml_loader, yaml_loader
from citepress.content.source_map import split
from citepress.kinds import ALL as KINDS
from citepress.kinds import REGISTRIES
from citepress_editors.archive_schemas import AuthorFile, RecordFile, schema_files, schemas
from citepress_editors.schema_lines import file_of
from support.folder import folder, post, topic
from support.tree import ROOT

ARCHIVES = ("examples/agent-archive", "examples/every-state", "tests/golden/archive")
OWNER = "---\nname: Ada\ntype: Person\nheadline: Writes.\ndescription: Writes notes.\n---\n"
DATASET = "---\ntitle: Rows\nsummary: Some rows.\ndate: 2026-05-01\n---\n"
ROWS = {
    "datasets/d/schema.json": '{"type": "object", "properties": {"a": {"type": "string"}}}',
    "datasets/d/v1.csv": "a\nx\n",
}
POSTS_ONLY = "retrieval_nugget: One sentence.\nclaims: []\n"
"""Keys that forecasts do not have: with them, check says that the file is in the wrong folder."""
BROKEN: tuple[tuple[str, str, str], ...] = (
    ("site.toml", 'titel = "A"\n', "titel"),
    ("site.toml", "page_size = 4\n", "page_size"),
    ("site.toml", 'page_size = "many"\n', "page_size"),
    ("site.toml", 'base_url = "ftp://example.org"\n', "base_url"),
    ("site.toml", '[theme]\nname = "dark"\n', "theme"),
    ("site.toml", '[export]\nsearch = "perhaps"\n', "export"),
    ("site.toml", "[[deprecations]]\npath = '/old/'\n", "deprecations"),
    ("site.toml", 'trusted_proxies = "10.0.0.1"\n', "trusted_proxies"),
    ("content/sources.yaml", "sources:\n  a: {title: A}\n", "sources"),
    ("content/sources.yaml", "sources:\n  a: {url: 'https://a.example/', role: tertiary}\n", "sources"),
    ("content/sources.yaml", "origins:\n- {id: UPPER, title: A, url: 'https://a.example/'}\n", "origins"),
    ("content/sources.yaml", "source: {}\n", "source"),
    ("content/owner.md", OWNER.replace("Person", "Cat"), "type"),
    ("content/owner.md", OWNER.replace("headline: Writes.\n", ""), ""),
    ("content/owner.md", OWNER.replace("type: Person", "type: Person\nlinks: [{title: A}]"), "links"),
    ("content/pages/p.md", "---\nsummary: No title.\n---\n", ""),
    ("content/pages/p.md", "---\ntitle: P\nlastmod: soon\n---\n", "lastmod"),
    ("datasets/d/README.md", DATASET.replace("date: 2026-05-01\n", ""), ""),
    ("datasets/d/README.md", DATASET.replace("date:", "version: 1.0\ndate:"), "version"),
    ("content/posts/x.md", post(date="01.05.2026"), "date"),
    ("content/posts/x.md", post(date=2026), "date"),
    ("content/posts/x.md", post(title=""), "title"),
    ("content/posts/x.md", post(title="x" * 161), "title"),
    ("content/posts/x.md", post(draft="perhaps"), "draft"),
    ("content/posts/x.md", post(tags="one, two"), "tags"),
    ("content/posts/x.md", post(claims=[{"text": "So."}, {"source_refs": []}]), "claims"),
    ("content/posts/x.md", post(claims=[{"text": "So.", "quote": "short"}]), "claims"),
    ("content/posts/x.md", post(sources=[{"title": "A source"}]), "sources"),
    ("content/posts/x.md", post(aliases=["old/path"]), "aliases"),
    ("content/posts/x.md", post(made_with="robots"), "made_with"),
    ("content/posts/x.md", post(revision=0), "revision"),
    ("content/posts/x.md", post(doi="doi:1"), "doi"),
    ("content/posts/x.md", post(keywords=["a"]), "keywords"),
    ("content/posts/x.md", post().replace("summary: What it says.\n", ""), ""),
    ("content/topics/x.md", topic().replace("question: What?\n", ""), ""),
    ("content/forecasts/x.md", post(probability=2).replace(POSTS_ONLY, ""), "probability"),
    ("content/presence/x.yaml", "type: Nothing\n", ""),
)
"""The path of a file, what is wrong in it, and the member at fault; none where one is missing."""
VALUES: tuple[Any, ...] = (
    *(None, "", "x", "yes", "OFF", "5", "0.5", "-1", 0, 1, 5, 0.5, 5.0, -1, [], {}, ["x"], [5], {"x": 1}, "x" * 5000),
    *("2026-05-01", "20260501", "2026-05-01T10:00:00Z", "2026-05-01 10:00", "2026-13-01", "26-05-01", "2026-W07-1"),
    *("https://a.example/", "/path/", "https://a.example/ x", "a-slug", "posts/a", "v1", "en", "10.1234/x"),
)
"""What a member may be replaced with. No ``true``: a number takes it for 1, and the schemas do not."""


@cache
def validators() -> dict[str, Draft202012Validator]:
    return {name: Draft202012Validator(schema) for name, schema in schemas().items()}


def value_of(path: str, text: str) -> Any:
    """What is written in a file, as `check` reads it before it judges."""
    if path.endswith(".toml"):
        return toml_loader.load(text)
    if path.endswith(".yaml"):
        return yaml_loader.load(text)
    matter = split(text)
    return matter.format.load(matter.front or "") or {}


def errors(path: str, value: Any) -> list[str]:
    file = file_of(path)
    assert file, path
    return [f"{path} {error.json_path}: {error.message[:200]}" for error in validators()[file.name].iter_errors(value)]


def written(root: Path) -> Iterator[tuple[str, str]]:
    """Every file of an archive that has a schema."""
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_file() and "state" not in path.parts and file_of(name):
            yield name, path.read_text("utf-8")


@cache
def sound() -> list[tuple[str, Any]]:
    """The files of the example archives."""
    values = [(path, value_of(path, text)) for name in ARCHIVES for path, text in written(ROOT / name)]
    return [(path, each) for path, value in values for each in (value if isinstance(value, list) else [value])]


def test_every_schema_is_one() -> None:
    for schema in schemas().values():
        Draft202012Validator.check_schema(schema)
    names = {kind.name for kind in KINDS} | {registry.name for registry in REGISTRIES}
    assert names | {"site", "sources", "owner", "pages", "datasets", "front-matter"} == set(schemas())


@pytest.mark.parametrize("archive", ARCHIVES)
def test_no_schema_refuses_a_file_of_an_archive_without_errors(archive: str) -> None:
    texts = list(written(ROOT / archive))
    assert len(texts) >= 3
    assert [error for path, text in texts for error in errors(path, value_of(path, text))] == []


@pytest.mark.parametrize("template", ["archive", "notes"])
def test_no_schema_refuses_what_init_and_new_write(tmp_path: Path, template: str) -> None:
    root = tmp_path / "a"
    assert run(["init", str(root), "--template", template]) == 0
    (tmp_path / "rows.csv").write_text("a,b\nx,1\n")
    words_of_each = [[kind.name, "made"] for kind in KINDS] + [["page", "made"], ["owner"]]
    for words in [*words_of_each, ["dataset", "made", "--from", str(tmp_path / "rows.csv")]]:
        assert run(["new", *words, "--content", str(root)]) == 0
    texts = list(written(root))
    assert len(texts) > len(KINDS) + 4
    assert [error for path, text in texts for error in errors(path, value_of(path, text))] == []


@pytest.mark.parametrize(
    ("path", "text", "member"), BROKEN, ids=[f"{path} {place}" for place, (path, _, _) in enumerate(BROKEN)]
)
def test_what_a_schema_refuses_is_an_error_of_check_at_the_same_member(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], path: str, text: str, member: str
) -> None:
    assert any(member in error for error in errors(path, value_of(path, text)))
    rows = ROWS if path.startswith("datasets") else {}
    root = folder(tmp_path, {"content/posts/a.md": post(), **rows, path: text})
    assert run(["check", str(root), "--format", "json"]) == 1
    faults = [fault for fault in json.loads(capsys.readouterr().out)["faults"] if fault["level"] == "error"]
    assert {fault["file"] for fault in faults} == {path}
    assert any(member in fault["message"] for fault in faults)


def test_a_schema_refuses_no_broken_folder_that_check_lets_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sys.path.insert(0, str(ROOT / "packages/citepress-core/tests/content"))
    folders = __import__("test_what_authors_are_told")
    refused = 0
    for place, row in enumerate(folders.ROWS):
        texts = {name: folders._text(name, written) for name, written in row["files"].items()}  # noqa: SLF001
        run(
            [
                "check",
                str(folder(tmp_path / str(place), {"content/topics/t.md": topic(topics=[]), **texts})),
                "--format",
                "json",
            ]
        )
        faulty = {fault["file"] for fault in json.loads(capsys.readouterr().out)["faults"] if fault["level"] == "error"}
        for path, text in texts.items():
            if file_of(path) and path not in faulty and isinstance(text, str):
                assert errors(path, value_of(path, text)) == [], row["about"]
            elif file_of(path) and isinstance(text, str):
                refused += bool(_refused(path, text))
    assert refused > 15


def _refused(path: str, text: str) -> list[str]:
    try:
        return errors(path, value_of(path, text))
    except yaml_loader.ParseFault:
        return []


def accepts(file: AuthorFile, value: Any) -> bool:
    """Whether the models that read a file take a value."""
    if not isinstance(value, dict):
        return False
    names = list(file.models)
    if isinstance(file, RecordFile):
        names = [names[bool(value.get("gone"))]]
    if len(names) > 1:
        names = [f"{file.name} {value.get('type')}"]
        value = {key: each for key, each in value.items() if key != "type"}
    try:
        file.models[names[0]].model_validate(value)
    except (ValidationError, KeyError):
        return False
    return True


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, part in inside:
        yield from places(part, (*at, step))


def changed(value: Any, chance: random.Random) -> Any:
    """A copy with one member replaced, taken away or written twice under another name."""
    value = deepcopy(value)
    at = chance.choice([place for place in places(value) if place])
    holder = value
    for step in at[:-1]:
        holder = holder[step]
    match chance.randrange(4):
        case 0:
            del holder[at[-1]]
        case 1 if isinstance(holder, dict):
            names = ("description", "publish_date", "translation_key", "summary", "unknown", "type")
            holder[chance.choice(names)] = holder.pop(at[-1])
        case _:
            holder[at[-1]] = chance.choice(VALUES)
    return value


def test_a_schema_accepts_whatever_the_reader_accepts_of_files_with_one_change() -> None:
    chance = random.Random(20261128)  # noqa: S311  (a repeatable choice)
    verdicts = {True: 0, False: 0}
    for path, value in sound():
        file = file_of(path)
        assert file
        for _ in range(12):
            other = changed(value, chance) if value else value
            taken = accepts(file, other)
            verdicts[taken] += 1
            if taken:
                assert errors(path, other) == []
    assert min(verdicts.values()) > 300, verdicts


def test_the_schemas_of_the_wheel_are_current() -> None:
    """`citepress schema --out packages/citepress-editors/src/citepress_editors/schemas` writes them anew."""
    shipped = {item.name: item.read_bytes() for item in files("citepress_editors").joinpath("schemas").iterdir()}
    assert shipped == dict(schema_files())


def test_every_member_is_described_and_no_second_list_is_kept() -> None:
    for name, schema in schemas().items():
        for title, part in schema["$defs"].items():
            for member, about in part.get("properties", {}).items():
                assert about.get("description") or "$ref" in json.dumps(about), f"{name} {title}.{member}"


def test_names_of_an_archive_are_offered_and_others_are_not_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shared = yaml.safe_dump({"sources": {"rfc": {"url": "https://rfc.example/"}}})
    root = folder(
        tmp_path, {"content/topics/rivers.md": topic(), "content/posts/a.md": post(), "content/sources.yaml": shared}
    )
    assert run(["schema", "posts", str(root)]) == 0
    schema = json.loads(capsys.readouterr().out)
    front = schema["$defs"]["FieldNoteRecordFront"]["properties"]
    assert {"enum": ["rivers"]} in front["topics"]["items"]["anyOf"]
    assert {"enum": ["posts/a", "topics/rivers"]} in front["related"]["items"]["anyOf"]
    assert "rfc" in json.dumps(front["sources"])
    judge = Draft202012Validator(schema)
    sample = value_of("content/posts/a.md", post(topics=["lakes"], related=["posts/b"], sources=["https://x.example/"]))
    assert judge.is_valid(sample)
