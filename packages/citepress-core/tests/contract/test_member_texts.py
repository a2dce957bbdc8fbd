from typing import Annotated

from pydantic import AliasChoices, Field, computed_field, create_model

from citepress.contract.member_texts import TextOf
from citepress.contract.model import Model


class Part(Model):
    """A part."""

    size: int
    """How large
    it is."""


class Whole(Part):
    """A whole."""

    part: Part
    """What it is made of."""
    written: Annotated[str, Field(validation_alias=AliasChoices("asWritten", "written"))] = ""
    """As its author wrote it."""
    counter: Annotated[int, Field(description="From the declaration.")] = 0
    """Never read."""
    bare: int = 0

    @computed_field  # type: ignore[prop-decorator]
    @property
    def double(self) -> int:
        """Twice the size."""
        return 2 * self.size


class Later(Whole):
    """A whole that says less."""

    size: int = 0


def descriptions(model: type[Model], mode: str = "validation") -> dict[str, str | None]:
    schema = model.model_json_schema(mode=mode)
    return {name: member.get("description") for name, member in schema["properties"].items()}


def test_the_text_below_a_member_describes_it_whatever_it_refers_to_and_however_it_is_written() -> None:
    assert descriptions(Whole) == {
        "size": "How large it is.",
        "part": "What it is made of.",
        "asWritten": "As its author wrote it.",
        "counter": "From the declaration.",
        "bare": None,
    }
    assert descriptions(Whole, "serialization") == {
        "size": "How large it is.",
        "part": "What it is made of.",
        "written": "As its author wrote it.",
        "counter": "From the declaration.",
        "bare": None,
        "double": "Twice the size.",
    }


def test_a_member_that_is_declared_again_has_only_its_new_text() -> None:
    assert descriptions(Later)["size"] is None
    assert descriptions(Later)["part"] == "What it is made of."


def test_the_member_of_a_model_made_of_another_has_that_one_s_text() -> None:
    again = create_model("Again", __base__=Model, size=(Annotated[int, TextOf(Later)], ...), part=(Part, ...))
    copy = create_model("Copy", __base__=Model, size=(Annotated[int, TextOf(Whole)], ...))

    assert descriptions(again) == {"size": None, "part": None}
    assert descriptions(copy) == {"size": "How large it is."}
