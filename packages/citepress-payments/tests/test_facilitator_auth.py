"""A facilitator with authentication: tokens, keys and signed tokens, judged by another library over a connection."""

import base64
import contextlib
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from citepress_payments.configuration import ConfiguredRail, configure
from citepress_payments.drivers import DriverContext, DriverMissingError, driver
from citepress_payments.ports.chain import Driver, Paid, Unreachable, Verified
from citepress_payments.rails import BY_SLUG
from citepress_payments.settings import PaidRail, Payments
from support.buyers import BUYER, NOW, SELLER, sign_transfer, usdc_entry
from support.evm import Chain, chain
from support.facilitator import Desk
from support.fake_http_server import answering
from support.simulated_chain import Book, Watch

SECRET = "s3cr3t-of-the-operator"  # noqa: S105  (a word to look for)
NOWHERE = "http://127.0.0.1:9"
KEYS = {"ES256": ec.generate_private_key(ec.SECP256R1()), "EdDSA": Ed25519PrivateKey.generate()}


def opened(node: str, url: str, auth: Mapping[str, Any] | None) -> ConfiguredRail:
    rail = BY_SLUG["base-usdc"]
    assert rail.test
    options = {
        "slug": rail.slug,
        "driver": "facilitator",
        "rpc_urls": [node],
        "facilitator_url": url,
        "facilitator_auth": auth,
    }
    return ConfiguredRail(rail, rail.test, SELLER, PaidRail.model_validate(options), testnet=True)


def new_driver(
    node: str, url: str, auth: Mapping[str, Any] | None, environment: Mapping[str, str] | None = None
) -> Driver:
    return driver(DriverContext(opened(node, url, auth), Watch(), lambda _: None, environment=environment or {}))


@pytest.fixture
def node() -> Iterator[Chain]:
    with chain(opened(NOWHERE, NOWHERE, None)) as here:
        yield here


def held(folder: Path, text: str, mode: int = 0o600) -> str:
    file = folder / "facilitator.key"
    file.write_text(text, "utf-8")
    file.chmod(mode)
    return str(file)


def pem(name: str) -> str:
    return KEYS[name].private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


class Gate:
    """Admits a signed token for the very request, once."""

    def __init__(self, name: str, url: list[str]) -> None:
        self.name, self.url = name, url
        self.nonces: set[str] = set()
        self.claims: list[dict[str, Any]] = []

    def __call__(self, method: str, path: str, fields: Mapping[str, str]) -> bool:
        token = fields.get("Authorization", "").removeprefix("Bearer ")
        try:
            head = jwt.get_unverified_header(token)
            options = {"verify_exp": False, "verify_nbf": False, "verify_iat": False}
            claims = jwt.decode(
                token, KEYS[self.name].public_key(), [self.name], audience="cdp_service", options=options
            )
        except jwt.PyJWTError:
            return False
        fresh = head["nonce"] not in self.nonces
        self.nonces.add(head["nonce"])
        self.claims.append(claims)
        named = claims["uris"] == [f"{method} {self.url[0].removeprefix('http://')}{path}"]
        return (
            fresh
            and named
            and head["kid"] == claims["sub"] == "keys/1"
            and claims["nbf"] <= NOW < claims["exp"] <= NOW + 120
        )


@contextlib.contextmanager
def behind(gate: Any, node: Chain, url: list[str]) -> Iterator[str]:
    with answering(Desk(node.url, "good").answer, gate) as address:
        url.append(address)
        yield address


