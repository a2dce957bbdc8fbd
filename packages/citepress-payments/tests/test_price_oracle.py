"""Prices: amounts in whole units, and the rules under which a rail fails closed (design, section 5)."""

import json
from contextlib import contextmanager
from fractions import Fraction
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from citepress_payments.outcomes import Terms, Unavailable
from citepress_payments.ports.prices import Price, PriceError
from citepress_payments.price_feeds import Chainlink, HttpJson, feed
from citepress_payments.price_oracle import (
    FetchedFeed,
    PriceMovedError,
    PriceOracle,
    StaticFeed,
    fixed_amount,
    priced_amount,
)
from citepress_payments.rails import Lane
from citepress_payments.settings import ChainlinkPrice, ExchangePrice, StaticPrice
from support.buyers import NOW
from support.payment_service import payment_harness

FEED = "0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70"


class Told:
    """A source that says what a test wants."""

    def __init__(self, *prices: str | None) -> None:
        self.prices = list(prices)
        self.reads = 0

    def read(self, now: int) -> Price:
        self.reads += 1
        price = self.prices[min(self.reads, len(self.prices)) - 1]
        if price is None:
            raise PriceError("the source is silent")
        return Price(price, now, "told")


def test_amounts_of_the_golden_vectors() -> None:
    assert fixed_amount(50_000, 6) == 50_000
    assert priced_amount(50_000, Fraction("612.40"), 18) == 82_462_442_847_812


def test_an_amount_is_rounded_up() -> None:
    assert priced_amount(1, Fraction("1000000"), 6) == 1


@pytest.mark.parametrize(
    ("sources", "least", "why"),
    [
        ([Told(None)], 1, "0 of 1 prices are fresh: the source is silent"),
        ([Told("100"), Told(None)], 2, "1 of 2"),
        ([Told("100"), Told("101.1")], 1, "1 % apart"),
        ([Told("0")], 1, "1 % apart"),
    ],
)
def test_price_rules_fail_closed(sources: list[Any], least: int, why: str) -> None:
    with pytest.raises(PriceError, match=why):
        PriceOracle(sources, least).rate(NOW)


def test_the_median_of_the_fresh_prices_counts() -> None:
    rate = PriceOracle([Told("100"), Told("100.5"), Told("100.2"), Told(None)], 2).rate(NOW)
    assert rate.usd == Fraction("100.2")
    assert rate.basis == "100.2 USD: told, told, told"


def test_a_price_is_read_twice_a_minute_and_used_for_ninety_seconds() -> None:
    source = Told("100", None)
    book = PriceOracle([source], 1)
    book.rate(NOW)
    book.rate(NOW + 29)
    assert source.reads == 1
    book.rate(NOW + 90)
    assert source.reads == 2
    with pytest.raises(PriceError):
        book.rate(NOW + 121)


def test_a_jump_is_not_believed_until_somebody_looked_or_an_hour_went_by() -> None:
    book = PriceOracle([Told("100", "111", "111", "133")], 1)
    book.rate(NOW)
    with pytest.raises(PriceMovedError):
        book.rate(NOW + 30)
    book.forget()
    assert book.rate(NOW + 60).usd == 111
    assert book.rate(NOW + 3661).usd == 133


def test_a_price_that_jumps_pauses_its_rail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    harness = payment_harness(tmp_path)
    order = harness.order(lane=Lane.VOLATILE, slug="base-weth")
    assert isinstance(harness.preflight(order), Terms)
    rail = harness.paying.rails.of("base-weth")
    assert rail
    monkeypatch.setattr(StaticFeed, "read", lambda _self, now: Price("4000", now, "static"))
    harness.watch.now += 30
    assert isinstance(harness.preflight(order), Unavailable)
    assert [(pause.rail, pause.by) for pause in harness.paying.ledger.pauses()] == [("base-weth", "citepress")]
    assert isinstance(harness.preflight(), Terms), "other rails go on"
    harness.paying.ledger.resume("base-weth", "test", harness.watch.now)
    assert isinstance(harness.preflight(order), Terms), "somebody looked, so the new price counts"
    harness.close()


def test_a_static_price_ends() -> None:
    source = feed(StaticPrice.model_validate({"source": "static", "price": "3000.00", "valid_until": "2026-11-22"}))
    assert source.read(1_795_305_600).usd == "3000.00"
    with pytest.raises(PriceError, match="no longer valid"):
        source.read(1_795_305_601)


@pytest.mark.parametrize("text", ["x", "NaN", "Infinity", "0", "-1", ""])
def test_what_is_no_price_is_refused(text: str) -> None:
    with pytest.raises(PriceError):
        FetchedFeed("somewhere", lambda _now: text).read(NOW)


def _word(value: int) -> str:
    return f"{value % 2**256:064x}"


def _round(answer: int, updated: int, started: int = 0) -> str:
    return "0x" + "".join(_word(value) for value in (1, answer, started, updated, 1))


