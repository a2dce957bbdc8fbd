"""What keeps a rail closed: ``check`` finds it at its line, the server comes up without that rail, and says so."""

import json
from pathlib import Path

import pytest

from citepress.cli import run
from citepress_payments.settings import SIMULATED_SELLER
from support.folder import folder
from support.otters import QUESTION
from support.running_server import Server, serving
from support.server_with_payments import BASE, BUNDLE, OTTER_FILES, WETH, selling_site

ASK = json.dumps({"query": QUESTION, "max_sources": 4}).encode()
SIMULATED = """
[[payments.rails]]
slug = "base-usdc"
driver = "simulated"
"""
BROKEN = """
[[payments.rails]]
slug = "base-weth"
driver = "embedded"
rpc_urls = ["https://node.example"]
signer_key_file = "{key}"
prices = [{{ source = "static", price = "3000.00", valid_until = 2100-01-01 }}]

[[payments.rails]]
slug = "base-eth"
driver = "rpc"
rpc_urls = ["http://node.example"]
prices = [{{ source = "static", price = "3000.00", valid_until = 2100-01-01 }}]

[[payments.rails]]
slug = "solana-usdc"
driver = "simulated"

[[payments.rails]]
slug = "arbitrum-usdc"
driver = "facilitator"
facilitator_url = "http://f.example"
rpc_urls = ["https://node.example"]
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    key = tmp_path / "signer.key"
    key.write_text("11" * 32, "utf-8")
    key.chmod(0o644)
    return folder(tmp_path / "content", OTTER_FILES, selling_site(SIMULATED + BROKEN.format(key=key)))


def checked(site: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[dict[str, object]]]:
    code = run(["check", str(site), "--json"])
    return code, json.loads(capsys.readouterr().out)["faults"]


def test_check_finds_all_that_would_keep_a_rail_closed(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, faults = checked(site, capsys)
    assert code == 1
    text = (site / "site.toml").read_text("utf-8").split("\n")
    reported = {
        (text[int(str(fault["line"])) - 1].split(" ")[0], str(fault["code"]))
        for fault in faults
        if fault["file"] == "site.toml"
    }
    assert reported == {
        ("signer_key_file", "CP080"),
        ("rpc_urls", "CP080"),
        ("driver", "CP080"),
        ("facilitator_url", "CP080"),
    }


def test_what_is_only_not_on_this_machine_is_a_warning(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rail = BROKEN.partition('[[payments.rails]]\nslug = "base-eth"')[0].format(key="/nowhere/signer.key")
    (site / "site.toml").write_text(selling_site(SIMULATED + rail), "utf-8")
    code, faults = checked(site, capsys)
    assert (code, [fault["code"] for fault in faults if fault["file"] == "site.toml"]) == (0, ["CP081"])


@pytest.mark.parametrize(
    "pay_to",
    ["0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc", "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dC", SIMULATED_SELLER],
)
def test_check_refuses_a_recipient_that_is_not_the_operators(
    site: Path, pay_to: str, capsys: pytest.CaptureFixture[str]
) -> None:
    facilitator = '"facilitator"\nfacilitator_url = "https://f.example"\nrpc_urls = ["https://n.example"]'
    text = selling_site(SIMULATED.replace('"simulated"', facilitator), pay_to).replace('"test"', '"main"')
    (site / "site.toml").write_text(text, "utf-8")
    code, faults = checked(site, capsys)
    places = [(fault["code"], fault["line"]) for fault in faults if fault["file"] == "site.toml"]
    assert (code, places) == (1, [("CP080", 4)])


def rails(server: Server) -> dict[str, tuple[bool, str | None]]:
    listing = server.ask(f"{BASE}/payment-capabilities", **server.client()).json()["rails"]
    return {rail["slug"]: (rail["available"], rail["unavailable_reason"]) for rail in listing}


def test_the_other_rails_and_the_site_stand(site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(site, tmp_path / "state") as server:
        listing = rails(server)
        assert listing.pop("base-usdc") == (True, None)
        assert set(listing) == {"base-weth", "base-eth", "solana-usdc", "arbitrum-usdc"}
        assert {
            (available, "configured" in str(reason), "signer" in str(reason)) for available, reason in listing.values()
        } == {(False, True, False)}
        assert server.ask("/", **server.client()).status == 200
        post = {"content_type": "application/json"}
        assert server.ask(BUNDLE, "POST", ASK, **post, **server.client()).status == 402
        closed = server.ask(WETH, "POST", ASK, **post, **server.client())
        assert (closed.status, closed.json()["code"]) == (503, "rail_unavailable")
        capsys.readouterr()
        assert run(["payments", "status", "--content", str(site), "--state", str(tmp_path / "state"), "--json"]) == 1
        status = {row["rail"]: row["reason"] for row in json.loads(capsys.readouterr().out)["rails"]}
        assert "chmod 600" in status["base-weth"]
        assert "https" in status["base-eth"]
