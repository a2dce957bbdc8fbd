"""The search page in its forms, and indexes narrowed by their query."""

from pathlib import Path

import pytest

from citepress.operations.thread_pool import SearchThreads
from citepress.web.endpoints import search_page
from support.folder import post
from support.operation_context import operation_context
from support.server_with_actions import Service, service, small

WORDS = ["one", "apple", "river", "stone", "cloud", "lamp", "chair", "violin", "copper", "garden", "winter", "harbour"]
HTML, MARKDOWN = "text/html; charset=utf-8", "text/markdown; charset=utf-8"


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Service:
    return service(tmp_path_factory.mktemp("service"), inbox=False)


def test_the_page_is_a_plain_form_before_anything_is_asked(reading: Service) -> None:
    answer = reading.ask("/search/")
    assert (answer.status, answer.type, answer.fields["cache-control"]) == (200, HTML, "max-age=60")
    assert '<form action="/search/" method="get" role="search">' in answer.text
    assert '<option value="agent-tasks">Agent task</option>' in answer.text
    assert "<script" not in answer.text.partition("<body")[2]
    assert "<!--" not in answer.text
    assert "noindex" not in answer.text
    assert '<meta name="robots" content="noindex">' in reading.ask("/search/?query=oldest").text
    assert "ratelimit" not in answer.fields


def test_the_page_lists_what_it_found_with_dates_and_links(reading: Service) -> None:
    text = reading.ask("/search/?query=oldest+entry").text
    assert '<a href="/posts/caching/">How caches forget</a>' in text
    assert '<time datetime="2026-05-10">10 May 2026</time>' in text, "the day of publication, as in lists"
    assert "Caches drop the <mark>oldest</mark> <mark>entry</mark> first." in text
    assert 'value="oldest entry"' in text
    assert "record matches" in text


@pytest.mark.parametrize("accept", ["text/html", "text/markdown"])
def test_searches_on_the_page_have_a_limit_of_their_own(reading: Service, accept: str) -> None:
    client = {"x_forwarded_for": f"203.0.113.{len(accept)}", "accept": accept}
    answers = [reading.ask("/search/?query=caches", **client) for _ in range(61)]
    assert [answer.status for answer in answers] == [200] * 60 + [429]
    assert (answers[0].fields["ratelimit-policy"], answers[0].fields["ratelimit-remaining"]) == (
        '"search";q=60;w=60',
        "59",
    )
    last = answers[-1]
    assert last.type.startswith(accept)
    assert 1 <= int(last.fields["retry-after"]) <= 60
    assert "60 searches a minute" in last.text
    assert reading.ask("/search/", **client).status == 200
    assert (
        reading.ask("/search.json?query=caches", **{**client, "accept": "application/json"}).fields[
            "ratelimit-remaining"
        ]
        == "119"
    )


def test_a_search_that_finds_no_room_is_asked_to_come_again(tmp_path: Path) -> None:
    full = service(tmp_path, inbox=False, threads=SearchThreads(1, 0))
    for target, accept in (
        ("/search/?query=caches", "text/html"),
        ("/search/?query=caches", "application/json"),
        ("/search.json?query=caches", "*/*"),
    ):
        answer = full.ask(target, accept=accept)
        assert (answer.status, answer.fields["retry-after"]) == (503, "1"), answer.text
    assert full.ask("/search/").status == 200


def test_searches_beside_the_event_loop_find_the_same(reading: Service, tmp_path: Path) -> None:
    beside = service(tmp_path, inbox=False, threads=SearchThreads())
    for target in (
        "/search/?query=oldest+entry",
        "/search.json?query=oldest+entry",
        "/agent-actions/contextualize.json?url=https://spec.example/one",
    ):
        inline, other = reading.ask(target, accept="*/*"), beside.ask(target, accept="*/*")
        assert (inline.status, inline.body) == (other.status, other.body)


def test_records_that_nearly_repeat_another_are_counted_and_named(tmp_path: Path) -> None:
    body = "The river bends twice before the mill, and the bank gives way there every spring when the snow melts."
    posts = {f"posts/p{number}": post(title=f"River {number}", body=f"{body} Seen {number}.") for number in range(3)}
    few = Service(operation_context(small(tmp_path / "c", posts), tmp_path / "s", inbox=False))
    assert "3 records match, of which 2 nearly repeat another and are not listed." in few.ask("/search/?q=bends").text
    (hit,) = few.ask("/search.json?q=bends").json()["results"]
    assert {hit["id"], *hit["near_repeats"]} == {"posts/p0", "posts/p1", "posts/p2"}
    for id_ in hit["near_repeats"]:
        assert f'<a href="/{id_}/">{id_}</a>' in few.ask("/search/?q=bends").text
        assert f"[{id_}](https://archive.test/{id_}.md)" in few.ask("/search/?q=bends", accept="text/markdown").text
    assert not any(hit.get("near_repeats") for hit in few.ask("/search.json?q=oldest").json()["results"])


