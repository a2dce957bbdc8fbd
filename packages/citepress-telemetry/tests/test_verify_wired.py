"""Reverse DNS and signatures as the writer and the closing use them."""

import base64
import json
import threading
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from http_message_signatures import HTTPMessageSigner, MappingKeyResolver
from http_message_signatures.algorithms import ED25519

from citepress_telemetry.identify.verify.directories import DirectoriesError, Directory, keys_of
from citepress_telemetry.identify.verify.rdns import ReverseDns
from citepress_telemetry.model import VERIFY
from citepress_telemetry.ports import SIGNED, SpoolRow
from citepress_telemetry.rollup.aggregator import Aggregator, AggregatorRules
from citepress_telemetry.rollup.closing import Signatures
from citepress_telemetry.sql.rollups import SqlRollups
from support.traffic_counter import GPTBOT, HOUR, START_NS, TrafficCounter

AUTHORITY = "archive.example"
URL = "https://openai.example/.well-known/http-message-signatures-directory"
KEY = Ed25519PrivateKey.from_private_bytes(bytes([1]) * 32)
YANDEX = "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)"
AT = datetime.fromtimestamp(START_NS / 1e9, UTC)


def directory() -> Directory:
    x = base64.urlsafe_b64encode(KEY.public_key().public_bytes_raw()).rstrip(b"=").decode()
    return Directory(URL, AT, keys_of(json.dumps({"keys": [{"kty": "OKP", "crv": "Ed25519", "x": x}]}).encode()))


class Message:
    """A request as the signer wants it."""

    def __init__(self, url: str) -> None:
        self.method, self.url = "GET", url
        self.headers = {"Signature-Agent": '"https://openai.example"'}


def fields(
    path: str = "/posts/x/", covered: tuple[str, ...] = ("@authority", "@path", "signature-agent")
) -> dict[str, str]:
    """The fields of a request that its operator signed."""
    message = Message(f"https://{AUTHORITY}{path}")
    (name,) = directory().keys
    signer = HTTPMessageSigner(
        signature_algorithm=ED25519, key_resolver=MappingKeyResolver(public_keys={}, private_keys={name: KEY})
    )
    until = AT + timedelta(minutes=5)
    signer.sign(
        message,
        key_id=name,
        created=AT,
        expires=until,
        covered_component_ids=covered,
        tag="web-bot-auth",
        include_alg=False,
    )
    return {key.lower(): value for key, value in message.headers.items()}


def refine(
    counted: TrafficCounter, directories: Callable[[], Iterable[Directory]] = lambda: [directory()]
) -> Signatures:
    return Signatures(counted.spool, counted.names, {"GPTBot": URL, "ClaudeBot": ""}, directories)


def states(counted: TrafficCounter) -> list[str]:
    """Verification states of the hour's rows, once their signatures are looked at."""
    rows: Iterable[SpoolRow] = refine(counted)(HOUR, counted.rows())
    return [VERIFY[row.verify] for row in rows]


@pytest.fixture
def counted(tmp_path: Path) -> Iterable[TrafficCounter]:
    counter = TrafficCounter(tmp_path, authority=AUTHORITY)
    yield counter
    counter.close()


def test_a_request_signed_by_its_operator_is_signed(counted: TrafficCounter) -> None:
    counted.ask(fields=fields())
    counted.ask()
    counted.ask("/posts/x/?a=1", fields=fields())
    assert sorted(states(counted)) == ["claimed", "signed", "signed"]


def test_a_signature_for_another_path_or_of_another_family_is_claimed(counted: TrafficCounter) -> None:
    counted.ask(fields=fields("/posts/y/"))
    counted.ask(ua="Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)", fields=fields())
    assert states(counted) == ["claimed", "claimed"]


def test_what_cannot_be_checked_is_not_kept(counted: TrafficCounter) -> None:
    counted.ask("/posts/x/?a=1", fields=fields(covered=("@target-uri", "signature-agent")))
    counted.ask(fields={**fields(), "signature-agent": "x" * 3000})
    counted.miss("/nothing/here/at/all", fields=fields())
    assert all(row.flags & SIGNED for row in counted.rows())
    assert counted.spool.signed(HOUR) == {}


def test_nothing_is_kept_where_signatures_are_not_checked(tmp_path: Path) -> None:
    counted = TrafficCounter(tmp_path)
    counted.ask(fields=fields())
    assert (len(counted.rows()), counted.spool.signed(HOUR)) == (1, {})
    counted.close()


def test_signatures_are_forgotten_once_a_later_hour_is_closed(counted: TrafficCounter) -> None:
    counted.ask(fields=fields())
    counted.rows()
    assert len(counted.spool.signed(HOUR)) == 1
    list(refine(counted)(HOUR + 1, ()))
    assert counted.spool.signed(HOUR) == {}


def test_directories_that_cannot_be_read_leave_requests_claimed(counted: TrafficCounter) -> None:
    def broken() -> Iterable[Directory]:
        raise DirectoriesError("gone")

    counted.ask(fields=fields())
    assert [VERIFY[row.verify] for row in refine(counted, broken)(HOUR, counted.rows())] == ["claimed"]


def test_a_closed_hour_counts_signed_requests(counted: TrafficCounter) -> None:
    for path in ("/posts/x/", "/posts/y/"):
        counted.ask(fields=fields(path))
    counted.rows()
    rollups = SqlRollups(counted._store)  # noqa: SLF001  (the same store)
    aggregator = Aggregator(
        counted.spool, rollups, counted.names, AggregatorRules("x"), threading.Event(), lambda: None, refine(counted)
    )
    assert aggregator.close_due(AT + timedelta(hours=1, minutes=10)) == 1
    (sums,) = rollups.window(HOUR, HOUR + 1).families.values()
    assert (sums.n, dict(zip(VERIFY, sums.verify, strict=True))["signed"]) == (2, 1)


class Resolver:
    """Names that somebody set up."""

    def names(self, address: str) -> list[str]:
        """The name of one address."""
        return ["spider-1.yandex.com"] if address == "203.0.113.7" else []

    def addresses(self, name: str) -> list[str]:
        """Its address."""
        return ["203.0.113.7"] if name == "spider-1.yandex.com" else []


def test_an_address_that_was_looked_up_confirms_later_requests(tmp_path: Path) -> None:
    side = ReverseDns(Resolver(), lambda: 0.0)
    counted = TrafficCounter(tmp_path, confirmed=side.confirmed)
    counted.ask(ua=YANDEX)
    counted.ask(ua=YANDEX, client="203.0.113.8")
    counted.ask(ua=GPTBOT)
    assert [VERIFY[row.verify] for row in counted.rows()] == ["claimed"] * 3
    while side.look_up():
        pass
    counted.ask(ua=YANDEX)
    counted.ask(ua=YANDEX, client="203.0.113.8")
    assert [VERIFY[row.verify] for row in counted.rows()][3:] == ["fcrdns", "claimed"]
    counted.close()
