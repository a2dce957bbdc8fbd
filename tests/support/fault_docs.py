"""The tables of ``docs/reference/faults.md``, from the texts by which each package explains its faults."""

import re
from collections.abc import Iterator
from importlib.resources import files

from citepress.cli.explain import FAULTS, explanation
from citepress.contract.fault import FaultCode, Level, fault_codes
from citepress.extension import CORE, owner_of

GROUP = re.compile(r"^## (.+)\n((?:(?!## ).*\n?)*)", re.MULTILINE)
MARKS = {Level.ERROR: "", Level.WARNING: " W", Level.NOTE: " N"}
"""What follows the code of a fault of each level."""
NAMED = re.compile(r"^### (CP\d+) ", re.MULTILINE)


def next_step(code: FaultCode) -> str:
    """What to do about a fault: the paragraph after the one that says what it is."""
    return " ".join(explanation(code).split("\n\n")[2].split())


def tables() -> str:
    """A table for each group of the core's faults, and one for those of extensions."""
    codes = {code.id: code for code in sorted(fault_codes(), key=lambda each: each.id)}
    core = files("citepress.cli").joinpath(FAULTS).read_text("utf-8")
    groups = [_group(title, text, [codes[id_] for id_ in NAMED.findall(text)]) for title, text in GROUP.findall(core)]
    extensions = [code for code in codes.values() if owner_of(code) != CORE]
    return "\n".join([*groups, _group("Extensions", "", extensions)])


def _group(title: str, text: str, codes: list[FaultCode]) -> str:
    about = f"{NAMED.split(text)[0].strip()}\n\n".lstrip("\n")
    return f"## {title}\n\n{about}{''.join(_rows(codes))}"


def _rows(codes: list[FaultCode]) -> Iterator[str]:
    yield "| code | cause | next step |\n|---|---|---|\n"
    for code in codes:
        yield f"| {code.id}{MARKS[code.level]} | {code.about} | {next_step(code)} |\n"
