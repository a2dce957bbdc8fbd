"""PostgreSQL is restarted under load: pages are answered, actions say 503, and nothing acknowledged is lost."""

import json
import threading
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from citepress_inbox.sql_inbox import SqlInbox
from support.database_servers import PostgresServer, own_postgresql
from support.folder import folder, post
from support.running_server import Server, serving
from support.stores import opened
from support.waiting import PATIENCE_S, until

INBOX = "/agent-inbox/source"
SENDERS = 4


@dataclass
class Load:
    """Clients that submit and read until they are stopped."""

    server: Server
    stopped: threading.Event = field(default_factory=threading.Event)
    statuses: Counter[int] = field(default_factory=Counter)
    pages: Counter[int] = field(default_factory=Counter)
    acknowledged: list[str] = field(default_factory=list)
    numbers: "count[int]" = field(default_factory=count)

    def send(self) -> None:
        """Submit sources, each from a client of its own, and read a page after each."""
        while not self.stopped.is_set():
            number = next(self.numbers)
            body = {"url": f"https://source.example/{number}", "reason": f"It shows number {number}."}
            client = {"x_forwarded_for": f"198.51.{number // 250 % 250}.{number % 250 + 1}"}
            answer = self.server.ask(
                INBOX, "POST", json.dumps(body).encode(), content_type="application/json", **client
            )
            self.statuses[answer.status] += 1
            if answer.status == 202:
                self.acknowledged.append(answer.json()["id"])
            self.pages[self.server.ask("/posts/one/", **client).status] += 1


def test_a_restart_under_load_costs_503_and_no_acknowledged_submission(tmp_path: Path) -> None:
    root = folder(tmp_path / "content", {"content/posts/one.md": post()})
    with own_postgresql() as postgresql:
        address = postgresql.get_uri()
        with serving(root, tmp_path / "state", database_url=address) as server:
            load = _restarted_under_load(postgresql, server)
        assert set(load.statuses) == {202, 503}
        assert set(load.pages) == {200}
        database = opened(address)
        inbox = SqlInbox(database)
        assert [id_ for id_ in load.acknowledged if inbox.find(id_) is None] == []
        database.close()


def _restarted_under_load(postgresql: PostgresServer, server: Server) -> Load:
    """What clients got before, during and after a restart."""
    load = Load(server)
    threads = [threading.Thread(target=load.send) for _ in range(SENDERS)]
    for thread in threads:
        thread.start()
    try:
        assert until(lambda: load.statuses[202] >= 20)
        postgresql.stop()
        assert until(lambda: load.statuses[503])
        postgresql.start()
        before = load.statuses[202]
        assert until(lambda: load.statuses[202] >= before + 20)
    finally:
        load.stopped.set()
        for thread in threads:
            thread.join(PATIENCE_S)
    return load
