"""What the archive says about an address, and that it never judges."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from citepress.edition.leaf import PRIVATE
from citepress.edition.lookup import CITED, HEAD
from citepress.operations import World
from citepress.operations.records import FOREVER
from support.acting import RECORDS, SPEC, small
from support.folder import post
from support.world import world as made

Call = Callable[..., Any]


@pytest.mark.parametrize(
    "url",
    ["https://spec.example/one", "https://SPEC.example:443/one/?utm_source=x#top", "https://old.example/one"],
)
def test_an_address_is_known_in_every_form_and_by_its_aliases(call: Call, url: str) -> None:
    answer = call("contextualize_url", url=url)
    assert answer.url == "https://spec.example/one"
    assert [(one.id, one.role) for one in answer.cited_by] == [("posts/caching", "primary"), ("posts/tokens", "secondary")]
    assert answer.cited_by[0].claims == ["Caches drop the oldest entry first."]


def test_related_records_and_patterns_carry_their_reason(call: Call) -> None:
    answer = call("contextualize_url", url="https://spec.example/one")
    assert [(one.id, one.reason) for one in answer.patterns] == [
        ("patterns/forgetting", "is related to posts/caching, which cites the address"),
    ]  # fmt: skip
    reasons = {one.id: one.reason for one in answer.related}
    assert reasons["metadox/may"] == "cites posts/caching, which cites the address"
    assert reasons.keys().isdisjoint({one.id for one in answer.cited_by})
    supported = call("contextualize_url", url="https://spec.example/three")
    assert [one.reason for one in supported.patterns] == ["is supported by signals/release, which cites the address"]


def test_the_hub_of_its_origin_is_named_even_where_nothing_cites_it(call: Call) -> None:
    cited = call("contextualize_url", url="https://spec.example/one").origin
    assert (cited.id, cited.evidence_count, cited.url) == ("spec.example", 3, "https://archive.test/sources/spec.example/")
    answer = call("contextualize_url", url="https://docs.spec.example/never-seen")
    assert (answer.cited_by, answer.origin.id) == ([], "spec.example")
    assert answer.related[0].reason == "cites another page of spec.example"


def test_an_unknown_address_gives_empty_lists_next_steps_and_no_verdict(call: Call) -> None:
    answer = call("contextualize_url", url="https://nowhere.example/zzz")
    assert (answer.cited_by, answer.related, answer.patterns, answer.origin) == ([], [], [], None)
    assert "says nothing about it" in answer.next_steps[0]
    assert {"verdict", "covered", "coverage"}.isdisjoint(type(answer).model_fields)


def test_without_an_inbox_no_step_leads_to_one(tmp_path: Path, call: Call) -> None:
    url = "https://nowhere.example/zzz"
    assert "submit_source" in call("contextualize_url", url=url).next_steps[-1]
    without = made(small(tmp_path / "c", {"posts/x": post()}), tmp_path / "s", inbox=False)
    assert not any("submit" in step for step in call("contextualize_url", url=url, at=without).next_steps)


def test_a_task_brings_what_is_closest_to_it_first(call: Call) -> None:
    url = "https://spec.example/one"
    assert [one.id for one in call("contextualize_url", url=url, task="piece of a word").cited_by] == ["posts/tokens", "posts/caching"]
    related = call("contextualize_url", url=url, task="a release was seen").related
    assert related[0].id == "signals/release"
    assert [one.id for one in call("contextualize_url", url=url, task="zzz").cited_by] == ["posts/caching", "posts/tokens"]


def test_citing_records_are_paged_and_bounded(tmp_path: Path, call: Call) -> None:
    many = {f"posts/p{number}": post(sources=[SPEC], date=f"2026-{number % 9 + 1:02d}-01") for number in range(CITED + 3)}
    at = made(small(tmp_path / "c", many), tmp_path / "s", inbox=False)
    pages = [call("contextualize_url", url="https://spec.example/one", limit=20, start=start, at=at) for start in range(0, CITED + 20, 20)]
    found = [one.id for page in pages for one in page.cited_by]
    assert len(found) == len(set(found)) == CITED
    assert [page.more for page in pages] == [True] * 9 + [False] * 2
    assert pages[0].notes == ("cited_by: 3 older records cite it too; the source ledger names them.",)


def test_declared_origins_of_one_host_are_told_apart(tmp_path: Path, call: Call) -> None:
    files = {"posts/x": post(sources=["https://code.example/known/repo", "https://code.example/other"])}
    root = tmp_path / "c"
    (root / "content").mkdir(parents=True)
    (root / "content/sources.yaml").write_text(
        "origins:\n- {id: known-people, title: Known people, url: 'https://known.example/', match: ['code.example/known']}\n"
    )
    at = made(small(root, files), tmp_path / "s", inbox=False)
    assert call("contextualize_url", url="https://code.example/known/another", at=at).origin.id == "known-people"
    assert call("contextualize_url", url="https://code.example/strangers", at=at).origin.id == "code.example"


def test_private_leaves_are_in_no_list_of_paths(world: World) -> None:
    assert world.edition.bodies(HEAD)
    assert [path for path in world.edition.paths() if path.startswith(PRIVATE)] == []


def test_a_new_record_leaves_the_other_parts_of_the_lookup_as_they_are(tmp_path: Path) -> None:
    many = {f"posts/p{number}": post(date="2026-05-01") for number in range(501)}
    first = made(small(tmp_path / "c", many), tmp_path / "s", inbox=False)
    before = first.edition.meta(f"{HEAD}/published/0")
    after = made(small(tmp_path / "c", many | {"posts/q": post(date="2026-05-02")}), tmp_path / "s", inbox=False)
    assert after.edition.meta(f"{HEAD}/published/0") == before
    assert after.lookup.part("published", (0, FOREVER), (), "", 0, 1)[0] == 502


def test_the_lookup_is_the_same_for_the_same_content(tmp_path: Path) -> None:
    digests = {made(small(tmp_path / name, RECORDS), tmp_path / f"s{name}", inbox=False).edition.digest for name in "ab"}
    assert len(digests) == 1
