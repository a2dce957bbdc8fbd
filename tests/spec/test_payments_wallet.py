"""``payments test`` with a wallet of the operator's, over a chain that is not simulated: EIP-3009 by signature, the coin by a transfer."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from spec.test_payments_commands import command
from support.evm import Chain, chain
from support.folder import folder
from support.otters import OTTERS, QUESTION
from support.selling import wall
from support.server import HOST, Server, serving
from support.simulating import opened_rail

MINE = "0x2222222222222222222222222222222222222222"
FILES = {f"content/{id_}.md": text for id_, text in OTTERS.items()}
SITE = """title = "Otters"
[payments]
networks = "test"
pay_to_evm = "{mine}"
pay_to_svm = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"

[[payments.rails]]
slug = "base-usdc"
driver = "embedded"
rpc_urls = ["{base}"]
signer_key_file = "{signer}"

[[payments.rails]]
slug = "bsc-bnb"
driver = "rpc"
rpc_urls = ["{bnb}"]
finality = "latest"
prices = [{{ source = "static", price = "600", valid_until = 2100-01-01 }}]

[[payments.rails]]
slug = "solana-sol"
driver = "rpc"
rpc_urls = ["{bnb}"]
prices = [{{ source = "static", price = "200", valid_until = 2100-01-01 }}]
"""


def key_in(path: Path, digits: str) -> Path:
    path.write_text(digits * 32, "utf-8")
    path.chmod(0o600)
    return path


@pytest.fixture(scope="module")
def nodes() -> Iterator[tuple[Chain, Chain]]:
    with chain(opened_rail("base-usdc")) as base, chain() as bnb:
        bnb.id = 97
        for node in (base, bnb):
            node.mine(1, seconds=wall() - node.blocks[-1].time - 1)
        yield base, bnb


@pytest.fixture(scope="module")
def shop(nodes: tuple[Chain, Chain], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = tmp_path_factory.mktemp("wallet")
    base, bnb = nodes
    text = SITE.format(mine=MINE, base=base.url, bnb=bnb.url, signer=key_in(made / "signer.key", "42"))
    with serving(folder(made / "content", FILES, text), made / "state") as server:
        yield server


def tried(shop: Server, tmp_path: Path, *words: str) -> tuple[int, str, str]:
    wallet = key_in(tmp_path / "wallet.key", "17")
    return command("test", f"http://{HOST}:{shop.port}", "--query", QUESTION, "--key-file", str(wallet), *words)


def test_a_signature_of_the_operators_wallet_pays(shop: Server, nodes: tuple[Chain, Chain], tmp_path: Path) -> None:
    code, told, fault = tried(shop, tmp_path, "--rail", "base-usdc")
    assert (code, fault, told.count("  ok  ")) == (0, "", 7), told
    assert len(nodes[0].sent) == 1, "one transfer, and the replay made none"


def test_the_coin_is_sent_only_where_it_is_asked_for(shop: Server, nodes: tuple[Chain, Chain], tmp_path: Path) -> None:
    code, told, _ = tried(shop, tmp_path, "--rail", "bsc-bnb")
    assert (code, "--rpc" in told, "--send" in told, nodes[1].sent) == (0, True, True, [])
    code, told, fault = tried(shop, tmp_path, "--rail", "bsc-bnb", "--rpc", nodes[0].url, "--send")
    assert (code, "serves eip155:84532" in fault) == (1, True), told
    code, told, fault = tried(shop, tmp_path, "--rail", "bsc-bnb", "--rpc", nodes[1].url, "--send")
    assert (code, fault, told.count("  ok  ")) == (0, "", 7), told
    (sent,) = nodes[1].sent
    assert sent["value"] > 0


def test_what_cannot_be_paid_says_why(shop: Server) -> None:
    code, told, _ = command("test", f"http://{HOST}:{shop.port}", "--query", QUESTION, "--rail", "base-usdc")
    assert (code, "skipped" in told, "--key-file" in told) == (0, True, True)


def test_what_a_sale_costs_is_shown(shop: Server) -> None:
    told = {rail["slug"]: rail for rail in shop.ask("/agent-payments/payment-capabilities", **shop.client()).json()["rails"]}
    assert told["base-usdc"]["max_fee_share_bps"] == 2000
    assert told["bsc-bnb"]["settlement_fee_usd"] is None
    assert json.dumps(told).count("signer") == 0