def test_the_page_pages(tmp_path: Path) -> None:
    posts = {
        f"posts/p{number}": post(title=f"Number {number}", body=f"It is {WORDS[number]} of all.")
        for number in range(12)
    }
    many = Service(operation_context(small(tmp_path / "c", posts), tmp_path / "s", inbox=False))
    first = many.ask("/search/?query=note+says&kinds=&kinds=posts").text
    assert '<a rel="next" href="?query=note+says&amp;kinds=posts&amp;page=2">' in first
    assert "12 records match; page 1." in first
    assert (
        "(https://archive.test/search/?query=note+says&page=2)"
        in many.ask("/search/?query=note+says", accept="text/markdown").text
    )
    second = many.ask("/search/?query=note+says&page=2").text
    assert ('rel="prev"' in second, 'rel="next"' in second, second.count('class="title"')) == (True, False, 2)
    assert "There are no more matches." in many.ask("/search/?query=note+says&page=99").text


@pytest.mark.parametrize("page", ["0", "-1", "x", "1.5", "99999999999999999999", "%E2%91%A1", ""])
def test_a_page_that_is_no_number_is_the_first(reading: Service, page: str) -> None:
    assert reading.ask(f"/search/?query=caches&page={page}").text == reading.ask("/search/?query=caches&page=1").text


def test_what_was_asked_cannot_leave_its_place(reading: Service) -> None:
    wild = "%22%3E%3Cscript%3Ealert(1)%3C/script%3E%3C!--kinds--%3E%3C!--results--%3E"
    text = reading.ask(f"/search/?query={wild}").text
    assert "<script>alert" not in text
    assert text.count("<option") == 8  # all collections, and seven that have records
    assert "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;!--kinds--&gt;" in text
    markdown = reading.ask(f"/search/?query={wild}", accept="text/markdown").text
    assert "\n## Results for" in markdown
    assert "\\<script>" in markdown


def test_the_page_answers_as_markdown_and_as_json_by_accept(reading: Service) -> None:
    markdown = reading.ask("/search/?query=oldest+entry", accept="text/markdown")
    assert (markdown.status, markdown.type) == (200, MARKDOWN)
    assert "- [How caches forget](https://archive.test/posts/caching.md)" in markdown.text
    assert markdown.fields["cache-control"] == "no-store"
    json = reading.ask("/search/?query=oldest+entry", accept="application/json")
    assert json.json() == reading.ask("/search.json?query=oldest+entry").json()
    assert json.fields["ratelimit-remaining"] == "119"
    assert all(
        answer.fields["vary"] == "Accept, Accept-Encoding" for answer in (markdown, json, reading.ask("/search/"))
    )
    assert reading.ask("/search/", accept="application/json").json()["errors"][0]["parameter"] == "query"
    assert reading.ask("/search/", accept="image/png").status == 406


def test_a_wrong_filter_is_told_on_the_page(reading: Service) -> None:
    answer = reading.ask("/search/?query=caches&kinds=post&since=soon")
    assert (answer.status, answer.type) == (400, HTML)
    assert "is not one of posts, signals" in answer.text
    assert "since is not a date" in answer.text


def test_nothing_found_is_said_and_near_words_are_offered(reading: Service) -> None:
    text = reading.ask("/search/?query=tokns").text
    assert "No record has “tokns”. Check the spelling, try fewer words, or" in text
    assert '<a href="/topics/">begin at a topic</a>.' in text
    assert '<a href="?query=tokens">tokens</a>' in text
    assert "Did you mean: tokens" in reading.ask("/search/?query=tokns", accept="text/markdown").text


@pytest.mark.parametrize(
    ("query", "note"),
    [
        ("caches&topic=unheard-of", "There is no topic &quot;unheard-of&quot;"),
        ("caches&origin=nowhere.example", "There is no origin &quot;nowhere.example&quot;"),
        ("wie+bezahlt+jemand+f%C3%BCr+die+Anfrage", "The question seems to be in German; the records are in: en."),
    ],
)
def test_why_nothing_is_found_is_said(reading: Service, query: str, note: str) -> None:
    page = reading.ask(f"/search/?query={query}").text
    assert "No record has" in page
    assert note in page


