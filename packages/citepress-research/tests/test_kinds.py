"""What each kind takes, publishes and shows."""

from datetime import UTC, datetime

import pytest
from annotated_types import MaxLen
from pydantic import ValidationError

from citepress.contract.model import Model
from citepress.contract.page import Block, Items, Nugget
from citepress.contract.refs import AddressMark, Ref, SourceMark, _routes
from citepress.kinds import ALL, REGISTRIES
from support.archive import DAY, OWN, archive_of, entry, kind_of
from support.demo import COLLECTIONS, READ_BY_AGENTS

NAMES = [*COLLECTIONS, *READ_BY_AGENTS]


def test_every_collection_of_the_specification_has_a_kind_in_its_order():
    assert [kind.name for kind in ALL] == NAMES


def test_schema_names_are_those_of_the_specification():
    names = {kind.name: (kind.schema, kind.record.__name__, kind.index) for kind in ALL}
    assert names["posts"] == ("FieldNoteRecord", "FieldNoteRecord", "PostIndex")
    assert names["signals"] == ("RawSignalRecord", "RawSignalRecord", "SignalIndex")
    assert names["patterns"] == ("TrendPatternRecord", "TrendPatternRecord", "PatternIndex")
    assert all(schema == record for schema, record, _ in names.values())


@pytest.mark.parametrize("name", NAMES)
def test_a_kind_publishes_what_its_author_wrote(name):
    kind = kind_of(name)
    published = entry(f"{name}/x").record.model_dump(mode="json")
    assert list(published)[:3] == ["schema_version", "id", "kind"]
    written = kind.fields.model_validate(OWN[name]).model_dump(mode="json")
    derived = set(kind.derive(kind.fields.model_validate(OWN[name]), DAY))
    assert {key: published[key] for key in written if key not in derived} == {
        k: v for k, v in written.items() if k not in derived
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_key_that_no_kind_has_is_refused(name):
    with pytest.raises(ValidationError):
        kind_of(name).fields.model_validate({**OWN[name], "colour": "red"})


@pytest.mark.parametrize("name", NAMES)
def test_deciding_members_are_members_of_the_record(name):
    kind = kind_of(name)
    assert set(kind.deciding) <= set(kind.record.model_fields)


@pytest.mark.parametrize("name", NAMES)
def test_blocks_have_unique_anchors_and_some_content(name):
    archive = archive_of(entry(f"{name}/x"), entry("posts/one"))
    blocks = kind_of(name).blocks(archive.entries[f"{name}/x"].record, archive)
    assert blocks
    assert all(isinstance(block, Block) and block.id and block.title for block in blocks)
    assert len({block.id for block in blocks}) == len(blocks)


def _models(model, visited):
    for field in model.model_fields.values():
        for part in _types(field.annotation):
            if isinstance(part, type) and issubclass(part, Model) and part not in visited:
                visited.add(part)
                _models(part, visited)
    return visited


def _types(annotation):
    yield annotation
    for part in getattr(annotation, "__args__", ()):
        yield from _types(part)


def test_every_list_and_every_string_of_a_kind_is_bounded():
    roots = {kind.fields for kind in ALL} | {model for registry in REGISTRIES for model in registry.models.values()}
    models = set(roots)
    for root in roots:
        _models(root, models)
    loose = []
    for model in models:
        for name, field in model.model_fields.items():
            schema = model.model_json_schema(mode="validation", by_alias=False)["properties"][name]
            loose += [f"{model.__name__}.{name}" for part in _leaves(schema) if not _bounded(part)]
            bounds = [mark for mark in field.metadata if isinstance(mark, MaxLen)]
            if schema.get("type") == "array" and not (bounds or "maxItems" in schema):
                loose.append(f"{model.__name__}.{name}")
    assert loose == []


def _leaves(schema):
    yield schema
    for part in schema.get("anyOf", ()):
        yield from _leaves(part)


def _bounded(schema):
    if schema.get("type") != "string" or "enum" in schema or "const" in schema or schema.get("format") == "date-time":
        return True
    return "maxLength" in schema or "pattern" in schema or schema.get("title") == "Related Record"


def test_pointing_members_carry_the_marks_that_resolve_them():
    marks = {
        kind.name: {(".".join(route), getattr(mark, "edge", "source")) for route, mark in _routes(kind.fields)}
        for kind in ALL
    }
    assert {("supports.*", "supports"), ("contradicts.*", "contradicts"), ("related_patterns.*", "related")} <= marks[
        "signals"
    ]
    assert {
        ("evidence.*.source_refs.*", "source"),
        ("evidence.*.records.*", "cites"),
        ("counter_evidence.*.source_refs.*", "source"),
    } <= marks["patterns"]
    assert ("claims.*.source_refs.*", "source") in marks["posts"]
    assert ("related_record", "related") in marks["agent-tasks"]
    assert ("records.*", "cites") in marks["metadox"]
    assert all(isinstance(mark, Ref | SourceMark | AddressMark) for kind in ALL for _, mark in _routes(kind.fields))


def test_a_signal_is_related_to_every_pattern_it_names_once():
    record = entry("signals/s", related_patterns=["a"], supports=["b", "patterns/a"], contradicts=["c"]).record
    assert [name.rpartition("/")[2] for name in record.related_patterns] == ["a", "b", "c"]


def test_signals_are_paged_by_twenty():
    assert kind_of("signals").page_size == 20


def test_a_signal_says_which_way_it_speaks():
    archive = archive_of(
        entry("signals/s", supports=["p"], contradicts=["q"]), entry("patterns/p"), entry("patterns/q")
    )
    blocks = kind_of("signals").blocks(archive.entries["signals/s"].record, archive)
    items = next(block for block in blocks if block.id == "patterns").items
    assert [(item.href, item.text) for item in items] == [
        ("/patterns/p/", "supported by this record"),
        ("/patterns/q/", "contradicted by this record"),
    ]


@pytest.mark.parametrize(
    ("status", "outcome", "brier"),
    [("open", None, None), ("resolved_yes", "yes", 0.09), ("resolved_no", "no", 0.49), ("void", "void", None)],
)
def test_a_forecast_publishes_its_outcome_and_its_brier_score(status, outcome, brier):
    resolved = None if status == "open" else "2026-02-01"
    record = entry(
        "forecasts/f",
        probability=0.7,
        status=status,
        resolved_at=resolved,
        published_at=datetime(2026, 1, 1, tzinfo=UTC),
    ).record
    assert (record.outcome, record.brier, record.scored, record.unscored_reason) == (
        outcome,
        brier,
        brier is not None,
        None,
    )


@pytest.mark.parametrize(
    ("published", "retrospective"), [("2026-02-01", False), ("2026-02-02", False), ("2026-01-01", True)]
)
def test_a_forecast_that_knew_its_outcome_does_not_count_and_says_why(published, retrospective):
    members = {"status": "resolved_yes", "resolved_at": "2026-02-01", "retrospective": retrospective}
    record = entry("forecasts/f", published_at=datetime.fromisoformat(f"{published}T00:00Z"), **members).record
    assert (record.outcome, record.brier, record.scored) == ("yes", None, False)
    assert record.unscored_reason
    facts = next(block for block in kind_of("forecasts").blocks(record, archive_of()) if block.id == "standing").facts
    assert any(fact.label == "Not scored" and fact.values[0].text == record.unscored_reason for fact in facts)


@pytest.mark.parametrize(
    ("kind", "members", "where"),
    [
        ("forecasts", {"status": "resolved_yes"}, "resolved_at"),
        ("forecasts", {"resolved_at": "2026-02-01"}, "resolved_at"),
        ("forecasts", {"resolves_at": "2025-12-31"}, "resolves_at"),
        ("graveyard", {"died": "2019-01-01"}, "died"),
        ("metadox", {"period": {"start": "2026-02-02", "end": "2026-02-01"}}, "period"),
        ("patterns", {"evidence": []}, "evidence"),
        ("patterns", {"confidence": {"level": "certain", "rationale": "x", "assessed_at": "2026-01-01"}}, "confidence"),
        ("learn", {"minutes": 0}, "minutes"),
        ("deltas", {"verification_level": "maybe"}, "verification_level"),
    ],
)
def test_members_that_contradict_each_other_are_refused_where_they_stand(kind, members, where):
    with pytest.raises(ValidationError) as caught:
        kind_of(kind).fields.model_validate({**OWN[kind], **members})
    assert {error["loc"][0] for error in caught.value.errors()} == {where}


def test_evidence_is_shown_in_time_order_with_its_sources():
    archive = archive_of(
        entry(
            "patterns/p",
            evidence=[
                {"text": "Later", "date": "2026-02-02"},
                {"text": "Earlier", "date": "2025-02-02", "source_refs": ["spec"]},
            ],
        )
    )
    blocks = kind_of("patterns").blocks(archive.entries["patterns/p"].record, archive)
    timeline = next(block for block in blocks if isinstance(block, Items) and block.timeline)
    assert [item.text for item in timeline.items] == ["Earlier", "Later"]
    assert [(mark.number, mark.url) for mark in timeline.items[0].sources] == [(1, "https://spec.example/one")]
    assert isinstance(blocks[0], Nugget)


def test_a_pattern_without_counter_evidence_says_so():
    archive = archive_of(entry("patterns/p", counter_evidence=[]))
    blocks = kind_of("patterns").blocks(archive.entries["patterns/p"].record, archive)
    assert next(block for block in blocks if block.id == "counter-evidence").items[0].text == "None was found so far."
