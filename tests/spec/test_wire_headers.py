"""Fields of every answer, over the wire (specification, "Conventions for publication routes", "Versioning")."""

from pathlib import Path

import pytest

from support.edition import printed
from support.running_server import Server, running

pytestmark = pytest.mark.requirement("security fields", "caching")

RATE = {"ratelimit-limit", "ratelimit-remaining", "ratelimit-reset", "ratelimit-policy", "ratelimit"}
CASES = [
    ("/", {}),
    ("/posts/x.json", {}),
    ("/llms.txt", {}),
    ("/rss.xml", {}),
    ("/posts/old/", {}),
    ("/posts/gone/", {}),
    ("/none", {}),
    ("/posts/x/", {"accept": "image/png"}),
    ("/a%zz", {}),
    ("/posts/x/", {"if_none_match": "*"}),
    ("/posts/x/", {"if_match": '"no"'}),
]


@pytest.mark.parametrize(("path", "fields"), CASES)
@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "POST"])
def test_security_and_sharing_fields_are_on_every_answer(
    server: Server, method: str, path: str, fields: dict[str, str]
) -> None:
    headers = server.ask(path, method, **server.client(), **fields).fields
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "strict-origin-when-cross-origin"
    assert headers["content-security-policy"].startswith("default-src 'none'; style-src 'self'")
    assert headers["cross-origin-resource-policy"] == "cross-origin"
    assert "geolocation=()" in headers["permissions-policy"]
    assert headers["access-control-allow-origin"] == "*"
    exposed = set(headers["access-control-expose-headers"].lower().split(", "))
    assert exposed >= RATE | {
        "etag",
        "link",
        "location",
        "content-location",
        "retry-after",
        "payment-required",
        "payment-response",
    }
    assert headers["content-usage"] == "train-ai=n, search=y"
    assert "date" in headers
    assert not {
        "strict-transport-security",
        "deprecation",
        "sunset",
        "access-control-allow-credentials",
        "set-cookie",
    } & set(headers)


@pytest.mark.parametrize("path", ["/posts.json", "/feed.json", "/posts/x.json"])
def test_json_shows_what_is_left_and_the_deprecation_policy(server: Server, path: str) -> None:
    headers = server.ask(path, **server.client()).fields
    assert (headers["ratelimit-limit"], headers["ratelimit-remaining"], headers["ratelimit-policy"]) == (
        "120",
        "119",
        '"rest";q=120;w=60',
    )
    assert headers["ratelimit-reset"] == "60"
    assert headers["ratelimit"] == '"rest";r=119;t=60'
    assert headers["link"] == '<http://archive.test/developers/#deprecation-policy>; rel="deprecation"'


@pytest.mark.parametrize(
    "path", ["/", "/posts/x/", "/posts/x.md", "/llms.txt", "/robots.txt", "/rss.xml", "/none", "/posts/old/"]
)
def test_other_forms_carry_no_rate_fields(server: Server, path: str) -> None:
    headers = server.ask(path, **server.client()).fields
    assert not RATE & set(headers)
    assert "deprecation" not in headers.get("link", "")


def test_a_deprecated_path_says_since_when_and_until_when(tmp_path: Path) -> None:
    row = {
        "path": "/posts.json",
        "deprecated_on": "2026-09-01T00:00:00Z",
        "sunset_on": "2027-01-01T00:00:00Z",
        "link": "https://a.test/next",
    }
    page = {"path": "/posts/x/", "deprecated_on": "2026-09-01T00:00:00Z"}
    printed(tmp_path, deprecations=[row, page], base_url="https://archive.test/deep/")
    with running(tmp_path) as server:
        headers = server.ask("/posts.json").fields
        assert (headers["deprecation"], headers["sunset"]) == ("@1788220800", "Fri, 01 Jan 2027 00:00:00 GMT")
        assert '<https://a.test/next>; rel="deprecation"' in headers["link"]
        assert '<https://archive.test/deep/developers/#deprecation-policy>; rel="deprecation"' in headers["link"]
        for accept in ("text/html", "text/markdown"):
            headers = server.ask("/posts/x/", accept=accept).fields
            assert (headers["deprecation"], "sunset" in headers) == ("@1788220800", False)
            assert headers["link"] == '<https://archive.test/deep/developers/#deprecation-policy>; rel="deprecation"'
        assert "deprecation" not in server.ask("/posts/x.md").fields
        assert server.ask("/").fields["strict-transport-security"] == "max-age=31536000"
        assert server.ask("/posts/x").fields["location"] == "/deep/posts/x/"
        assert server.ask("/posts/x/", accept="text/markdown").fields["content-location"] == "/deep/posts/x.md"
