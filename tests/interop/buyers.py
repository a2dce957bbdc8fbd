"""The stock TypeScript buyer and the demo: it pays USDC by default, and signs nothing that it does not know."""

import contextlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from typing import Any
from urllib.request import Request, urlopen

from judges import Verdict, verdict, without
from workshop import HOME, Workshop, served_demo

from citepress_payments.simulated_chain.chain import BUYER_KEY

BASE = "/agent-payments/research-bundle-v2"
ASK = '{"query":"How do coding agents confine the commands they run?","max_sources":5,"known_stable_ids":[]}'
STATE = HOME / "selling"


def buyer(tools: Workshop) -> Iterator[Verdict]:
    """Three lanes, one client."""
    if missing := without(tools, "node", "TypeScript buyer"):
        yield missing
        return
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(STATE)
    with served_demo(STATE) as url:
        paid = _bought(tools, url + BASE)
        good = paid["status"] == 200 and paid["response"]["success"] and paid["response"]["network"] == "eip155:84532"
        yield verdict("TypeScript buyer base-usdc", bool(good), f"{paid['ms']} ms, {paid.get('bytes')} bytes")
        for lane in ("volatile/base-weth", "native/bsc-bnb"):
            purchase = _bought(tools, f"{url}{BASE}/{lane}")
            yield verdict(
                f"TypeScript buyer {lane}", purchase["status"] == 0, purchase.get("words", str(purchase))[:100]
            )


def _bought(tools: Workshop, address: str) -> Any:
    done = tools.run(tools.node, HOME / "clients" / "buyer.mjs", address, ASK, BUYER_KEY, limit=120)
    return (
        json.loads(done.stdout.strip().splitlines()[-1])
        if done.returncode == 0
        else {"status": -1, "ms": 0, "words": done.stderr[-300:]}
    )


def guide(tools: Workshop) -> Iterator[Verdict]:
    """The TypeScript of the developer guide, run as it is printed there."""
    if missing := without(tools, "node", "TypeScript of the guide"):
        yield missing
        return
    shutil.rmtree(STATE, ignore_errors=True)
    with served_demo(STATE) as url:
        with urlopen(Request(f"{url}/developers/", headers={"Accept": "text/markdown"}), timeout=30) as answer:
            page = answer.read().decode()
        match = re.search(r"^#+ A stock buyer in TypeScript\n+```[a-z]+\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
        (HOME / "buy.ts").write_text(match[1] if match else "throw new Error('the guide prints none')", "utf-8")
        done = subprocess.run(
            [tools.node, str(HOME / "buy.ts")],
            cwd=HOME,
            env={**os.environ, "PAYER_KEY": BUYER_KEY},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    good = done.returncode == 0 and '"product":"research-bundle-v2"' in done.stdout
    yield verdict(
        "TypeScript of the guide", good, f"{len(done.stdout):,} bytes" if good else done.stderr.strip()[-200:]
    )
