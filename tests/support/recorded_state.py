"""State as a release leaves it: recorded once from its code, and laid out again for the code of today.

Run this file with the name of a release to record its state under ``former_state``.
"""

import contextlib
import json
import re
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from citepress_payments.settings import SIMULATED_SELLER
from support.commands import citepress
from support.folder import folder
from support.origin import NETWORK, Reply, page, scripted_origin
from support.otters import OTTERS, QUESTION
from support.running_server import Server, serving
from support.server_with_payments import BUNDLE, payment_server_over, signed_for

FORMER = Path(__file__).parent / "former_state"
DATABASES = ("state.sqlite", "telemetry.sqlite")
FILES = ("log", "revisions", "sources", "edition.key", "editions.head", "editions.log", "kept.json")
"""What else of a state folder cannot be built again, or tells what is there."""
SITE = (
    f'title = "Otters"\n[payments]\nnetworks = "test"\npay_to_evm = "{SIMULATED_SELLER}"\n'
    '[[payments.rails]]\nslug = "base-usdc"\ndriver = "simulated"\n'
)
CONTENT = {f"content/{id_}.md": text for id_, text in OTTERS.items()}
CHANGED = "content/patterns/weirs.md"
WORDS, NEW_WORDS = "Otters rest beside a weir at night.", "Otters rest beside a weir at night and by day."
ASK = json.dumps({"query": QUESTION, "max_sources": 4}).encode()
SOURCE = {"url": "https://source.example/one", "reason": "It shows the opposite."}
OTHER_SOURCE = {"url": "https://source.example/two", "reason": "It is about beavers."}
LOG = "".join(
    f'192.0.2.{n % 200} - - [20/Nov/2026:{n % 24:02}:10:00 +0000] "GET /patterns/weirs/ HTTP/1.1" 200 900 "-"'
    ' "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)"\n'
    for n in range(240)
)
"""Ten requests of a crawler in each hour of a day."""


def record(target: Path) -> None:
    """Use an archive as people do, and write what its state folder holds as texts."""
    with tempfile.TemporaryDirectory() as name:
        root = folder(Path(name) / "content", CONTENT, SITE)
        state = Path(name) / "state"
        facts = _used(root, state)
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        for database in DATABASES:
            with contextlib.closing(sqlite3.connect(state / database)) as connection:
                (target / f"{database}.sql").write_text("\n".join(connection.iterdump()) + "\n", "utf-8")
        for path in FILES:
            _copy(state / path, target / "files" / path)
        (target / "facts.json").write_bytes(orjson.dumps(facts, option=orjson.OPT_INDENT_2) + b"\n")


def _used(root: Path, state: Path) -> dict[str, Any]:
    """What is known of the state after a day: a sale, two submissions, a decision, two editions, counts, a copy."""
    with serving(root, state) as server:
        with payment_server_over(server, str(state / "state.sqlite")) as seller:
            signature = signed_for(seller.terms(BUNDLE, ASK))
            sold = seller.post(BUNDLE, ASK, signature)
            assert sold.status == 200, sold.text
        queued, declined = _submitted(server, SOURCE), _submitted(server, OTHER_SOURCE)
    log = root.parent / "access.log"
    log.write_text(LOG, "utf-8")
    _run("inbox", "decline", declined, "--by", "Ann", "--content", root, "--state", state)
    _run("telemetry", "import", log, "--content", root, "--state", state)
    with scripted_origin() as origin:
        origin.pages["/one"] = Reply(page())
        (root / "content/posts/cited.md").write_text(_citing(f"{origin.url}/one"), "utf-8")
        _run("sources", "capture", "--allow-network", NETWORK, "--content", root, "--state", state)
    (root / "content/posts/cited.md").unlink()
    (root / "observations.jsonl").unlink(missing_ok=True)
    change(root)
    with serving(root, state):
        pass
    return {"signature": signature.decode(), "result": sold.text, "queued": queued, "declined": declined}


def change(root: Path) -> None:
    """The edit that the second edition publishes."""
    path = root / CHANGED
    path.write_text(path.read_text("utf-8").replace(WORDS, NEW_WORDS), "utf-8")


def _citing(url: str) -> str:
    return f"---\ntitle: Cited\nsummary: It cites.\ndate: 2026-05-01\nsources:\n- id: one\n  url: {url}\n---\n\nText.\n"


def _submitted(server: Server, body: dict[str, str]) -> str:
    answer = server.ask("/agent-inbox/source", "POST", orjson.dumps(body), content_type="application/json")
    assert answer.status == 202, answer.text
    return str(answer.json()["id"])


def _run(*words: object) -> None:
    done = citepress(*map(str, words))
    assert done.returncode == 0, done.stdout + done.stderr


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("*.lock"))
    elif source.is_file():
        shutil.copyfile(source, target)


def lay_out(release: str, state: Path) -> dict[str, Any]:
    """Write the recorded state of a release into a folder; what is known of it."""
    recorded = FORMER / release
    shutil.copytree(recorded / "files", state)
    (state / "edition.key").chmod(0o600)
    for database in DATABASES:
        with contextlib.closing(sqlite3.connect(state / database)) as connection:
            connection.executescript((recorded / f"{database}.sql").read_text("utf-8"))
    facts: dict[str, Any] = orjson.loads((recorded / "facts.json").read_bytes())
    return facts


def recorded_rows(release: str) -> Iterator[tuple[str, str, int]]:
    """Each table of the recorded state that has rows: its database, its name and their number."""
    for database in DATABASES:
        text = (FORMER / release / f"{database}.sql").read_text("utf-8")
        names = re.findall(r'^INSERT INTO "?(\w+)"? ', text, re.MULTILINE)
        yield from ((database, name, names.count(name)) for name in sorted(set(names)))


if __name__ == "__main__":
    record(FORMER / sys.argv[1])
