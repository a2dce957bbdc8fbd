"""A deprecation reaches every route and is announced where readers look (specification, "Versioning" 6)."""

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from citepress.admin.build import Builder
from citepress.app.registry import table
from citepress.contract.fault import Level
from citepress.contract.route import Route
from citepress.edition.documents import declared
from citepress.kinds import ALL as KINDS
from citepress.settings import Settings
from support.demo import DEMO
from support.documents import leaves
from support.folder import NOW, SITE, assembled, folder, post
from support.running_server import Server, serving

ATOM = "{http://www.w3.org/2005/Atom}"
ROW = """
[[deprecations]]
path = "{path}"
deprecated_on = 2026-03-01
announced_on = 2026-11-22
sunset_on = 2026-09-01
reason = "{reason}"
"""
PATHS = sorted({route.path for route in table()})
HALVES = (PATHS[::2], PATHS[1::2])
"""A site has at most 200 rows."""
UNPUBLISHED = {"/mcp/server.json", "/.well-known/security.txt"}
"""Documents that the demo does not have."""


def _site(paths: Sequence[str]) -> str:
    return (DEMO / "site.toml").read_text("utf-8") + "".join(ROW.format(path=path, reason="It goes.") for path in paths)


def _copy(where: Path, site: str) -> Path:
    shutil.copytree(DEMO, where, ignore=shutil.ignore_patterns("state"))
    (where / "site.toml").write_text(site)
    return where


@pytest.mark.requirement("versioning 6")
@pytest.mark.parametrize("paths", HALVES, ids=("first half", "second half"))
def test_every_route_of_the_table_can_be_deprecated(tmp_path: Path, paths: list[str]) -> None:
    with serving(_copy(tmp_path / "archive", _site(paths)), tmp_path / "state", rest_limit="1000000") as server:
        catalog = server.ask("/openapi-route-catalog.json").json()["paths"]
        programs = server.ask("/openapi.json").json()["paths"]
        guide = server.ask("/developers.md").text
        count = 0
        for route in (route for route in table() if route.path in paths and route.path in catalog):
            method = route.method.lower()
            assert catalog[route.path][method]["deprecated"] is True, route.path
            assert route.path not in programs or programs[route.path][method]["deprecated"] is True
            assert route.path in guide
            count += _carries(server, route, catalog[route.path][method])
        assert count > 80
        feed = etree.fromstring(server.ask("/changes.xml").body)
        titles = [entry.findtext(f"{ATOM}title", "") for entry in feed.iter(f"{ATOM}entry")]
        assert len([title for title in titles if " is deprecated" in title]) > 30, (
            "the feed is bounded to the newest fifty"
        )


def _carries(server: Server, route: Route, operation: Mapping[str, Any]) -> bool:
    """Whether the answer at the route's example says that it is deprecated.

    Not asked where the contract has no example.
    """
    values = {
        parameter["name"]: parameter.get("example")
        for parameter in operation.get("parameters", ())
        if parameter["in"] == "path"
    }
    if None in values.values() or route.path in UNPUBLISHED:
        return False
    body = b"{}" if route.method == "POST" else b""
    answer = server.ask(route.fill(values), route.method, body, content_type="application/json")
    if answer.status == 404:
        return False
    where = (route.method, route.fill(values), answer.status)
    assert answer.fields.get("deprecation") == "@1772323200", where
    assert answer.fields["sunset"] == "Tue, 01 Sep 2026 00:00:00 GMT", where
    assert answer.fields["link"].count('/developers/#deprecation-policy>; rel="deprecation"') == 1, where
    return True


def _row(**members: str) -> str:
    lines = {"path": '"/posts/{slug}.json"', "deprecated_on": "2026-03-01", "reason": '"The graph has it."', **members}
    return SITE + "[[deprecations]]\n" + "".join(f"{name} = {value}\n" for name, value in lines.items())


@pytest.mark.requirement("versioning 6")
def test_an_announcement_has_its_day_its_sunset_and_an_address_that_exists(tmp_path: Path) -> None:
    site = _row(announced_on="2026-02-01", sunset_on="2026-09-01", link='"/discovery-graph.json"')
    archive = assembled(folder(tmp_path, {"content/posts/one.md": post()}, site))
    feed = etree.fromstring(
        leaves(archive, [document for document in declared(KINDS) if document.name == "changes_feed"])[
            "/changes.xml"
        ].body
    )
    entry = next(
        element for element in feed.iter(f"{ATOM}entry") if "deprecated" in element.findtext(f"{ATOM}title", "")
    )
    assert entry.findtext(f"{ATOM}published") == "2026-02-01T00:00:00Z"
    told_of = entry.findtext(f"{ATOM}summary", "")
    assert all(
        word in told_of
        for word in ("The graph has it.", "2026-03-01", "Sunset on 2026-09-01.", "/discovery-graph.json")
    )
    link = entry.find(f"{ATOM}link")
    assert link is not None
    assert (link.get("href"), link.get("type")) == ("https://archive.test/developers/", "text/html")
    assert not re.search(r"[{}]", entry.findtext(f"{ATOM}id", "{"))


def test_one_address_of_a_template_is_deprecated_alone(tmp_path: Path) -> None:
    files = {"content/posts/one.md": post(), "content/posts/two.md": post(title="Another")}
    with serving(folder(tmp_path / "archive", files, _row(path='"/posts/one.json"')), tmp_path / "state") as server:
        assert "deprecation" in server.ask("/posts/one.json").fields
        assert "deprecation" not in server.ask("/posts/two.json").fields
        operation = server.ask("/openapi.json").json()["paths"]["/posts/{slug}.json"]["get"]
        assert "deprecated" not in operation


@pytest.mark.parametrize(
    ("members", "code", "words"),
    [
        ({"path": '"/post.json"'}, "CP070", "/post.json is not in the route table"),
        ({"path": '"/posts/{name}.json"'}, "CP070", "is not in the route table"),
        ({"deprecated_on": "2026-12-24"}, "CP071", "lies in the future, and announced_on is missing"),
        ({"sunset_on": "2026-09-01"}, "CP072", "has passed, and the path is still served"),
        ({"announced_on": "2026-12-24"}, "CP032", "lies in the future; what is published is announced"),
    ],
)
def test_a_row_that_no_answer_can_carry_is_told(tmp_path: Path, members: dict[str, str], code: str, words: str) -> None:
    root = folder(tmp_path, {"content/posts/one.md": post()}, _row(**members))
    archive, faults = Builder(Settings(root, tmp_path / "state")).check(NOW)
    assert [fault.code.id for fault in faults if fault.place.file == "site.toml"] == [code]
    fault = next(fault for fault in faults if fault.code.id == code)
    assert words in fault.message
    assert fault.place.line > 3
    assert (archive is None) == (fault.code.level is Level.ERROR)


def test_no_announcement_is_dated_in_the_future(tmp_path: Path) -> None:
    root = folder(tmp_path, {"content/posts/one.md": post()}, _row(deprecated_on="2026-12-24"))
    archive = assembled(root)
    assert [change.moment for change in archive.changes if change.change == "deprecated"] == [archive.as_of]
