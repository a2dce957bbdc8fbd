import base64
import json
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from http_message_signatures import HTTPMessageSigner, MappingKeyResolver
from http_message_signatures.algorithms import ED25519
from hypothesis import given
from hypothesis import strategies as st

from citepress_telemetry.identify.user_agents.table import BROWSER, Family
from citepress_telemetry.identify.verify import directories, signatures
from citepress_telemetry.identify.verify.directories import (
    DirectoriesError,
    Directory,
    keys_of,
    read_directories,
    refresh,
)
from citepress_telemetry.identify.verify.refresh import FetchError
from citepress_telemetry.identify.verify.signatures import (
    Checker,
    SignaturesUnavailable,
    SignedRequest,
    agents,
    required,
    signed_request,
)

NOW = datetime(2026, 11, 22, 5, tzinfo=UTC)
URL = "https://bot.example/.well-known/http-message-signatures-directory"
ELSEWHERE = "https://other.example/.well-known/http-message-signatures-directory"
BOT = Family("Signedbot", signature=URL, listed=True)
BARE, DICTIONARY = '"https://bot.example"', 'sig1="https://bot.example"'


def private(seed: int) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)


def jwk(key: Ed25519PrivateKey, **more: object) -> dict[str, object]:
    x = base64.urlsafe_b64encode(key.public_key().public_bytes_raw()).rstrip(b"=").decode()
    return {"kty": "OKP", "crv": "Ed25519", "x": x} | more


def directory(key: Ed25519PrivateKey, url: str = URL, **more: object) -> Directory:
    return Directory(url, NOW, keys_of(json.dumps({"keys": [jwk(key, **more)]}).encode()))


@dataclass
class Message:
    """A request as the signer wants it."""

    url: str
    method: str = "GET"
    headers: dict[str, str] = field(default_factory=dict)


def signed(
    agent: str,
    *,
    key: Ed25519PrivateKey | None = None,
    url: str = "https://archive.example/posts/x/",
    covered: tuple[str, ...] | None = None,
    created: datetime = NOW,
    expires: datetime | None = NOW + timedelta(minutes=5),
    tag: str | None = "web-bot-auth",
) -> Message:
    """A request signed as an operator signs it."""
    key = key or private(1)
    message = Message(url, headers={"Signature-Agent": agent} if agent else {})
    named = ('"signature-agent";key="sig1"',) if agent == DICTIONARY else (("signature-agent",) if agent else ())
    (name,) = keys_of(json.dumps({"keys": [jwk(key)]}).encode())
    signer = HTTPMessageSigner(
        signature_algorithm=ED25519, key_resolver=MappingKeyResolver(public_keys={}, private_keys={name: key})
    )
    signer.sign(
        message,
        key_id=name,
        created=created,
        expires=expires,
        label="sig1",
        tag=tag,
        covered_component_ids=covered or ("@authority", *named),
    )
    return message


def signed_request_of(message: Message, authority: str = "archive.example") -> SignedRequest | None:
    target = message.url.partition("archive.example")[2]
    return signed_request(
        message.method, authority, target, {name.lower(): value for name, value in message.headers.items()}
    )


def state(
    message: Message,
    *directories: Directory,
    at: datetime = NOW,
    family: Family = BOT,
    authority: str = "archive.example",
) -> str:
    request = signed_request_of(message, authority)
    return (
        "not kept"
        if request is None
        else Checker(directories or (directory(private(1)),)).state(family.signature, request, at)
    )


@pytest.mark.parametrize("agent", [BARE, DICTIONARY, ""])
def test_a_valid_signature_of_the_familys_own_directory_is_signed_in_both_forms(agent: str) -> None:
    assert state(signed(agent)) == "signed"
    assert (
        state(
            signed(
                agent,
                covered=(
                    "@target-uri",
                    *(
                        ('"signature-agent";key="sig1"',)
                        if agent == DICTIONARY
                        else ("signature-agent",)
                        if agent
                        else ()
                    ),
                ),
            )
        )
        == "signed"
    )


