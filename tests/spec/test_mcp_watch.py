"""While content is worked on, a client of the endpoint may keep nothing (design of the endpoint, "Cache hints")."""

from pathlib import Path

from support.folder import folder, post
from support.mcp_endpoint import MODERN, Wire, result
from support.running_server import serving


def test_under_watch_every_cache_hint_is_zero(tmp_path: Path) -> None:
    root = folder(tmp_path / "content", {"content/posts/one.md": post()})
    with serving(root, tmp_path / "state", "--watch") as server:
        wire = Wire(server, "/mcp", MODERN)
        for method in ("server/discover", "tools/list", "resources/list"):
            assert result(wire.call(method))["ttlMs"] == 0
        (uri, *_) = [resource["uri"] for resource in result(wire.call("resources/list"))["resources"]]
        assert result(wire.call("resources/read", {"uri": uri}))["ttlMs"] == 0
