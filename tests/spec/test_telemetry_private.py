"""Nothing personal is stored or published: state folder, exports, logs and reports are searched byte by byte."""

import gzip
import json
import socket
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from citepress.base import clock
from citepress.cli import run
from citepress.edition.pack import Pack, PackError
from citepress_telemetry.contract.words import NO_TEXT, PRODUCT_NAMES
from citepress_telemetry.sql.spool import SPOOL_FILE
from citepress_telemetry.stores import ROLLUPS_FILE
from support.access_log_import import combined
from support.folder import folder, post, topic
from support.running_server import HOST, Server, serving
from support.stored_telemetry import StoredTelemetry, call, holding, marks_in, rpc
from support.waiting import PATIENCE_S

FILES = {"content/posts/one.md": post(), "content/posts/two.md": post(), "content/topics/moves.md": topic()}
SITE = 'title = "Notes"\n[telemetry]\naggregator = false\nuser_action_min = 1\nmin_count = 1\n'
MARKS = {
    "address": "198.51.100.77",
    "address6": "2001:db8:77:88::99",
    "agent": "(X11; zz7agentmark) AppleWebKit/537.36",
    "email": "zz7mail@zz7.example",
    "query": "zz7querymark",
    "path": "zz7pathmark",
    "cookie": "zz7cookiemark",
    "referer": "zz7referermark",
    "bearer": "zz7bearermark",
    "client": "zz7clientmark",
    "argument": "zz7argumentmark",
    "line": "zz7linemark",
    "user": "zz7usermark",
    "contact": "https://zz7.example/zz7contact",
    "person": "Zz7 Jane Doe",
    "telephone": "+49 171 5550177",
    "key": "zz7-live-51HxQ9",
    "account": "zz7.jane_doe",
}
AGENTS = (
    f"Mozilla/5.0 {MARKS['agent']}",
    (
        f"ZzBot/2.1 (+{MARKS['contact']}; {MARKS['person']}; tel {MARKS['telephone']}) {MARKS['account']}/1.0"
        f" {MARKS['key']}/1.0"
    ),
    *(f"Zz7Bot/1.0 (+mailto:{MARKS['email']}; from {MARKS[name]})" for name in ("address", "address6")),
)
PATHS = ("/posts/one/", f"/{MARKS['path']}.php", "/search/")


