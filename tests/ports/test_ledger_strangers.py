"""The till over each database: what strangers write in a header never becomes a fault of the store."""

from pathlib import Path

import pytest

from citepress.payments.outcomes import PurchaseResult, RefusedAnswer
from citepress.stores.sql.database import Database
from support.shopping import RESULT, Unlimited, header, market, paid


@pytest.mark.parametrize("name", ["q_" + "\0" * 22, "\0", "q_" + "é" * 22])
def test_names_that_a_database_cannot_hold_are_refused(database: Database, tmp_path: Path, name: str) -> None:
    shop = market(tmp_path, database=database, counters=Unlimited())
    entry = dict(shop.terms().quote.entries[0])
    entry["extra"] = {**entry["extra"], "quoteId": name}
    refused = shop.signed(header(entry, {"signature": "\0"}))
    assert isinstance(refused, RefusedAnswer)
    assert refused.code == "unknown_quote"
    shop.close()


def test_a_purchase_and_its_replay_over_each_database(database: Database, tmp_path: Path) -> None:
    shop = market(tmp_path, database=database, counters=Unlimited())
    terms = shop.terms()
    field = paid(terms, shop.watch)
    spoiled = header(terms.quote.entries[0], {"authorization": {"from": "\0"}, "signature": "\0"})
    assert isinstance(shop.signed(spoiled), RefusedAnswer)
    first = shop.signed(field)
    assert isinstance(first, PurchaseResult)
    assert first.body == RESULT
    assert isinstance(shop.signed(field), PurchaseResult)
    shop.close()
