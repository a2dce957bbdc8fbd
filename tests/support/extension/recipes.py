"""Recipes: a kind of record with one member of its own."""

from typing import Annotated

from pydantic import Field

from citepress.archive.model import Archive
from citepress.contract.kind import Kind
from citepress.contract.page import Block, Facts
from citepress.contract.record import Fields, Record
from citepress.kinds.parts import fact


class RecipeFields(Fields):
    """What a recipe adds."""

    servings: Annotated[int, Field(ge=1, le=100)]
    """How many people it feeds."""


class RecipeRecord(RecipeFields, Record):
    """Instructions for a dish."""


def _blocks(record: RecipeRecord, _archive: Archive) -> tuple[Block, ...]:
    return (Facts("servings", "Servings", (fact("Servings", str(record.servings)),)),)


KIND = Kind(
    name="recipes",
    schema="RecipeRecord",
    index="RecipeIndex",
    singular="Recipe",
    plural="Recipes",
    about="Dishes that can be cooked again.",
    fields=RecipeFields,
    record=RecipeRecord,
    blocks=_blocks,
    promised_index=False,
    deciding=("servings",),
)
ALL = (KIND,)
