"""What an edition holds: what is published, and nothing of the deployment that publishes it."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.edition.edition import Edition, open_edition
from citepress.settings import DEPLOYMENT, deployment_of, from_environment
from citepress_telemetry.administration import own_agent
from support.folder import folder, post, topic

FILES = {"content/posts/one.md": post(), "content/topics/moves.md": topic()}
SECRET_VALUE = "c2VjcmV0LXZhbHVl-value-of-the-token"  # noqa: S105
RPC, FEED_RPC = "https://rpc.provider.test/v2/rpc-key-5b1f", "https://feeds.provider.test/feed-key-77aa"
FEED = "0x4aDC67696bA383F43DD60A9e78F2C97Fbbfc7cb1"
FACILITATOR, PRICES = "https://facilitator.provider.test/x402", "https://prices.provider.test/api-key-31"
KEY_FILE, TOKEN_FILE, TOKEN_VARIABLE = "gas-signer-key.hex", "facilitator-token.txt", "RAIL_TOKEN_VARIABLE"
PROXY, NETWORK, OWN_AGENT = "198.51.100.77", "203.0.113.0/28", "ua:Our-Own-Monitor"
DATABASE, VALKEY = "postgresql://keeper:db-password@db.internal.test/archive", "redis://:valkey-password@valkey.test"
ORIGIN, HOST = "app://internal-desktop", "internal-host.test"
CONNECTIONS = 4321
SITE = f"""
title = "Test archive"
base_url = "https://archive.test"
trusted_proxies = ["{NETWORK}"]

[limits]
connections = {CONNECTIONS}

[mcp]
name = "test.archive/named-server"
allowed_hosts = ["{HOST}"]
allowed_origins = ["{ORIGIN}"]

[telemetry]
self = ["{OWN_AGENT}"]
min_count = 7

[telemetry.imports]
hosts = ["logs-of.internal.test"]

[payments]
networks = "test"
pay_to_evm = "0xEa66d6D5206aF2fBf692Ca6cEfbc4A2Dd770A1FC"

[[payments.rails]]
slug = "base-usdc"
driver = "embedded"
rpc_urls = ["{RPC}"]
signer_key_file = "@/{KEY_FILE}"
gas_prices = [{{ source = "http_json", url = "{PRICES}", pointer = "/amount" }}]

[[payments.rails]]
slug = "polygon-usdc"
driver = "facilitator"
facilitator_url = "{FACILITATOR}"
facilitator_auth = {{ type = "bearer", secret_file = "@/{TOKEN_FILE}" }}

[[payments.rails]]
slug = "arbitrum-usdc"
driver = "facilitator"
facilitator_url = "{FACILITATOR}/second"
facilitator_auth = {{ type = "header", secret_env = "{TOKEN_VARIABLE}" }}