@contextmanager
def _answering(bodies: dict[str, bytes], status: int = 200) -> Any:
    """A server that answers a path, or a JSON-RPC call by what its body holds."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = self.rfile.read(int(self.headers["content-length"])).decode()
            answer = next(body for mark, body in bodies.items() if mark in request)
            self._send(answer.replace(b'"id":1', b'"id":%d' % json.loads(request)["id"]))

        def do_GET(self) -> None:
            self._send(bodies[self.path])

        def _send(self, body: bytes) -> None:
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def _result(text: str) -> bytes:
    return b'{"jsonrpc":"2.0","id":1,"result":"' + text.encode() + b'"}'


def _chainlink(rpc: str, **more: Any) -> Chainlink:
    return Chainlink(
        ChainlinkPrice.model_validate({"source": "chainlink", "rpc": rpc, "feed": FEED, "heartbeat": 1200} | more)
    )


def test_a_chainlink_round_is_read_with_its_decimals() -> None:
    with _answering(
        {"0xfeaf968c": _result(_round(312_345_678_901, NOW - 1500)), "0x313ce567": _result("0x" + _word(8))}
    ) as rpc:
        assert _chainlink(rpc).price(NOW) == "3123.45678901"
        source = feed(
            ChainlinkPrice.model_validate({"source": "chainlink", "rpc": rpc, "feed": FEED, "heartbeat": 1200})
        )
        assert source.read(NOW).source == f"chainlink {FEED}"


@pytest.mark.parametrize(
    "answer", [_round(1, NOW - 1501), _round(1, NOW + 301), _round(0, NOW), _round(-5, NOW), "0x", "0x" + "zz" * 160]
)
def test_a_stale_or_empty_round_is_refused(answer: str) -> None:
    with (
        _answering({"0xfeaf968c": _result(answer), "0x313ce567": _result("0x" + _word(8))}) as rpc,
        pytest.raises(PriceError),
    ):
        _chainlink(rpc).price(NOW)


@pytest.mark.parametrize(("answer", "since"), [(1, NOW - 9999), (0, NOW - 3599)])
def test_a_sequencer_that_is_or_was_down_is_not_believed(answer: int, since: int) -> None:
    other = "0x" + "ab" * 20
    bodies = {
        other: _result(_round(answer, NOW, since)),
        "0xfeaf968c": _result(_round(100, NOW)),
        "0x313ce567": _result("0x" + _word(1)),
    }
    with _answering(bodies) as rpc, pytest.raises(PriceError, match="sequencer"):
        _chainlink(rpc, sequencer=other).price(NOW)


def test_decimals_beyond_reason_are_refused() -> None:
    bodies = {"0xfeaf968c": _result(_round(1, NOW)), "0x313ce567": _result("0x" + _word(99))}
    with _answering(bodies) as rpc, pytest.raises(PriceError, match="not a price feed"):
        _chainlink(rpc).price(NOW)


def test_a_number_in_a_document_is_read_without_a_float() -> None:
    document = (
        b'{"result":{"XETHZUSD":{"c":["3123.450000000000000001","1"]}},'
        b'"n":0.1000000000000000000001,"a/b":{"~":7},"t":true}'
    )
    with _answering({"/x?pair=1": document}) as url:
        prices = {
            pointer: HttpJson(f"{url}/x?pair=1", pointer).price(NOW) for pointer in ("/result/*/c/0", "/n", "/a~1b/~0")
        }
        assert prices == {"/result/*/c/0": "3123.450000000000000001", "/n": "0.1000000000000000000001", "/a~1b/~0": "7"}
        for pointer in ("/t", "/result", "/missing", "/result/*/c/9", "/n/x"):
            with pytest.raises(PriceError, match="no number"):
                HttpJson(f"{url}/x?pair=1", pointer).price(NOW)


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"{", 200), (b"[" * 60_000, 200), (b'"' + b"1" * 70_000 + b'"', 200), (b"{}", 302), (b"{}", 500)],
)
def test_what_does_not_answer_properly_gives_no_price(body: bytes, status: int) -> None:
    with _answering({"/": body}, status) as url, pytest.raises(PriceError):
        HttpJson(f"{url}/", "/a").price(NOW)


def test_nobody_there_gives_no_price_and_no_address_is_told() -> None:
    with pytest.raises(PriceError) as error:
        HttpJson("http://127.0.0.1:9/secret-key", "/a").price(NOW)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(("name", "host"), [("coinbase", "api.coinbase.com"), ("kraken", "api.kraken.com")])
def test_exchanges_are_known_by_name(name: str, host: str) -> None:
    source = feed(ExchangePrice.model_validate({"source": name, "pair": "ETH-USD"}))
    assert isinstance(source, FetchedFeed)
    assert source.source == host


def test_a_document_over_plain_http_elsewhere_is_refused_at_the_start() -> None:
    with pytest.raises(ValueError, match="has to be https, or http on loopback"):
        HttpJson("http://10.0.0.1/price", "/a")
