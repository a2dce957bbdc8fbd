import asyncio
import logging
import sys
from pathlib import Path
from types import FrameType, SimpleNamespace

import orjson
import pytest

from citepress.contract.limits import Limit
from citepress.edition.response_headers import SiteFields
from citepress.http.message import Receive, Request, Response
from citepress.stores.local.counters import LocalCounters
from citepress.web.asgi import Asgi
from citepress.web.reload import EditionReloader
from citepress.web.site import SiteApp
from support.edition import BASE, edition, page, site_config

CHROME = (
    (b"host", b"archive.test"),
    (b"user-agent", b"Mozilla/5.0"),
    (b"accept", b"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"),
    (b"accept-encoding", b"gzip, deflate, br, zstd"),
)
AGENT = (*CHROME[:2], (b"accept", b"application/json, text/html;q=0.5"), CHROME[3])


def site_app(state: Path, **settings: object) -> SiteApp:
    return SiteApp(
        edition(state, **settings), LocalCounters(), SiteFields.of(site_config()), limit=Limit("rest", 120, 60)
    )


def request_of(
    target: bytes, headers: tuple[tuple[bytes, bytes], ...] = CHROME, method: str = "GET", peer: str = "192.0.2.1"
) -> Request:
    return Request(method, target, b"", headers, peer)


