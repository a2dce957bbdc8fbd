"""What ``--drafts`` shows is for its author: no other site's page may read it, and nobody may keep it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.folder import folder, post
from support.running_server import Server, serving

INITIALIZE = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


@pytest.fixture(scope="module")
def drafts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    root = folder(
        tmp_path_factory.mktemp("drafts"),
        {"content/posts/secret.md": post(draft=True), "content/posts/open.md": post()},
    )
    with serving(root, root / "state", "--drafts") as server:
        yield server


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/posts/secret/", {}),
        ("/posts/secret/", {"accept": "text/markdown"}),
        ("/posts/secret.json", {}),
        ("/posts/secret.md", {}),
        ("/posts/secret", {}),
        ("/posts.json", {}),
        ("/posts.json?topic=x", {}),
        ("/rss.xml", {}),
        ("/none.json", {}),
        ("/none", {}),
        ("/search/?q=text", {}),
        ("/search.json?q=text", {}),
        ("/posts/secret.json", {"if_none_match": "*"}),
    ],
)
def test_every_answer_is_private(drafts: Server, path: str, fields: dict[str, str]) -> None:
    answer = drafts.ask(path, origin="https://elsewhere.example", **fields, **drafts.client())
    assert [name for name in answer.fields if name.startswith("access-control-")] == []
    assert "noindex" in answer.fields["x-robots-tag"]
    cache_control = answer.fields["cache-control"]
    assert cache_control == "no-store" or "private" in cache_control, cache_control


def test_a_draft_is_shown(drafts: Server) -> None:
    assert drafts.ask("/posts/secret/").status == 200


@pytest.mark.parametrize("path", ["/posts/secret.json", "/agent-inbox/source", "/mcp"])
def test_a_preflight_grants_nothing(drafts: Server, path: str) -> None:
    answer = drafts.ask(path, "OPTIONS", origin="https://elsewhere.example", access_control_request_method="POST")
    assert [name for name in answer.fields if name.startswith("access-control-")] == []


def test_an_answer_of_the_endpoint_is_not_shared_either(drafts: Server) -> None:
    answer = drafts.ask("/mcp", "POST", INITIALIZE, origin="https://elsewhere.example", content_type="application/json")
    assert answer.status == 200
    assert "access-control-allow-origin" not in answer.fields


def test_without_drafts_everything_is_shared(tmp_path: Path) -> None:
    root = folder(tmp_path, {"content/posts/open.md": post()})
    with serving(root, root / "state") as server:
        answer = server.ask("/posts/open.json")
        assert answer.fields["access-control-allow-origin"] == "*"
        assert "x-robots-tag" not in answer.fields
        assert server.ask("/posts/secret/").status == 404
