import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from x402.mechanisms.svm import KeypairSigner
from x402.mechanisms.svm.exact import ExactSvmClientScheme
from x402.schemas import PaymentRequirements

from citepress_payments.configuration import ConfiguredRail
from citepress_payments.drivers import DriverContext, DriverMissingError, driver
from citepress_payments.ports.chain import (
    CannotSucceed,
    Driver,
    Identity,
    Paid,
    PaymentRefused,
    Pending,
    Plan,
    Sent,
    Undecided,
    UnknownFee,
    Unreachable,
    Verified,
)
from citepress_payments.rails import BY_SLUG
from citepress_payments.settings import PaidRail
from support.buyers import NOW, SELLER_SVM, entry_of
from support.simulated_chain import Book, Watch
from support.solana import FEE, FINAL_AFTER, GOOD_FOR, MINT, SOL, Cluster, budget, cluster, memo, signed, token_transfer

PRICE = 50_000
NETWORK = "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1"
OTHER = str(Keypair.from_seed(bytes([9] * 32)).pubkey())


class Seller:
    """A rail over a cluster, with a buyer that has 10 USDC."""

    def __init__(self, chain: Cluster, folder: Path, url: str = "") -> None:
        self.chain, self.watch, self.book = chain, Watch(chain.now), Book()
        self.fees, self.buyer = Keypair.from_seed(bytes([1] * 32)), Keypair.from_seed(bytes([2] * 32))
        self.key = folder / "fees.key"
        self.key.write_text(json.dumps(list(bytes(self.fees))))
        self.key.chmod(0o600)
        chain.vm.airdrop(self.fees.pubkey(), SOL)
        chain.vm.airdrop(self.buyer.pubkey(), SOL)
        chain.mint(str(self.buyer.pubkey()), 10_000_000)
        chain.mint(SELLER_SVM, 0)
        self.driver = self.new_driver(url or chain.url)

    def new_driver(self, url: str, **settings: Any) -> Driver:
        rail = BY_SLUG["solana-usdc"]
        assert rail.test
        options = {
            "slug": rail.slug,
            "driver": "embedded",
            "rpc_urls": [url],
            "signer_key_file": str(self.key),
            **settings,
        }
        return driver(
            DriverContext(
                ConfiguredRail(rail, rail.test, SELLER_SVM, PaidRail.model_validate(options), testnet=True),
                self.watch,
                lambda _: None,
            )
        )

    def entry(self, text: str = "ab" * 16) -> dict[str, Any]:
        entry = entry_of("eip3009", (NETWORK, MINT), PRICE, 300, now=self.chain.now)
        entry["extra"] |= {**self.driver.extra(), "memo": text}
        return entry

    def payload(self, entry: dict[str, Any], **bent: Any) -> dict[str, Any]:
        """What a stock buyer sends, or nearly."""
        keys = [self.buyer, *bent.get("keys", [])]
        steps = bent.get("steps") or [
            *budget(bent.get("units", 20_000), bent.get("micros", 1)),
            token_transfer(bent.get("from_", self.buyer), bent.get("to", entry["payTo"]), bent.get("amount", PRICE)),
            *(memo(text) for text in bent.get("memos", [entry["extra"]["memo"]])),
        ]
        tx = signed(
            bent.get("payer", self.fees.pubkey()), steps, keys, bent.get("hash", self.chain.vm.latest_blockhash())
        )
        return {"transaction": base64.b64encode(bytes(tx)).decode()}

    def sent(self, entry: dict[str, Any], payload: dict[str, Any]) -> list[Sent]:
        self.driver.send(entry, payload, self.book)
        return self.book.sent


@pytest.fixture
def seller(tmp_path: Path) -> Iterator[Seller]:
    with cluster(NOW) as chain:
        yield Seller(chain, tmp_path)