def test_the_last_page_says_that_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_page, "MAX_SEARCH_PAGES", 2)
    posts = {f"posts/{word}": post(title=f"A {word} lamp", body=f"On every {word}.") for word in WORDS * 2}
    posts |= {f"posts/{word}-{other}": post(title=f"{word} lamp, {other}") for word in WORDS for other in WORDS[:2]}
    many = Service(operation_context(small(tmp_path / "c", posts), tmp_path / "s", inbox=False))
    total = many.ask("/search.json?query=lamp").json()["total"]
    assert total > 20
    assert f"{total} records match; page 1." in many.ask("/search/?query=lamp").text
    last = many.ask("/search/?query=lamp&page=2").text
    assert f"{total} records match; page 2 is the last one shown." in last
    assert ">Next page<" not in last


def test_a_passage_in_quotes_is_preferred(reading: Service) -> None:
    whole = reading.ask("/search.json?query=%22oldest+entry%22").json()
    assert whole["total"] == 1
    wider = reading.ask("/search.json?query=%22oldest+entry%22+tokens").json()
    assert wider["total"] > 1
    assert wider["results"][0]["id"] == whole["results"][0]["id"]
    loose = reading.ask("/search.json?query=entry+oldest").json()["total"]
    assert reading.ask("/search.json?query=%22entry+oldest%22").json()["total"] == loose
    page = reading.ask("/search/?query=%22entry+oldest%22").text
    assert "No record has the passage &quot;entry oldest&quot;; its words were searched." in page


def test_a_long_question_is_cut_which_is_told_and_a_blank_one_refused(reading: Service) -> None:
    long = "oldest+entry+" + "tokens+" * 80
    assert reading.ask(f"/search.json?query={long}").json()["total"] == 2
    assert "The question is longer than 500 characters" in reading.ask(f"/search/?query={long}").text
    assert reading.ask("/search.json?query=++").status == 400


def test_q_is_read_as_query(reading: Service) -> None:
    for path in ("/search.json", "/search/"):
        assert reading.ask(f"{path}?q=oldest+entry").body == reading.ask(f"{path}?query=oldest+entry").body
    assert '<a href="?kinds=' not in reading.ask("/search/?q=caches").text, "links name the query as it is published"


def test_matches_are_counted_by_collection_and_year_as_links(tmp_path: Path) -> None:
    posts = {
        "posts/old": post(title="An old lamp", date="2024-03-01"),
        "posts/new": post(title="A new lamp", date="2026-03-01"),
        "posts/newer": post(title="A newer lamp", date="2026-04-01"),
    }
    many = Service(operation_context(small(tmp_path / "c", posts), tmp_path / "s", inbox=False))
    page = many.ask("/search/?query=lamp").text
    assert '<li><a href="?query=lamp&amp;year=2026">2026</a> 2</li>' in page
    assert '<li><a href="?query=lamp&amp;year=2024">2024</a> 1</li>' in page
    narrowed = many.ask("/search/?query=lamp&year=2024").text
    assert "1 record matches." in narrowed
    assert '<a href="?query=lamp" aria-current="true">2024</a> 1</li>' in narrowed
    assert '<a href="?query=lamp&amp;year=2026">2026</a> 2</li>' in narrowed, "other years stay to be chosen"
    assert [hit["id"] for hit in many.ask("/search.json?query=lamp&year=2024").json()["results"]] == ["posts/old"]
    assert many.ask("/search/?query=lamp&year=0").status == 400


def test_collections_are_filters_with_counts(reading: Service) -> None:
    page = reading.ask("/search/?query=caches+forget").text
    both = reading.ask("/search.json?query=caches+forget&limit=20").json()
    of_posts = reading.ask("/search.json?query=caches+forget&kinds=posts").json()["total"]
    assert 0 < of_posts < both["total"]
    assert f'<a href="?query=caches+forget&amp;kinds=posts">Field notes</a> {of_posts}</li>' in page


def test_head_of_the_page_has_its_length_and_no_body(reading: Service) -> None:
    head = reading.ask("/search/?query=caches", "HEAD")
    assert (head.status, head.body) == (200, b"")
    assert int(head.fields["content-length"]) == len(reading.ask("/search/?query=caches").body)


