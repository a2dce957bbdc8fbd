"""What a query of a JSON document says that nobody reads is named in the answer."""

import pytest

from support.demo import Demo

FIELD = "ignored-parameters"


@pytest.mark.parametrize(
    ("address", "names"),
    [
        ("/posts.json?foo=1", "foo"),
        ("/posts.json?topics=agents&page=2", "topics, page"),
        ("/posts.json?year=2026&foo=1", "foo"),
        ("/openapi.json?v=3", "v"),
        ("/search.json?query=agents&kind=posts", "kind"),
        ("/agent-actions/contextualize.json?url=https%3A%2F%2Fexample.org%2F&depth=2", "depth"),
        ("/posts.json?%0d%0aX=1&a%20b=2", "%0D%0AX, a%20b"),
        ("/posts.json?" + "&".join(f"n{number}=1" for number in range(50)), ", ".join(f"n{n}" for n in range(20))),
    ],
)
def test_unknown_parameters_are_named(demo: Demo, address: str, names: str) -> None:
    answer = demo.get(address)
    assert (answer.status, answer.fields[FIELD]) == (200, names)


@pytest.mark.parametrize(
    "address",
    [
        "/posts.json",
        "/posts.json?year=2026",
        "/search.json?q=agents&start=1&limit=2",
        "/posts/?utm_source=letter",
        "/about.md?utm_source=letter",
    ],
)
def test_known_parameters_and_addresses_of_pages_are_not(demo: Demo, address: str) -> None:
    answer = demo.get(address)
    assert (answer.status, FIELD in answer.fields) == (200, False)


def test_the_document_stays_the_same_and_has_its_validators(demo: Demo) -> None:
    plain, queried = demo.get("/posts.json"), demo.get("/posts.json?foo=1")
    assert (queried.body, queried.fields["etag"]) == (plain.body, plain.fields["etag"])
    unchanged = demo.get("/posts.json?foo=1", if_none_match=plain.fields["etag"])
    assert (unchanged.status, unchanged.fields[FIELD]) == (304, "foo")
    assert FIELD in plain.fields["access-control-expose-headers"].lower()
