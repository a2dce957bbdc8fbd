"""Semantic search of a served archive, switched on in ``site.toml``, and what the commands say of it."""

import json
from pathlib import Path

import pytest

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.cli import run
from citepress.settings import from_environment
from support.folder import folder, post
from support.running_server import free_port, serving
from support.tiny_model import tiny_model, toml_of

SITE = 'title = "One"\nbase_url = "https://archive.example"\n'
TEXTS = {"walls": "A sandbox confines the process.", "bills": "The client pays a price."}


@pytest.fixture
def content(tmp_path: Path) -> Path:
    records = {f"content/posts/{slug}.md": post(text, slug=slug, title=slug) for slug, text in TEXTS.items()}
    return folder(tmp_path / "content", records, SITE + toml_of(tiny_model(tmp_path / "model")))


def doctor(content: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    run(["doctor", str(content), "--json", "--port", str(free_port())])
    findings = json.loads(capsys.readouterr().out)["findings"]
    return {finding["detail"]: finding["status"] for finding in findings if finding["check"] == "edition"}


def test_a_question_without_a_word_of_the_record_finds_it(content: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("onnxruntime", reason="citepress[semantic] is not installed")
    builder = Builder(from_environment(content))
    builder.index(builder.build(clock.now()), clock.now())
    with serving(content, content / "state") as server:
        answer = server.ask("/search.json?query=isolation").json()
        assert [(hit["id"], hit["matched"]) for hit in answer["results"]] == [("posts/walls", [])]
        assert (answer["total"], answer["unknown"]) == (1, ["isolation"])
        said = doctor(content, capsys)
    assert said["search compares meanings too, by the model; 2 of 2 records have vectors"] == "ok"


def test_check_names_the_file_that_is_not_the_expected_one(content: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("onnxruntime", reason="citepress[semantic] is not installed")
    assert run(["check", str(content), "--json"]) == 0
    assert '"CP082"' not in capsys.readouterr().out
    (content.parent / "model/tiny.onnx").write_bytes(b"another")
    assert run(["check", str(content), "--json"]) == 0
    faults = json.loads(capsys.readouterr().out)["faults"]
    (fault,) = [fault for fault in faults if fault["code"] == "CP082"]
    assert (fault["file"], fault["line"], "has the SHA-256" in fault["message"]) == ("site.toml", 4, True)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('model = "m.onnx"', "name model and model_sha256 together"),
        (f'vocabulary_sha256 = "{"0" * 64}"', "which is missing"),
        ('model_sha256 = "short"', "search.model_sha256"),
        ("semantic = 3", "search.semantic"),
    ],
)
def test_settings_that_do_not_fit_are_faults(
    tmp_path: Path, line: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    content = folder(tmp_path, {"content/posts/one.md": post()}, f"{SITE}[search]\n{line}\n")
    assert run(["check", str(content)]) == 1
    said = capsys.readouterr().out
    assert words in said
    assert "site.toml:" in said
