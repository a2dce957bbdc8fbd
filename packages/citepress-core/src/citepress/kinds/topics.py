"""Topic hubs: a question, its short answer, and the dated evidence and records about it."""

from typing import Annotated

from pydantic import Field

from citepress.archive.model import Archive
from citepress.contract.kind import Kind
from citepress.contract.model import Text
from citepress.contract.page import Block, Nugget
from citepress.contract.record import Evidence, Fields, Record
from citepress.contract.refs import TOPICS
from citepress.kinds.parts import evidence, sentences


class TopicFields(Fields):
    """What a topic hub adds."""

    question: Annotated[str, Field(min_length=1, max_length=400)]
    """The question that the hub answers."""
    short_answer: Annotated[str, Field(min_length=1, max_length=1200)]
    """The answer in a paragraph."""
    evidence: list[Evidence] = Field(default_factory=list, max_length=500)
    """Dated evidence."""
    open_questions: list[Text] = Field(default_factory=list, max_length=50)
    """What is not known."""
    feed: bool = True
    """Whether the hub has a feed at ``/feeds/<slug>.xml``."""


class TopicRecord(TopicFields, Record):
    """A hub that answers one question."""


def topic_id(slug: str) -> str:
    """The id of the hub with this slug."""
    return f"{TOPICS}/{slug}"


def _blocks(record: TopicRecord, archive: Archive) -> tuple[Block, ...]:
    return (
        Nugget("answer", record.question, record.short_answer),
        *evidence(record, archive, record.evidence, "Evidence timeline"),
        *sentences("open-questions", "Open questions", record.open_questions),
    )


KIND = Kind(
    name=TOPICS,
    schema="TopicRecord",
    index="TopicIndex",
    singular="Topic",
    plural="Topics",
    about="Hubs that answer one question with dated evidence and gather the records about it.",
    fields=TopicFields,
    record=TopicRecord,
    blocks=_blocks,
    promised_forms=("html", "markdown"),
    deciding=("question", "short_answer", "feed"),
    questions=lambda record: (record.question, record.title),
    linked_type="CollectionPage",
    aside=True,
    in_header=True,
)
