"""Three servers without content over one PostgreSQL and one Valkey: what they share, they share exactly."""

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from citepress.base import clock
from citepress.cli import run
from citepress_payments.ports.rows import State
from citepress_payments.stores.ledger import SqlLedger
from citepress_telemetry.ports import Batch, SpoolRow
from citepress_telemetry.sql.dimensions import SqlDimensions
from citepress_telemetry.sql.election import KEY
from citepress_telemetry.sql.spool import open_spool
from citepress_telemetry.stores import open_rollup_store
from support.database_servers import address_of, postgresql_running, schema_of, valkey_running
from support.demo import DEMO
from support.running_server import HOST, Server, forked, free_port
from support.server_with_payments import COVERAGE, PRICE, body_of, payment_server_over, signed_for
from support.stores import opened
from support.waiting import PATIENCE_S, until

pytestmark = pytest.mark.long

NODES, COPIES, QUOTA = 3, 12, 120
REPORT = "/crawler-journeys.json"
REQUESTS = 5
"""Of each server, three hours ago."""
LOCKED = """SELECT usename FROM pg_locks JOIN pg_stat_activity USING (pid)
WHERE locktype = 'advisory' AND granted AND classid::bigint = %s AND objid::bigint = %s"""
SOURCE = {"url": "https://source.example/one", "reason": "It shows the opposite of the record."}
JSON_FIELDS = {"content_type": "application/json"}
MCP_FIELDS = {**JSON_FIELDS, "accept": "application/json, text/event-stream", "mcp_protocol_version": "2025-11-25"}


@dataclass
class Fleet:
    """The servers, and the database that they share."""

    nodes: list[Server]
    address: str

    def elected(self) -> list[int]:
        """The servers whose connections hold the lock of the aggregator; each has a role of its own."""
        with psycopg.connect(self.address, autocommit=True) as connection:
            rows = connection.execute(LOCKED, [KEY >> 32, KEY & 0xFFFFFFFF]).fetchall()
        return [int(row[0].removeprefix("node_")) for row in rows]


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    root = tmp_path_factory.mktemp("fleet")
    target = (root / "bucket").as_uri()
    assert run(["publish", str(DEMO), target, "--state", str(root / "publisher"), "--base-url", "http://a.test"]) == 0
    settings = root / "server.toml"
    settings.write_text("[payments]" + (DEMO / "site.toml").read_text("utf-8").partition("[payments]")[2], "utf-8")
    with postgresql_running() as postgresql, valkey_running() as valkey, ExitStack() as processes:
        address = schema_of(postgresql)
        _requests_of_three_hours_ago(address)
        environment = {
            "CITEPRESS_TRUSTED_PROXIES": HOST,
            "CITEPRESS_VALKEY_URL": address_of(valkey),
        }
        nodes = []
        for place in range(NODES):
            with psycopg.connect(address, autocommit=True) as connection:
                connection.execute(f"CREATE ROLE node_{place} SUPERUSER LOGIN")  # type: ignore[arg-type]
            environment["CITEPRESS_DATABASE_URL"] = re.sub("//[^:@/]*", f"//node_{place}", address, count=1)
            port = free_port()
            where = ["--port", str(port), "--state", str(root / f"node-{place}"), "--settings", str(settings)]
            command = ["serve", "--edition", target, "--host", HOST, "--workers", "1", *where]
            nodes.append(processes.enter_context(forked("citepress.cli:main", command, port, environment)))
        yield Fleet(nodes, address)


def _requests_of_three_hours_ago(address: str) -> None:
    """What each of three servers counted."""
    database, spool = open_rollup_store(Path(), address), open_spool(Path(), address)
    bot = SqlDimensions(database).family("GPTBot", "OpenAI", "training", "crawler", "direct", "", named=True)
    route = SqlDimensions(database).route("/robots.txt")
    hour = int(clock.now().timestamp()) // 3600 - 3
    for node in range(NODES):
        rows = [
            SpoolRow(0, hour * 3_600_000 + at, 7 + node, bot, 3, route, 0, 3, 200, 100, 1, 0, 0, 0)
            for at in range(REQUESTS)
        ]
        spool.append(f"node-{node}", Batch(rows, {}, [(hour, slot) for slot in range(360)]))
    spool.close()
    database.close()