def calls(site_app: SiteApp, target: bytes, headers: tuple[tuple[bytes, bytes], ...]) -> int:
    """Python functions entered between a request's arrival and its answer."""
    count = 0

    def note(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        reply = site_app.answer(Request("GET", target, b"", headers, "192.0.2.1"))
    finally:
        sys.setprofile(None)
    assert reply.status in {200, 304}
    return count


@pytest.mark.parametrize("target", [b"/llms.txt", b"/posts.json", b"/posts/x.md", b"/posts/x.json"])
def test_a_plain_leaf_costs_at_most_fifteen_calls(tmp_path: Path, target: bytes) -> None:
    opened = site_app(tmp_path)
    opened.answer(request_of(target))
    assert calls(opened, target, CHROME) <= 15


@pytest.mark.parametrize(
    "headers",
    [
        CHROME,
        AGENT,
        (*AGENT, (b"if-none-match", b'"x", "y"')),
        (*AGENT, (b"if-modified-since", b"Mon, 02 Mar 2026 00:00:00 GMT")),
    ],
)
def test_a_negotiated_leaf_costs_at_most_thirty_calls(tmp_path: Path, headers: tuple[tuple[bytes, bytes], ...]) -> None:
    opened = site_app(tmp_path)
    opened.answer(request_of(b"/posts/x/", headers))
    assert calls(opened, b"/posts/x/", headers) <= 30


def test_want_of_memory_is_503_without_a_traceback(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    opened = site_app(tmp_path)
    opened.edition.find = lambda _path: (_ for _ in ()).throw(MemoryError)  # type: ignore[method-assign, union-attr]
    reply = opened.answer(request_of(b"/posts/x.json"))
    assert (reply.status, dict(reply.headers)[b"retry-after"]) == (503, b"5")
    assert orjson.loads(reply.body)["detail"] == "The service has not enough memory for this answer."
    assert "not enough memory for an answer to b'/posts/x.json'" in caplog.text
    assert "Traceback" not in caplog.text


@pytest.mark.requirement("error internal")
def test_a_fault_of_ours_is_500_for_the_client_and_a_traceback_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    opened = site_app(tmp_path)
    assert opened.edition is not None
    opened.edition.find = lambda _path: (_ for _ in ()).throw(RuntimeError("secret detail"))  # type: ignore[method-assign]
    with caplog.at_level(logging.ERROR):
        reply = opened.answer(request_of(b"/posts/x/", peer="192.0.2.99"))
    problem = orjson.loads(reply.body)
    assert (reply.status, problem["type"]) == (500, f"{BASE}/developers/#problem-internal")
    assert "secret" not in bytes(reply.body).decode()
    assert (b"cache-control", b"no-store") in reply.headers
    assert [record.message.count("Traceback") for record in caplog.records] == [1]
    assert "secret detail" in caplog.text


def test_bytes_that_no_url_has_are_400(tmp_path: Path) -> None:
    opened = site_app(tmp_path)
    for target in (b"/\xff", b"/a\x00", b"/\xe2\x80\x28", b"posts/x", b"\n", b"/posts/x/#y", b"/posts.json#y"):
        assert opened.answer(request_of(target)).status == 400, target
    assert opened.answer(request_of(b"")).status == 200
    assert opened.answer(request_of("/é".encode())).status == 404


def test_fields_sent_on_several_lines_are_one_list(tmp_path: Path) -> None:
    headers = ((b"accept", b"image/png"), (b"accept", b"text/markdown"))
    reply = site_app(tmp_path).answer(request_of(b"/posts/x/", headers))
    assert (b"content-location", b"/posts/x.md") in reply.headers


def test_an_edition_that_lost_a_form_is_a_fault_not_a_wrong_answer(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    opened = SiteApp(
        edition(tmp_path, page("/posts/x/", "X")[:1]),
        LocalCounters(),
        SiteFields.of(site_config()),
        limit=Limit("rest", 120, 60),
    )
    assert opened.answer(request_of(b"/posts/x/", AGENT)).status == 500
    assert "lost its form" in caplog.text


def served(app: Asgi, scope: dict[str, object]) -> tuple[int, dict[bytes, bytes], bytes]:
    """One request through the ASGI application."""
    sent: list[dict[str, object]] = []

    async def send(message: dict[str, object]) -> None:
        sent.append(message)

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b"{}"}

    whole = {
        "type": "http",
        "method": "GET",
        "path": "/",
        "query_string": b"",
        "headers": [],
        "client": ("192.0.2.1", 5),
        **scope,
    }
    asyncio.run(app(whole, receive, send))
    return sent[0]["status"], dict(sent[0]["headers"]), b"".join(message["body"] for message in sent[1:])  # type: ignore[return-value, call-overload, misc]


def test_the_raw_path_is_read_where_the_server_tells_it(tmp_path: Path) -> None:
    app = Asgi(site_app(tmp_path))
    assert (
        served(app, {"path": "/posts/x", "raw_path": b"/posts/%78?a=1", "query_string": b"a=1"})[1][b"location"]
        == b"/posts/x/?a=1"
    )
    assert served(app, {"path": "/a\ufffd", "raw_path": b"/a%ff"})[0] == 400
    assert served(app, {"path": "/posts/x/"})[0] == 200
    assert served(app, {"path": "/a b\u00e9%"})[0] == 404
    assert served(app, {"path": "/posts.json", "client": None})[0] == 200


def test_an_action_answers_at_its_path_and_leaves_what_is_published_there(tmp_path: Path) -> None:
    async def handle(request: Request, receive: Receive) -> Response:
        return Response(202, [(b"x-method", request.method.encode())], (await receive())["body"])

    opened = SiteApp(
        edition(tmp_path),
        LocalCounters(),
        SiteFields.of(site_config()),
        limit=Limit("rest", 120, 60),
        actions={"/agent-inbox/source": handle, "/posts.json": handle},
    )
    app = Asgi(opened)
    assert served(app, {"method": "POST", "path": "/agent-inbox/source"})[::2] == (202, b"{}")
    assert served(app, {"method": "GET", "path": "/agent-inbox/source"})[1] == {b"x-method": b"GET"}
    assert served(app, {"method": "POST", "path": "/posts.json"})[0] == 202
    assert served(app, {"method": "GET", "path": "/posts.json"})[0] == 200
    assert served(app, {"method": "POST", "path": "/posts/x/"})[0] == 405


def test_a_fault_in_an_action_is_500(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def fail(_request: Request, _receive: Receive) -> Response:
        raise RuntimeError("secret detail")

    opened = site_app(tmp_path)
    opened.actions = {"/mcp": fail}
    status, _, body = served(Asgi(opened), {"method": "POST", "path": "/mcp"})
    assert (status, b"secret" in body) == (500, False)
    assert "secret detail" in caplog.text


def test_the_tap_is_told_of_every_answer_after_it_was_sent(tmp_path: Path) -> None:
    observations: list[tuple[bytes, int, str]] = []
    opened = site_app(tmp_path)
    opened.tap = lambda request, reply: observations.append(
        (request.target, reply.status, reply.leaf.route if reply.leaf else "")
    )
    app = Asgi(opened)
    for path in ("/posts/x/", "/none", "/posts/x"):
        served(app, {"path": path})
    assert observations == [(b"/posts/x/", 200, "/posts/x/"), (b"/none", 404, ""), (b"/posts/x", 308, "/posts/x/")]


def test_tasks_live_as_long_as_the_server(tmp_path: Path) -> None:
    events: list[str] = []

    async def task() -> None:
        events.append("started")
        try:
            await asyncio.Event().wait()
        finally:
            events.append("ended")

    async def run() -> list[str]:
        messages = iter(["lifespan.startup", "lifespan.shutdown"])
        sent: list[str] = []

        async def receive() -> dict[str, str]:
            await asyncio.sleep(0)
            return {"type": next(messages)}

        async def send(message: dict[str, object]) -> None:
            sent.append(str(message["type"]))
            await asyncio.sleep(0)

        await Asgi(site_app(tmp_path), [task])({"type": "lifespan"}, receive, send)
        return sent

    assert asyncio.run(run()) == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
    assert events == ["started", "ended"]


def test_a_follower_opens_an_edition_once_and_keeps_the_last_good_one(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    opened: list[Path] = []
    inherited: list[object] = []

    def count(path: Path) -> object:
        opened.append(path)
        if "bad" in path.read_text():
            raise ValueError("damaged")
        return SimpleNamespace(inherit=inherited.append)

    watched = site_app(tmp_path / "state")
    before, pointer = watched.edition, tmp_path / "current.json"
    follower = EditionReloader(watched, pointer, count)  # type: ignore[arg-type]
    assert not follower.look()
    pointer.write_text("bad")
    assert not follower.look()
    assert not follower.look()
    assert watched.edition is before
    assert caplog.text.count("cannot be opened") == 1
    pointer.write_text("good one")
    assert follower.look()
    assert (len(opened), watched.edition is before) == (2, False)
    assert inherited == [before]


def test_a_follower_without_memory_tries_again_and_says_so_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    short = [True]

    def open_(_: Path) -> object:
        if short[0]:
            raise MemoryError
        return SimpleNamespace(inherit=lambda _: None)

    watched = site_app(tmp_path / "state")
    before, pointer = watched.edition, tmp_path / "current.json"
    pointer.write_text("good")
    follower = EditionReloader(watched, pointer, open_)  # type: ignore[arg-type]
    assert not follower.look()
    assert not follower.look()
    assert watched.edition is before
    assert caplog.text.count("not enough memory") == 1
    assert "Traceback" not in caplog.text
    short[0] = False
    assert follower.look()


@pytest.mark.parametrize("prefix", [b"", b"/notes"])
def test_an_archive_below_a_path_answers_with_the_path_and_behind_a_proxy_that_takes_it_away(
    tmp_path: Path, prefix: bytes
) -> None:
    opened = site_app(tmp_path, base_url="https://archive.test/notes")

    def status(target: bytes) -> int:
        request = request_of(target)
        opened.localize(request)
        return opened.answer(request).status

    assert status(prefix + b"/posts/x/") == status(prefix + b"/llms.txt") == 200
    assert status(prefix + b"/posts/none/") == status(b"/notesx/llms.txt") == 404
    moved = request_of(prefix + b"/posts/x")
    opened.localize(moved)
    assert (b"location", b"/notes/posts/x/") in opened.answer(moved).headers
