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


def test_records_with_all_passages_come_first_then_those_with_any_then_others(tmp_path: Path) -> None:
    index = indexed(
        tmp_path,
        note("other", "Prices prices prices of coins, and prices of agent sandboxes without memory."),
        note("one", "In a long text somebody speaks of agent memory besides many other things of that year."),
        note(
            "both", "A much longer text names agent memory, then speaks of weather, and in the end of tool poisoning."
        ),
    )
    assert ids(index, 'prices of "agent memory" and "tool poisoning"') == ["posts/both", "posts/one", "posts/other"]
    assert ids(index, '"agent memory" "tool poisoning"') == ["posts/both", "posts/one"]


def test_passages_that_no_record_has_together_find_the_records_of_each_and_are_told(tmp_path: Path) -> None:
    index = indexed(
        tmp_path, note("tesla", "Nikola Tesla lived in Smiljan."), note("edison", "Thomas Edison lived in Milan.")
    )
    results = index.search(Query('"Nikola Tesla" "Thomas Edison" "Marie Curie"'))
    assert results.total == 2
    assert results.parted == ("Nikola Tesla", "Thomas Edison")
    assert results.unquoted == ("Marie Curie",)
