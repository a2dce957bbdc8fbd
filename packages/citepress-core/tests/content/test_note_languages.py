"""The language of each record: its own words for it, its path, the settings, its text, the site's, in this order."""
# ruff: noqa: RUF001  (texts in other alphabets)

import json
from pathlib import Path
from typing import Any

import lxml.html
import pytest

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.content.text_language import guess_language
from citepress.edition.edition import open_edition
from citepress.settings import from_environment
from support.folder import SITE, assembled, checked, folder, post

ENGLISH = (
    "This is a note about the way that we write software and what it means for people who have to read it later.\n"
)
GERMAN = (
    "Das ist ein Text über die Stadt und wie sich das Wasser in ihr bewegt, wenn es nicht regnet und niemand da ist.\n"
)
ARABIC = "هذا نص عن المدينة وعن الطريقة التي يعيش بها الناس في الشوارع\n"
CHINESE = "这是一篇关于城市的文章，讲述人们如何在街道上生活。使用 Docker 和 Kubernetes 部署。\n"
TEXTS = {
    "en": ENGLISH,
    "de": GERMAN,
    "ar": ARABIC,
    "zh": CHINESE,
    "fr": "Ceci est un texte sur la ville et sur la façon dont les gens vivent dans les rues, avec des amis.",
    "es": "Este es un texto sobre la ciudad y la forma en que las personas viven en las calles, con los amigos.",
    "pt": "Este é um texto sobre a cidade e a forma como as pessoas vivem nas ruas, e que não estão em casa.",
    "it": "Questo è un testo sulla città e sul modo in cui le persone vivono nelle strade, con gli amici che non.",
    "nl": "Dit is een tekst over de stad en de manier waarop mensen in de straten leven, met vrienden die er zijn.",
    "sv": "Det här är en text om staden och hur människor lever på gatorna, med vänner som inte är hemma.",
    "tr": "Bu bir şehir hakkında yazı ve insanların sokaklarda nasıl yaşadığı ile ilgili, ama çok da uzun değil.",
    "ru": "Это текст о городе и о том, как люди живут на улицах, с друзьями, которых нет дома.",
    "uk": "Це текст про місто і про те, як люди живуть на вулицях, з друзями, яких немає вдома.",
    "fa": "این یک متن درباره شهر است و اینکه مردم چگونه در خیابان‌ها زندگی می‌کنند",
    "ja": "これは都市についての文章です。人々がどのように暮らしているか。",
    "ko": "이것은 도시에 관한 글이며 사람들이 어떻게 사는지에 대한 것입니다.",
    "he": "זה טקסט על העיר",
    "el": "Αυτό είναι ένα κείμενο",
    "hi": "यह शहर के बारे में एक लेख है और लोग कैसे रहते हैं",
}


def dated(text: str, **members: str) -> str:
    front = "".join(f"{name}: {value}\n" for name, value in {"date": "2026-01-02", **members}.items())
    return f"---\n{front}---\n{text}"


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
        "/posts/c/": ("ar", "rtl"),
        "/posts/d/": ("en", "ltr"),
    }
    assert json.loads(edition.body("/posts/a.json"))["language"] == "ar"
    languages = {item["title"]: item["language"] for item in json.loads(edition.body("/feed.json"))["items"]}
    assert languages == {"a": "ar", "b": "ar", "c": "ar", "d": "en"}
    lines = edition.body("/llms.txt").decode().split("\n")
    assert [line.rpartition("(")[2] for line in lines if "/posts/d.md" in line] == ["2026-01-02, en)"]
    assert [line.rpartition("(")[2] for line in lines if "/posts/a.md" in line] == ["2026-01-02)"]


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
