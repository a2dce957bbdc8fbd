"""The analyser: what becomes of words, identifiers, numbers and scripts without spaces."""

import tracemalloc
from itertools import product
from string import ascii_lowercase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citepress.search import remembered
from citepress.search.analyzer import (
    QUERY_TERMS,
    STEMMERS,
    index_line,
    index_lines,
    is_rare_stop,
    query_terms,
    quoted_passages,
    reading_languages,
    split_lines,
)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("research-bundle-v2", "research bundl v2 researchbundlev2"),
        ("getRecord", "get record getrecord"),
        ("HTTPServer", "http server httpserver"),
        ("snake_case_name", "snake case name snakecasenam"),
        ("__init__", "init"),
        ("pyproject.toml", "pyproject toml pyprojecttoml"),
        ("LLMs", "llms"),
        ("C++ and C#", "c++ c#"),
        ("1.0.77", "1.0.77"),
        ("v1.0.77 and V1.0.77.", "1.0.77 1.0.77"),
        ("v2", "v2"),
        ("GPT-4.1 or gpt4.1", "gpt 4.1 gpt41 gpt4 1 gpt41"),
        ("v1.2.0-rc1", "1.2.0 rc1 120rc1"),
        ("a.-b.c1", "c1 abc1"),
        ("2026-07-28", "2026 07 28 20260728"),
        ("the owner's copies", "owner copi"),
        ("the owner’s copies", "owner copi"),  # noqa: RUF001  (the typographic apostrophe is the point)
        ("ＦＵＬＬ ｗｉｄｔｈ", "full width"),  # noqa: RUF001  (full-width letters are the point)
        ("X-Payment", "payment xpayment"),
        ("GPT-4", "gpt 4 gpt4"),
        ("東京都", "東京 京都"),
        ("The Who", "the who"),
        ("", ""),
        ("?! … —", ""),
    ],
)
def test_a_text_becomes_these_terms(text: str, terms: str) -> None:
    assert index_line(text, "en") == terms


def test_quoted_passages_are_bounded() -> None:
    query = " ".join(f'"one two{n} three four five six seven eight nine ten"' for n in range(9))
    assert [len(terms) for (terms,) in quoted_passages(query, ("en",)).values()] == [8] * 4
    assert list(quoted_passages('"one two" "one two" "one"', ("en",))) == ["one two", "one"]


def test_words_of_another_language_are_stemmed_by_its_own_rules() -> None:
    assert index_line("Häuser Berichte", "de") == index_line("Haus Bericht", "de")


def test_words_of_a_language_without_a_stemmer_are_only_lower_cased() -> None:
    assert index_line("Running Agents", "xx") == "running agents"


def test_stop_words_are_left_out_of_a_query() -> None:
    assert [term.word for term in query_terms("what is the price of a token", ("en",))] == ["price", "token"]


def test_a_query_of_stop_words_alone_keeps_them() -> None:
    assert [term.word for term in query_terms("to be or not", ("en",))] == ["to", "be", "or", "not"]


def test_repeats_of_a_word_are_kept() -> None:
    assert [term.word for term in query_terms("agent agent", ("en",))] == ["agent", "agent"]


def test_the_joined_parts_of_an_identifier_are_marked() -> None:
    assert [(term.word, term.joined) for term in query_terms("e-mail", ("en",))] == [("mail", False), ("email", True)]


def test_a_word_has_a_form_for_each_language_of_the_archive() -> None:
    (term,) = query_terms("poisoning", ("en", "de"))
    assert term.stems == ("poison", "poisoning")


def test_a_question_is_read_once_for_each_stemmer() -> None:
    assert reading_languages(["en", "ja", "nb", "zh", "no", "ru", "ko", "nn"]) == ("en", "ja", "nb", "ru")
    assert len(reading_languages([*STEMMERS, *(f"x{n}" for n in range(50))])) == len({*STEMMERS.values(), ""})


def test_stop_words_of_the_three_commonest_latin_languages_and_of_other_scripts_are_left_out() -> None:
    languages = ("en", "ru", "fr", "de", "sv")
    words = [term.word for term in query_terms("the если und avec och", languages)]
    assert words == ["och"]
    assert is_rare_stop("och", languages)
    assert not any(is_rare_stop(word, languages) for word in ("the", "если", "und", "avec", "stone"))


def test_a_query_is_read_up_to_its_bounds() -> None:
    assert len(query_terms(" ".join(f"word{n}" for n in range(80)), ("en",))) <= QUERY_TERMS
    assert query_terms("x " * 250 + "beyond", ("en",))[-1].word == "x"


def test_quoted_passages_have_terms_in_each_language_and_need_a_content_word() -> None:
    assert quoted_passages('"tool poisoning" of “plain files” and "the"', ("en", "xx")) == {
        "tool poisoning": (("tool", "poison"), ("tool", "poisoning")),
        "plain files": (("plain", "file"), ("plain", "files")),
    }


@given(st.text(max_size=700))
def test_any_text_is_analysed(text: str) -> None:
    line = index_line(text, "en")
    assert line == " ".join(line.split())
    assert len(query_terms(text, ("en", "ja"))) <= QUERY_TERMS
    assert all(forms and all(forms) for forms in quoted_passages(text, ("en", "ja")).values())


@given(
    st.lists(
        st.text(max_size=60) | st.sampled_from(["", "to be", "getRecord of get-record", "a \0 b", "\0"]), max_size=6
    )
)
def test_lines_that_are_analysed_at_once_have_the_terms_of_each(texts: list[str]) -> None:
    lines, distinct = index_lines(texts, "en")
    assert lines == [index_line(text, "en") for text in texts]
    assert distinct == {term for line in lines for term in line.split()}
    spaced, parts = split_lines(texts)
    assert list(spaced) == [" ".join(text.split()) for text in texts]
    assert index_lines(spaced, "en", parts) == (lines, distinct)


def test_what_is_forgotten_while_lines_are_analysed_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"getRecord{n} of record{n} getRecord{n % 5}" for n in range(60)]
    whole = index_lines(texts, "xa")
    monkeypatch.setattr(remembered, "MAX_REMEMBERED_TEXTS", 4)
    assert index_lines(texts, "xb") == whole


@given(st.text(max_size=200))
def test_a_word_that_was_indexed_is_found_by_the_same_word(text: str) -> None:
    indexed = set(index_line(text, "en").split())
    assert all(term.stems[0] in indexed for term in query_terms(text, ("en",)))


def test_identifiers_of_many_parts_take_no_memory_once_they_are_read() -> None:
    parts = ["".join(pair) for pair in product(ascii_lowercase, repeat=2)]
    questions = [".".join(parts[place : place + 160]) for place in range(500)]
    query_terms(" ".join(parts), ("en",))
    tracemalloc.start()
    try:
        for question in questions:
            query_terms(question, ("en",))
        # What each makes has 36 KB. The tables of what is remembered grow in steps, after what other tests left there.
        assert tracemalloc.get_traced_memory()[0] < 6_000 * len(questions)
    finally:
        tracemalloc.stop()