@pytest.mark.parametrize(
    ("name", "spelling"), [("ES256", "pem"), ("EdDSA", "pem"), ("EdDSA", "seed"), ("EdDSA", "pair"), ("ES256", "env")]
)
def test_a_payment_behind_a_facilitator_that_verifies_tokens(
    node: Chain, tmp_path: Path, name: str, spelling: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    text, url = pem(name), []
    if spelling in {"seed", "pair"}:
        private = KEYS["EdDSA"]
        assert isinstance(private, Ed25519PrivateKey)
        public = private.public_key().public_bytes_raw() if spelling == "pair" else b""
        text = base64.b64encode(private.private_bytes_raw() + public).decode()
    at = {"secret_env": "FACILITATOR_KEY"} if spelling == "env" else {"secret_file": held(tmp_path, text)}
    auth = {"type": "jwt", "key_id": "keys/1", "audience": ["cdp_service"], **at}
    with behind(Gate(name, url), node, url) as address:
        rail, book = new_driver(node.url, address, auth, {"FACILITATOR_KEY": text.replace("\n", "\\n")}), Book()
        entry = usdc_entry()
        payload = sign_transfer(entry)
        assert rail.health().available, rail.health()
        assert rail.verify(entry, payload) == Verified(BUYER)
        rail.send(entry, payload, book)
        assert isinstance(rail.reconcile(entry, payload, book.sent, None), Paid)
    assert not any(line.strip() in caplog.text for line in text.split("\n") if len(line) > 20)


@pytest.mark.parametrize(
    ("auth", "field"),
    [
        ({"type": "bearer"}, ("Authorization", f"Bearer {SECRET}")),
        ({"type": "header"}, ("X-API-Key", SECRET)),
        ({"type": "header", "name": "Api"}, ("Api", SECRET)),
    ],
)
def test_a_fixed_token_and_a_fixed_key(
    node: Chain, tmp_path: Path, auth: dict[str, str], field: tuple[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with answering(Desk(node.url, "good").answer, lambda _m, _p, fields: fields.get(field[0]) == field[1]) as address:
        assert new_driver(node.url, address, {**auth, "secret_file": held(tmp_path, SECRET + "\n")}).health().available
        assert new_driver(node.url, address, {**auth, "secret_env": "KEY"}, {"KEY": SECRET}).health().available
    assert SECRET not in caplog.text


def test_a_facilitator_that_does_not_know_us_closes_the_rail_and_says_why(node: Chain, tmp_path: Path) -> None:
    with answering(Desk(node.url, "good").answer, lambda _m, _p, _f: False) as address:
        rail = new_driver(node.url, address, {"type": "bearer", "secret_file": held(tmp_path, SECRET)})
        health = rail.health()
        assert (
            health.available,
            "401" in health.reason,
            "facilitator_auth" in health.reason,
            SECRET in health.reason,
        ) == (
            False,
            True,
            True,
            False,
        )
        assert isinstance(rail.verify(usdc_entry(), sign_transfer(usdc_entry())), Unreachable)


@pytest.mark.parametrize(
    ("auth", "text", "mode", "words"),
    [
        ({"type": "bearer"}, SECRET, 0o644, "chmod 600"),
        ({"type": "bearer"}, "two\nlines", 0o600, "header field"),
        ({"type": "bearer"}, "", 0o600, "empty"),
        ({"type": "jwt", "key_id": "k"}, "bm90IGEga2V5", 0o600, "not a private key"),
        (
            {"type": "jwt", "key_id": "k"},
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
            0o600,
            "not a private key",
        ),
    ],
)
def test_a_secret_that_cannot_be_used_is_told_without_telling_it(
    tmp_path: Path, auth: dict[str, str], text: str, mode: int, words: str
) -> None:
    with pytest.raises(DriverMissingError, match=words) as error:
        new_driver(NOWHERE, NOWHERE, {**auth, "secret_file": held(tmp_path, text, mode)})
    assert error.value.member == "facilitator_auth"
    assert SECRET not in str(error.value)


def test_a_variable_that_is_not_set_is_named() -> None:
    with pytest.raises(DriverMissingError, match="FACILITATOR_KEY is not set") as error:
        new_driver(NOWHERE, NOWHERE, {"type": "bearer", "secret_env": "FACILITATOR_KEY"})
    assert error.value.absent


@pytest.mark.parametrize("at", [{}, {"secret_file": "a", "secret_env": "B"}])
def test_a_secret_has_one_place(at: dict[str, str]) -> None:
    row = opened(NOWHERE, NOWHERE, {"type": "bearer", **at}).settings
    configuration = configure(Payments(networks="test", pay_to_evm=SELLER, rails=[row]), {})
    assert configuration.closed[0].location[-1] == "facilitator_auth"
