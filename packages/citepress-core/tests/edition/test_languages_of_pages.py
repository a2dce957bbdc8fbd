"""A page is in the language of its record and runs its way.

What is in another language, as the interface's own words, says so.
"""

from pathlib import Path
from typing import Any

import lxml.html
import pytest

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.edition.edition import open_edition
from citepress.settings import from_environment
from support.folder import folder

POST = """---
title: {title}
summary: {summary}
date: 2026-01-0{day}
language: {language}
topics: [water]
retrieval_nugget: "{summary}"
{more}
---
## {heading}

{text}
"""
ARABIC = POST.format(
    title="الماء في المدينة",
    summary="ملخص قصير.",
    day=1,
    language="ar",
    heading="العنوان",
    text="هذا نص المقال.",
    more=(
        "tags: [ماء]\nsources:\n- url: https://rules.example/one\n  title: Rules for water\n  publisher: Rules"
        " office\nrelated: [posts/english]"
    ),
)
ENGLISH = POST.format(
    title="Water in town",
    summary="A short summary.",
    day=2,
    language="en",
    heading="Head",
    text="See [it](/posts/arabic/).",
    more="",
)
GERMAN = POST.format(
    title="Wasser in der Stadt",
    summary="Kurz gesagt.",
    day=3,
    language="de-AT",
    heading="Titel",
    text="Text.",
    more="supersedes: [posts/arabic]",
)
LATIN = POST.format(
    title="Al-maa", summary="Mulakhas.", day=4, language="ar-Latn", heading="Unwan", text="Nass.", more=""
)
TOPIC = "---\ntitle: Water\nsummary: All of it.\ndate: 2026-01-01\nquestion: What?\nshort_answer: It.\n---\nWater.\n"
FILES = {
    "site.toml": 'title = "Notes"\nlanguage = "en"\n',
    "content/posts/arabic.md": ARABIC,
    "content/posts/english.md": ENGLISH,
    "content/posts/german.md": GERMAN,
    "content/posts/latin.md": LATIN,
    "content/topics/water.md": TOPIC,
}
SITES = {
    "en": FILES,
    "de": {**FILES, "site.toml": 'title = "Notizen"\nlanguage = "de"\ndescription = "Über Wasser."\n'},
}


@pytest.fixture(scope="module")
def editions(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Editions of the same records in an archive of each language."""
    return {name: edition_of(tmp_path_factory.mktemp(name), files) for name, files in SITES.items()}


def edition_of(root: Path, files: dict[str, str]) -> Any:
    return open_edition(Builder(from_environment(folder(root / "notes", files), environ={})).build(clock.now()).pointer)


def page(edition: Any, path: str) -> Any:
    return lxml.html.document_fromstring(edition.body(path).decode())


def language(node: Any) -> str:
    """The language in which a reader takes the text of an element."""
    return str(node.xpath("string(ancestor-or-self::*[@lang][1]/@lang)"))


def runs(node: Any) -> str:
    """The direction in which an element runs."""
    return str(node.xpath("string(ancestor-or-self::*[@dir][1]/@dir)"))


def words(document: Any, text: str) -> Any:
    """The one innermost element below the body that says this."""
    (element,) = document.xpath("/html/body//*[normalize-space(text())=$text]", text=text)
    return element


@pytest.mark.parametrize(
    ("slug", "expected"),
    [("arabic", "ar rtl"), ("english", "en ltr"), ("german", "de-AT ltr"), ("latin", "ar-Latn ltr")],
)
def test_the_page_of_a_record_has_its_language_and_direction(editions: Any, slug: str, expected: str) -> None:
    root = page(editions["en"], f"/posts/{slug}/")
    assert f"{root.get('lang')} {root.get('dir')}" == expected


@pytest.mark.parametrize("slug", ["arabic", "german", "latin", "english"])
@pytest.mark.parametrize("site", SITES)
def test_the_words_of_the_interface_are_labelled_as_english(editions: Any, site: str, slug: str) -> None:
    document = page(editions[site], f"/posts/{slug}/")
    labels = document.xpath(
        "//a[@class='skip'] | //nav[not(@aria-label='Contents' or @aria-label='Newer and older')]//a"
        " | //nav//h2 | //p[@class='machines'] | //p[@class='label'] | //section/h2 | //dt"
        " | //p[@class='meta'] | //ul[@class='meta']/li | //span[@class='label'] |"
        " //section[@id='backlinks']//span[@class='carried']"
    )
    assert len(labels) > 30
    assert {(label.text_content(), language(label)) for label in labels if language(label) != "en"} == set()
    assert {
        runs(element) for element in document.xpath("/html/body/header | /html/body/footer | //a[@class='skip']")
    } == {"ltr"}


@pytest.mark.parametrize("site", SITES)
def test_the_words_of_a_record_are_labelled_with_its_language(editions: Any, site: str) -> None:
    document = page(editions[site], "/posts/arabic/")
    own = [
        document.find(".//h1"),
        *document.xpath("//p[@class='dek'] | //section[@id='text']//p | //section[@id='text']//h2"),
    ]
    assert [(language(element), runs(element)) for element in own] == [("ar", "rtl")] * 4
    assert language(words(document, "ماء")) == "ar", "a tag stands among English values"


def test_titles_of_records_in_other_languages_say_so_wherever_they_stand(editions: Any) -> None:
    expected = {
        "الماء في المدينة": "ar rtl",
        "Wasser in der Stadt": "de-AT ltr",
        "Al-maa": "ar-Latn ltr",
        "Water in town": "en ltr",
    }
    for path in ("/", "/posts/", "/posts/page/1/", "/topics/water/", "/posts/arabic/", "/posts/english/"):
        document = page(editions["en"], path)
        for title, mark in expected.items():
            elements = document.xpath("/html/body//*[normalize-space(text())=$title]", title=title)
            assert elements or path.startswith("/posts/"), (path, title)
            assert {f"{language(element)} {runs(element)}" for element in elements} <= {mark}, (path, title)
    (replaced,) = page(editions["en"], "/posts/arabic/").xpath("//section[contains(@class, 'notice')]//a")
    assert (replaced.text_content(), language(replaced)) == ("Wasser in der Stadt", "de-AT")


def test_titles_whose_language_nobody_knows_run_as_their_letters_do(editions: Any) -> None:
    (source,) = page(editions["en"], "/posts/arabic/").xpath("//section[@id='sources']//span[@class='title']")
    assert source.get("dir") == "auto"


@pytest.mark.parametrize("path", ["/posts/", "/agents/", "/developers/", "/sources/"])
def test_pages_that_citepress_writes_are_english_in_every_archive(editions: Any, path: str) -> None:
    for edition in editions.values():
        root = page(edition, path)
        assert (root.get("lang"), root.get("dir")) == ("en", "ltr")


def test_the_name_of_an_archive_is_in_its_language(editions: Any) -> None:
    document = page(editions["de"], "/posts/arabic/")
    names = document.xpath("/html/body//*[normalize-space(text())='Notizen' or normalize-space(text())='Über Wasser.']")
    assert [language(name) for name in names] == ["de"] * 3
    assert page(editions["de"], "/").get("lang") == "de"


def test_twins_and_linked_data_name_the_language_of_the_record(editions: Any) -> None:
    edition = editions["de"]
    assert b'"language":"ar"' in edition.body("/posts/arabic.json").replace(b": ", b":")
    assert b'language: "ar"' in edition.body("/posts/arabic.md")
    assert b'"inLanguage":"ar"' in edition.body("/posts/arabic/")
