"""``payments test`` with the operator's wallet on a real chain: EIP-3009 by signature, the coin by a transfer."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from citepress_payments.cli.remote import MAX_ANSWER_BYTES
from spec.test_payments_commands import command
from support.evm import Chain, chain
from support.fake_http_server import Answer, answering
from support.folder import folder
from support.otters import QUESTION
from support.running_server import HOST, Server, serving
from support.server_with_payments import OTTER_FILES, selling_site, wall
from support.simulated_chain import opened_rail

RAILS = """
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
def payment_server(nodes: tuple[Chain, Chain], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    path = tmp_path_factory.mktemp("wallet")
    base, bnb = nodes
    text = selling_site(RAILS.format(base=base.url, bnb=bnb.url, signer=key_in(path / "signer.key", "42")))
    with serving(folder(path / "content", OTTER_FILES, text), path / "state") as server:
        yield server


def tried(payment_server: Server, tmp_path: Path, *words: str) -> tuple[int, str, str]:
    wallet = key_in(tmp_path / "wallet.key", "17")
    return command(
        "test", f"http://{HOST}:{payment_server.port}", "--query", QUESTION, "--key-file", str(wallet), *words
    )


def test_a_signature_of_the_operators_wallet_pays(
    payment_server: Server, nodes: tuple[Chain, Chain], tmp_path: Path
) -> None:
    code, output, fault = tried(payment_server, tmp_path, "--rail", "base-usdc")
    assert (code, fault, output.count("  ok  ")) == (0, "", 7), output
    assert len(nodes[0].sent) == 1, "one transfer, and the replay made none"


def test_the_coin_is_sent_only_where_it_is_asked_for(
    payment_server: Server, nodes: tuple[Chain, Chain], tmp_path: Path
) -> None:
    code, output, _ = tried(payment_server, tmp_path, "--rail", "bsc-bnb")
    assert (code, "--rpc" in output, "--send" in output, nodes[1].sent) == (0, True, True, [])
    code, output, fault = tried(payment_server, tmp_path, "--rail", "bsc-bnb", "--rpc", nodes[0].url, "--send")
    assert (code, "serves eip155:84532" in fault) == (1, True), output
    code, output, fault = tried(payment_server, tmp_path, "--rail", "bsc-bnb", "--rpc", nodes[1].url, "--send")
    assert (code, fault, output.count("  ok  ")) == (0, "", 7), output
    (sent,) = nodes[1].sent
    assert sent["value"] > 0


def test_what_cannot_be_paid_says_why(payment_server: Server) -> None:
    code, output, _ = command(
        "test", f"http://{HOST}:{payment_server.port}", "--query", QUESTION, "--rail", "base-usdc"
    )
    assert (code, "skipped" in output, "--key-file" in output) == (0, True, True)


def test_what_a_sale_costs_is_shown(payment_server: Server) -> None:
    rails = {
        rail["slug"]: rail
        for rail in payment_server.ask("/agent-payments/payment-capabilities", **payment_server.client()).json()[
            "rails"
        ]
    }
    assert rails["base-usdc"]["max_fee_share_bps"] == 2000
    assert rails["bsc-bnb"]["settlement_fee_usd"] is None
    assert json.dumps(rails).count("signer") == 0


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("127.0.0.1:8000", "cannot be used"),
        ("ftp://127.0.0.1", "has to be http or https"),
        ("http://127.0.0.1:9", "127.0.0.1 does not answer"),
    ],
)
def test_an_address_without_a_server_is_reported(url: str, reason: str, tmp_path: Path) -> None:
    code, _, fault = command("test", url, "--content", str(tmp_path))
    assert code == 1
    assert reason in fault


def test_an_answer_that_is_too_long_is_reported(tmp_path: Path) -> None:
    with answering(lambda *_: Answer(b" " * (MAX_ANSWER_BYTES + 1))) as url:
        code, _, fault = command("test", url, "--content", str(tmp_path))
    assert (code, "127.0.0.1 answers more than 1,048,576 bytes" in fault) == (1, True), fault
