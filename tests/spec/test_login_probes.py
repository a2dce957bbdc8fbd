"""What OAuth clients try is answered as they read it: 404 with a string ``error``, and no login."""

import pytest

from support.demo import Demo

PROBES = [
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-protected-resource/mcp/chatgpt",
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/mcp",
    "/.well-known/openid-configuration",
    "/.well-known/openid-configuration/mcp",
    "/mcp/.well-known/openid-configuration",
]


@pytest.mark.parametrize("accept", ["*/*", "text/html", "application/json"])
@pytest.mark.parametrize("path", PROBES)
def test_a_probe_is_404_with_an_error_that_clients_read(demo: Demo, path: str, accept: str) -> None:
    answer = demo.get(path, accept=accept)
    assert (answer.status, answer.json()["error"]) == (404, "not_found")
    assert answer.type.endswith("json")
    assert "No login" in answer.json()["detail"]
    assert "ratelimit" in answer.fields


def test_a_client_that_registers_learns_that_there_is_no_login(demo: Demo) -> None:
    answer = demo.server.ask("/register", "POST", b"{}", content_type="application/json", **demo.server.client())
    assert (answer.status, answer.json()["error"]) == (404, "not_found")
    assert demo.get("/register", accept="text/html").type.startswith("text/html")
