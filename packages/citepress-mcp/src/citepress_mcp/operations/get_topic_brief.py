"""get_topic_brief: what the archive holds on one topic."""

from typing import Annotated, Any

from pydantic import Field

from citepress.base.slugs import slugify
from citepress.base.text import bounded, nearest
from citepress.contract.model import Model
from citepress.contract.operation import Answer, Operation, Refusal, Tool
from citepress.kinds.topics import KIND as TOPICS
from citepress.kinds.topics import topic_id
from citepress.operations.context import OperationContext
from citepress.operations.models import RecordHit
from citepress.operations.records import (
    MAX_PROPOSALS,
    MAX_SUMMARY_CHARS,
    SECONDARY,
    RecordJson,
    RecordLookup,
    items,
    left_out,
    look_up,
    record,
)
from citepress.search.models import Query

QUESTIONS = 10


class TopicAsk(Model):
    """Which topic."""

    topic: Annotated[str, Field(min_length=2, max_length=120)]
    """Slug or name of a topic."""


class TopicEvidence(Model):
    """One piece of evidence on the topic."""

    text: str
    """What it shows."""
    record: str | None = None
    """Id of the record that holds the detail."""
    url: str | None = None
    """Address of its source."""


class TopicAnswer(Answer):
    """A topic in brief."""

    citation: str
    """A line ready to print: authors, date of publication, title, revision, publication, address."""
    id: str
    """Stable identifier, ``<collection>/<slug>``."""
    title: str
    """Its name."""
    url: str
    """The address to cite."""
    question: str
    """The question that the hub answers."""
    short_answer: str
    """The answer in a paragraph."""
    evidence: list[TopicEvidence]
    """Evidence in the order of the hub."""
    open_questions: list[str]
    """What is not known; the first ten."""
    newest: list[RecordHit]
    """The newest records of the topic; at most five."""
    feed_url: str | None = None
    """A feed that follows the topic, where it has one."""


def run(ask: TopicAsk, context: OperationContext) -> TopicAnswer:
    """Read a topic hub and its newest records (specification, "MCP endpoint"). Raises ``Refusal``: not_found, gone."""
    lookup = _hub(context, ask.topic)
    topic_json = lookup.record
    slug = str(topic_json["slug"])
    return TopicAnswer(
        as_of=context.as_of,
        citation=context.citation(topic_json),
        id=topic_json["id"],
        title=topic_json["title"],
        url=topic_json["canonical_url"],
        question=topic_json["question"],
        short_answer=topic_json["short_answer"],
        evidence=_evidence(topic_json),
        open_questions=topic_json["open_questions"][:QUESTIONS],
        newest=_newest(context, slug),
        feed_url=context.url(f"/feeds/{slug}.xml") if topic_json["feed"] else None,
        notes=(*lookup.notes, *left_out("open_questions", len(topic_json["open_questions"]), QUESTIONS)),
    )


def _newest(context: OperationContext, slug: str) -> list[Any]:
    """The members of a ``RecordHit`` for each of the newest records."""
    base = context.base_url
    return [
        {
            "id": hit.id,
            "kind": hit.kind,
            "title": hit.title,
            "url": base + hit.path,
            "summary": bounded(hit.summary, MAX_SUMMARY_CHARS),
            "updated_at": hit.updated_at,
        }
        for hit in context.index.search(Query(topic=slug, limit=SECONDARY)).hits
    ]


def _hub(context: OperationContext, asked: str) -> RecordLookup:
    """The hub of a slug or a name."""
    name = asked.strip().removeprefix(topic_id(""))
    by_title: dict[str, str] = {}
    named: list[str] = []
    for item in items(context, TOPICS.name):
        by_title.setdefault(str(item["title"]).casefold(), str(item["slug"]))
        if name.casefold() in (str(item["title"]).casefold(), str(item["slug"])):
            named.append(str(item["slug"]))
    slug = name if name in named else by_title.get(name.casefold()) or slugify(name)
    if (topic_json := record(context, topic_id(slug))) is not None:
        others = ", ".join(sorted({*named} - {slug}))
        note = f'"{bounded(name, 60)}" is also the name of {others}; pass the slug to read it.'
        return RecordLookup(topic_json, (note,) if others else ())
    try:
        return look_up(context, topic_id(slug), "topic")
    except Refusal as refusal:
        if refusal.code != "not_found":
            raise
    titles = nearest(name.casefold(), by_title, MAX_PROPOSALS)
    alike = [*(by_title[title] for title in titles), *nearest(slug, by_title.values(), MAX_PROPOSALS)]
    alike += [
        hit.id.partition("/")[2]
        for hit in context.index.search(Query(name, kinds=(TOPICS.name,), limit=MAX_PROPOSALS)).hits
    ]
    raise Refusal(
        "not_found",
        f'There is no topic "{bounded(asked, 120)}".',
        tuple(dict.fromkeys(alike))[:MAX_PROPOSALS],
        member="topic",
    )


def _evidence(topic_json: RecordJson) -> list[Any]:
    """The members of each ``TopicEvidence``, with the first record and the first source of each."""
    addresses = {source["id"]: source["url"] for source in topic_json["sources"]}
    evidence = [(item, [ref for ref in item["source_refs"] if ref in addresses][:1]) for item in topic_json["evidence"]]
    return [
        {"text": item["text"], "record": next(iter(item["records"]), None), "url": addresses[refs[0]] if refs else None}
        for item, refs in evidence
    ]


OPERATION = Operation(
    name="get_topic_brief",
    title="Brief on a topic",
    description=(
        "Read what the archive holds on one topic: its question, the short answer, evidence with record ids, open"
        " questions and the newest records. Pass a topic slug or name; an unknown one is answered with the nearest"
        " topics."
    ),
    ask=TopicAsk,
    answer=TopicAnswer,
    run=run,
    beside=True,
    tool=Tool(tokens=3000, cut="evidence", link=True),
)
