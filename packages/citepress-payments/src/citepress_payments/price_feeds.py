"""Prices from outside: a Chainlink feed by raw ``eth_call``, and a number in a JSON document over TLS."""

import json
from decimal import Decimal
from typing import Any

from citepress.base.outgoing import OutgoingClient, OutgoingError, Rules, check_address
from citepress_payments.chains.jsonrpc import Node, RefusedError
from citepress_payments.ports.prices import PriceError, PriceFeed
from citepress_payments.price_oracle import FetchedFeed, StaticFeed
from citepress_payments.settings import ChainlinkPrice, ExchangePrice, HttpPrice, PriceSource, StaticPrice

FEED_TIMEOUT_S = 5.0
MAX_PRICE_BYTES = 64 * 1024
OK = 200
ROUND_GRACE_S = 300
"""Seconds that a Chainlink round may be late."""
SEQUENCER_GRACE = 3600
"""Seconds after a sequencer came back in which its prices are not believed."""
ROUND, DECIMALS = "0xfeaf968c", "0x313ce567"
"""Selectors of ``latestRoundData()`` and ``decimals()``."""
WORD_DIGITS = 64
MAX_DECIMALS = 36
EXCHANGES = {
    "coinbase": ("https://api.coinbase.com/v2/prices/{pair}/spot", "/data/amount"),
    "kraken": ("https://api.kraken.com/0/public/Ticker?pair={pair}", "/result/*/c/0"),
}


def feed(source: PriceSource) -> PriceFeed:
    """The feed that a row of ``site.toml`` names.

    Raises ``ValueError`` for an address that is neither TLS nor on loopback.
    """
    if isinstance(source, StaticPrice):
        return StaticFeed(source.price, int(source.valid_until.timestamp()))
    if isinstance(source, ChainlinkPrice):
        return FetchedFeed(f"chainlink {source.feed}", Chainlink(source).price)
    if isinstance(source, ExchangePrice):
        url, pointer = EXCHANGES[source.source]
        source = HttpPrice(source="http_json", url=url.format(pair=source.pair), pointer=pointer)
    document = HttpJson(source.url, source.pointer)
    return FetchedFeed(document.host, document.price)


class HttpJson:
    """A number at a JSON Pointer of a document."""

    def __init__(self, url: str, pointer: str) -> None:
        """Raises ``ValueError`` for an address that is neither TLS nor on loopback."""
        self.host = check_address(url).hostname or ""
        self._url, self._pointer = url, pointer
        self._client = OutgoingClient(Rules("prices", total_s=FEED_TIMEOUT_S, most_bytes=MAX_PRICE_BYTES))

    def price(self, _now: int) -> str:
        """The number in decimal text. Raises ``PriceError``."""
        member = self._document()
        for step in self._pointer.split("/")[1:]:
            member = _member(member, step.replace("~1", "/").replace("~0", "~"))
        if not isinstance(member, str):
            raise PriceError(f"{self.host} has no number at {self._pointer}")
        return member

    def _document(self) -> object:
        """The JSON at the address, numbers as text. Raises ``PriceError``."""
        try:
            answer = self._client.get(self._url, {"Accept": "application/json"})
        except OutgoingError as error:
            raise PriceError(str(error)) from None
        if answer.status != OK:
            raise PriceError(f"{self.host} answered {answer.status}")
        try:
            document: object = json.loads(answer.body, parse_float=str, parse_int=str)  # a price is never a float
        except (ValueError, RecursionError):
            raise PriceError(f"{self.host} answered without JSON") from None
        return document


class Chainlink:
    """A Chainlink feed on an EVM chain."""

    def __init__(self, source: ChainlinkPrice) -> None:
        """Raises ``ValueError`` for an address that is neither TLS nor on loopback."""
        self._source, self._node = source, Node(source.rpc, FEED_TIMEOUT_S)

    def price(self, now: int) -> str:
        """The answer of the last round in decimal text. Raises ``PriceError``."""
        source = self._source
        # While a sequencer is down the feeds of its chain stand still, and the first price afterwards may be an old
        # one.
        if source.sequencer:
            down, since, _ = self._round(source.sequencer)
            if down or now - since < SEQUENCER_GRACE:
                raise PriceError("the sequencer is down, or came back just now")
        answer, _, updated = self._round(source.feed)
        if answer <= 0 or not -ROUND_GRACE_S <= now - updated <= source.heartbeat + ROUND_GRACE_S:
            raise PriceError(f"the round of {source.feed} is stale or empty")
        decimals = self._words(source.feed, DECIMALS, 1)[0]
        if decimals > MAX_DECIMALS:
            raise PriceError(f"{source.feed} is not a price feed")
        return f"{Decimal(answer).scaleb(-decimals):f}"

    def _round(self, address: str) -> tuple[int, int, int]:
        """Answer, start and last update of the last round."""
        _, answer, started, updated, _ = self._words(address, ROUND, 5)
        return (answer - 2**256 if answer >> 255 else answer), started, updated

    def _words(self, address: str, selector: str, count: int) -> list[int]:
        """The words that a contract answers. Raises ``PriceError``."""
        try:
            words: Any = self._node.ask("eth_call", [{"to": address, "data": selector}, "latest"])
        except (OutgoingError, RefusedError) as error:
            raise PriceError(f"{address} did not answer eth_call: {error}") from None
        if not isinstance(words, str) or len(words) != 2 + WORD_DIGITS * count:
            raise PriceError(f"{address} answered eth_call in an unknown shape")
        try:
            return [int(words[start : start + WORD_DIGITS], 16) for start in range(2, len(words), WORD_DIGITS)]
        except ValueError:
            raise PriceError(f"{address} answered eth_call in an unknown shape") from None


def _member(parent: object, step: str) -> object:
    """A member of an object or array; ``*`` is the first. ``None`` where there is none."""
    if isinstance(parent, dict):
        return next(iter(parent.values()), None) if step == "*" else parent.get(step)
    if isinstance(parent, list) and step.isdecimal() and int(step[:6]) < len(parent):
        return parent[int(step[:6])]
    return None
