"""Small archives built by hand: records of any kind from a few members, joined as the archive room would join them."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel

from citepress.archive.contents import Contents, RecordHead
from citepress.archive.model import Archive, Edge, Entry, Origin, Owner
from citepress.contract.backlink import Backlink
from citepress.contract.kind import Kind
from citepress.contract.record import Record, Source
from citepress.contract.refs import Ref, marked
from citepress.contract.site import Site
from citepress.contract.table import derive
from citepress.contract.version import SCHEMA_VERSION
from citepress.edition.forms import ALL as FORMS
from citepress.edition.render_context import RenderContext
from citepress.edition.theme import paths
from citepress.kinds import ALL as KINDS
from citepress.kinds import REGISTRIES

SITE = Site(
    title="Test archive",
    description="An archive for tests.",
    base_url="https://archive.test",
    owner="Test press",
    license="CC-BY-4.0",
)
DAY = datetime(2026, 3, 1, tzinfo=UTC)
SOURCE = Source(
    id="spec",
    url="https://spec.example/one",
    normalized_url="https://spec.example/one",
    title="The specification",
    publisher="Spec body",
    origin="spec.example",
    published_at=DAY,
    accessed_at=DAY,
    role="primary",
)
PROVENANCE = {
    "collected_by": "the editors",
    "method": "read it",
    "source_url": "https://spec.example/one",
    "captured_at": "2026-03-01",
}
OWN: Mapping[str, Mapping[str, Any]] = {
    "posts": {"retrieval_nugget": "One sentence to quote.", "claims": [{"text": "It is so.", "source_refs": ["spec"]}]},
    "signals": {"observed_at": "2026-02-01", "signal_type": "release", "provenance": PROVENANCE},
    "patterns": {
        "statement": "Things move.",
        "status": "emerging",
        "first_observed_at": "2026-01-01",
        "confidence": {"level": "low", "score": 0.3, "rationale": "One case.", "assessed_at": "2026-02-01"},
        "evidence": [
            {"text": "First case.", "date": "2025-01-05", "source_refs": ["spec"]},
            {"text": "Second case.", "date": "2026-01-05"},
        ],
        "counter_evidence": [{"summary": "One stood still.", "source_refs": ["spec"]}],
        "revision_trigger": [{"condition": "All stand still.", "action": "We retire it."}],
    },
    "topics": {
        "question": "What moves?",
        "short_answer": "Most things.",
        "open_questions": ["Why?"],
        "evidence": [{"text": "A case."}],
    },
    "shifts": {"from_state": "A", "to_state": "B", "observed_at": "2026-01-01", "drivers": ["Cost."]},
    "deltas": {
        "verification_level": "single_source",
        "buildability_class": "buildable_now",
        "before": "A",
        "after": "B",
        "occurred_at": "2026-01-01",
    },
    "graveyard": {"born": "2020-01-01", "died": "2025-01-01", "cause_of_death": "Neglect.", "lessons": ["Care."]},
    "projects": {"problem": "It is hard.", "effort": "A day", "steps": [{"title": "Begin", "text": "Start it."}]},
    "systems": {
        "vendor": "Someone",
        "assessed_at": "2026-01-01",
        "limits": ["It ends."],
        "versions": [{"version": "1.0", "released_on": "2025-05-05", "note": "First."}],
    },
    "learn": {"audience": "Anyone", "level": "beginner", "minutes": 5, "outcomes": ["You know."]},
    "forecasts": {
        "statement": "It will rain.",
        "probability": 0.7,
        "made_at": "2026-01-01",
        "resolves_at": "2026-02-01",
        "resolution_criteria": "Rain falls.",
        "status": "open",
    },
    "agent-tasks": {
        "task": "verify_claim",
        "input": "A claim.",
        "expected_output": "A verdict.",
        "how_to_submit": "submit_source",
        "status": "open",
        "related_record": "posts/one",
    },
    "metadox": {"period": {"start": "2026-01-01", "end": "2026-02-01"}, "records": ["posts/one"]},
}
"""The least members of each kind."""


def kind_of(name: str) -> Kind:
    """The kind of this name."""
    return next(kind for kind in KINDS if kind.name == name)


def _edges(record: Record, fields: BaseModel) -> tuple[Edge, ...]:
    """The references in a record's own fields, its topics and its related records."""
    edges = {
        (reference.mark.edge, reference.value if "/" in reference.value else f"{reference.mark.kind}/{reference.value}")
        for reference in marked(fields)
        if isinstance(reference.mark, Ref)
    }
    edges |= {("about-topic", f"topics/{topic}") for topic in record.topics}
    edges |= {("related", other) for other in record.related}
    return tuple(Edge(record.id, target, type_) for type_, target in sorted(edges))