[[payments.rails]]
slug = "base-native-eth"
driver = "rpc"
rpc_urls = ["{RPC}/native"]
prices = [{{ source = "chainlink", rpc = "{FEED_RPC}", feed = "{FEED}", heartbeat = 1200 }}]
"""
WITHHELD = (
    *(SECRET_VALUE, RPC, FEED_RPC, FACILITATOR, PRICES, KEY_FILE, TOKEN_FILE, TOKEN_VARIABLE, PROXY, NETWORK),
    *(OWN_AGENT, DATABASE, VALKEY, ORIGIN, HOST, "logs-of.internal.test"),
    *("rpc-key-5b1f", "db-password", "valkey-password", "provider.test", "internal.test"),
)
WITHHELD_PATTERN = re.compile("|".join([*map(re.escape, WITHHELD), rf"\b{CONNECTIONS}\b"]).encode())
"""The number stands for itself alone: four digits are found in digests by chance."""


def _deployed(root: Path, monkeypatch: pytest.MonkeyPatch) -> Builder:
    """A content folder with everything that a deployment may configure, and its environment."""
    (root / "keys").mkdir(parents=True)
    for name in (KEY_FILE, TOKEN_FILE):
        (root / "keys" / name).write_text(SECRET_VALUE if name == TOKEN_FILE else "0x" + "11" * 32)
        (root / "keys" / name).chmod(0o600)
    for name, value in {
        "CITEPRESS_DATABASE_URL": DATABASE,
        "CITEPRESS_VALKEY_URL": VALKEY,
        "CITEPRESS_TRUSTED_PROXIES": PROXY,
        TOKEN_VARIABLE: SECRET_VALUE,
    }.items():
        monkeypatch.setenv(name, value)
    content = folder(root / "site", FILES, SITE.replace("@", str(root / "keys")))
    return Builder(from_environment(content, state=root / "state"))


def _bytes_of(edition: Edition, state: Path) -> Iterator[tuple[str, bytes]]:
    """Every byte of an edition: its files as they lie on the disk, and whatever they hold in compressed form."""
    for file in (*(layer.path for layer in edition.layers), *(state / "search").rglob("*")):
        if file.is_file():
            yield file.name, file.read_bytes()
    for layer in edition.layers:
        yield f"notes of {layer.path.name}", json.dumps(layer.notes).encode()
        for place in range(len(layer)):
            meta = layer.record_at(place)
            yield str(meta["path"]), json.dumps(meta).encode() + bytes(layer.body(meta))


def test_no_byte_of_an_edition_tells_how_it_is_deployed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    builder = _deployed(tmp_path, monkeypatch)
    built = builder.build(clock.now())
    builder.index(built, clock.now())
    edition = open_edition(built.pointer)
    files = dict(_bytes_of(edition, builder.output))
    assert sum(map(len, files.values())) > 100_000
    assert any(b"base-usdc" in data for data in files.values()), "the rails themselves are published"
    assert [(text, name) for name, data in files.items() for text in WITHHELD_PATTERN.findall(data)] == []


def test_the_deployment_lies_beside_the_edition_for_its_owner_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder = _deployed(tmp_path, monkeypatch)
    built = builder.build(clock.now())
    file = builder.output / DEPLOYMENT
    assert file.stat().st_mode & 0o777 == 0o600
    deployment = deployment_of(built.pointer)
    assert deployment.trusted_proxies == [PROXY]
    assert deployment.limits.connections == CONNECTIONS
    assert deployment.mcp.allowed_hosts == [HOST]
    assert deployment.payments
    assert deployment.payments.rails[0].rpc_urls == [RPC]
    assert own_agent(builder.settings)("Our-Own-Monitor/1")
    config = open_edition(built.pointer).config
    assert config.publication.mcp.name == "test.archive/named-server"
    assert config.publication.telemetry.min_count == 7
    assert config.facts["rails"][:2] == ["base-usdc", "polygon-usdc"]


def test_a_lost_deployment_file_is_made_anew_at_the_next_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    builder = _deployed(tmp_path, monkeypatch)
    builder.build(clock.now())
    (builder.output / DEPLOYMENT).unlink()
    assert deployment_of(builder.ensure(clock.now()).pointer).limits.connections == CONNECTIONS


def test_under_a_public_address_another_port_needs_no_other_edition(tmp_path: Path) -> None:
    def built_anew(site: str, port: int, **environ: str) -> bool:
        root = folder(tmp_path / "content", FILES, site)
        settings = from_environment(root, state=tmp_path / "state", port=port, environ=environ)
        return Builder(settings).ensure(clock.now()).printed is not None

    nowhere, somewhere = 'title = "Test"\n', 'title = "Test"\nbase_url = "https://archive.test"\n'
    assert built_anew(nowhere, 8001, CITEPRESS_BASE_URL="https://archive.test")
    assert not built_anew(nowhere, 8002, CITEPRESS_BASE_URL="https://archive.test")
    assert built_anew(nowhere, 8002), "pages then name the address that is listened on"
    assert built_anew(nowhere, 8003)
    assert built_anew(somewhere, 8003)
    assert not built_anew(somewhere, 8004)
