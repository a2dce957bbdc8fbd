"""Imported records say their language, and translations of one text lead to each other."""

from pathlib import Path

import pytest
import yaml

from citepress.cli import run
from support.folder import assembled
from support.former_sites import written

ENGLISH = "This is a note about the way that we write software and what it means for people who read it later.\n"
GERMAN = "Das ist ein Text über die Stadt und wie sich das Wasser in ihr bewegt, wenn es nicht regnet.\n"
DATED = "---\ntitle: T\ndate: 2024-05-06\n"
HUGO = {"hugo.toml": "title = 'T'\nlanguageCode = 'en'\n[languages.en]\n[languages.de]\n"}


def imported(root: Path, files: dict[str, str]) -> dict[str, tuple[str | None, str | None]]:
    """Language and key of translations of each record, by its slug, after an import that passes `check`."""
    assert run(["import", "auto", str(written(root / "source", files)), str(root / "out")]) == 0
    assert run(["check", str(root / "out")]) == 0
    fronts = {
        path.stem: yaml.safe_load(path.read_text("utf-8").split("---\n")[1])
        for path in (root / "out/content/posts").glob("*.md")
    }
    return {slug: (front.get("language"), front.get("translationKey")) for slug, front in fronts.items()}


@pytest.mark.parametrize(
    ("files", "records"),
    [
        (
            {"posts/a.md": f"{DATED}---\n{ENGLISH}", "posts/b.md": f"{DATED}---\n{GERMAN}"},
            {"a": (None, None), "b": ("de", None)},
        ),
        (
            {"posts/a.md": f"{DATED}---\n{ENGLISH}", "posts/b.md": f"{DATED}lang: pt_BR\n---\n{ENGLISH}"},
            {"a": (None, None), "b": ("pt-BR", None)},
        ),
        (
            HUGO | {"content/posts/a.md": f"{DATED}---\n{ENGLISH}", "content/posts/a.de.md": f"{DATED}---\n{GERMAN}"},
            {"a": (None, "content/posts/a"), "posts-a": ("de", "content/posts/a")},
        ),
        (
            {
                "posts/x.md": f"{DATED}translationKey: k\n---\n{ENGLISH}",
                "posts/y.md": f"{DATED}translationKey: k\n---\n{GERMAN}",
            },
            {"x": (None, "k"), "y": ("de", "k")},
        ),
        (
            {
                "pelicanconf.py": "PATH = 'content'\nDEFAULT_LANG = 'en'\n",
                "content/x.md": f"Title: X\nDate: 2024-05-06\nSlug: s\nLang: en\n\n{ENGLISH}",
                "content/y.md": f"Title: Y\nDate: 2024-05-06\nSlug: s\nLang: de\n\n{GERMAN}",
            },
            {"s": ("en", "s"), "s-2": ("de", "s")},
        ),
    ],
)
def test_records_say_their_language_and_their_translations(
    files: dict[str, str], records: dict[str, tuple[str | None, str | None]], tmp_path: Path
) -> None:
    assert sorted(imported(tmp_path, files).values(), key=str) == sorted(records.values(), key=str)


def test_translations_of_a_former_site_lead_to_each_other(tmp_path: Path) -> None:
    imported(
        tmp_path,
        HUGO | {"content/posts/a.md": f"{DATED}---\n{ENGLISH}", "content/posts/a.de.md": f"{DATED}---\n{GERMAN}"},
    )
    entries = assembled(tmp_path / "out").entries.values()
    assert {tuple(link.language for link in entry.record.translations) for entry in entries} == {("de", "en")}


def test_a_site_is_in_the_language_of_most_of_its_texts(tmp_path: Path) -> None:
    files = {f"posts/{name}.md": f"{DATED}---\n{GERMAN}" for name in "abc"}
    records = imported(tmp_path, files | {"posts/d.md": f"{DATED}---\n{ENGLISH}"})
    assert 'language = "de"' in (tmp_path / "out/site.toml").read_text("utf-8")
    assert records == {"a": (None, None), "b": (None, None), "c": (None, None), "d": ("en", None)}


def test_a_site_of_hugo_with_all_languages_in_folders_keeps_its_addresses_and_front_pages(tmp_path: Path) -> None:
    files = {
        "config/_default/hugo.toml": "baseURL = 'https://site.example/'\ntitle = 'T'\ndefaultContentLanguage = 'en'\n"
        "defaultContentLanguageInSubdir = true\n",
        "config/_default/languages.toml": "[en]\nweight = 1\n[de]\nweight = 2\n",
        "content/_index.md": f"---\ntitle: Home\n---\n{ENGLISH}",
        "content/_index.de.md": f"---\ntitle: Start\n---\n{GERMAN}",
        "content/posts/a.md": f"{DATED}---\n{ENGLISH}",
        "content/posts/a.de.md": f"{DATED}---\n{GERMAN}",
    }
    imported(tmp_path, files)
    archive = assembled(tmp_path / "out")
    texts = {**{page.title: page.body for page in archive.pages.values()}}
    assert texts == {"Home": ENGLISH.strip(), "Start": GERMAN.strip()}
    ends = {path: archive.redirects.get(path, "") for path in ("/en/posts/a/", "/de/posts/a/", "/en/", "/de/")}
    assert ends == {
        "/en/posts/a/": "/posts/posts-a/",
        "/de/posts/a/": "/posts/a/",
        "/en/": "/",
        "/de/": "/pages/home-de/",
    }