def test_a_key_from_the_standard_has_the_thumbprint_that_the_standard_tells() -> None:
    # RFC 8037, appendix A.3
    document = b'{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}'
    assert list(keys_of(document)) == ["kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"]


def test_a_signature_of_another_family_or_of_none_stays_claimed() -> None:
    assert state(signed(BARE), family=BROWSER) == "claimed"
    assert state(signed(BARE), family=Family("X", signature=ELSEWHERE)) == "claimed"
    assert (
        Checker([directory(private(1))]).directory(signed_request_of(signed(BARE)) or pytest.fail("kept"), NOW) == URL
    )


@pytest.mark.parametrize("agent", [BARE, DICTIONARY])
def test_tampered_and_wrongly_made_signatures_stay_claimed(agent: str) -> None:
    good = signed_request_of(signed(agent))
    assert good is not None
    check = Checker([directory(private(1))])
    for changed in (
        replace(good, authority="evil.example"),
        replace(good, signature=good.signature.replace("sig1=:", "sig1=:A", 1)),
        replace(good, signature_input=good.signature_input.replace("created=", "created=1", 1)),
        replace(good, signature_agent='"https://other.example"'),
        replace(good, signature="x", signature_input="y"),
    ):
        assert check.state(BOT.signature, changed, NOW) == "claimed"
    assert check.state(BOT.signature, good, NOW) == "signed"


def test_a_signature_is_judged_by_the_moment_of_its_request() -> None:
    message = signed(BARE)
    assert state(message, at=NOW + timedelta(minutes=5)) == "signed"
    assert state(message, at=NOW + timedelta(minutes=5, seconds=1)) == "claimed"
    assert state(message, at=NOW - timedelta(seconds=30)) == "signed"
    assert state(message, at=NOW - timedelta(minutes=2)) == "claimed"
    assert state(signed(BARE, expires=None)) == "claimed"
    assert state(signed(BARE, expires=NOW + timedelta(days=2))) == "claimed"


def test_wrong_keys_unlisted_directories_and_other_tags_stay_claimed() -> None:
    assert state(signed(BARE, key=private(2))) == "claimed"
    assert state(signed(BARE), directory(private(1), ELSEWHERE)) == "claimed"
    assert state(signed('"https://unlisted.example"')) == "claimed"
    assert state(signed(BARE, tag="something-else")) == "not kept"
    assert state(signed(BARE, tag=None)) == "not kept"
    assert state(signed(BARE), directory(private(2)), directory(private(1), ELSEWHERE)) == "claimed"


def test_a_key_outside_its_own_bounds_signs_nothing() -> None:
    moment = int(NOW.timestamp())
    assert state(signed(BARE), directory(private(1), nbf=moment - 9, exp=moment + 9)) == "signed"
    assert state(signed(BARE), directory(private(1), exp=(moment - 9))) == "claimed"
    assert state(signed(BARE), directory(private(1), nbf=(moment + 9) * 1000)) == "claimed"


def test_a_signature_that_does_not_cover_the_host_or_its_agent_proves_nothing() -> None:
    assert state(signed(BARE, covered=("@method", "signature-agent"))) == "not kept"
    assert state(signed(BARE, covered=("@authority",))) == "claimed"


def test_a_query_is_never_kept() -> None:
    over_all = signed(BARE, url="https://archive.example/posts/x/?q=secret", covered=("@target-uri", "signature-agent"))
    assert state(over_all) == "not kept"
    over_host = signed_request_of(signed(BARE, url="https://archive.example/posts/x/?q=secret"))
    assert over_host is not None
    assert "secret" not in repr(over_host)
    assert Checker([directory(private(1))]).state(BOT.signature, over_host, NOW) == "signed"


