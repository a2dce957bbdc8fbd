"""Forms and codings by Accept and Accept-Encoding, over the wire (specification, "General rules" 4, "Errors")."""

import gzip

import brotli
import pytest
import zstandard

from support.edition import LONG
from support.running_server import Server

pytestmark = pytest.mark.requirement(
    "negotiation", "negotiation synonyms", "negotiation 406", "negotiation caching", "encodings"
)

HTML, MARKDOWN, JSON = "text/html; charset=utf-8", "text/markdown; charset=utf-8", "application/json"
PROBLEM = "application/problem+json"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"


@pytest.mark.parametrize(
    ("accept", "type_"),
    [
        (None, HTML),
        ("", HTML),
        ("*/*", HTML),
        (BROWSER, HTML),
        ("text/*", HTML),
        ("text/markdown", MARKDOWN),
        ("text/markdown, text/html, */*", MARKDOWN),
        ("text/html, text/markdown", HTML),
        ("text/html;q=0.5, text/markdown;q=0.9", MARKDOWN),
        ("text/html;q=0, */*", MARKDOWN),
        ("text/markdown;q=0.9, */*", HTML),
        ("application/json", JSON),
        ("application/*", JSON),
        ("application/json;charset=utf-8", JSON),
        ('application/json;profile="a,b";q=1, text/html;q=0.1', JSON),
        ("text/html;level=1;q=0.3, text/markdown;q=0.4", MARKDOWN),
        ("TEXT/MARKDOWN", MARKDOWN),
        ("text/plain", MARKDOWN),
        ("application/xhtml+xml", HTML),
        ("total nonsense", HTML),
        ("text/html;q=banana", HTML),
        ("image/png, text/html;q=banana", HTML),
        (";;;,,,", HTML),
        ('"', HTML),
        ("*/html", HTML),
    ],
)
def test_a_page_answers_in_the_form_that_accept_prefers(server: Server, accept: str | None, type_: str) -> None:
    answer = server.ask("/posts/x/", **server.client(), **({} if accept is None else {"accept": accept}))
    assert (answer.status, answer.type) == (200, type_)
    assert answer.fields["vary"] == "Accept, Accept-Encoding"


def test_the_site_root_gives_its_markdown_form(server: Server) -> None:
    answer = server.ask("/", accept="text/markdown")
    assert (answer.type, answer.fields["content-location"]) == (MARKDOWN, "/index.md")
    assert answer.body == server.ask("/index.md").body


def test_a_negotiated_form_is_kept_out_of_shared_caches(server: Server) -> None:
    negotiated = server.ask("/posts/x/", accept="text/markdown")
    assert negotiated.fields["cache-control"] == "private, no-cache"
    assert negotiated.fields["content-location"] == "/posts/x.md"
    twin = server.ask("/posts/x.md")
    assert twin.fields["cache-control"].startswith("max-age=300, ")
    assert "content-location" not in twin.fields
    assert twin.fields["vary"] == "Accept-Encoding"
    assert (twin.body, twin.fields["etag"]) == (negotiated.body, negotiated.fields["etag"])


def test_the_default_form_is_public_and_has_no_other_address(server: Server) -> None:
    answer = server.ask("/posts/x/", accept="text/html")
    assert answer.fields["cache-control"].startswith("max-age=300, ")
    assert "content-location" not in answer.fields


@pytest.mark.parametrize(
    ("path", "accept"),
    [
        ("/feed.json", "application/json"),
        ("/feed.json", "application/feed+json"),
        ("/rss.xml", "application/rss+xml"),
        ("/rss.xml", "text/xml"),
        ("/llms.txt", "text/markdown"),
        ("/posts/x.md", "text/plain"),
        ("/posts.json", "application/*;q=0.1"),
    ],
)
def test_a_document_of_one_type_takes_synonyms(server: Server, path: str, accept: str) -> None:
    assert server.ask(path, accept=accept, **server.client()).status == 200


def test_an_excluded_page_is_a_problem_that_lists_its_forms(server: Server) -> None:
    answer = server.ask("/posts/x/", accept="image/png", **server.client())
    assert (answer.status, answer.type) == (406, PROBLEM)
    assert answer.json()["available"] == [
        {"href": "http://archive.test/posts/x/", "type": "text/html"},
        {"href": "http://archive.test/posts/x.md", "type": "text/markdown"},
        {"href": "http://archive.test/posts/x.json", "type": "application/json"},
    ]
    assert answer.json()["type"] == "http://archive.test/developers/#problem-not-acceptable"
    assert answer.fields["cache-control"] == "no-store"


def test_an_excluded_document_says_so_in_a_form_that_accept_allows(server: Server) -> None:
    answer = server.ask("/posts.json", accept="text/html")
    assert (answer.status, answer.type) == (406, HTML)
    assert '<a href="/posts.json" dir="auto">application/json</a>' in answer.text
    answer = server.ask("/posts.json", accept="text/markdown")
    assert (answer.status, answer.type) == (406, MARKDOWN)


def test_a_field_of_many_ranges_is_answered(server: Server) -> None:
    ranges = [f"x/{n}" for n in range(3000)]
    assert server.ask("/posts/x/", accept=", ".join(ranges[:50])).status == 406
    # What is not read in full excludes nothing: the range that would do may stand at its end.
    assert server.ask("/posts/x/", accept=", ".join(ranges)).status == 200
    assert server.ask("/posts/x/", accept='"' + '\\"' * 8000).status == 200


@pytest.mark.parametrize(
    ("field", "coding"),
    [
        (None, None),
        ("", None),
        ("identity", None),
        ("br", "br"),
        ("gzip, br, zstd", "br"),
        ("gzip, zstd", "zstd"),
        ("gzip", "gzip"),
        ("x-gzip", "gzip"),
        ("GZIP", "gzip"),
        ("br;q=0.5, gzip;q=0.9", "gzip"),
        ("br;q=0, gzip", "gzip"),
        ("gzip;q=0", None),
        ("*", "br"),
        ("*;q=0.5, br;q=0", "zstd"),
        ("identity;q=1, br;q=0.5", None),
        ("identity;q=0, gzip;q=0.1", "gzip"),
        ("identity;q=0", None),
        ("*;q=0", None),
        ("deflate, nonsense;q=x", None),
    ],
)
def test_a_body_is_sent_in_the_coding_that_is_liked_best(server: Server, field: str | None, coding: str | None) -> None:
    answer = server.ask("/llms.txt", **({} if field is None else {"accept_encoding": field}))
    assert answer.fields.get("content-encoding") == coding
    decode = {None: bytes, "br": brotli.decompress, "gzip": gzip.decompress, "zstd": zstandard.decompress}[coding]
    assert decode(answer.body) == LONG.encode()
    assert answer.fields["content-length"] == str(len(answer.body))


def test_each_coding_and_each_form_has_an_etag_of_its_own(server: Server) -> None:
    tags = {
        server.ask("/posts/x/", accept=form, accept_encoding=coding, **server.client()).fields["etag"]
        for form in ("text/html", "text/markdown", "application/json")
        for coding in ("identity", "br", "gzip", "zstd")
    }
    assert len(tags) == 12
    assert not any(tag.startswith("W/") for tag in tags)


def test_a_small_body_has_one_coding_and_does_not_vary(server: Server) -> None:
    answer = server.ask("/robots.txt", accept_encoding="br")
    assert answer.body == b"User-agent: *\n"
    assert not {"vary", "content-encoding"} & set(answer.fields)