def test_a_client_gets_its_limit_once_from_all_servers_together(fleet: Fleet) -> None:
    asks = [fleet.nodes[number % NODES] for number in range(QUOTA + NODES)]
    with ThreadPoolExecutor(COPIES) as threads:
        answers = list(threads.map(lambda node: node.ask("/posts.json", x_forwarded_for="203.0.113.9"), asks))
    assert sorted(answer.status for answer in answers) == [200] * QUOTA + [429] * NODES
    left = [int(answer.fields["ratelimit-remaining"]) for answer in answers if answer.status == 200]
    assert sorted(left) == list(range(QUOTA))


def test_a_submission_to_one_server_is_a_repeat_at_the_others_and_in_every_status(fleet: Fleet) -> None:
    body = json.dumps(SOURCE).encode()
    answers = [node.ask("/agent-inbox/source", "POST", body, **JSON_FIELDS, **node.client()) for node in fleet.nodes]
    assert [answer.status for answer in answers] == [202, 200, 200]
    number = answers[0].json()["id"]
    assert {answer.json()["id"] for answer in answers} == {number}
    for node in fleet.nodes:
        assert node.ask(f"/agent-inbox/submissions/{number}.json", **node.client()).json()["status"] == "queued"


def test_a_server_without_content_answers_tools_over_mcp(fleet: Fleet) -> None:
    for node in fleet.nodes:
        answers = [
            node.ask("/mcp", "POST", json.dumps(message).encode(), **MCP_FIELDS, **node.client())
            for message in (_call("search_archive", query="sandbox"), _call("whats_new"), _call("list_paid_tools"))
        ]
        for answer in answers:
            assert answer.status == 200, answer.text
            assert not answer.json()["result"].get("isError"), answer.text


def test_copies_of_one_payment_at_all_servers_are_one_transfer(fleet: Fleet) -> None:
    with payment_server_over(fleet.nodes[0], fleet.address) as counter:
        body, before = body_of(1), counter.moved()
        signature = signed_for(counter.terms(COVERAGE, body)).decode()

        def pay(node: Server) -> tuple[int, bytes, str]:
            fields = {**JSON_FIELDS, "payment_signature": signature, **node.client()}
            answer = node.ask(COVERAGE, "POST", body, **fields)
            return answer.status, answer.body, answer.fields.get("payment-response", "")

        with ThreadPoolExecutor(COPIES) as threads:
            answers = list(threads.map(pay, fleet.nodes * (COPIES // NODES)))
        assert {status for status, _, _ in answers} == {200}
        assert len(set(answers)) == 1
        assert counter.moved() - before == PRICE
    with closing(opened(fleet.address)) as database:
        ledger = SqlLedger(database)
        assert [(row.state, len(ledger.sent(row.key))) for row in ledger.payments()] == [(State.SETTLED, 1)]


def test_what_all_servers_counted_is_in_one_report_and_another_one_goes_on_when_the_elected_one_is_killed(
    fleet: Fleet,
) -> None:
    for node in fleet.nodes:
        assert until(lambda node=node: node.ask(REPORT, **node.client()).json()["status"] != "not_observed")
    reports = [node.ask(REPORT, **node.client()).json() for node in fleet.nodes]
    assert reports == [reports[0]] * NODES
    assert [(row["family"], row["requests"]) for row in reports[0]["windows"]["24h"]["families"]] == [
        ("GPTBot", NODES * REQUESTS)
    ]
    assert until(lambda: len(fleet.elected()) == 1)
    (first,) = fleet.elected()
    fleet.nodes[first].process.kill()
    fleet.nodes[first].process.wait(PATIENCE_S)
    assert until(lambda: len(fleet.elected()) == 1 and fleet.elected() != [first])
    for place in {*range(NODES)} - {first}:
        assert fleet.nodes[place].ask(REPORT, **fleet.nodes[place].client()).json() == reports[0]


def _call(tool: str, **arguments: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
