"""The language of each note: its own words for it, its path, the settings, its text, the site's, in this order."""

import json
from pathlib import Path
from typing import Any

import lxml.html
import pytest

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.edition.edition import open_edition
from citepress.settings import from_environment
from support.folder import assembled, checked, folder
from support.languages import ARABIC, CHINESE, ENGLISH, GERMAN, TEXTS


def dated(text: str, **members: str) -> str:
    front = "".join(f"{name}: {value}\n" for name, value in {"date": "2026-01-02", **members}.items())
    return f"---\n{front}---\n{text}"


def published(root: Path, files: dict[str, str], site: str | None = None) -> Any:
    settings = from_environment(folder(root / "notes", files, site=site), environ={})
    return open_edition(Builder(settings).build(clock.now()).pointer)


@pytest.mark.parametrize(
    ("path", "text", "members", "language"),
    [
        ("a.md", GERMAN, {"lang": "fr"}, "fr"),
        ("a.md", GERMAN, {}, "de"),
        ("a.de.md", "Kurz.", {}, "de"),
        ("de/a.md", "Kurz.", {}, "de"),
        ("cn/a.md", CHINESE, {}, "zh"),
        ("pt-BR/a.md", "Oi.", {}, "pt-BR"),
        ("pt_BR/a.md", TEXTS["pt"], {}, "pt-BR"),
        ("it/a.md", ENGLISH, {}, "en"),
        ("it/a.md", "Short.", {}, "nl"),
        ("notes/node.js.md", ENGLISH, {}, "en"),
        ("en/a.md", GERMAN, {}, "de"),
        ("a.md", ARABIC, {}, "ar"),
        ("a.md", "Kort.", {}, "nl"),
    ],
)
def test_the_first_sign_of_a_language_decides(
    tmp_path: Path, path: str, text: str, members: dict[str, str], language: str
) -> None:
    files = {path: dated(text, **members)}
    archive, faults = checked(folder(tmp_path, files, site='title = "T"\nlanguage = "nl"\n'))
    assert archive is not None
    assert [entry.head.language for entry in archive.entries.values()] == [language]
    assert faults == ()


@pytest.mark.parametrize(
    ("name", "settings", "below"),
    [
        ("hugo.toml", 'languageCode = "de-AT"\n', "content/a.md"),
        ("_config.yml", "lang: de_AT\n", "a.md"),
        ("_config.yml", "defaults: [{scope: {path: ''}, values: {lang: de-AT}}]\n", "a.md"),
        ("mkdocs.yml", "site_name: X\ntheme: {name: material, language: de-AT}\n", "docs/a.md"),
        ("config.toml", 'default_language = "de-AT"\nbase_url = "https://a.example"\n', "content/a.md"),
    ],
)
def test_the_settings_of_a_tool_say_the_language_of_what_tells_none(
    tmp_path: Path, name: str, settings: str, below: str
) -> None:
    files = {name: settings, below: dated("Kurz."), "templates/index.html": ""}
    (entry,) = assembled(folder(tmp_path, files, site=None)).entries.values()
    assert entry.head.language == "de-AT"


def test_a_folder_is_in_the_language_of_most_of_its_notes_and_runs_its_way(tmp_path: Path) -> None:
    files = {"a.md": dated(ARABIC), "b.md": dated(ARABIC), "c.md": dated("x"), "d.md": dated(ENGLISH)}
    edition = published(tmp_path, files)
    shown = {}
    for path in ("/", "/posts/a/", "/posts/c/", "/posts/d/"):
        root = lxml.html.document_fromstring(edition.body(path).decode())
        shown[path] = (root.get("lang"), root.get("dir"))
    assert shown == {
        "/": ("ar", "rtl"),
        "/posts/a/": ("ar", "rtl"),
        "/posts/c/": ("en", "ltr"),
        "/posts/d/": ("en", "ltr"),
    }
    assert json.loads(edition.body("/posts/a.json"))["language"] == "ar"
    languages = {item["title"]: item["language"] for item in json.loads(edition.body("/feed.json"))["items"]}
    assert languages == {"a": "ar", "b": "ar", "c": "en", "d": "en"}
    lines = edition.body("/llms.txt").decode().split("\n")
    assert [line.rpartition("(")[2] for line in lines if "/posts/d.md" in line] == ["2026-01-02, en)"]
    assert [line.rpartition("(")[2] for line in lines if "/posts/a.md" in line] == ["2026-01-02)"]


NOTES = {
    "suffix": {"a.md": dated(ENGLISH), "a.de.md": dated(GERMAN), "b.md": dated(ENGLISH)},
    "folders": {"en/a.md": dated(ENGLISH), "de/a.md": dated(GERMAN), "en/b.md": dated(ENGLISH)},
    "one folder": {"a.md": dated(ENGLISH), "de/a.md": dated(GERMAN), "b.md": dated(ENGLISH)},
    "key": {
        "x.md": dated(ENGLISH, translationKey="k"),
        "y.md": dated(GERMAN, translationKey="k"),
        "b.md": dated(ENGLISH),
    },
}


@pytest.mark.parametrize("layout", NOTES)
def test_the_translations_of_a_text_lead_to_each_other(tmp_path: Path, layout: str) -> None:
    edition = published(tmp_path, NOTES[layout])
    records = [json.loads(edition.body(path)) for path in _documents(edition)]
    by_language = {record["language"]: record for record in records if "translations" in record}
    assert by_language.keys() == {"de", "en"}
    english, german = by_language["en"], by_language["de"]
    assert english["translations"] == german["translations"]
    assert [(each["language"], each["id"], each["url"]) for each in english["translations"]] == [
        ("de", german["id"], german["html_url"]),
        ("en", english["id"], english["html_url"]),
    ]
    page = lxml.html.document_fromstring(edition.body(f"/{english['id']}/").decode())
    heads = page.xpath("//link[@rel='alternate' and @hreflang]")
    assert [(link.get("hreflang"), link.get("href")) for link in heads] == [
        ("de", german["html_url"]),
        ("en", english["html_url"]),
    ]
    (switch,) = page.xpath("//li[@class='languages']")
    assert switch.text_content() == "Languages: Deutsch, English"
    assert [(link.get("href"), link.get("hreflang")) for link in switch.xpath(".//a")] == [(f"/{german['id']}/", "de")]
    sitemap = edition.body("/sitemaps/posts-1.xml").decode()
    assert sitemap.count(f'hreflang="de" href="{german["html_url"]}"') == 2
    assert "workTranslation" in edition.body(f"/{english['id']}/").decode()


def _documents(edition: Any) -> list[str]:
    return [f"/{item['id']}.json" for item in json.loads(edition.body("/posts.json"))["items"]]


def test_a_translation_that_is_held_back_is_named_nowhere(tmp_path: Path) -> None:
    files = {"a.md": dated(ENGLISH), "a.de.md": dated(GERMAN, draft="true", title="Geheim")}
    edition = published(tmp_path, files)
    assert "translations" not in json.loads(edition.body("/posts/a.json"))
    for path in ("/posts/a/", "/sitemaps/posts-1.xml", "/llms.txt"):
        assert "a-de" not in edition.body(path).decode()
        assert "Geheim" not in edition.body(path).decode()


def test_two_texts_in_one_language_are_no_translations(tmp_path: Path) -> None:
    files = {"x.md": dated(ENGLISH, translationKey="k"), "y.md": dated(ENGLISH, translationKey="k")}
    assert all(not entry.head.translations for entry in assembled(folder(tmp_path, files, site=None)).entries.values())
