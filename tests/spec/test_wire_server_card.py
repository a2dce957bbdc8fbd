"""The MCP server card under either of its types, by Accept, at each of its addresses, over the wire."""

import pytest

from support.running_server import Server

JSON, CARD = "application/json", "application/mcp-server-card+json"
PATHS = ("/.well-known/mcp", "/.well-known/mcp/server-card.json", "/mcp/server-card")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("accept", "type_"),
    [
        ("*/*", JSON),
        (JSON, JSON),
        (CARD, CARD),
        (f"{CARD}, {JSON};q=0.9", CARD),
        (f"{JSON}, {CARD};q=0.5", JSON),
        (f"{CARD}, */*;q=0.1", CARD),
    ],
)
def test_the_card_has_the_type_that_accept_prefers(endpoint: Server, path: str, accept: str, type_: str) -> None:
    answer = endpoint.ask(path, **endpoint.client(), accept=accept)
    assert (answer.status, answer.type, answer.fields["vary"]) == (200, type_, "Accept, Accept-Encoding")
    assert answer.json()["serverInfo"]
    assert "ratelimit" in answer.fields


@pytest.mark.parametrize("path", PATHS)
def test_both_types_are_the_same_bytes_under_different_tags(endpoint: Server, path: str) -> None:
    client = endpoint.client()
    plain, card = endpoint.ask(path, **client), endpoint.ask(path, **client, accept=CARD)
    assert plain.body == card.body
    assert plain.fields["etag"] != card.fields["etag"]
    assert "content-location" not in card.fields
    assert endpoint.ask(path, **client, accept=CARD, if_none_match=card.fields["etag"]).status == 304
    assert endpoint.ask(path, **client, accept=CARD, if_none_match=plain.fields["etag"]).status == 200


def test_another_type_is_refused_with_both_that_there_are(endpoint: Server) -> None:
    answer = endpoint.ask(PATHS[0], **endpoint.client(), accept="text/css")
    assert answer.status == 406
    forms = [(form["href"].partition("//")[2].partition("/")[2], form["type"]) for form in answer.json()["available"]]
    assert forms == [(PATHS[0][1:], JSON), (PATHS[0][1:], CARD)]


def test_the_contract_names_both_types(endpoint: Server) -> None:
    paths = endpoint.ask("/openapi.json", **endpoint.client()).json()["paths"]
    for path in PATHS:
        assert list(paths[path]["get"]["responses"]["200"]["content"]) == [JSON, CARD]
