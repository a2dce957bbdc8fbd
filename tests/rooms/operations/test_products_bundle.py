"""research-bundle-v2: what a buyer gets, what is never sold, and the same bytes for the same edition."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from citepress.operations import OperationContext
from citepress.operations.products import LIMIT_BYTES, InsufficientEvidence
from support.acting import small
from support.otters import ASKED, BUNDLE, OTTERS, QUESTION, heavy
from support.world import world as made

Buy = Callable[..., Any]


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> OperationContext:
    path = tmp_path_factory.mktemp("otters")
    return made(small(path / "content", OTTERS), path / "state", inbox=False)


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


def source_of(found: Any, id_: str) -> Any:
    return next(one for one in found["sources"] if one["id"] == id_)


def cited(found: Any, numbers: list[int]) -> set[str]:
    return {one["url"] for one in found["citations"] if one["number"] in numbers}


def test_a_bundle_names_the_edition_that_it_was_computed_from(buy: Buy, at: OperationContext) -> None:
    found = buy()
    assert (found["schema_version"], found["product"], found["query"]) == (1, "research-bundle-v2", QUESTION)
    assert found["archive"]["edition"] == at.edition.digest
    assert found["archive"]["as_of"] == "2026-06-01T00:00:00Z"
    assert found["archive"]["url"] == "https://archive.test/"


def test_records_come_with_address_dates_passages_and_claims_that_are_cited(buy: Buy) -> None:
    found = buy()
    assert {one["id"] for one in found["sources"]} == {"patterns/weirs", "signals/count", "signals/ponds", "posts/mills", "posts/bare"}
    assert [one["rank"] for one in found["sources"]] == [1, 2, 3, 4, 5]
    mills = source_of(found, "posts/mills")
    assert (mills["url"], mills["published_at"], mills["age_days"]) == ("https://archive.test/posts/mills/", "2024-11-01T00:00:00Z", 577)
    assert mills["passages"][0].startswith("Otters rest beside a weir at night, says mills.")
    assert [(one["text"], cited(found, one["citations"])) for one in mills["claims"]] == [
        ("Otters rest beside old mills.", {"https://maps.example/page"}),
        ("Nobody pays a miller.", set()),
    ]
    assert source_of(found, "patterns/weirs")["counter_evidence"][0]["text"] == "Mills report empty weirs at night."


def test_no_text_is_told_twice_in_one_record(buy: Buy) -> None:
    for one in buy()["sources"]:
        told = [one["summary"], *(claim["text"] for claim in (*one["claims"], *one["counter_evidence"]))]
        assert not [passage for passage in one["passages"] for text in told if passage in text or text in passage]
        assert len(set(one["passages"])) == len(one["passages"])


def test_the_citation_list_names_each_source_once_with_the_records_that_share_it(buy: Buy) -> None:
    found = buy()
    urls = [one["url"] for one in found["citations"]]
    assert len(set(urls)) == len(urls)
    assert [one["number"] for one in found["citations"]] == list(range(1, len(urls) + 1))
    mills = next(one for one in found["citations"] if one["url"] == "https://mills.example/page")
    assert set(mills["records"]) == {"patterns/weirs", "posts/mills"}
    assert (mills["role"], mills["accessed_at"]) == ("primary", "2026-05-01T00:00:00Z")
    count = next(one for one in found["citations"] if one["url"] == "https://count.example/page")
    assert (count["publisher"], count["published_at"]) == ("The count", "2026-05-18T00:00:00Z")
    for one in found["sources"]:
        assert all(one["id"] in found["citations"][number - 1]["records"] for number in one["citations"])


def test_agreement_and_disagreement_are_told_with_the_point_and_the_whole_archive(buy: Buy) -> None:
    found = buy()
    (point,) = found["points"]
    assert (point["id"], point["statement"], point["status"], point["confidence"]) == (
        "patterns/weirs", "Otters rest beside a weir at night.", "emerging", "low",
    )  # fmt: skip
    assert point["supporting"] == ["patterns/weirs", "signals/count", "signals/afar"]
    assert (point["supporting_count"], point["contradicting_count"]) == (3, 1)
    assert found["agreement"] == [{"point": "patterns/weirs", "side": "supporting", "records": ["patterns/weirs", "signals/count"]}]
    assert found["disagreement"] == [
        {"point": "patterns/weirs", "supporting": ["patterns/weirs", "signals/count"], "contradicting": ["signals/ponds"]}
    ]
    (objection,) = found["objections"]
    assert (objection["record"], objection["against"]) == ("patterns/weirs", ["posts/mills"])
    assert cited(found, objection["citations"]) == {"https://mills.example/page"}


def test_a_point_that_only_others_take_a_side_on_is_told_too(buy: Buy) -> None:
    found = buy(known_stable_ids=["signals/count", "signals/ponds"])
    assert [(one["id"], one["supporting_count"]) for one in found["points"]] == [("patterns/weirs", 3)]
    assert found["agreement"] == []
    assert found["disagreement"] == [{"point": "patterns/weirs", "supporting": ["patterns/weirs"], "contradicting": []}]


def test_freshness_and_gaps_are_told(buy: Buy) -> None:
    found = buy(query=f"{QUESTION} according to astronauts")
    assert found["freshness"] == {
        "newest_update_at": "2026-05-25T00:00:00Z", "oldest_update_at": "2024-11-01T00:00:00Z",
        "newest_evidence_at": "2026-05-25T00:00:00Z", "oldest_evidence_at": "2024-11-01T00:00:00Z", "updated_within_30_days": 2,
        "updated_within_90_days": 3, "updated_within_365_days": 4, "newest_citation_at": "2026-05-18T00:00:00Z", "undated_citations": 4,
    }  # fmt: skip
    gaps = found["missing"]
    assert gaps["words"] == ["according", "astronauts"]
    assert gaps["open_questions"] == [{"text": text, "record": "topics/otters"} for text in ("Do they return?", "Who counts?")]
    assert (gaps["without_citations"], gaps["older_than_a_year"]) == (["posts/bare"], ["posts/mills"])


def test_records_without_a_place_are_named(buy: Buy) -> None:
    whole = [one["id"] for one in buy()["sources"]]
    short = buy(max_sources=2)
    assert [*(one["id"] for one in short["sources"]), *short["missing"]["further_records"]] == whole


def test_one_record_is_sold_where_one_is_asked_for_and_more_bear_on_the_question(buy: Buy) -> None:
    assert len(buy(max_sources=1)["sources"]) == 1


def test_what_the_buyer_knows_is_left_out(buy: Buy) -> None:
    found = buy(known_stable_ids=["posts/mills", "posts/none", "no id at all"])
    assert "posts/mills" not in {one["id"] for one in found["sources"]}
    assert found["known"] == {"excluded": ["posts/mills"], "unknown": ["posts/none", "no id at all"]}


def test_a_known_record_can_be_named_by_its_address(buy: Buy) -> None:
    known = [
        "https://archive.test/posts/mills/",
        "https://archive.test/posts/bare.md",
        "/signals/count/",
        "https://other.test/posts/mills/",
    ]
    found = buy(known_stable_ids=known)
    assert not {"posts/mills", "posts/bare", "signals/count"} & {one["id"] for one in found["sources"]}
    assert found["known"] == {"excluded": ["posts/mills", "posts/bare", "signals/count"], "unknown": known[3:]}


def test_the_answer_comes_first_in_sentences_of_its_records(buy: Buy) -> None:
    found = buy()
    members = {one["id"]: one for one in found["sources"]}
    assert found["answer"]
    for sentence in found["answer"]:
        assert sentence["url"] == members[sentence["record"]]["url"]
        assert set(sentence["citations"]) <= {one["number"] for one in found["citations"]}
    assert list(found).index("answer") < list(found).index("sources")


def test_who_knows_all_but_one_is_sold_nothing(at: OperationContext) -> None:
    known = ["patterns/weirs", "signals/count", "signals/ponds", "posts/mills"]
    thin = prepared(at, known_stable_ids=known)
    assert isinstance(thin, InsufficientEvidence)
    assert (thin.evidence_found, thin.minimum) == (1, 2)
    assert "4 known records" in thin.detail


@pytest.mark.parametrize("query", ["banana bread recipe", "   ", "the of and", "zzqx", "\u202e???", "\x00\x01\x02"])
def test_a_question_far_from_the_archive_is_sold_nothing(at: OperationContext, query: str) -> None:
    thin = prepared(at, query)
    assert isinstance(thin, InsufficientEvidence)
    assert (thin.evidence_found, thin.minimum) == (0, 2)
    assert thin.detail.endswith("Searching is free.")


def test_the_same_records_in_another_order_give_the_same_bytes(at: OperationContext, tmp_path: Path) -> None:
    again = made(small(tmp_path / "content", dict(reversed(OTTERS.items()))), tmp_path / "state", inbox=False)
    assert prepared(at) == prepared(at) == prepared(again)


def test_a_result_is_compact_json_in_the_order_of_its_form(at: OperationContext) -> None:
    sold = prepared(at)
    assert isinstance(sold, bytes)
    assert sold.startswith(b'{"schema_version":1,"product":"research-bundle-v2","query":')
    assert list(json.loads(sold)) == list(BUNDLE.result.model_fields)


def test_a_record_that_the_index_holds_and_the_edition_does_not_is_left_out(at: OperationContext, tmp_path: Path) -> None:
    fewer = {id_: text for id_, text in OTTERS.items() if id_ != "posts/bare"}
    other = made(small(tmp_path / "content", fewer), tmp_path / "state", inbox=False)
    sold = prepared(OperationContext(other.edition, at.index, other.now))
    assert isinstance(sold, bytes)
    assert "posts/bare" not in {one["id"] for one in json.loads(sold)["sources"]}


def test_a_bundle_that_would_be_too_large_has_fewer_records(tmp_path: Path) -> None:
    at = made(small(tmp_path / "content", {**heavy(24), **OTTERS}), tmp_path / "state", inbox=False)
    sold = prepared(at, max_sources=20)
    assert isinstance(sold, bytes)
    found = json.loads(sold)
    assert LIMIT_BYTES / 2 < len(sold) <= LIMIT_BYTES
    assert 2 <= len(found["sources"]) < 20
    known = {one["id"] for one in found["sources"]}
    assert {id_ for one in found["citations"] for id_ in one["records"]} <= known
    assert not known & set(found["missing"]["further_records"])
