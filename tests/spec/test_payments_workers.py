"""Copies of one paid request over several worker processes, with PostgreSQL and Valkey behind them."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil

from citepress_payments.ports.rows import State
from citepress_payments.stores.ledger import SqlLedger
from support.database_servers import address_of, postgresql_running, schema_of, valkey_running
from support.demo import DEMO
from support.running_server import serving
from support.server_with_payments import COVERAGE, PRICE, body_of, payment_server_over, signed_for
from support.stores import opened

COPIES = 24


def test_24_copies_two_processes_one_transfer(tmp_path: Path) -> None:
    with postgresql_running() as postgresql, valkey_running() as valkey:
        address = schema_of(postgresql)
        named = {"database_url": address, "valkey_url": address_of(valkey)}
        with (
            serving(DEMO, tmp_path, "--workers", "2", **named) as server,
            payment_server_over(server, address) as counter,
        ):
            for round_ in range(3):
                body, before = body_of(round_), counter.moved()
                signature = signed_for(counter.terms(COVERAGE, body))
                with ThreadPoolExecutor(COPIES) as threads:
                    answers = list(
                        threads.map(lambda _, b=body, s=signature: counter.post(COVERAGE, b, s), range(COPIES))
                    )
                assert [answer.status for answer in answers] == [200] * COPIES
                assert len({(answer.body, answer.fields["payment-response"]) for answer in answers}) == 1
                assert counter.moved() - before == PRICE
            assert (
                len([child for child in psutil.Process(server.process.pid).children() if child.net_connections("tcp")])
                >= 2
            )
            database = opened(address)
            ledger = SqlLedger(database)
            rows = ledger.payments()
            assert [(row.state, len(ledger.sent(row.key))) for row in rows] == [(State.SETTLED, 1)] * 3
            database.close()
