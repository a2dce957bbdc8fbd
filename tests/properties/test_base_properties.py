"""What holds for any JSON, any text and any moment: canonical bytes, names of bytes, addresses and identifiers."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from citepress.base.canonical import canonical_bytes, digest, json_bytes, sorted_bytes
from citepress.base.ids import canonical_path, twin
from citepress.base.media import PLAIN_TEXT
from citepress.base.slugs import SLUG_LENGTH, is_slug, slugify
from citepress.base.text import bounded
from citepress.base.timestamps import as_moment, http_date, rfc3339
from citepress.base.urls import UrlError, host_of, normalise, registrable_host
from support.edition import edition, leaf

NUMBERS = st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(-1e15, 1e15)
TEXTS = st.text(st.characters(exclude_categories=("Cs",)))
JSONS = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
)
URLS = st.builds(
    "{}://{}{}{}{}".format,
    st.sampled_from(("http", "https", "HTTPS", "Http")),
    st.sampled_from(
        (
            "example.org",
            "EXAMPLE.org",
            "docs.example.co.uk",
            "example.org:443",
            "example.org:80",
            "bücher.example",
            "[2001:DB8::1]",
        )
    ),
    st.sampled_from(("", "/")) | st.text("abcXYZ/.%2fF~é-_ü+*", max_size=12).map(lambda text: "/" + text),
    st.sampled_from(("", "?", "?a=1&b=2", "?utm_source=x&a=%20", "?b=é&b=", "?fbclid=1")),
    st.sampled_from(("", "#", "#part")),
)


@given(JSONS)
def test_canonical_json_is_a_fixed_point(value: Any) -> None:
    once = canonical_bytes(value)
    assert canonical_bytes(orjson.loads(once)) == once
    assert orjson.loads(json_bytes(value)) == orjson.loads(sorted_bytes(value))


@given(st.dictionaries(TEXTS, JSONS, max_size=6), st.randoms())
def test_the_order_of_members_names_no_other_bytes(value: dict[str, Any], chance: Any) -> None:
    items = list(value.items())
    chance.shuffle(items)
    assert canonical_bytes(dict(items)) == canonical_bytes(value)
    assert digest(sorted_bytes(dict(items))) == digest(sorted_bytes(value))


def test_canonical_json_is_that_of_rfc_8785() -> None:
    value = {
        "numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 1e-27],
        "string": '€$\u000f\nA\'B"\\\\"/',
        "literals": [None, True, False],
    }
    literals = '"literals":[null,true,false]'
    numbers = '"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27]'
    string = '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'
    assert canonical_bytes(value) == f"{{{literals},{numbers},{string}}}".encode()


@settings(max_examples=20)
@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=2000), st.text(max_size=20))
def test_an_etag_names_the_bytes_and_nothing_else(body: str, other: str) -> None:
    with TemporaryDirectory() as folder:
        tags = []
        for place, further in (("one", "x"), ("two", other)):
            opened = edition(
                Path(folder) / place, [leaf("/a.txt", PLAIN_TEXT, body), leaf("/b.txt", PLAIN_TEXT, further)]
            )
            entry = opened.find("/a.txt")
            assert entry is not None
            tags.append({coding: coded.etag for coding, coded in entry.coded.items()})
        assert tags[0] == tags[1]
        assert len(set(tags[0].values())) == len(tags[0])


@given(URLS)
def test_a_normal_address_stays_as_it_is(url: str) -> None:
    try:
        once = normalise(url)
    except UrlError:
        return
    assert normalise(once) == once
    assert normalise(once + "#part") == once
    assert host_of(once) == host_of(once).lower()
    assert "utm_source" not in once


@given(st.text(max_size=60) | st.text("https:/.@[]%?#:1aé ", max_size=40))
def test_any_text_is_an_address_or_a_sentence_why_not(text: str) -> None:
    try:
        once = normalise(text)
    except UrlError:
        return
    assert once.startswith(("http://", "https://"))
    assert once.isascii()
    assert normalise(once) == once


@given(st.text("abc.-0123456789", min_size=1, max_size=30))
def test_a_registrable_host_is_its_own(host: str) -> None:
    assert registrable_host(registrable_host(host)) == registrable_host(host)


@given(st.text(max_size=200))
def test_a_slug_is_made_of_any_text_and_kept(text: str) -> None:
    slug = slugify(text)
    assert slug == "" or is_slug(slug)
    assert len(slug) <= SLUG_LENGTH
    assert slugify(slug) == slug


@given(st.lists(st.from_regex(r"[a-z0-9]+(-[a-z0-9]+)*", fullmatch=True), max_size=3))
def test_the_paths_of_a_page_lead_back_to_it(words: list[str]) -> None:
    page = "/" + "".join(f"{word}/" for word in words)
    assert canonical_path(page) == ("/".join(words) or "home")
    assert twin(page, ".md").startswith("/")
    assert (twin(page, ".md").removesuffix(".md") + "/" == page) == bool(words)


@given(st.datetimes(datetime(1970, 1, 1), datetime(9000, 1, 1)))  # noqa: DTZ001  (a moment without zone is one of the cases)
def test_a_moment_survives_being_written(moment: datetime) -> None:
    whole = as_moment(moment).replace(microsecond=0)
    assert datetime.fromisoformat(rfc3339(whole)) == whole
    assert parsedate_to_datetime(http_date(whole)) == whole
    assert whole.tzinfo is UTC


@given(st.text(max_size=300), st.integers(5, 80))
def test_a_bounded_line_is_one_line_within_its_bound(text: str, limit: int) -> None:
    line = bounded(text, limit)
    assert len(line) <= limit
    assert line == " ".join(line.split())
