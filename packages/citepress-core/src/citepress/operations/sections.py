"""The parts of a Markdown text: the content of each main heading, and each paragraph."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from citepress.base.text import bounded
from citepress.content.headings import headings
from citepress.contract.operation import Refusal
from citepress.edition.prose.paragraphs import PARAGRAPH_PREFIX, paragraphs
from citepress.operations.models import RecordSection
from citepress.operations.records import RecordJson

START = "text"
"""The id of the text before the first heading: the anchor of the whole text on the page, which no heading has."""
MAX_SECTION_TITLE_CHARS = 120
MAX_LISTED_SECTIONS, PARAGRAPHS = 50, 20
"""Sections and paragraphs that an answer lists."""


class Part(NamedTuple):
    """A heading and everything up to the next of its level."""

    id: str
    title: str
    text: str


class Chosen(NamedTuple):
    """A text or parts of it, and the ids of parts that can be requested."""

    body: str
    sections: list[RecordSection]
    """The first sections of the whole text."""
    paragraphs: list[str] | None
    """Ids of the first paragraphs of the parts that were asked for, or of a text without parts; of a whole text that
    has parts, ``None``."""


def chosen(record_json: RecordJson, wanted: Sequence[str]) -> Chosen:
    """The body of a record, or these sections and paragraphs of it. Raises ``Refusal`` for an unknown part."""
    by_id, listed = _parted(record_json["body_markdown"], record_json["title"])
    if not by_id.keys() >= {*wanted}:
        by_id = {**_paragraphs(record_json["body_markdown"]), **by_id}
    if unknown := [id_ for id_ in wanted if id_ not in by_id]:
        message = f"{record_json['id']} has no section {', '.join(bounded(id_, 60) for id_ in unknown)}."
        near = [section.id for section in listed]
        if not listed or any(id_.startswith(PARAGRAPH_PREFIX) for id_ in unknown):
            near += islice(_paragraphs(record_json["body_markdown"]), PARAGRAPHS)
        raise Refusal("not_found", message, tuple(near), member="sections")
    body = "\n\n".join(by_id[id_] for id_ in dict.fromkeys(wanted)) if wanted else record_json["body_markdown"]
    if listed and not wanted:
        return Chosen(body, listed, None)
    passages = _paragraphs(record_json["body_markdown"])
    return Chosen(body, listed, [id_ for id_, text in passages.items() if text in body][:PARAGRAPHS])


def has(record_json: RecordJson, id_: str) -> bool:
    """Whether a text has a main section or a paragraph of this id."""
    by_id, _ = _parted(record_json["body_markdown"], record_json["title"])
    return id_ in by_id or id_ in _paragraphs(record_json["body_markdown"])


@lru_cache(maxsize=256)  # who reads a record in parts asks for the same text again
def _parted(markdown: str, title: str) -> tuple[Mapping[str, str], list[RecordSection]]:
    """The text of each part by its id, and the list of the first ones. Do not modify either."""
    parts = split(markdown, title)
    listed = [
        RecordSection(id=part.id, title=part.title, approx_tokens=tokens(part.text))
        for part in parts[:MAX_LISTED_SECTIONS]
    ]
    return {part.id: part.text for part in parts}, listed


@lru_cache(maxsize=64)
def _paragraphs(markdown: str) -> Mapping[str, str]:
    """Each paragraph by its id. Do not modify it."""
    source = markdown.encode()
    return {
        paragraph.id: source[paragraph.start : paragraph.end].decode().strip() for paragraph in paragraphs(markdown)
    }


def tokens(text: str) -> int:
    """About how many tokens a text has."""
    return -(-len(text.encode()) // 4)


def split(markdown: str, title: str) -> tuple[Part, ...]:
    """The parts of a text in order, by the anchors of their headings on the page; none where it has no heading."""
    top_headings = [heading for heading in headings(markdown) if heading.top]
    if not top_headings:
        return ()
    level = min([heading.level for heading in top_headings])
    source = markdown.encode()
    tops = [heading for heading in top_headings if heading.level == level]
    starts = [heading.start for heading in tops]
    parts = (
        [Part(START, bounded(title, MAX_SECTION_TITLE_CHARS), source[: starts[0]].decode().strip())]
        if source[: starts[0]].strip()
        else []
    )
    ends = [*starts[1:], len(source)]
    for heading, end in zip(tops, ends, strict=True):
        parts.append(
            Part(
                heading.anchor,
                bounded(heading.text, MAX_SECTION_TITLE_CHARS),
                source[heading.start : end].decode().strip(),
            )
        )
    return tuple(parts)