@pytest.mark.parametrize("length", [16, 24, 32])
def test_an_exact_transfer_is_paid_once_it_is_final(seller: Seller, length: int) -> None:
    entry = seller.entry("m" * length)
    payload = seller.payload(entry)
    held = seller.chain.vm.get_balance(seller.fees.pubkey())
    identity = seller.driver.identify(entry, payload)
    assert isinstance(identity, Identity)
    assert identity.key.startswith("svm|solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1|")
    assert identity.payer == str(seller.buyer.pubkey())
    assert seller.driver.check(entry, payload, NOW) == Undecided()
    assert seller.driver.verify(entry, payload) == Verified(identity.payer)
    (sent,) = seller.sent(entry, payload)
    assert sent.raw
    assert seller.driver.reconcile(entry, payload, [sent], None) == Pending(sent.tx, identity.payer)
    seller.chain.advance(FINAL_AFTER)
    assert seller.driver.reconcile(entry, payload, [sent], None) == Paid(sent.tx, identity.payer, 2 * FEE)
    assert seller.chain.vm.get_balance(seller.fees.pubkey()) == held - 2 * FEE, "which is what our account has lost"
    assert seller.chain.units(SELLER_SVM) == PRICE


def test_the_journal_is_written_before_any_byte_leaves(seller: Seller) -> None:
    entry = seller.entry()
    payload = seller.payload(entry)

    def refuses(_plan: Plan) -> Sent:
        raise RuntimeError("the disk is full")

    with pytest.raises(RuntimeError, match="disk"):
        seller.driver.send(entry, payload, refuses)
    assert "sendTransaction" not in seller.chain.calls


def test_a_memo_longer_than_a_stock_buyer_can_pay_for_is_refused(seller: Seller) -> None:
    """Why the memo has 32 digits: stock buyers fix a limit of 20,000 compute units."""
    entry = seller.entry("m" * 64)
    outcome = seller.driver.verify(entry, seller.payload(entry))
    assert isinstance(outcome, PaymentRefused)
    assert outcome.reason == "transaction_simulation_failed"
    assert isinstance(seller.driver.verify(entry, seller.payload(entry, units=60_000)), Verified)


@pytest.mark.filterwarnings("ignore:Client is deprecated")
def test_the_stock_buyer_pays(seller: Seller) -> None:
    entry = seller.entry()
    client = ExactSvmClientScheme(KeypairSigner(seller.buyer), seller.chain.url)
    payload = client.create_payment_payload(PaymentRequirements.model_validate(entry))
    assert seller.driver.check(entry, payload, NOW) == Undecided()
    sent = seller.sent(entry, payload)
    seller.chain.advance(FINAL_AFTER)
    assert isinstance(seller.driver.reconcile(entry, payload, sent, None), Paid)


BENT: dict[str, tuple[dict[str, Any], str]] = {
    "over": ({"amount": PRICE + 1}, "amount_mismatch"),
    "under": ({"amount": PRICE - 1}, "amount_mismatch"),
    "to another": ({"to": OTHER}, "recipient_mismatch"),
    "no memo": ({"memos": []}, "invalid_payload"),
    "another memo": ({"memos": ["cd" * 16]}, "terms_hash_mismatch"),
    "two memos": ({"memos": ["ab" * 16, "ab" * 16]}, "terms_hash_mismatch"),
    "memo of no text": ({"memos": ["ab" * 16 + "\x00"]}, "terms_hash_mismatch"),
    "another fee payer": ({"payer": Pubkey.from_string(OTHER)}, "fee_payer_not_managed_by_facilitator"),
    "dear": ({"units": 1_400_000, "micros": 5_000_000}, "invalid_payload"),
    "dearer": ({"micros": 5_000_001}, "invalid_payload"),
}


@pytest.mark.parametrize("name", BENT)
def test_what_is_not_exact_is_refused_before_the_chain_is_asked(seller: Seller, name: str) -> None:
    bent, code = BENT[name]
    entry = seller.entry()
    calls = len(seller.chain.calls)
    outcome = seller.driver.check(entry, seller.payload(entry, **bent), NOW)
    assert isinstance(outcome, PaymentRefused)
    assert outcome.reason == code
    assert len(seller.chain.calls) == calls


def test_our_own_tokens_are_never_signed_away(seller: Seller) -> None:
    entry = seller.entry()
    outcome = seller.driver.check(entry, seller.payload(entry, from_=seller.fees), NOW)
    assert isinstance(outcome, PaymentRefused)
    assert outcome.reason == "invalid_payload"


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"transaction": 1},
        {"transaction": ""},
        {"transaction": "AA=="},
        {"transaction": "AQ"},
        {"transaction": "A" * 4000},
        {"transaction": base64.b64encode(b"\x81\x00" + bytes(80)).decode()},
        {"transaction": base64.b64encode(b"\x00\x80\xff\xff\xff").decode()},
    ],
)
def test_what_is_no_transaction_is_refused(seller: Seller, payload: dict[str, Any]) -> None:
    outcome = seller.driver.identify(seller.entry(), payload)
    assert isinstance(outcome, PaymentRefused)
    assert outcome.reason == "invalid_payload"


