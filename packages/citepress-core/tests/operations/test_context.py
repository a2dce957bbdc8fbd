"""What the archive says about an address, and that it never judges."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from citepress.base.urls import own_path
from citepress.edition.leaf import PRIVATE
from citepress.edition.lookup_shards import CITED, LOOKUP_PREFIX
from citepress.operations import OperationContext
from citepress.operations.records import FOREVER
from support.folder import post
from support.operation_context import operation_context
from support.server_with_actions import RECORDS, SPEC, small

Call = Callable[..., Any]


@pytest.mark.parametrize(
    "url",
    ["https://spec.example/one", "https://SPEC.example:443/one/?utm_source=x#top", "https://old.example/one"],
)
def test_an_address_is_known_in_every_form_and_by_its_aliases(call: Call, url: str) -> None:
    answer = call("contextualize_url", url=url)
    assert answer.url == "https://spec.example/one"
    assert [(citation.id, citation.role) for citation in answer.cited_by] == [
        ("posts/caching", "primary"),
        ("posts/tokens", "secondary"),
    ]
    assert answer.cited_by[0].claims == ["Caches drop the oldest entry first."]


def test_related_records_and_patterns_carry_their_reason(call: Call) -> None:
    answer = call("contextualize_url", url="https://spec.example/one")
    assert [(pattern.id, pattern.reason) for pattern in answer.patterns] == [
        ("patterns/forgetting", "is related to posts/caching, which cites the address"),
    ]
    reasons = {item.id: item.reason for item in answer.related}
    assert reasons["metadox/may"] == "cites posts/caching, which cites the address"
    assert reasons.keys().isdisjoint({citation.id for citation in answer.cited_by})
    supported = call("contextualize_url", url="https://spec.example/three")
    assert [pattern.reason for pattern in supported.patterns] == [
        "is supported by signals/release, which cites the address"
    ]


def test_the_hub_of_its_origin_is_named_even_where_nothing_cites_it(call: Call) -> None:
    cited = call("contextualize_url", url="https://spec.example/one").origin
    assert (cited.id, cited.evidence_count, cited.url) == (
        "spec.example",
        3,
        "https://archive.test/sources/spec.example/",
    )
    answer = call("contextualize_url", url="https://docs.spec.example/never-seen")
    assert (answer.cited_by, answer.origin.id) == ([], "spec.example")
    assert answer.related[0].reason == "cites another page of spec.example"


def test_an_unknown_address_gives_empty_lists_next_steps_and_no_verdict(call: Call) -> None:
    answer = call("contextualize_url", url="https://nowhere.example/zzz")
    assert (answer.cited_by, answer.related, answer.patterns, answer.origin) == ([], [], [], None)
    assert "not a judgement of it" in answer.next_steps[0]
    assert {"verdict", "covered", "coverage"}.isdisjoint(type(answer).model_fields)


def test_without_an_inbox_no_step_leads_to_one(tmp_path: Path, call: Call) -> None:
    url = "https://nowhere.example/zzz"
    assert "submit_source" in call("contextualize_url", url=url).next_steps[-1]
    without = operation_context(small(tmp_path / "c", {"posts/x": post()}), tmp_path / "s", inbox=False)
    assert not any("submit" in step for step in call("contextualize_url", url=url, at=without).next_steps)


def test_a_task_brings_what_is_closest_to_it_first(call: Call) -> None:
    url = "https://spec.example/one"
    assert [citation.id for citation in call("contextualize_url", url=url, task="piece of a word").cited_by] == [
        "posts/tokens",
        "posts/caching",
    ]
    related = call("contextualize_url", url=url, task="a release was seen").related
    assert related[0].id == "signals/release"
    assert [citation.id for citation in call("contextualize_url", url=url, task="zzz").cited_by] == [
        "posts/caching",
        "posts/tokens",
    ]


def test_citing_records_are_paged_and_bounded(tmp_path: Path, call: Call) -> None:
    many = {
        f"posts/p{number}": post(sources=[SPEC], date=f"2026-{number % 9 + 1:02d}-01") for number in range(CITED + 3)
    }
    at = operation_context(small(tmp_path / "c", many), tmp_path / "s", inbox=False)
    pages = [
        call("contextualize_url", url="https://spec.example/one", limit=20, start=start, at=at)
        for start in range(0, CITED + 20, 20)
    ]
    ids = [citation.id for page in pages for citation in page.cited_by]
    assert len(ids) == len(set(ids)) == CITED
    assert [page.more for page in pages] == [True] * 9 + [False] * 2
    assert pages[0].notes == ("cited_by: 3 further records cite it or link to it; the source ledger names them.",)


def test_records_that_only_link_to_an_address_come_last_and_say_so(tmp_path: Path, call: Call) -> None:
    link = "[Words](https://spec.example/one) and [more](https://spec.example/two)"
    files = {
        "posts/old": post(sources=["https://spec.example/one"], date="2026-01-01"),
        "posts/new": post(link, date="2026-06-01", title="Words of the task"),
    }
    at = operation_context(small(tmp_path / "c", files), tmp_path / "s", inbox=False)
    answer = call("contextualize_url", url="https://spec.example/one", task="words of the task", at=at)
    assert [(record.id, record.role) for record in answer.cited_by] == [
        ("posts/old", "primary"),
        ("posts/new", "mentioned"),
    ]
    assert (answer.origin.evidence_count, answer.origin.mention_count) == (1, 1)
    linked = call("contextualize_url", url="https://www.spec.example/two", at=at)
    assert (linked.match, [(record.id, record.role) for record in linked.cited_by]) == (
        "variant",
        [("posts/new", "mentioned")],
    )


def test_many_links_leave_no_citation_out(tmp_path: Path, call: Call) -> None:
    many = {
        f"posts/p{number}": post("[It](https://spec.example/one)", date="2026-06-01") for number in range(CITED + 1)
    }
    files = many | {"posts/old": post(sources=["https://spec.example/one"], date="2026-01-01")}
    at = operation_context(small(tmp_path / "c", files), tmp_path / "s", inbox=False)
    answer = call("contextualize_url", url="https://spec.example/one", at=at)
    assert (answer.cited_by[0].id, answer.cited_by[0].role) == ("posts/old", "primary")
    assert answer.notes == ("cited_by: 2 further records cite it or link to it; the source ledger names them.",)


def test_declared_origins_of_one_host_are_told_apart(tmp_path: Path, call: Call) -> None:
    files = {"posts/x": post(sources=["https://code.example/known/repo", "https://code.example/other"])}
    root = tmp_path / "c"
    (root / "content").mkdir(parents=True)
    (root / "content/sources.yaml").write_text(
        "origins:\n- {id: known-people, title: Known people, url: 'https://known.example/', match:"
        " ['code.example/known']}\n"
    )
    at = operation_context(small(root, files), tmp_path / "s", inbox=False)
    assert call("contextualize_url", url="https://code.example/known/another", at=at).origin.id == "known-people"
    assert call("contextualize_url", url="https://code.example/strangers", at=at).origin.id == "code.example"


def test_private_leaves_are_in_no_list_of_paths(context: OperationContext) -> None:
    assert context.edition.body(LOOKUP_PREFIX)
    assert [path for path in context.edition.paths() if path.startswith(PRIVATE)] == []


def test_a_new_record_leaves_the_other_parts_of_the_lookup_as_they_are(tmp_path: Path) -> None:
    many = {f"posts/p{number}": post(date="2026-05-01") for number in range(501)}
    first = operation_context(small(tmp_path / "c", many), tmp_path / "s", inbox=False)
    before = first.edition.meta(f"{LOOKUP_PREFIX}/published/0")
    after = operation_context(
        small(tmp_path / "c", many | {"posts/q": post(date="2026-05-02")}), tmp_path / "s", inbox=False
    )
    assert after.edition.meta(f"{LOOKUP_PREFIX}/published/0") == before
    assert after.lookup.part("published", (0, FOREVER), (), "", 0, 1)[0] == 502


def test_the_lookup_is_the_same_for_the_same_content(tmp_path: Path) -> None:
    digests = {
        operation_context(small(tmp_path / name, RECORDS), tmp_path / f"s{name}", inbox=False).edition.digest
        for name in "ab"
    }
    assert len(digests) == 1


OWN = "https://archive.test/posts/caching"


@pytest.mark.parametrize(
    "url",
    [
        f"{OWN}/",
        OWN,
        f"{OWN}.md",
        f"{OWN}.json",
        f"{OWN}/#first-part",
        f"{OWN}/?utm_source=x",
        "https://www.archive.test/posts/caching/",
        "http://archive.test/posts/caching/",
        "HTTPS://Archive.Test:443/posts/cach%69ng",
        "https://archive.test/old/caching/",
    ],
)
def test_the_archive_knows_its_own_records_in_every_form(call: Call, url: str) -> None:
    answer = call("contextualize_url", url=url)
    assert (answer.match, answer.record.id, answer.url) == ("record", "posts/caching", f"{OWN}/")
    assert {(backlink.id, backlink.relation) for backlink in answer.record.backlinks} >= {
        ("metadox/may", "cites"),
        ("topics/caches", "cites"),
    }
    assert [(source.url, source.role) for source in answer.record.sources] == [("https://spec.example/one", "primary")]
    assert [(pattern.id, pattern.reason) for pattern in answer.patterns] == [
        ("patterns/forgetting", "is related to posts/caching")
    ]
    assert {backlink.id for backlink in answer.record.backlinks}.isdisjoint({item.id for item in answer.related})
    assert not any("No record cites" in step or "submit_source" in step for step in answer.next_steps)
    assert "submit_correction" in answer.next_steps[-1]


def test_a_former_address_of_a_record_says_so(call: Call) -> None:
    (note,) = call("contextualize_url", url="https://archive.test/old/caching/").notes
    assert note.endswith("is a former address of posts/caching.")


def test_a_withdrawn_record_is_told_with_its_reason(call: Call) -> None:
    answer = call("contextualize_url", url="https://archive.test/posts/withdrawn.json")
    assert (answer.match, answer.record, answer.cited_by) == ("withdrawn", None, [])
    assert "It was wrong." in answer.next_steps[0]


def test_every_page_of_the_archive_is_resolved_as_a_redirect_resolves_it(call: Call, context: OperationContext) -> None:
    pages = [
        path for path in context.edition.paths() if path.endswith("/") and context.edition.find(path).leaf.status == 200
    ]
    lists = [path for path in [*pages, "/search/"] if context.read(f"{path[:-1]}.json") is None or path == "/posts/"]
    assert len(lists) > 10
    for path in lists:
        for url in (
            f"https://archive.test{path}",
            f"https://archive.test{path[:-1]}",
            f"https://archive.test{path}?a#b",
        ):
            answer = call("contextualize_url", url=url)
            assert (answer.match, answer.url) == ("page", f"https://archive.test{path}"), url


def test_other_pages_of_the_archive_and_what_it_never_published_are_told_apart(call: Call) -> None:
    assert call("contextualize_url", url="https://archive.test/posts/").match == "page"
    assert call("contextualize_url", url="https://archive.test/").match == "page"
    missing = call("contextualize_url", url="https://archive.test/posts/cachings/")
    assert (missing.match, missing.record) == (None, None)
    assert "Nearest: posts/caching" in missing.next_steps[0]


def test_http_and_https_and_www_are_one_page_whichever_is_asked_for(tmp_path: Path, call: Call) -> None:
    files = {
        "posts/secure": post(sources=["https://a.example/x"]),
        "posts/plain": post(sources=["http://a.example/x"]),
        "posts/both": post(sources=["https://a.example/x", "http://www.a.example/x"]),
    }
    at = operation_context(small(tmp_path / "c", files), tmp_path / "s", inbox=False)
    wanted = {"posts/secure": "exact", "posts/plain": "variant", "posts/both": "exact"}
    for address, matches in (
        ("https://a.example/x", wanted),
        ("http://a.example/x", wanted | {"posts/secure": "variant", "posts/plain": "exact", "posts/both": "variant"}),
    ):
        answer = call("contextualize_url", url=address, at=at)
        assert {cite.id: cite.match for cite in answer.cited_by} == matches
        assert (answer.total, answer.match, answer.url) == (3, "exact", address)


def test_an_answer_that_is_one_part_says_how_many_there_are_and_how_to_go_on(tmp_path: Path, call: Call) -> None:
    files = {f"posts/p{number}": post(sources=["https://a.example/x"]) for number in range(7)}
    at = operation_context(small(tmp_path / "c", files), tmp_path / "s", inbox=False)
    first = call("contextualize_url", url="https://a.example/x", at=at)
    assert (first.total, len(first.cited_by), first.more) == (7, 5, True)
    assert first.next_steps[0].startswith("2 more records cite it or link to it: ask again with start=5")
    rest = call("contextualize_url", url="https://a.example/x", start=5, at=at)
    assert (rest.total, len(rest.cited_by), rest.more) == (7, 2, False)
    assert not any("start=" in step for step in rest.next_steps)
    assert len({cite.id for cite in (*first.cited_by, *rest.cited_by)}) == 7


def test_the_backlinks_and_sources_of_an_own_record_are_bounded(tmp_path: Path, call: Call) -> None:
    files = {"posts/x": post(sources=[f"https://spec.example/{number}" for number in range(12)])}
    files |= {f"posts/p{number}": post(related=["posts/x"]) for number in range(7)}
    at = operation_context(small(tmp_path / "c", files), tmp_path / "s", inbox=False)
    answer = call("contextualize_url", url="https://archive.test/posts/x/", limit=5, at=at)
    assert (len(answer.record.backlinks), len(answer.record.sources)) == (5, 10)
    assert answer.notes == (
        "backlinks: 2 more are left out; the record has all.",
        "sources: 2 more are left out; the record has all.",
    )


@pytest.mark.parametrize(
    ("address", "cited", "match"),
    [
        ("https://a.example/x", "https://a.example/x", "exact"),
        ("https://a.example/x/?utm_source=y#z", "https://a.example/x", "exact"),
        ("https://a.example/x", "http://a.example/x", "variant"),
        ("https://www.a.example/x", "https://a.example/x", "variant"),
        ("https://a.example/x", "https://www.a.example/x", "variant"),
        ("https://a.example/x", "http://www.a.example/x/", "variant"),
        ("https://was.example/x", "https://a.example/x", "alias"),
        ("https://www.was.example/x", "https://a.example/x", "variant"),
    ],
)
def test_an_address_matches_whatever_its_scheme_and_www_and_the_answer_says_how(
    tmp_path: Path, call: Call, address: str, cited: str, match: str
) -> None:
    source = {"url": cited, "aliases": ["https://was.example/x"]}
    at = operation_context(small(tmp_path / "c", {"posts/x": post(sources=[source])}), tmp_path / "s", inbox=False)
    answer = call("contextualize_url", url=address, at=at)
    assert ([citation.id for citation in answer.cited_by], answer.match, answer.url) == (
        ["posts/x"],
        match,
        cited.rstrip("/"),
    )


@pytest.mark.parametrize(
    "url",
    [
        "https://archive.test.evil.example/posts/caching/",
        "https://archive.test:8443/posts/caching/",
        "https://x@archive.test/posts/caching/",
        "https://archive.test/%ff",
    ],
)
def test_what_only_looks_like_an_own_address_is_none(context: OperationContext, call: Call, url: str) -> None:
    answer = call("contextualize_url", url=url, at=context) if "@" not in url else None
    assert answer is None or (answer.match, answer.record) == (None, None)
    assert own_path(url, context.base_url) is None


def test_an_archive_below_a_path_knows_its_own_addresses_alone() -> None:
    base = "https://e.org/archive"
    assert own_path("https://e.org/archive/posts/x/", base) == "/posts/x/"
    assert (own_path("https://e.org/archive", base), own_path("https://e.org/archive/", base)) == ("/", "/")
    assert [
        own_path(url, base)
        for url in ("https://e.org/", "https://e.org/archives/x", "ftp://e.org/archive/", "https://[/")
    ] == [None] * 4
