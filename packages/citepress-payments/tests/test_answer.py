"""The answer of a bundle: sentences word for word, each of a record of the bundle, no two that say the same."""

from pathlib import Path

import pytest

from citepress.contract.record import Source
from citepress.search.index import SearchIndex
from citepress_payments.products.bundle.bundle import Bundle, bundle
from support.search import AS_OF, indexed, note, notes

QUESTION = "when do otters leave the weir in winter"


def source(name: str) -> Source:
    return Source(
        id=name,
        url=f"https://{name}.example/",
        normalized_url=f"https://{name}.example/",
        title=name,
        publisher=None,
        origin=f"{name}.example",
        published_at=None,
        accessed_at=None,
        role="primary",
    )


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    claims = [{"text": "Otters leave the weir in winter when the pool freezes.", "source_refs": ["river"]}]
    counter = [{"summary": "Otters never leave the weir in winter, says nobody.", "source_refs": ["river"]}]
    own = {"counter_evidence": counter, "claims": claims, "sources": [source("river")]}
    return bundle(
        indexed(
            tmp_path_factory.mktemp("search"),
            note(
                "weir",
                "Snow fell. Otters leave the weir in winter when the pool freezes over. In winter otters leave it.",
                **own,
            ),
            note("pools", "Rangers saw that otters leave every winter for the southern pools. The weir stands empty."),
            note("mills", "Mills stand beside a weir. They grind."),
            *notes(),
        ),
        QUESTION,
        AS_OF,
    )


def test_the_sentence_that_holds_most_of_the_question_comes_first_with_its_source(result: Bundle) -> None:
    first = result.answer[0]
    assert (first.record, first.text) == ("posts/weir", "Otters leave the weir in winter when the pool freezes.")
    assert first.sources == ("https://river.example/",)


def test_every_sentence_is_one_of_a_record_of_the_bundle(result: Bundle) -> None:
    assert {sentence.record for sentence in result.answer} <= {source.id for source in result.sources}
    assert len({sentence.text for sentence in result.answer}) == len(result.answer)


def test_what_was_said_is_not_said_again_nor_contradicted_by_counter_evidence(result: Bundle) -> None:
    texts = [sentence.text for sentence in result.answer]
    assert "Otters leave the weir in winter when the pool freezes over." not in texts
    assert not [text for text in texts if "nobody" in text]


def test_another_record_adds_what_it_knows(result: Bundle) -> None:
    assert "Rangers saw that otters leave every winter for the southern pools." in [
        sentence.text for sentence in result.answer
    ]


def test_no_more_than_two_sentences_come_from_one_record(tmp_path: Path) -> None:
    text = " ".join(
        f"Otters leave the weir in winter{n} because of reason{n} and cause{n} and ground{n} and motive{n}."
        for n in range(6)
    )
    index: SearchIndex = indexed(
        tmp_path, note("weir", text), note("pools", "Otters leave in winter. The weir is a wall."), *notes()
    )
    records = [sentence.record for sentence in bundle(index, QUESTION, AS_OF).answer]
    assert 1 <= records.count("posts/weir") <= 2


def test_a_question_far_from_the_archive_has_no_answer(tmp_path: Path) -> None:
    assert bundle(indexed(tmp_path, *notes()), "quantum chromodynamics", AS_OF).answer == ()


def test_a_sentence_that_leans_on_another_comes_behind_one_that_stands_alone(tmp_path: Path) -> None:
    leaning = "They leave the weir in winter when the otters are hungry."
    alone = "Hungry otters leave the weir in winter for the pools."
    index: SearchIndex = indexed(tmp_path, note("weir", f"{leaning} Snow fell on the hills. {alone}"), *notes())
    assert bundle(index, QUESTION, AS_OF).answer[0].text == alone


def test_the_record_that_is_most_relevant_answers_first(tmp_path: Path) -> None:
    named = note("otters-leave-the-weir-in-winter", "Otters leave the weir in winter when the pool freezes over.")
    aside = note("mills", "Mills grind corn, and otters leave the weir in winter when nobody grinds at the mill.")
    answer = bundle(indexed(tmp_path, aside, named, *notes()), QUESTION, AS_OF).answer
    assert answer[0].record == "posts/otters-leave-the-weir-in-winter"
