"""``citepress payments``, run as an operator runs it beside a server."""

import contextlib
import io
import json
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from citepress.cli import run
from support.demo import DEMO
from support.payment_service import decoded
from support.running_server import HOST, serving
from support.server_with_payments import COVERAGE, PRICE, PaymentServer, body_of, payment_server_over, signed_for


def command(*words: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of ``citepress payments``."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(["payments", *words])
    return code, *(stream.buffer.getvalue().decode() for stream in (out, err))  # type: ignore[attr-defined]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo without its payments, then with those that ``init`` writes."""
    directory = tmp_path_factory.mktemp("kept") / "archive"
    shutil.copytree(DEMO, directory, ignore=shutil.ignore_patterns("state", "dist"))
    site = directory / "site.toml"
    site.write_text(site.read_text("utf-8").partition("# Paid compute")[0], "utf-8")
    return directory


@pytest.fixture(scope="module")
def payment_server(folder: Path) -> Iterator[PaymentServer]:
    code, output, _ = command("init", "--content", str(folder))
    assert code == 0
    assert 'networks = "test"' in output
    with (
        serving(folder, folder / "state") as server,
        payment_server_over(server, str(folder / "state" / "state.sqlite")) as seller,
    ):
        yield seller


@pytest.mark.usefixtures("payment_server")
def test_init_adds_a_configuration_and_touches_nothing_else(folder: Path) -> None:
    text = (folder / "site.toml").read_text("utf-8")
    assert tomllib.loads(text)["payments"] == tomllib.loads((DEMO / "site.toml").read_text("utf-8"))["payments"]
    assert text.startswith((DEMO / "site.toml").read_text("utf-8").partition("# Paid compute")[0].rstrip())
    code, _, fault = command("init", "--content", str(folder))
    assert (code, "already" in fault) == (1, True)
    assert (folder / "site.toml").read_text("utf-8") == text
    assert list(folder.glob(".*.new")) == []


@pytest.mark.parametrize(
    ("text", "words", "code"),
    [("title = [", (), 1), ("x = " + "[" * 3_000, (), 1), ("", ("--pay-to", "0x12"), 2), (None, (), 0)],
)
def test_init_refuses_what_it_cannot_read(tmp_path: Path, text: str | None, words: tuple[str, ...], code: int) -> None:
    site = tmp_path / "site.toml"
    if text is not None:
        site.write_text(text, "utf-8")
    assert command("init", "--content", str(tmp_path), *words)[0] == code
    assert (site.read_text("utf-8") == text) is (code != 0)


def test_the_whole_handshake_over_every_rail(folder: Path, payment_server: PaymentServer) -> None:
    before = payment_server.moved()
    url = f"http://{HOST}:{payment_server.server.port}"
    code, output, fault = command("test", url, "--send", "--content", str(folder))
    assert (code, fault) == (0, ""), output
    assert [line.split()[0] for line in output.split("\n") if line and not line.startswith(" ")] == [
        "base-usdc",
        "base-weth",
        "bsc-bnb",
    ]
    assert output.count("  ok  ") == 3 * 7
    assert payment_server.moved() - before == PRICE
    code, output, _ = command("test", url, "--rail", "bsc-bnb")
    assert (code, output.count("  ok  "), output.count("  skipped  ")) == (0, 3, 1)


def test_a_step_that_fails_is_told_and_ends_with_1(payment_server: PaymentServer) -> None:
    url = f"http://{HOST}:{payment_server.server.port}"
    code, output, _ = command("test", url, "--rail", "base-usdc", "--query", "zebra unicorn stripes")
    assert (code, "FAILED" in output) == (1, False)
    assert "not sold preflight: 402 with terms (the archive holds too little on the question to sell" in output
    assert command("test", url, "--rail", "base-usd")[0] == 2
    for away in ("http://127.0.0.1:1", "ftp://archive.test", "nonsense"):
        code, output, fault = command("test", away)
        assert (code, output) == (1, ""), away
        assert "citepress:" in fault


def test_a_pause_stops_new_quotes_until_it_is_resumed(folder: Path, payment_server: PaymentServer) -> None:
    at = ("--content", str(folder))
    assert command("status", *at)[0] == 0
    assert command("pause", "base-usdc", "--reason", "the books are closed", "--by", "ann", *at)[0] == 0
    answer = payment_server.post(COVERAGE, body_of(40))
    assert (answer.status, answer.json()["code"]) == (503, "rail_unavailable")
    code, output, _ = command("status", *at)
    assert code == 1
    assert "the books are closed (by ann" in output
    rails = {row["rail"]: row for row in json.loads(command("status", "--json", *at)[1])["rails"]}
    assert {slug: row["available"] for slug, row in rails.items()} == {
        "base-usdc": False,
        "base-weth": True,
        "bsc-bnb": True,
    }
    assert command("pause", "base-usdc", "--resume", *at)[0] == 0
    assert command("pause", "base-usdc", "--resume", *at)[0] == 1
    assert payment_server.post(COVERAGE, body_of(40)).status == 402
    assert command("pause", "base-usd", *at)[0] == 2
    assert command("pause", "all", "--now", "--resume", *at)[0] == 2


def test_a_pause_now_refuses_open_quotes_too(folder: Path, payment_server: PaymentServer) -> None:
    at, terms = ("--content", str(folder)), payment_server.terms(COVERAGE, body_of(41))
    assert command("pause", "all", "--now", *at)[0] == 0
    answer = payment_server.post(COVERAGE, body_of(41), signed_for(terms))
    assert command("pause", "all", "--resume", *at)[0] == 0
    assert (answer.status, answer.json()["code"]) == (503, "rail_unavailable")
    assert payment_server.post(COVERAGE, body_of(41), signed_for(terms)).status == 200


def test_the_ledger_shows_payments_quotes_and_their_history(folder: Path, payment_server: PaymentServer) -> None:
    at, body = ("--content", str(folder)), body_of(42)
    terms = payment_server.terms(COVERAGE, body)
    signature = signed_for(terms)
    paid = payment_server.post(COVERAGE, body, signature)
    nonce = decoded(signature)["payload"]["authorization"]["nonce"]
    rows = json.loads(command("ledger", "--json", *at)[1])
    mine = next(row for row in rows if nonce in row["key"])
    assert (mine["state"], mine["transaction"]) == (
        "settled",
        decoded(paid.fields["payment-response"].encode())["transaction"],
    )
    payment = json.loads(command("ledger", "--key", mine["key"], "--json", *at)[1])
    assert [event["change"] for event in payment["history"]][-1] == "settled"
    assert len(payment["sent"]) == 1
    code, output, _ = command("ledger", "--quote", terms["accepts"][0]["extra"]["quoteId"], *at)
    assert code == 0
    assert mine["key"] in output
    assert json.loads(command("ledger", "--open", "--json", *at)[1]) == []
    assert command("ledger", "--open", *at)[1] == "No payment is like this.\n"
    assert nonce in command("ledger", *at)[1]
    assert command("ledger", "--key", "none", *at)[0] == 1
    assert command("ledger", "--quote", "none", *at)[0] == 1
    assert command("ledger", "--quote", "x", "--open", *at)[0] == 2


def test_without_a_table_status_says_how_to_begin(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# A note\n", "utf-8")
    code, _, fault = command("status", "--content", str(tmp_path))
    assert code == 1
    assert "payments init" in fault