def test_a_signature_over_other_headers_cannot_be_checked_and_is_not_kept() -> None:
    message = signed(BARE)
    message.headers["Signature-Input"] = message.headers["Signature-Input"].replace(
        '"@authority"', '"@authority" "accept"'
    )
    assert signed_request_of(message) is None


def test_signature_headers_of_more_than_two_kilobytes_are_not_kept() -> None:
    message = signed(BARE)
    message.headers["Signature"] += " " * 2_048
    assert signed_request_of(message) is None


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=80), st.text(max_size=20))
def test_any_headers_are_kept_or_not_and_never_raise(signature: str, given_input: str, agent: str, target: str) -> None:
    headers = {
        "signature": signature,
        "signature-input": f'sig1=("@authority");tag="web-bot-auth"{given_input}',
        "signature-agent": agent,
    }
    request = signed_request("GET", "archive.example", f"/{target}", headers)
    assert agents(agent) >= frozenset()
    if request is not None:
        assert Checker([directory(private(1))]).state(BOT.signature, request, NOW) == "claimed"


@pytest.mark.parametrize(
    ("value", "origins"),
    [
        (BARE, {"https://bot.example"}),
        (DICTIONARY, {"https://bot.example"}),
        ('"https://BOT.example:443/x"', {"https://bot.example"}),
        ('a="https://one.example", b="https://two.example:8443"', {"https://one.example", "https://two.example:8443"}),
        ('"http://bot.example"', set()),
        ("bot.example", set()),
        ('"data:text/plain,x"', set()),
        ('"https://[bad"', set()),
        ("7", set()),
        ("", set()),
    ],
)
def test_both_forms_of_signature_agent_name_origins(value: str, origins: set[str]) -> None:
    assert agents(value) == origins


def test_directories_are_fetched_kept_and_unpinned(tmp_path: Path) -> None:
    path = tmp_path / "state" / "directories.json"

    def fetch(url: str) -> bytes:
        if url == ELSEWHERE:
            raise FetchError("the server answered 503")
        return json.dumps(
            {"keys": [jwk(private(1), exp=2_000_000_000), {"kty": "RSA"}, {"kty": "OKP", "crv": "Ed25519", "x": "!"}]}
        ).encode()

    outcomes = refresh(path, [URL, ELSEWHERE], fetch, NOW)
    assert [(outcome.url, outcome.outcome, outcome.keys, outcome.reason) for outcome in outcomes] == [
        (URL, "fetched", 1, ""),
        (ELSEWHERE, "refused", 0, "the server answered 503"),
    ]
    held_now = read_directories(path)
    assert state(signed(BARE), *held_now.values()) == "signed"
    assert refresh(path, [], fetch, NOW) == ()
    assert read_directories(path) == {}


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[]",
        b'{"keys":[]}',
        b'{"keys":7}',
        b'{"keys":["x"]}',
        b'{"keys":[{"kty":"OKP","crv":"Ed25519","x":"AA"}]}',
    ],
)
def test_a_document_without_usable_keys_is_refused(raw: bytes) -> None:
    with pytest.raises(FetchError):
        keys_of(raw)


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "{",
        "[]",
        '{"format":2,"directories":{}}',
        '{"format":1,"directories":{"u":{}}}',
        '{"format":1,"directories":{"u":{"keys":7,"fetched_at":""}}}',
    ],
)
def test_a_broken_file_of_directories_is_refused_with_a_sentence(tmp_path: Path, raw: str) -> None:
    path = tmp_path / "directories.json"
    path.write_text(raw)
    with pytest.raises(DirectoriesError, match=r"directories\.json"):
        directories.read_directories(path)


def test_the_setting_is_refused_with_a_sentence_where_the_library_is_not_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    required()
    monkeypatch.setattr(signatures, "AVAILABLE", False)
    with pytest.raises(SignaturesUnavailable, match=r"citepress\[signatures\]"):
        Checker([])
