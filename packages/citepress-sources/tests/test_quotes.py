"""A quote against the text of its source: verbatim, nearly, not at all, or nothing to search in."""

import pytest
from rapidfuzz import fuzz

from citepress.base.quotation import plain_words, quote_digest
from citepress_sources.quotes import DRIFTED, MAX_COMPARED_CHARS, MAX_MISSING_PARTS, MAX_WHOLE_PART_CHARS, Passages
from support.origin import STORY

TEXT = "\n".join((*STORY, "They call it \u201cthe night\u00a0table\u201d \u2014 and the clocks\u2019 hands agree."))
QUOTE = STORY[0]


@pytest.mark.parametrize(
    ("quote", "state"),
    [
        (QUOTE, "verified"),
        (QUOTE[10:60], "verified"),
        (f"  {QUOTE[:40]}\n\t{QUOTE[40:]} ".replace(" a table ", "  a\u00a0table "), "verified"),
        ('"the night table"', "verified"),
        ("\u201ethe night table\u201c", "verified"),
        ("\u00abthe night table\u00bb", "verified"),
        ("the clocks' hands", "verified"),
        ("the ni\u00adght ta\u200bble", "verified"),
        ("The office prints a table [\u2026] since 1931.", "verified"),
        ("The office prints [...] nobody has asked it", "verified"),
        (QUOTE.replace("1931", "1941"), "drifted"),
        (QUOTE.replace("nobody", "no one"), "drifted"),
        (QUOTE.upper(), "not_found"),
        ("nobody has asked it [\u2026] The office prints a table", "drifted"),
        ("The office stopped printing tables years ago, to the joy of all.", "not_found"),
        ("clocks", "verified"),
        ("\u201c\u201d [\u2026]", "not_found"),
        ("[\u2026]", "unverifiable"),
    ],
)
def test_every_quote_has_one_of_four_states(quote: str, state: str) -> None:
    assert Passages(TEXT).search(quote).state == state


def test_nothing_is_found_in_no_text() -> None:
    assert Passages(" \n").search(QUOTE).state == "unverifiable"


def test_a_likeness_says_how_near_the_nearest_passage_is() -> None:
    assert Passages(TEXT).search(QUOTE).likeness is None
    near, far = (Passages(TEXT).search(quote).likeness or 0 for quote in (QUOTE.replace("1931", "1941"), "x" * 40))
    assert DRIFTED <= near <= 99
    assert far < DRIFTED


def test_a_quote_that_is_longer_than_its_source_is_compared_with_the_whole_of_it() -> None:
    assert Passages(QUOTE[:-5]).search(QUOTE).state == "drifted"
    assert Passages("short").search(QUOTE).state == "not_found"


def test_quotes_that_differ_in_spaces_and_marks_alone_are_one() -> None:
    assert quote_digest("\u201cA  b\u201d") == quote_digest('"A b"\n')
    assert quote_digest("A b") != quote_digest("a b")
    assert plain_words("e\u0301") == "\u00e9"


def _compared(monkeypatch: pytest.MonkeyPatch, text: str, quote: str) -> int:
    """Pairs of characters that a search of a quote compares at most."""
    pairs: list[int] = []
    compare = fuzz.partial_ratio

    def counted(part: str, stretch: str) -> float:
        pairs.append(len(part) * len(stretch))
        return compare(part, stretch)

    monkeypatch.setattr(fuzz, "partial_ratio", counted)
    Passages(text).search(quote)
    return sum(pairs)


@pytest.mark.parametrize(
    "quote",
    [
        " ".join(f"passage{number}" for number in range(90)),
        "ab " * 333,
        " [\u2026] ".join(f"p{number}q" for number in range(110)),
        " [\u2026] ".join(f"a long part {number} that no text of any source has" for number in range(18)),
    ],
)
@pytest.mark.parametrize(
    "text", [" ".join(f"word{number}" for number in range(90_000)), "ab " * 170_000, "a" * 500_000]
)
def test_a_long_quote_is_compared_with_few_stretches_of_a_long_text(
    quote: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = MAX_MISSING_PARTS * MAX_WHOLE_PART_CHARS * MAX_COMPARED_CHARS
    assert _compared(monkeypatch, text, quote[:1000]) <= whole


@pytest.mark.parametrize("place", [0, 9_000, 29_000])
def test_a_long_quote_that_has_drifted_is_recognised_wherever_it_stands(place: int) -> None:
    words = [f"w{number * 7919 % 30_011}" for number in range(30_000)]
    quoted = words[place : place + 120]
    quoted[20], quoted[70] = "other", "changed"
    observed = Passages(" ".join(words)).search(" ".join(quoted))
    assert (observed.state, (observed.likeness or 0) > 90) == ("drifted", True)


def test_a_quote_with_many_parts_that_the_text_lacks_has_not_drifted() -> None:
    parts = [f"{word} {number}" for number, word in enumerate(QUOTE.split() * 3)]
    assert Passages(QUOTE).search(" [\u2026] ".join(parts)).state == "not_found"