def entry(id_: str, **members: Any) -> Entry:
    """A record of the kind that its id names; members replace the least ones and the shared ones."""
    name, _, slug = id_.partition("/")
    kind = kind_of(name)
    own = {**OWN[name], **{key: value for key, value in members.items() if key in kind.fields.model_fields}}
    fields = kind.fields.model_validate(own)
    url = SITE.url(f"/{id_}")
    shared = {
        "schema_version": SCHEMA_VERSION,
        "id": id_,
        "kind": name,
        "slug": slug,
        "title": f"Title of {slug}",
        "summary": f"Summary of {slug}.",
        "canonical_url": f"{url}/",
        "html_url": f"{url}/",
        "markdown_url": f"{url}.md",
        "json_url": f"{url}.json",
        "language": "en",
        "license": "CC-BY-4.0",
        "published_at": DAY,
        "updated_at": DAY,
        "revision": 1,
        "revised_at": None,
        "topics": [],
        "tags": [],
        "authors": [],
        "sources": [SOURCE],
        "source_urls": [SOURCE.url],
        "related": [],
        "supersedes": [],
        "backlinks": [],
        "updates": [],
        "corrections": [],
        "credits": [],
        "body_markdown": "",
    }
    shared |= {key: value for key, value in members.items() if key in shared}
    record = kind.record.model_validate(
        {**shared, **fields.model_dump(), **kind.derive(fields, members.get("published_at", DAY))}
    )
    contents = Contents(record, fields)
    return Entry(
        kind,
        RecordHead.of(record, kind, SITE.language),
        contents,
        f"content/{id_}.md",
        f"/{id_}/",
        _edges(record, fields),
    )


def archive_of(*entries: Entry, site: Site = SITE, **parts: Any) -> Archive:
    """An archive of these records, with backlinks and topics joined."""
    back: dict[str, list[Backlink]] = {}
    for edge in (edge for item in entries for edge in item.edges):
        back.setdefault(edge.target, []).append(Backlink(id=edge.source, relation=edge.type))
    joined = {item.record.id: _with_backlinks(item, back.get(item.record.id, [])) for item in entries}
    members = {
        item.record.slug: [o for o in joined.values() if item.record.slug in o.record.topics]
        for item in entries
        if item.kind.name == "topics"
    }
    defaults = {
        "site": site,
        "kinds": KINDS,
        "registries": REGISTRIES,
        "entries": joined,
        "collections": {kind.name: tuple(item for item in joined.values() if item.kind is kind) for kind in KINDS},
        "topics": {slug: tuple(group) for slug, group in members.items()},
        "ledger": {},
        "aliases": {},
        "origins": {
            "spec.example": Origin("spec.example", "Spec example", "https://spec.example/", "", (SOURCE.url,), ())
        },
        "datasets": (),
        "owner": Owner(site.owner or site.title, "Organization", "", "", {}, ""),
        "registered": {},
        "pages": {},
        "redirects": {},
        "withdrawn": (),
        "changes": (),
        "as_of": DAY,
    }
    return Archive(**{**defaults, **parts})


def _with_backlinks(item: Entry, backlinks: Iterable[Backlink]) -> Entry:
    record = item.record.model_copy(update={"backlinks": list(backlinks)})
    return replace(item, contents=Contents(record, item.fields), memo={})


def desk_of(archive: Archive, declared: Iterable[Any] = ()) -> RenderContext:
    """A desk over an archive; only declared routes exist in its table."""
    return RenderContext(archive, derive(declared, FORMS), FORMS, {}, paths())
