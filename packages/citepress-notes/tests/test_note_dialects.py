"""Notes as their tools read them: footnotes, emoji, keys given twice, and what no page can carry."""
# ruff: noqa: RUF001  (punctuation of Chinese)

import json
import re
from pathlib import Path
from typing import Any

import pytest

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.edition.edition import open_edition
from citepress.settings import from_environment
from support.folder import SVG, assembled, checked, fault_places, folder

DATED = "---\ntitle: T\ndate: 2026-01-02\n---\n"


def edition(root: Path, files: dict[str, str], site: str | None = None) -> Any:
    settings = from_environment(folder(root / "notes", files, site=site), environ={})
    return open_edition(Builder(settings).build(clock.now()).pointer)


def shown(root: Path, text: str, **files: str) -> str:
    """What the page of a note shows of its text."""
    body = edition(root, {"a.md": f"{DATED}Opening.\n\n{text}\n", **files}).body("/posts/a/").decode()
    inside = body.partition('<section class="block prose" id="text">')[2].partition("</section>")[0]
    return re.sub(r"\s+", " ", re.sub(r' id="p-[0-9a-f]+"', "", inside).partition("Opening.</p>")[2]).strip()


def test_a_footnote_behind_a_wiki_link_is_one(tmp_path: Path) -> None:
    html = shown(tmp_path, "See [[Other]][^1].\n\n[^1]: the note")
    assert 'href="#text-note-1"' in html
    _, faults = checked(folder(tmp_path / "other", {"a.md": f"{DATED}See [[Other]][^1].\n\n[^1]: n\n"}, site=None))
    assert fault_places(faults) == ["a.md:5:5 CP060"]


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("hugo.toml", "enableEmoji = true\n"),
        ("_config.yml", "plugins: [jemoji]\n"),
        ("mkdocs.yml", "site_name: X\ndocs_dir: content\nmarkdown_extensions:\n- pymdownx.emoji: {}\n"),
    ],
)
def test_emoji_are_drawn_where_the_settings_say_so(tmp_path: Path, name: str, settings: str) -> None:
    note = f"{DATED}A :smile: at 10:30:20, `:smile:`, :nope:.\n"
    below = "content/a.md" if name != "_config.yml" else "a.md"
    archive = assembled(folder(tmp_path, {name: settings, below: note}, site=None))
    (entry,) = archive.entries.values()
    assert entry.record.body_markdown == "A 😄 at 10:30:20, `:smile:`, :nope:."
    assert entry.record.summary == "A 😄 at 10:30:20, :smile:, :nope:."


def test_a_picture_with_a_space_in_its_name_is_shown(tmp_path: Path) -> None:
    html = shown(tmp_path, "![b](<pic one.svg>)", **{"pic one.svg": SVG})
    assert 'src="/pic%20one.svg"' in html


def test_a_control_character_is_left_out_and_named(tmp_path: Path) -> None:
    archive, faults = checked(folder(tmp_path, {"a.md": f"{DATED}Form\x0cfeed and\x0b [x](no.md)\n"}, site=None))
    assert archive is not None
    assert archive.entries["posts/a"].record.body_markdown == "Formfeed and [x](/posts/no/)"
    assert fault_places(faults) == ["a.md:5:5 CP045", "a.md:5:14 CP045", "a.md:5:14 CP046"]


def test_of_a_key_that_is_given_twice_the_last_counts(tmp_path: Path) -> None:
    text = "---\ntitle: One\ndate: 2026-01-02\ntitle: Two\n---\nText.\n"
    archive, faults = checked(folder(tmp_path, {"a.md": text}, site=None))
    assert archive is not None
    assert archive.entries["posts/a"].head.title == "Two"
    assert fault_places(faults) == ["a.md:4:1 CP045"]


@pytest.mark.parametrize("keys", ["draft: true\ndraft: false", "draft: false\ndraft: true"])
def test_a_note_that_says_once_that_it_is_private_is_private(tmp_path: Path, keys: str) -> None:
    files = {"a.md": f"---\ntitle: Secret\n{keys}\n---\nText.\n", "b.md": f"{DATED}Text.\n"}
    assert list(assembled(folder(tmp_path, files, site=None)).entries) == ["posts/b"]


def test_a_rule_in_the_first_line_begins_a_text(tmp_path: Path) -> None:
    text = "---\n\n# Title\n\nWords.\n\n---\n\nMore.\n"
    archive, _ = checked(folder(tmp_path, {"a.md": text}, site=None))
    assert archive is not None
    record = archive.entries["posts/a"].record
    assert (record.title, record.summary) == ("Title", "Words.")
    assert record.body_markdown.endswith("---\n\nMore.")


@pytest.mark.parametrize(("written", "language"), [("en_US", "en-US"), ("pt_BR.UTF-8", "pt-BR"), ("de", "de")])
def test_a_language_may_be_the_name_of_a_locale(tmp_path: Path, written: str, language: str) -> None:
    text = DATED.replace("date", f"lang: {written}\ndate")
    archive, faults = checked(folder(tmp_path, {"a.md": f"{text}Text.\n"}, site=None))
    assert archive is not None
    assert (archive.entries["posts/a"].head.language, faults) == (language, ())


def test_each_link_among_the_authors_is_one_author(tmp_path: Path) -> None:
    author = '"[A B](https://a.example/), [C D](https://c.example/) and E F"'
    text = DATED.replace("date", f"author: {author}\ndate")
    document = json.loads(edition(tmp_path, {"a.md": f"{text}Text.\n"}).body("/posts/a.json"))
    assert [(each["name"], each["url"]) for each in document["authors"]] == [
        ("A B", "https://a.example/"),
        ("C D", "https://c.example/"),
        ("E F", None),
    ]


def test_faults_have_the_places_of_the_file(tmp_path: Path) -> None:
    text = "```math\na\n\nb\n```\n\n**真，**她 [x](/posts/none/)"
    _, faults = checked(folder(tmp_path / "plain", {"a.md": f"{DATED}{text}\n"}, site=None))
    assert fault_places(faults) == ["a.md:11:9 CP046"]