def test_every_cut_of_a_payment_is_refused(seller: Seller) -> None:
    entry = seller.entry()
    whole = base64.b64decode(seller.payload(entry)["transaction"])
    for length in range(len(whole)):
        assert isinstance(
            seller.driver.identify(entry, {"transaction": base64.b64encode(whole[:length]).decode()}), PaymentRefused
        )


def test_a_signature_by_another_is_refused(seller: Seller) -> None:
    entry = seller.entry()
    data = bytearray(base64.b64decode(seller.payload(entry)["transaction"]))
    data[70] ^= 1
    outcome = seller.driver.verify(entry, {"transaction": base64.b64encode(data).decode()})
    assert isinstance(outcome, PaymentRefused)
    assert outcome.payer == str(seller.buyer.pubkey())


def test_svm_drain_race_is_refused(seller: Seller) -> None:
    """The buyer empties the account between our look and the block: a transaction that failed is not a payment."""
    entry = seller.entry()
    payload = seller.payload(entry)
    assert isinstance(seller.driver.verify(entry, payload), Verified)
    seller.chain.lost = True
    sent = seller.sent(entry, payload)
    seller.chain.lost = False
    seller.chain.mint(str(seller.buyer.pubkey()), 0)
    assert isinstance(seller.driver.reconcile(entry, payload, sent, None), Pending)
    seller.chain.advance(FINAL_AFTER)
    assert seller.driver.reconcile(entry, payload, sent, None) == CannotSucceed(
        "transaction_failed", sent[0].tx, 2 * FEE
    ), "a transaction that failed is charged for"
    seller.chain.silent = True
    outcome = seller.driver.reconcile(entry, payload, sent, None)
    assert isinstance(outcome, CannotSucceed)
    assert outcome.fee == UnknownFee("the node does not state the fee")


def test_a_lost_transaction_is_sent_again(seller: Seller) -> None:
    entry = seller.entry()
    payload = seller.payload(entry)
    seller.chain.lost = True
    sent = seller.sent(entry, payload)
    assert seller.chain.units(SELLER_SVM) == 0
    seller.chain.lost = False
    assert isinstance(seller.driver.reconcile(entry, payload, sent, None), Pending)
    seller.chain.advance(FINAL_AFTER)
    assert isinstance(seller.driver.reconcile(entry, payload, sent, None), Paid)


def test_a_transaction_that_never_landed_fails_when_its_blockhash_is_too_old(seller: Seller) -> None:
    entry = seller.entry()
    payload = seller.payload(entry)
    seller.chain.lost = True
    sent = seller.sent(entry, payload)
    seller.chain.advance(GOOD_FOR)
    assert isinstance(seller.driver.reconcile(entry, payload, sent, None), Pending), (
        "the finalized slot does not say so yet"
    )
    seller.chain.advance(FINAL_AFTER)
    assert seller.driver.reconcile(entry, payload, sent, None) == CannotSucceed("blockhash_expired", sent[0].tx)


def test_a_rail_says_why_it_cannot_open(seller: Seller, tmp_path: Path) -> None:
    assert seller.driver.health().available
    gone = seller.new_driver("http://127.0.0.1:9")
    assert not gone.health().available
    assert isinstance(gone.verify(seller.entry(), seller.payload(seller.entry())), Unreachable)
    with cluster(NOW) as bare:
        assert "is not a token" in seller.new_driver(bare.url).health().reason
    for mode, text, words in ((0o644, seller.key.read_text(), "chmod 600"), (0o600, "nonsense", "no key pair")):
        key = tmp_path / f"other-{mode:o}.key"
        key.write_text(text)
        key.chmod(mode)
        with pytest.raises(DriverMissingError, match=words) as error:
            seller.new_driver(seller.chain.url, signer_key_file=str(key))
        assert text not in str(error.value)
