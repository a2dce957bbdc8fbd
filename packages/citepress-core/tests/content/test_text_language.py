"""The language of each record of an archive: its own words for it, its text, the site's, and its translations."""

import json
from pathlib import Path
from typing import Any

import pytest

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.content.text_language import guess_language, language_beside
from citepress.edition.edition import open_edition
from citepress.settings import from_environment
from support.folder import SITE, assembled, folder, post
from support.languages import ARABIC, ENGLISH, GERMAN, TEXTS


def published(root: Path, files: dict[str, str], site: str | None = None) -> Any:
    settings = from_environment(folder(root / "notes", files, site=site), environ={})
    return open_edition(Builder(settings).build(clock.now()).pointer)


@pytest.mark.parametrize("language", TEXTS)
def test_a_text_tells_its_language(language: str) -> None:
    assert guess_language(TEXTS[language]) == language


@pytest.mark.parametrize(
    "text", ["", "Docker nginx", "1 2 3", "```\nthe of and to in is that for it with as was on are\n```", "Kurz."]
)
def test_a_text_that_tells_nothing_has_no_language(text: str) -> None:
    assert guess_language(text) == ""


def test_a_long_text_is_read_as_far_as_the_bound() -> None:
    assert guess_language(ENGLISH * 40 + ARABIC * 100_000) == "en"


def test_a_record_of_an_archive_has_the_language_of_its_text(tmp_path: Path) -> None:
    files = {"a": post(GERMAN), "b": post(ENGLISH), "c": post("Short."), "d": post(GERMAN, language="fr")}
    archive = assembled(folder(tmp_path, {f"content/posts/{name}.md": text for name, text in files.items()}))
    assert {id_: entry.head.language for id_, entry in archive.entries.items()} == {
        "posts/a": "de",
        "posts/b": "en",
        "posts/c": "en",
        "posts/d": "fr",
    }


@pytest.mark.parametrize(
    ("site", "text", "language"), [("af", TEXTS["nl"], "af"), ("af", ARABIC, "ar"), ("de-AT", GERMAN, "de-AT")]
)
def test_words_do_not_overrule_a_publication_in_a_language_that_looks_alike(
    tmp_path: Path, site: str, text: str, language: str
) -> None:
    root = folder(tmp_path, {"content/posts/a.md": post(text)}, site=f'{SITE}language = "{site}"\n')
    assert assembled(root).entries["posts/a"].head.language == language


def test_records_of_an_archive_are_translations_by_their_key(tmp_path: Path) -> None:
    files = {
        "content/posts/a.md": post(ENGLISH, translationKey="city"),
        "content/posts/b.md": post(GERMAN, translationKey="city"),
        "content/posts/c.md": post(ENGLISH),
    }
    edition = published(tmp_path, files, SITE)
    first, second, third = (json.loads(edition.body(f"/posts/{name}.json")) for name in "abc")
    assert [each["id"] for each in first["translations"]] == ["posts/b", "posts/a"]
    assert second["translations"] == first["translations"]
    assert "translations" not in third
    assert "hreflang" not in edition.body("/posts/c/").decode()


def test_a_translation_that_comes_or_goes_changes_the_others(tmp_path: Path) -> None:
    root = folder(tmp_path / "notes", {"content/posts/a.md": post(ENGLISH, translationKey="city")})
    builder = Builder(from_environment(root, environ={}))
    now = clock.now()
    other = root / "content" / "posts" / "b.md"

    def translations() -> list[str]:
        edition = open_edition(builder.build(now, [other]).pointer)
        return [each["language"] for each in json.loads(edition.body("/posts/a.json")).get("translations", [])]

    assert translations() == []
    other.write_text(post(GERMAN, translationKey="city"), "utf-8")
    assert translations() == ["de", "en"]
    other.write_text(post(TEXTS["fr"], translationKey="city"), "utf-8")
    assert translations() == ["en", "fr"]
    other.write_text(post(TEXTS["fr"]), "utf-8")
    assert translations() == []


@pytest.mark.parametrize(
    ("text", "usual", "language"),
    [
        ("Short page about us.", "ar", "en"),
        ("About", "he", "en"),
        ("日本 kubectl get pods and more", "ja", "ja"),
        ("2026", "zh", "zh"),
        ("", "ar", "ar"),
        ("Kratka strana.", "sr", "sr"),
        ("Kurz.", "de", "de"),
    ],
)
def test_few_words_in_latin_letters_are_in_no_language_of_another_script(text: str, usual: str, language: str) -> None:
    assert language_beside(text, usual) == language