def test_an_index_is_narrowed_by_topic_origin_and_date(reading: Service) -> None:
    def slugs(query: str) -> list[str]:
        return [item["slug"] for item in reading.ask(f"/posts.json?{query}").json()["items"]]

    assert slugs("topic=caches") == ["tokens", "caching"]
    assert slugs("since=2026-05-21") == ["tokens"]
    assert slugs("since=2026-05-20T00:00:00Z&topic=caches") == ["tokens", "caching"]
    assert slugs("origin=spec.example") == ["tokens", "caching"]
    assert [item["slug"] for item in reading.ask("/patterns.json?origin=other.example").json()["items"]] == [
        "forgetting"
    ]


def test_a_narrowed_index_has_no_name_for_the_next_request(reading: Service) -> None:
    plain = reading.ask("/posts.json")
    answer = reading.ask("/posts.json?topic=caches", if_none_match=plain.fields["etag"])
    assert (answer.status, answer.fields["cache-control"]) == (200, "max-age=60")
    assert "etag" not in answer.fields
    assert "last-modified" not in answer.fields
    assert answer.fields["ratelimit-remaining"] == "119"
    assert answer.json()["count"] == len(answer.json()["items"]) <= plain.json()["count"]
    assert reading.ask("/patterns.json?origin=other.example").json()["count"] == 1
    assert reading.ask("/posts.json?topic=caches", "HEAD").fields["content-length"] == str(len(answer.body))


def test_members_that_narrow_nothing_are_passed_over(reading: Service) -> None:
    plain = reading.ask("/posts.json")
    for query in ("utm_source=x", "page=2", "&", "topics=caches"):
        answer = reading.ask(f"/posts.json?{query}")
        assert (answer.body, answer.fields["etag"]) == (plain.body, plain.fields["etag"])
    assert reading.ask("/source-ledger.json?topic=caches").fields["etag"]


def test_a_condition_that_names_nothing_here_is_a_fault(reading: Service) -> None:
    for query, name in (("topic=none", "topic"), ("origin=none.example", "origin")):
        answer = reading.ask(f"/posts.json?{query}")
        assert (answer.status, [error["parameter"] for error in answer.json()["errors"]]) == (400, [name])
        assert "lists them" in answer.json()["detail"]


def test_the_form_for_machines_is_narrowed_at_the_page_too(reading: Service) -> None:
    narrowed = reading.ask("/posts/?topic=caches", accept="application/json")
    assert narrowed.json() == reading.ask("/posts.json?topic=caches").json()
    assert reading.ask("/posts/?topic=caches", accept="text/html").status == 200


def test_wrong_values_are_400_and_all_told(reading: Service) -> None:
    answer = reading.ask("/posts.json?topic=No+Slug&origin=/&since=soon")
    assert (answer.status, answer.type) == (400, "application/problem+json")
    assert [error["parameter"] for error in answer.json()["errors"]] == ["topic", "origin", "since"]
    assert reading.ask("/posts.json?topic=a&topic=b").status == 400
    assert reading.ask("/posts.json?topic=%ff").status == 400
    assert reading.ask("/posts.json?topic=caches", accept="text/html").status == 406


def test_a_passage_is_shown_without_the_marks_of_markdown(tmp_path: Path) -> None:
    posts = {
        "posts/p": post(title="River", summary="It is **not safe** to *run* `a <b>` on 2 ** 8 rows.", body="A mill.")
    }
    few = Service(operation_context(small(tmp_path / "c", posts), tmp_path / "s", inbox=False))
    shown = "It is not <mark>safe</mark> to run <code>a &lt;b&gt;</code> on 2 ** 8 rows."
    assert shown in few.ask("/search/?q=safe").text
    (hit,) = few.ask("/search.json?q=safe", accept="application/json").json()["results"]
    assert hit["snippet"] == "It is not safe to run `a <b>` on 2 ** 8 rows."


def test_what_is_not_listed_is_counted(tmp_path: Path) -> None:
    body = "The river bends twice before the mill, and the bank gives way there every spring when the snow melts."
    posts = {f"posts/p{number}": post(title=f"River {number}", body=f"{body} Seen {number}.") for number in range(3)}
    few = Service(operation_context(small(tmp_path / "c", posts), tmp_path / "s", inbox=False))
    answer = few.ask("/search.json?q=bends", accept="application/json").json()
    assert (answer["total"], len(answer["results"]), answer["unlisted"]) == (3, 1, 2)