def ask(server: Server) -> None:
    """Requests with every mark."""
    for client in (MARKS["address"], MARKS["address6"]):
        for agent in AGENTS:
            for path in PATHS:
                server.ask(
                    f"{path}?query={MARKS['query']}",
                    user_agent=agent,
                    cookie=MARKS["cookie"],
                    authorization=f"Bearer {MARKS['bearer']}",
                    referer=f"https://zz7.example/{MARKS['referer']}",
                    x_forwarded_for=client,
                )
    info = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": MARKS["client"], "version": "1"},
    }
    rpc(server, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": info})
    rpc(server, call(1, "search_archive", query=MARKS["argument"]))
    rpc(server, call(1, MARKS["argument"]))
    with socket.create_connection((HOST, server.port), PATIENCE_S) as link:
        link.sendall(f"{MARKS['line']} {MARKS['query']}\r\n\r\n".encode())
        link.makefile("rb").read()


ASKED = 2 * len(AGENTS) * len(PATHS) + 5
"""Rows of that, and of the question whether the server is up."""


def logged(path: Path, first: datetime) -> list[Path]:
    """Logs with every mark: in time, late, malformed, cut off, in two formats and compressed."""
    lines = [
        combined(
            at,
            f"{target}?query={MARKS['query']}",
            agent,
            client=client,
            referer=f"https://zz7.example/{MARKS['referer']}",
        )
        for at in (first, first + timedelta(hours=2), first + timedelta(minutes=1))
        for client in (MARKS["address"], MARKS["address6"])
        for agent in AGENTS
        for target in PATHS
    ]
    lines += [
        f"{MARKS['address']} - {MARKS['user']} [nonsense] {MARKS['line']}\n",
        f'{MARKS["address6"]} - - [x] "{MARKS["path"]}',
    ]
    plain = path / "access.log.gz"
    plain.write_bytes(gzip.compress("".join(lines).encode()))
    entry = {
        "time_iso8601": (first + timedelta(hours=5)).isoformat(),
        "remote_addr": MARKS["address"],
        "request_method": "GET",
        "status": 404,
        "request_uri": f"/{MARKS['path']}?{MARKS['query']}",
        "http_user_agent": AGENTS[1],
        "http_referer": f"https://{MARKS['referer']}.example/",
    }
    rows = path / "access.jsonl"
    rows.write_text(
        "".join(f"{json.dumps(variant)}\n" for variant in (entry, entry, entry | {"status": MARKS["line"]}))
    )
    return [plain, rows]


@pytest.fixture
def hours_on(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Sets the clock of commands forward."""
    real = clock.now

    def forward(hours: int) -> None:
        monkeypatch.setattr(clock, "now", lambda: real() + timedelta(hours=hours))

    return forward


def typed(*words: str) -> None:
    assert run(list(words)) == 0


def _opened(path: Path, bases: Iterable[Pack]) -> Pack:
    """A pack of changes or of reports, over the base that it was written for."""
    for base in bases:
        with suppress(PackError):
            return Pack(path, base)
    return Pack(path)


def published(state: Path) -> bytes:
    """Every body of every pack, unpacked: of the edition and of the reports."""
    files = list(state.rglob("*.pack"))
    assert len(files) > 2
    bases = [Pack(path) for path in files if path.name.startswith("base-")]
    packs = [*bases, *(_opened(path, bases) for path in files if not path.name.startswith("base-"))]
    return b"".join(bytes(pack.body(meta)) for pack in packs for path in pack.paths() if (meta := pack.meta(path)))


def test_nothing_that_tells_a_person_is_ever_kept_or_published(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], hours_on: Callable[[int], None]
) -> None:
    root, state, export = folder(tmp_path / "content", FILES, SITE), tmp_path / "state", tmp_path / "export"
    logs = logged(tmp_path, clock.now().replace(minute=0, second=0) - timedelta(hours=30))
    where = ("--state", str(state), "--content", str(root))
    with serving(root, state) as server:
        ask(server)
        assert len(StoredTelemetry(state).rows(ASKED)) == ASKED
        typed("telemetry", "import", *map(str, logs), *where)
        hours_on(2)
        typed("telemetry", "publish", *where)  # closes and renders
        ask(server)  # late for an hour that is closed
        StoredTelemetry(state, ASKED).rows(ASKED - 1)
        running = marks_in(state, MARKS)
        hours_on(3)
        typed("telemetry", "publish", *where)
        for window in ("24h", "7d", "30d"):
            typed("telemetry", "report", "--window", window, *where)
    for name in ("salt", "ranges"):
        typed("telemetry", name, "status", *where)
    with sqlite3.connect(state / ROLLUPS_FILE) as rollups:
        counts = [json.loads(text) for (text,) in rollups.execute("SELECT counts FROM hour_closed")]
        (imported,) = rollups.execute("SELECT sum(rows) FROM hour_closed WHERE imported").fetchone()
    assert (sum(count.get("late", 0) for count in counts) >= ASKED - 1, imported) == (
        True,
        3 * 2 * len(AGENTS) * len(PATHS) + 2,
    )
    typed("build", str(root), "--output", str(export), "--state", str(tmp_path / "other"))
    assert running == marks_in(state, MARKS) == marks_in(export, MARKS) == marks_in(root, MARKS) == []
    output = capfd.readouterr()
    texts = {"the packs": published(state), "what was said": (output.out + output.err).encode()}
    assert [
        f"{name} in {place}" for place, text in texts.items() for name, mark in MARKS.items() if mark.encode() in text
    ] == []
    assert b'"machine_route"' in texts["the packs"]


TEXTS = {**MARKS, "product": "Zz7Bot", "other product": "ZzBot"}
"""Marks, and what no text of a User-Agent can do without."""


def test_no_text_of_a_user_agent_is_kept_unless_it_is_switched_on(tmp_path: Path) -> None:
    root, state = folder(tmp_path / "content", FILES, SITE), tmp_path / "state"
    with serving(root, state) as server:
        ask(server)
        StoredTelemetry(state).rows(ASKED)
        assert marks_in(state, TEXTS) == []
        assert NO_TEXT in server.ask("/machine-consumption.md").text
    assert marks_in(state, TEXTS) == []


def test_where_it_is_switched_on_the_spool_alone_keeps_names_of_products(tmp_path: Path) -> None:
    root, state = folder(tmp_path / "content", FILES, SITE + "keep_unlisted = true\n"), tmp_path / "state"
    with serving(root, state) as server:
        ask(server)
        StoredTelemetry(state).rows(ASKED)
        assert PRODUCT_NAMES in server.ask("/machine-consumption.md").text
    with sqlite3.connect(state / SPOOL_FILE) as spool:
        assert {text for (text,) in spool.execute("SELECT text FROM spool_unlisted")} == {"Zz7Bot/1.0", "ZzBot/2.1"}
    assert marks_in(state, MARKS) == []
    assert {path.name for path in holding(state, b"Zz7Bot/1.0")} <= {SPOOL_FILE, f"{SPOOL_FILE}-wal"}


def test_what_was_kept_is_deleted_once_it_is_switched_off(tmp_path: Path) -> None:
    root, state = folder(tmp_path / "content", FILES, SITE + "keep_unlisted = true\n"), tmp_path / "state"
    with serving(root, state) as server:
        ask(server)
        StoredTelemetry(state).rows(ASKED)
    assert marks_in(state, TEXTS) != []
    (root / "site.toml").write_text(SITE)
    with serving(root, state) as server:
        server.ask("/")
        StoredTelemetry(state, ASKED).rows(2)
        assert marks_in(state, TEXTS) == []
