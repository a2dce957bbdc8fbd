"""research-bundle-v2: what a buyer gets, what is never sold, and the same bytes for the same edition."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from citepress.operations import OperationContext
from citepress_payments.products import LIMIT_BYTES, InsufficientEvidence
from support.operation_context import operation_context
from support.otters import ASKED, BUNDLE, OTTERS, QUESTION, heavy
from support.server_with_actions import small

Buy = Callable[..., Any]


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> OperationContext:
    path = tmp_path_factory.mktemp("otters")
    return operation_context(small(path / "content", OTTERS), path / "state", inbox=False)


def prepared(at: OperationContext, query: str = QUESTION, **members: Any) -> bytes | InsufficientEvidence:
    return BUNDLE.prepare(BUNDLE.ask.model_validate({"query": query, **members}), at, ASKED)


@pytest.fixture
def buy(at: OperationContext) -> Buy:
    """The result of a request that is sold."""

    def bought(**members: Any) -> Any:
        sold = prepared(at, **members)
        assert isinstance(sold, bytes), sold
        return json.loads(BUNDLE.result.model_validate_json(sold).model_dump_json())

    return bought


def source_of(document: Any, id_: str) -> Any:
    return next(source for source in document["sources"] if source["id"] == id_)


def cited(document: Any, numbers: list[int]) -> set[str]:
    return {citation["url"] for citation in document["citations"] if citation["number"] in numbers}


def test_a_bundle_names_the_edition_that_it_was_computed_from(buy: Buy, at: OperationContext) -> None:
    sold = buy()
    assert (sold["schema_version"], sold["product"], sold["query"]) == (1, "research-bundle-v2", QUESTION)
    assert sold["archive"]["edition"] == at.edition.digest
    assert sold["archive"]["as_of"] == "2026-06-01T00:00:00Z"
    assert sold["archive"]["url"] == "https://archive.test/"


def test_records_come_with_address_dates_passages_and_claims_that_are_cited(buy: Buy) -> None:
    sold = buy()
    assert {source["id"] for source in sold["sources"]} == {
        "patterns/weirs",
        "signals/count",
        "signals/ponds",
        "posts/mills",
        "posts/bare",
    }
    assert [source["rank"] for source in sold["sources"]] == [1, 2, 3, 4, 5]
    mills = source_of(sold, "posts/mills")
    assert (mills["url"], mills["published_at"], mills["age_days"]) == (
        "https://archive.test/posts/mills/",
        "2024-11-01T00:00:00Z",
        577,
    )
    assert mills["passages"][0].startswith("Otters rest beside a weir at night, says mills.")
    assert [(claim["text"], cited(sold, claim["citations"])) for claim in mills["claims"]] == [
        ("Otters rest beside old mills.", {"https://maps.example/page"}),
        ("Nobody pays a miller.", set()),
    ]
    assert source_of(sold, "patterns/weirs")["counter_evidence"][0]["text"] == "Mills report empty weirs at night."


def test_no_text_is_told_twice_in_one_record(buy: Buy) -> None:
    for source in buy()["sources"]:
        texts = [source["summary"], *(claim["text"] for claim in (*source["claims"], *source["counter_evidence"]))]
        assert not [passage for passage in source["passages"] for text in texts if passage in text or text in passage]
        assert len(set(source["passages"])) == len(source["passages"])


def test_the_citation_list_names_each_source_once_with_the_records_that_share_it(buy: Buy) -> None:
    sold = buy()
    urls = [citation["url"] for citation in sold["citations"]]
    assert len(set(urls)) == len(urls)
    assert [citation["number"] for citation in sold["citations"]] == list(range(1, len(urls) + 1))
    mills = next(citation for citation in sold["citations"] if citation["url"] == "https://mills.example/page")
    assert set(mills["records"]) == {"patterns/weirs", "posts/mills"}
    assert (mills["role"], mills["accessed_at"]) == ("primary", "2026-05-01T00:00:00Z")
    count = next(citation for citation in sold["citations"] if citation["url"] == "https://count.example/page")
    assert (count["publisher"], count["published_at"]) == ("The count", "2026-05-18T00:00:00Z")
    for citation in sold["sources"]:
        assert all(citation["id"] in sold["citations"][number - 1]["records"] for number in citation["citations"])


def test_agreement_and_disagreement_are_told_with_the_point_and_the_whole_archive(buy: Buy) -> None:
    sold = buy()
    (point,) = sold["points"]
    assert (point["id"], point["statement"], point["status"], point["confidence"]) == (
        "patterns/weirs",
        "Otters rest beside a weir at night.",
        "emerging",
        "low",
    )
    assert point["supporting"] == ["patterns/weirs", "signals/count", "signals/afar"]
    assert (point["supporting_count"], point["contradicting_count"]) == (3, 1)
    assert sold["agreement"] == [
        {"point": "patterns/weirs", "side": "supporting", "records": ["patterns/weirs", "signals/count"]}
    ]
    assert sold["disagreement"] == [
        {
            "point": "patterns/weirs",
            "supporting": ["patterns/weirs", "signals/count"],
            "contradicting": ["signals/ponds"],
        }
    ]
    (objection,) = sold["objections"]
    assert (objection["record"], objection["against"]) == ("patterns/weirs", ["posts/mills"])
    assert cited(sold, objection["citations"]) == {"https://mills.example/page"}


def test_a_point_that_only_others_take_a_side_on_is_told_too(buy: Buy) -> None:
    sold = buy(known_stable_ids=["signals/count", "signals/ponds"])
    assert [(point["id"], point["supporting_count"]) for point in sold["points"]] == [("patterns/weirs", 3)]
    assert sold["agreement"] == []
    assert sold["disagreement"] == [{"point": "patterns/weirs", "supporting": ["patterns/weirs"], "contradicting": []}]


def test_freshness_and_gaps_are_told(buy: Buy) -> None:
    sold = buy(query=f"{QUESTION} according to astronauts")
    assert sold["freshness"] == {
        "newest_update_at": "2026-05-25T00:00:00Z",
        "oldest_update_at": "2024-11-01T00:00:00Z",
        "newest_evidence_at": "2026-05-25T00:00:00Z",
        "oldest_evidence_at": "2024-11-01T00:00:00Z",
        "updated_within_30_days": 2,
        "updated_within_90_days": 3,
        "updated_within_365_days": 4,
        "newest_citation_at": "2026-05-18T00:00:00Z",
        "undated_citations": 4,
    }
    gaps = sold["missing"]
    assert gaps["words"] == ["according", "astronauts"]
    assert gaps["open_questions"] == [
        {"text": text, "record": "topics/otters"} for text in ("Do they return?", "Who counts?")
    ]
    assert (gaps["without_citations"], gaps["older_than_a_year"]) == (["posts/bare"], ["posts/mills"])


def test_records_without_a_place_are_named(buy: Buy) -> None:
    whole = [source["id"] for source in buy()["sources"]]
    short = buy(max_sources=2)
    assert [*(source["id"] for source in short["sources"]), *short["missing"]["further_records"]] == whole


def test_one_record_is_sold_where_one_is_asked_for_and_more_bear_on_the_question(buy: Buy) -> None:
    assert len(buy(max_sources=1)["sources"]) == 1


def test_what_the_buyer_knows_is_left_out(buy: Buy) -> None:
    sold = buy(known_stable_ids=["posts/mills", "posts/none", "no id at all"])
    assert "posts/mills" not in {source["id"] for source in sold["sources"]}
    assert sold["known"] == {"excluded": ["posts/mills"], "unknown": ["posts/none", "no id at all"]}


def test_a_known_record_can_be_named_by_its_address(buy: Buy) -> None:
    identifiers = [
        "https://archive.test/posts/mills/",
        "https://archive.test/posts/bare.md",
        "/signals/count/",
        "https://other.test/posts/mills/",
    ]
    sold = buy(known_stable_ids=identifiers)
    assert not {"posts/mills", "posts/bare", "signals/count"} & {source["id"] for source in sold["sources"]}
    assert sold["known"] == {"excluded": ["posts/mills", "posts/bare", "signals/count"], "unknown": identifiers[3:]}


def test_the_answer_comes_first_in_sentences_of_its_records(buy: Buy) -> None:
    sold = buy()
    members = {source["id"]: source for source in sold["sources"]}
    assert sold["answer"]
    for sentence in sold["answer"]:
        assert sentence["url"] == members[sentence["record"]]["url"]
        assert set(sentence["citations"]) <= {citation["number"] for citation in sold["citations"]}
    assert list(sold).index("answer") < list(sold).index("sources")


def test_who_knows_all_but_one_is_sold_nothing(at: OperationContext) -> None:
    identifiers = ["patterns/weirs", "signals/count", "signals/ponds", "posts/mills"]
    thin = prepared(at, known_stable_ids=identifiers)
    assert isinstance(thin, InsufficientEvidence)
    assert (thin.evidence_found, thin.minimum) == (1, 2)
    assert "4 known records" in thin.detail


@pytest.mark.parametrize("query", ["banana bread recipe", "   ", "the of and", "zzqx", "\u202e???"])
def test_a_question_far_from_the_archive_is_sold_nothing(at: OperationContext, query: str) -> None:
    thin = prepared(at, query)
    assert isinstance(thin, InsufficientEvidence)
    assert (thin.evidence_found, thin.minimum) == (0, 2)
    assert thin.detail.endswith("Searching is free.")


def test_the_same_records_in_another_order_give_the_same_bytes(at: OperationContext, tmp_path: Path) -> None:
    again = operation_context(
        small(tmp_path / "content", dict(reversed(OTTERS.items()))), tmp_path / "state", inbox=False
    )
    assert prepared(at) == prepared(at) == prepared(again)


def test_a_result_is_compact_json_in_the_order_of_its_form(at: OperationContext) -> None:
    sold = prepared(at)
    assert isinstance(sold, bytes)
    assert sold.startswith(b'{"schema_version":1,"product":"research-bundle-v2","query":')
    assert list(json.loads(sold)) == list(BUNDLE.result.model_fields)


def test_a_record_that_the_index_holds_and_the_edition_does_not_is_left_out(
    at: OperationContext, tmp_path: Path
) -> None:
    fewer = {id_: text for id_, text in OTTERS.items() if id_ != "posts/bare"}
    other = operation_context(small(tmp_path / "content", fewer), tmp_path / "state", inbox=False)
    sold = prepared(OperationContext(other.edition, at.index, other.now))
    assert isinstance(sold, bytes)
    assert "posts/bare" not in {source["id"] for source in json.loads(sold)["sources"]}


def test_a_bundle_that_would_be_too_large_has_fewer_records(tmp_path: Path) -> None:
    at = operation_context(small(tmp_path / "content", {**heavy(24), **OTTERS}), tmp_path / "state", inbox=False)
    sold = prepared(at, max_sources=20)
    assert isinstance(sold, bytes)
    document = json.loads(sold)
    assert LIMIT_BYTES / 2 < len(sold) <= LIMIT_BYTES
    assert 2 <= len(document["sources"]) < 20
    ids = {source["id"] for source in document["sources"]}
    assert {id_ for citation in document["citations"] for id_ in citation["records"]} <= ids
    assert not ids & set(document["missing"]["further_records"])
