"""Words joined into sentences."""

import pytest

from citepress.base.text import sentence


@pytest.mark.parametrize(
    "text", ["It is so.", "Is it?", "It is so!", "As follows:", "It is so…", "He said “no.”", "(It is so.)"]
)
def test_what_ends_as_a_sentence_stays_as_it_is(text: str) -> None:
    assert sentence(text) == text


@pytest.mark.parametrize("text", ["First note of the day", "Credit: A & B", "“a” now reads “b”", "v1.2", "x (see y)"])
def test_anything_else_gets_its_full_stop(text: str) -> None:
    assert sentence(text) == f"{text}."
