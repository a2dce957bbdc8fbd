"""What the answer to a search tells besides its hits, and what it leaves out."""

from collections.abc import Callable
from typing import Any

import pytest

Call = Callable[..., Any]


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("Wie bezahlt ein Agent für die Anfrage?", "The question seems to be in German; "),
        ("protocolli senza stato", "No record has most of its words. If it is in another language: "),
        ("protocolli cache tokens", ""),
        ("protocolli", ""),
        ("caches drop", ""),
    ],
)
def test_a_question_that_may_be_in_another_language_is_told_those_of_the_records(
    call: Call, query: str, sentence: str
) -> None:
    notes = call("search_archive", query=query).notes
    assert notes == ((f"{sentence}the records are in: en. Ask in one of these.",) if sentence else ())


def test_a_hit_says_nothing_twice(call: Call) -> None:
    hit = call("search_archive", query="oldest entry", limit=1).results[0]
    assert hit.kind == "posts"
    assert {"kind", "topics"}.isdisjoint(hit.model_dump())
