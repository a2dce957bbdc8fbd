"""The till over each database: what strangers write in a header never becomes a fault of the store."""

from pathlib import Path

import pytest

from citepress.stores.sql.database import Database
from citepress_payments.outcomes import PurchaseResult, RefusedAnswer
from support.payment_service import RESULT, Unlimited, header, paid, payment_harness


@pytest.mark.parametrize("name", ["q_" + "\0" * 22, "\0", "q_" + "é" * 22])
def test_names_that_a_database_cannot_hold_are_refused(database: Database, tmp_path: Path, name: str) -> None:
    harness = payment_harness(tmp_path, database=database, counters=Unlimited())
    entry = dict(harness.terms().quote.entries[0])
    entry["extra"] = {**entry["extra"], "quoteId": name}
    refused = harness.signed(header(entry, {"signature": "\0"}))
    assert isinstance(refused, RefusedAnswer)
    assert refused.code == "unknown_quote"
    harness.close()


def test_a_purchase_and_its_replay_over_each_database(database: Database, tmp_path: Path) -> None:
    harness = payment_harness(tmp_path, database=database, counters=Unlimited())
    terms = harness.terms()
    field = paid(terms, harness.watch)
    spoiled = header(terms.quote.entries[0], {"authorization": {"from": "\0"}, "signature": "\0"})
    assert isinstance(harness.signed(spoiled), RefusedAnswer)
    first = harness.signed(field)
    assert isinstance(first, PurchaseResult)
    assert first.body == RESULT
    assert isinstance(harness.signed(field), PurchaseResult)
    harness.close()
