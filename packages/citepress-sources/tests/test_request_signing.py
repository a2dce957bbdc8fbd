"""Requests to sources are signed: verified by the rules of RFC 9421, and by the library that reads those of others."""

import base64
import hashlib
import json
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from citepress.edition.verification.declared import DIRECTORY
from citepress.transparency.signing import SigningKey, signing_key
from citepress_sources.fetching import Fetcher
from citepress_sources.request_signing import LIFE_S, agent_origin, signed_fields
from citepress_telemetry.identify.verify.directories import Directory, keys_of
from citepress_telemetry.identify.verify.signatures import Checker, signed_request
from support.export import exported
from support.folder import post
from support.origin import NETWORK, Reply, page, scripted_origin

MOMENT = datetime(2026, 11, 21, 5, tzinfo=UTC)
SITE = "https://archive.test"


@pytest.fixture
def key(tmp_path: Path) -> SigningKey:
    return signing_key(tmp_path / "state")[0]


def test_a_request_carries_a_signature_over_its_host_and_its_agent(key: SigningKey) -> None:
    with scripted_origin() as origin:
        origin.pages["/page"] = Reply(page("Otters swim."))
        sign = lambda authority: signed_fields(key, SITE, authority, MOMENT)  # noqa: E731  (as the command gives it)
        outcome = Fetcher(about=SITE, networks=(ip_network(NETWORK),), sign=sign).fetch(f"{origin.url}/page", MOMENT)
    assert outcome.exchange is not None
    sent = {name.lower(): value for name, value in outcome.exchange.sent.items()}
    authority = origin.url.removeprefix("http://")
    x = base64.urlsafe_b64encode(base64.b64decode(key.public)).decode().rstrip("=")
    keyid = base64.urlsafe_b64encode(hashlib.sha256(f'{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}'.encode()).digest())
    created = int(MOMENT.timestamp())
    parameters = (
        f'("@authority" "signature-agent";key="sig1");created={created};expires={created + LIFE_S}'
        f';keyid="{keyid.decode().rstrip("=")}";alg="ed25519";tag="web-bot-auth"'
    )
    assert sent["signature-agent"] == f'sig1="{SITE}"'
    assert sent["signature-input"] == f"sig1={parameters}"
    base = f'"@authority": {authority}\n"signature-agent";key="sig1": "{SITE}"\n"@signature-params": {parameters}'
    signature = base64.b64decode(sent["signature"].removeprefix("sig1=:").removesuffix(":"))
    public = Ed25519PublicKey.from_public_bytes(base64.b64decode(key.public))
    public.verify(signature, base.encode())
    with pytest.raises(InvalidSignature):
        public.verify(signature, base.replace(authority, "other.example").encode())


def test_our_own_check_of_signed_requests_believes_it_for_this_host_and_this_time(tmp_path: Path) -> None:
    output = exported(tmp_path, {"content/posts/otters.md": post("Otters swim.")})
    document = (output / DIRECTORY.lstrip("/")).read_bytes()
    assert [key["crv"] for key in json.loads(document)["keys"]] == ["Ed25519"]
    directory = Directory(SITE + DIRECTORY, MOMENT, keys_of(document))
    fields = signed_fields(signing_key(tmp_path / "state")[0], SITE, "source.example", MOMENT)
    headers = {name.lower(): value for name, value in fields.items()}
    asked_of = {host: signed_request("GET", host, "/page?q=1", headers) for host in ("source.example", "other.example")}
    here, elsewhere = asked_of["source.example"], asked_of["other.example"]
    assert here
    assert elsewhere
    checker = Checker([directory])
    assert checker.directory(here, MOMENT) == directory.url
    assert checker.directory(elsewhere, MOMENT) == ""
    assert checker.directory(here, MOMENT + timedelta(seconds=LIFE_S + 1)) == ""


def test_nothing_is_signed_where_nobody_would_find_the_key() -> None:
    assert agent_origin("https://archive.test") == SITE
    unfit = ("http://archive.test", "https://archive.test/notes", "")
    assert [agent_origin(address) for address in unfit] == ["", "", ""]
