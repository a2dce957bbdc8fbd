"""Near-duplicates: who is joined, who is not, and that the time stays bounded."""

from citepress.search.clusters import DuplicateFinder


def grouped(*texts: str) -> list[int]:
    finder = DuplicateFinder()
    for text in texts:
        finder.add(set(text.split()))
    return finder.leaders(range(len(texts)))


def words(start: int, stop: int) -> str:
    return " ".join(f"w{n}" for n in range(start, stop))


def test_records_with_mostly_the_same_terms_are_joined() -> None:
    assert grouped(words(0, 20), words(2, 22)) == [0, 0]


def test_records_that_share_less_stand_alone() -> None:
    assert grouped(words(0, 20), words(8, 28)) == [0, 1]


def test_likeness_passes_from_record_to_record() -> None:
    assert grouped(words(0, 20), words(4, 24), words(8, 28)) == [0, 0, 0]


def test_records_with_few_terms_are_never_joined() -> None:
    assert grouped("a b c", "a b c") == [0, 1]


def test_a_group_is_named_by_its_first_record() -> None:
    assert grouped(words(100, 120), words(0, 20), words(100, 121), words(0, 21)) == [0, 1, 0, 1]


def test_many_copies_form_one_group_although_a_term_remembers_only_the_last() -> None:
    assert set(grouped(*[f"{words(0, 20)} own{n}" for n in range(300)])) == {0}


def test_a_record_is_named_by_its_place_in_the_order_that_is_asked_for() -> None:
    finder = DuplicateFinder()
    for text in (words(0, 20), words(100, 120), words(0, 21)):
        finder.add(text.split())
    assert finder.leaders([2, 1, 0]) == [0, 1, 0]
