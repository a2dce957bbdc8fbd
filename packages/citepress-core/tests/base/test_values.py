"""Values compare, hash and are copied by their members, and have no others."""

from dataclasses import field, replace

import pytest

from citepress.base.values import value_type


@value_type
class Part:
    """A value with a member that is given by its name."""

    id: str
    language: str = field(default="", kw_only=True)


@value_type
class Text(Part):
    """One that adds a member."""

    words: str


def test_values_of_equal_members_are_equal() -> None:
    text = Text("a", "words", language="en")
    assert text == Text("a", "words", language="en")
    assert hash(text) == hash(Text("a", "words", language="en"))
    assert text != Text("a", "words")
    assert replace(text, words="other") == Text("a", "other", language="en")
    assert text.words == "words"


def test_a_value_has_no_member_that_its_class_does_not_name() -> None:
    with pytest.raises(AttributeError):
        setattr(Text("a", "words"), "wordz", "")  # noqa: B010  (a type checker would refuse the statement)
