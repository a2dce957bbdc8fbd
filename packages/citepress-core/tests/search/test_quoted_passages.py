"""Passages in quotation marks: they have to occur, as they are written wherever any record has them so."""

from pathlib import Path

from citepress.search.index import SearchIndex
from citepress.search.models import Query
from support.search import indexed, note


def ids(index: SearchIndex, text: str) -> list[str]:
    return [hit.id for hit in index.search(Query(text)).hits]


def test_a_quoted_passage_comes_first(tmp_path: Path) -> None:
    index = indexed(
        tmp_path,
        note(
            "apart", "Memory is what an agent needs most. Memory serves every agent well, and memory of an agent lasts."
        ),
        note(
            "together",
            "Few speak of agent memory in a long text about other things that a publisher has to consider today.",
        ),
    )
    assert ids(index, "agent memory")[0] == "posts/apart"
    assert ids(index, '"agent memory"')[0] == "posts/together"


def test_a_passage_that_a_record_has_word_for_word_is_not_found_with_a_word_in_it(tmp_path: Path) -> None:
    index = indexed(
        tmp_path,
        note("between", "Water station level measured here; measured was the level of water."),
        note("exact", "In a longer text about stations someone says that the water level measured at noon had risen."),
        note("second", "Nobody knows why the water level measured in spring is lower than that of other seasons."),
    )
    assert set(ids(index, '"water level measured"')) == {"posts/exact", "posts/second"}
    assert index.search(Query('"water level measured"')).total == 2
    assert len(ids(index, "water level measured")) == 3


def test_where_no_record_has_a_passage_so_the_parts_of_an_identifier_stand_in_it(tmp_path: Path) -> None:
    index = indexed(tmp_path, note("identifier", "It pays by research-bundle-v2 with coins."), note("other", "Coins."))
    assert ids(index, '"bundle v2 with coins"') == ["posts/identifier"]
    assert index.search(Query('"bundle v2 with coins"')).unquoted == ()
