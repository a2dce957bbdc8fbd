"""count_records: how many records a collection has."""

from typing import Annotated

from pydantic import Field

from citepress.base.ids import twin
from citepress.contract.document import Section
from citepress.contract.model import Model
from citepress.contract.operation import Answer, Get, Operation, Tool
from citepress.operations.context import OperationContext
from citepress.operations.models import KIND_NAMES, Choice


class CountAsk(Model):
    """Which collection."""

    kind: Annotated[str, Choice(*KIND_NAMES), Field(max_length=40)]
    """Name of the collection."""


class CountAnswer(Answer):
    """The size of a collection."""

    count: int
    """Records in it."""


def run(ask: CountAsk, context: OperationContext) -> CountAnswer:
    """Count the records of a collection."""
    index = context.document(twin(f"/{ask.kind}/", ".json"))
    return CountAnswer(as_of=context.as_of, count=index["count"])


OPERATION = Operation(
    name="count_records",
    title="Count records",
    description="Count the records of one collection.",
    ask=CountAsk,
    answer=CountAnswer,
    run=run,
    section=Section.ACTIONS,
    rest=Get("/agent-actions/count.json", promised=False),
    tool=Tool(),
    example={"kind": "posts"},
)
ALL = (OPERATION,)
