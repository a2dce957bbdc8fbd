"""The threat models name a proof for each defence, and every proof is there."""

import re

from support.tree import ROOT

PAGE = (ROOT / "SECURITY.md").read_text("utf-8")
ROW = re.compile(r"^\| (?!attack|---)([^|]+) \| [^|]+ \| ([^|]+) \|$", re.MULTILINE)
PROOF = re.compile(r"`([\w/.-]+\.py)(?:::(test_\w+))?`")
MIN_ROWS = 30


def _is_there(path: str, test: str) -> bool:
    file = ROOT / path
    return file.is_file() and (not test or f"def {test}(" in file.read_text("utf-8"))


def test_every_attack_has_a_proof_that_is_there() -> None:
    rows = {attack: PROOF.findall(proof) for attack, proof in ROW.findall(PAGE)}

    assert len(rows) >= MIN_ROWS
    assert {attack for attack, proofs in rows.items() if not proofs} == set()
    assert [proof for proofs in rows.values() for proof in proofs if not _is_there(*proof)] == []


def test_both_models_say_what_they_do_not_hold() -> None:
    for title in ("The server", "Payments"):
        _, _, section = PAGE.partition(f"## {title}\n")
        chapter = section.partition("\n## ")[0]
        assert re.findall(r"^What does not hold:\n\n- ", chapter, re.MULTILINE), title
