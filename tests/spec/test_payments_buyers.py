"""Stock buyers and the demo: the guide's Python example pays as printed, and what it refuses stays unpaid."""

import os
import re
import subprocess
import sys

import pytest

from citepress_payments.settings import SIMULATED_SELLER
from citepress_payments.simulated_chain.chain import BUYER_KEY
from support.server_with_payments import BNB, BUNDLE, PRICE, WETH, PaymentServer
from support.waiting import PATIENCE_S


def printed(counter: PaymentServer, title: str) -> str:
    """The block of code that stands under this heading on the guide's Markdown page."""
    guide = counter.server.ask("/developers/", accept="text/markdown", **counter.server.client()).text
    match = re.search(rf"^#+ {re.escape(title)}\n+```[a-z]+\n(.*?)^```", guide, re.DOTALL | re.MULTILINE)
    assert match, title
    return match[1]


def ran(text: str) -> subprocess.CompletedProcess[str]:
    """What a program does when a reader runs it, as the published buyer."""
    clean = {name: value for name, value in os.environ.items() if "PROXY" not in name.upper()}
    return subprocess.run(
        [sys.executable, "-c", text],
        env={**clean, "PAYER_KEY": BUYER_KEY},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def test_the_guide_tells_the_key_that_pays(counter: PaymentServer) -> None:
    guide = counter.server.ask("/developers/", **counter.server.client()).text
    assert BUYER_KEY in guide
    assert "settlement_pending" in guide


@pytest.mark.requirement("handshake settled", "authentication 2")
def test_the_printed_python_buyer_pays_with_its_default_settings(counter: PaymentServer) -> None:
    text, before = printed(counter, "A stock buyer in Python"), counter.moved()
    done = ran(text)
    assert done.returncode == 0, done.stderr
    assert '"product":"research-bundle-v2"' in done.stdout
    assert counter.moved() - before == PRICE
    again = ran(text)
    assert (again.returncode, again.stdout) == (0, done.stdout), "a buyer who starts over gets the same result"
    assert counter.moved() - before == PRICE, "and is not charged twice"


@pytest.mark.parametrize(("path", "reason"), [(WETH, "spend_controls"), (BNB, "No payment requirements match")])
def test_default_settings_refuse_other_assets_and_other_schemes(counter: PaymentServer, path: str, reason: str) -> None:
    done = ran(printed(counter, "A stock buyer in Python").replace(f'{BUNDLE}"', f'{path}"'))
    assert done.returncode != 0
    assert reason in done.stderr


def test_another_token_is_paid_when_it_is_allowed_as_printed(counter: PaymentServer) -> None:
    text, allowed = printed(counter, "A stock buyer in Python"), printed(counter, "Allow another token").strip()
    line = "    async with x402HttpxClient"
    assert line in text
    inside = "\n".join(f"    {line}" for line in allowed.split("\n"))
    bent = (
        text.replace(line, f"{inside}\n{line}")
        .replace(f'{BUNDLE}"', f'{WETH}"')
        .replace('"max_sources":5', '"max_sources":7')
    )
    before = counter.chain.balance("eip155:84532", "0x4200000000000000000000000000000000000006", SIMULATED_SELLER)
    done = ran(bent)
    assert done.returncode == 0, done.stderr
    after = counter.chain.balance("eip155:84532", "0x4200000000000000000000000000000000000006", SIMULATED_SELLER)
    assert after > before
