"""Searching an archive of many languages: every word of a record is found as it is written."""

from pathlib import Path

import pytest

from citepress.search.analyzer import chunks, is_stop
from citepress.search.fields import sentences_of
from citepress.search.index import SearchIndex
from citepress.search.models import Query
from support.search import indexed, note

BODIES = {
    "en": "The angles of the buildings were measured.",
    "fr": "Les ouvriers montaient une échelle contre les murailles.",
    "de": "Die Häuser brennen am Abend.",
    "es": "Las ciudades crecieron rápidamente.",
    "it": "Le macchine funzionavano perfettamente.",
    "pt": "As invenções mudaram completamente.",
    "nl": "De schepen vertrokken gisteren.",
    "sv": "Flickorna sjunger visorna.",
    "tr": "Kitapları okuyorlardı.",  # noqa: RUF001  (Turkish letters are meant)
    "el": "Οι γωνίες μετρήθηκαν.",  # noqa: RUF001  (Greek letters are meant)
    "ru": "Измерены углы зданиями.",
    "ar": "يكتبون الكتب القديمة.",
    "ja": "角度を測定する",
}


@pytest.fixture(scope="module")
def polyglot(tmp_path_factory: pytest.TempPathFactory) -> SearchIndex:
    # The number of records makes each language rarer than those before it.
    records = [
        note(f"{code}-{number}", f"{body} Nummer{number}", language=code)
        for place, (code, body) in enumerate(BODIES.items())
        for number in range(len(BODIES) - place)
    ]
    return indexed(tmp_path_factory.mktemp("polyglot"), *records)


def test_a_word_of_a_fourth_language_is_found(tmp_path: Path) -> None:
    index = indexed(tmp_path, *(note(code, BODIES[code], language=code) for code in ("en", "el", "fr", "ru")))
    results = index.search(Query("углы"))
    assert ([hit.id for hit in results.hits], results.unknown) == (["posts/ru"], ())


@pytest.mark.parametrize(
    ("language", "word"),
    [(code, word) for code, body in BODIES.items() for word in chunks(body) if not is_stop(word.lower(), code)],
)
def test_every_word_of_a_record_is_found_as_it_is_written(polyglot: SearchIndex, language: str, word: str) -> None:
    results = polyglot.search(Query(word))
    assert results.unknown == ()
    assert results.hits[0].id.startswith(f"posts/{language}-")
    assert polyglot.search(Query(f'"{word}"')).unquoted == ()


@pytest.mark.parametrize(
    ("language", "text", "question"),
    [
        ("pl", "Szczepionki chronią przed zakażeniem.", "szczepionka zakażenie"),
        ("uk", "Документація описує налаштування сервера.", "налаштувань документації"),
        ("hi", "वैज्ञानिकों ने दिल्ली में बैठक की।", "दिल्ली वैज्ञानिक"),
        ("ko", "데이터베이스를 설정합니다.", "데이터베이스 설정"),
        ("th", "ผู้ใช้ติดตั้งโปรแกรมได้", "ติดตั้งโปรแกรม"),
    ],
)
def test_words_are_found_in_other_forms_where_a_language_has_no_stemmer(
    tmp_path: Path, language: str, text: str, question: str
) -> None:
    index = indexed(tmp_path, note("one", text, language=language), note("two", "ก ข ค", language=language))
    results = index.search(Query(question))
    assert ([hit.id for hit in results.hits][:1], results.unknown) == (["posts/one"], ())


def test_a_question_lacks_nothing_without_the_stop_words_of_a_rare_language(polyglot: SearchIndex) -> None:
    assert polyglot.search(Query("Flickorna och visorna")).unknown == ()
    assert polyglot.weigh("och").asked == ("och",)
    assert not polyglot.weigh("och").has_content


def test_a_stop_word_of_a_rare_language_is_asked_where_records_hold_it(tmp_path: Path) -> None:
    bodies = {"en": "A man page tells.", "es": BODIES["es"], "fr": BODIES["fr"], "sv": BODIES["sv"]}
    index = indexed(
        tmp_path, *(note(code, body, language=code) for code, body in bodies.items()), note("other", "Page")
    )
    assert index.weigh("man page").asked == ("man", "page")
    assert [hit.id for hit in index.search(Query('"man"')).hits] == ["posts/en"]


def test_a_question_in_a_language_of_no_record_gets_no_suggestions(tmp_path: Path) -> None:
    index = indexed(tmp_path, note("agents", "Agents merge the wires and switch things between sessions."))
    assert index.search(Query("agnets merge")).suggestions == ("agents merge",)
    assert index.search(Query("wie merken sich die agnets dinge zwischen den sitzungen")).suggestions == ()


def test_a_danda_ends_a_sentence() -> None:
    assert list(sentences_of("वे दिल्ली गए। वे लौट आए।")) == ["वे दिल्ली गए।", "वे लौट आए।"]


def test_the_passage_of_a_text_without_spaces_begins_near_the_match(tmp_path: Path) -> None:
    text = "".join(chr(0x0E01 + n % 40) for n in range(500)) + "ฟฬฟฬฟ"
    index = indexed(tmp_path, note("long", text, language="th"))
    assert "ฟฬฟฬฟ" in index.search(Query("ฟฬฟฬฟ")).hits[0].snippet


def test_the_passage_of_a_text_without_spaces_begins_with_its_sentence_where_a_match_is_near(tmp_path: Path) -> None:
    filling = "".join(chr(0x0E01 + n % 40) for n in range(500))
    index = indexed(tmp_path, note("long", f"ฟฬฟฬ{filling}ฬฟฬฟฬฟ", language="th"))
    assert index.search(Query("ฟฬฟฬฟ")).hits[0].snippet.startswith("ฟฬฟฬ")
