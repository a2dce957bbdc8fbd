"""Prices from outside: a Chainlink feed by raw ``eth_call``, and a number in a JSON document over TLS."""

import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

import orjson

from citepress.base import clock
from citepress.contract.paid import ChainlinkPrice, ExchangePrice, HttpPrice, PriceSource, StaticPrice
from citepress.payments.json_client import checked
from citepress.payments.ports import PriceError, PriceFeed
from citepress.payments.price_oracle import FetchedFeed, StaticFeed

SECONDS = 5.0
MOST_BYTES = 64 * 1024
OK = 200
GRACE = 300
"""Seconds that a Chainlink round may be late."""
SEQUENCER_GRACE = 3600
"""Seconds after a sequencer came back in which its prices are not believed."""
ROUND, DECIMALS = "0xfeaf968c", "0x313ce567"
"""Selectors of ``latestRoundData()`` and ``decimals()``."""
WORD = 64
MOST_DECIMALS = 36
EXCHANGES = {
    "coinbase": ("https://api.coinbase.com/v2/prices/{pair}/spot", "/data/amount"),
    "kraken": ("https://api.kraken.com/0/public/Ticker?pair={pair}", "/result/*/c/0"),
}


def feed(source: PriceSource) -> PriceFeed:
    """The feed that a row of ``site.toml`` names. Raises ``ValueError`` for an address that is neither TLS nor on loopback."""
    if isinstance(source, StaticPrice):
        return StaticFeed(source.price, int(source.valid_until.timestamp()))
    if isinstance(source, ChainlinkPrice):
        checked(source.rpc)
        return FetchedFeed(f"chainlink {source.feed}", Chainlink(source).price)
    if isinstance(source, ExchangePrice):
        url, pointer = EXCHANGES[source.source]
        source = HttpPrice(source="http_json", url=url.format(pair=source.pair), pointer=pointer)
    return FetchedFeed(urlsplit(source.url).hostname or "", HttpJson(source.url, source.pointer).price)


@dataclass(frozen=True, slots=True)
class HttpJson:
    """A number at a JSON Pointer of a document."""

    url: str
    pointer: str

    def price(self, _now: int) -> str:
        """The number in decimal text. Raises ``PriceError``."""
        value: Any = _json(self.url)
        for step in self.pointer.split("/")[1:]:
            value = _member(value, step.replace("~1", "/").replace("~0", "~"))
        if not isinstance(value, str):
            raise PriceError(f"{urlsplit(self.url).hostname} has no number at {self.pointer}")
        return value


@dataclass(frozen=True, slots=True)
class Chainlink:
    """A Chainlink feed on an EVM chain."""

    told: ChainlinkPrice

    def price(self, now: int) -> str:
        """The answer of the last round in decimal text. Raises ``PriceError``."""
        if self.told.sequencer:
            down, since, _ = self._round(self.told.sequencer)
            if down or now - since < SEQUENCER_GRACE:
                raise PriceError("the sequencer is down, or came back just now")
        answer, _, updated = self._round(self.told.feed)
        if answer <= 0 or not -GRACE <= now - updated <= self.told.heartbeat + GRACE:
            raise PriceError(f"the round of {self.told.feed} is stale or empty")
        decimals = self._words(self.told.feed, DECIMALS, 1)[0]
        if decimals > MOST_DECIMALS:
            raise PriceError(f"{self.told.feed} is no price feed")
        return f"{Decimal(answer).scaleb(-decimals):f}"

    def _round(self, address: str) -> tuple[int, int, int]:
        """Answer, start and last update of the last round."""
        _, answer, started, updated, _ = self._words(address, ROUND, 5)
        return (answer - 2**256 if answer >> 255 else answer), started, updated

    def _words(self, address: str, selector: str, count: int) -> list[int]:
        call = {"to": address, "data": selector}
        told = _json(self.told.rpc, {"jsonrpc": "2.0", "id": 1, "method": "eth_call", "params": [call, "latest"]})
        result = told.get("result") if isinstance(told, dict) else None
        if not isinstance(result, str) or len(result) != 2 + WORD * count:
            raise PriceError(f"{address} gave no answer to eth_call")
        try:
            return [int(result[start : start + WORD], 16) for start in range(2, len(result), WORD)]
        except ValueError:
            raise PriceError(f"{address} gave no answer to eth_call") from None


def _json(url: str, post: Mapping[str, Any] | None = None) -> Any:  # noqa: ANN401  (JSON is any shape)
    """The JSON at an address: no redirects, five seconds, 64 KB. Raises ``PriceError`` that names the host alone, because addresses hold keys."""
    place = urlsplit(url)
    host = place.hostname or ""
    connection = (
        HTTPSConnection(host, place.port, timeout=SECONDS, context=ssl.create_default_context())
        if place.scheme == "https"
        else HTTPConnection(host, place.port, timeout=SECONDS)
    )
    target = (place.path or "/") + (f"?{place.query}" if place.query else "")
    body = orjson.dumps(post) if post else None
    fields = {"Accept": "application/json", "User-Agent": "citepress", **({"Content-Type": "application/json"} if post else {})}
    try:
        connection.request("POST" if post else "GET", target, body, fields)
        answer = connection.getresponse()
        data = _read(answer)
    except (OSError, HTTPException) as error:
        raise PriceError(f"{host} does not answer: {type(error).__name__}") from None
    finally:
        connection.close()
    if answer.status != OK or len(data) > MOST_BYTES:
        raise PriceError(f"{host} answered {answer.status} with {len(data)} bytes")
    try:
        return json.loads(data, parse_float=str, parse_int=str)  # a price never becomes a float
    except (ValueError, RecursionError):
        raise PriceError(f"{host} answered no JSON") from None


def _read(answer: HTTPResponse) -> bytes:
    """The body, up to a byte beyond the limit. Raises ``TimeoutError`` where it drips."""
    until, data = clock.seconds() + SECONDS, b""
    while len(data) <= MOST_BYTES and (part := answer.read1(8192)):
        data += part
        if clock.seconds() > until:
            raise TimeoutError
    return data


def _member(value: object, step: str) -> object:
    """A member of an object or array; ``*`` is the first. ``None`` where there is none."""
    if isinstance(value, dict):
        return next(iter(value.values()), None) if step == "*" else value.get(step)
    if isinstance(value, list) and step.isdecimal() and int(step[:6]) < len(value):
        return value[int(step[:6])]
    return None
