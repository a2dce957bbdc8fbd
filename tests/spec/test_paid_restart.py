"""A purchase outlives its server: the archive changes, a rail closes and the process ends meanwhile."""

import contextlib
import json
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.edition.edition import open_edition, pointer
from citepress.settings import Settings, deployment_of
from citepress_payments.settings import SIMULATED_SELLER
from citepress_payments.stores.ledger import SqlLedger
from citepress_payments.terms import commitment
from support.folder import folder, post
from support.otters import OTTERS, QUESTION
from support.payment_service import decoded
from support.running_server import serving
from support.server_with_payments import BUNDLE, PRICE, WETH, payment_server_over, signed_for
from support.stores import opened
from support.waiting import until

ASK = json.dumps({"query": QUESTION, "max_sources": 4}).encode()
OTHER = json.dumps({"query": QUESTION, "max_sources": 3}).encode()
SITE = f'title = "Otters"\n[payments]\nnetworks = "test"\npay_to_evm = "{SIMULATED_SELLER}"\n'
FINAL = '[[payments.rails]]\nslug = "base-usdc"\ndriver = "simulated"\nfinality = "finalized"\n'
PRICED = (
    '[[payments.rails]]\nslug = "base-weth"\ndriver = "simulated"\nprices = [{ source = "static", price = "3000.00",'
    " valid_until = 2100-01-01 }]\n"
)
FILES = {f"content/{id_}.md": text for id_, text in OTTERS.items()}
SECRET = "k3y-of-the-operator"  # noqa: S105  (a word to look for)


@pytest.mark.requirement("handshake replay")
def test_a_purchase_outlives_changes_of_archive_rails_and_process(tmp_path: Path) -> None:
    content, state = folder(tmp_path / "content", FILES, SITE + FINAL + PRICED), tmp_path / "state"
    address = str(state / "state.sqlite")
    with serving(content, state) as server, payment_server_over(server, address) as counter:
        bought = signed_for(counter.terms(WETH, ASK))
        first = counter.post(WETH, ASK, bought)
        assert first.status == 200, first.text
        terms = counter.terms(BUNDLE, OTHER)
        signature = signed_for(terms)
        with ThreadPoolExecutor(1) as threads, contextlib.closing(opened(address)) as books:
            answer = threads.submit(counter.post, BUNDLE, OTHER, signature)
            assert until(lambda: len(SqlLedger(books).payments()) == 2)
            server.process.send_signal(signal.SIGTERM)
            ended = answer.result()
        assert ended.status == 200, "what is begun is finished while the server stops"
    (content / "content/posts/later.md").write_text(
        post("Otters rest beside a weir at night, says later.", title="Later"), "utf-8"
    )
    (content / "site.toml").write_text(SITE + FINAL, "utf-8")
    with serving(content, state) as server, payment_server_over(server, address) as counter:
        again = counter.post(BUNDLE, OTHER, signature)
        assert (again.status, again.body, counter.moved()) == (200, ended.body, PRICE)
        salt = bytes.fromhex(
            decoded(again.fields["payment-response"].encode())["extensions"]["citepress"]["resultSalt"]
        )
        assert commitment(salt, again.body) == terms["accepts"][0]["extra"]["resultCommitment"]
        closed = counter.post(WETH, ASK, bought)
        assert (closed.status, closed.body) == (200, first.body), "a paid result is served after its rail was closed"
        assert counter.post(WETH, ASK).json()["code"] == "unknown_rail"
        assert counter.post(f"{BUNDLE}/volatile/no-rail", ASK, bought).status == 404
        assert counter.post(f"{BUNDLE}/volatile/base-cbbtc", ASK, bought).status in (402, 503)


def test_addresses_of_nodes_and_keys_are_on_no_page(tmp_path: Path) -> None:
    rails = f"""
[[payments.rails]]
slug = "base-usdc"
driver = "facilitator"
facilitator_url = "https://facilitator.example/{SECRET}"
rpc_urls = ["https://node.example/{SECRET}"]
signer_key_file = "/{SECRET}"

[[payments.rails]]
slug = "base-weth"
driver = "embedded"
rpc_urls = ["https://node.example/{SECRET}"]
signer_key_file = "/{SECRET}"
prices = [{{ source = "http_json", url = "https://price.example/?key={SECRET}", pointer = "/a" }}]
"""
    content = folder(tmp_path / "content", FILES, SITE + rails)
    Builder(Settings(content, tmp_path / "state")).build(clock.now())
    edition = open_edition(pointer(tmp_path / "state"))
    assert SECRET in str(deployment_of(pointer(tmp_path / "state")))
    assert SECRET not in str(edition.config)
    leaks = [path for path in edition.paths() if SECRET.encode() in bytes(edition.body(path) or b"")]
    assert leaks == []
    assert not any(SECRET in edition.page_template(name).decode() for name in edition._page_templates)  # noqa: SLF001
