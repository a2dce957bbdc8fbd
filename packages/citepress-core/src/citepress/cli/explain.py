"""``citepress explain``: what a fault that ``check`` names means, from the package that reports it."""

import re
from importlib.resources import files
from typing import Annotated

from cyclopts import Parameter

from citepress.base.text import did_you_mean
from citepress.cli.console import answer, complain
from citepress.contract.fault import FaultCode, fault_codes
from citepress.extension import installed, owner_of

FAULTS = "faults.txt"
"""The Markdown of a package that explains the faults it reports, each below a heading ``### CP021 name (level)``."""
_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")


def _codes(_typed: object) -> dict[str, str]:
    return {code.id: code.about for code in fault_codes()}


def explain(code: Annotated[str, Parameter(completer=_codes)], /, *, json: bool = False) -> int:
    """Explain a fault of check: what it means, with an example.

    Parameters
    ----------
    code
        The code, such as CP021, or the name, such as dangling-reference.
    json
        Print JSON.
    """
    codes = {name: each for each in fault_codes() for name in (each.id, each.name)}
    wanted = codes.get(code.upper()) or codes.get(code.lower())
    if wanted is None:
        hint = did_you_mean(code.upper(), codes) or "`citepress check` prints the code behind the level"
        complain(f"no fault is called {code!r}. {hint[0].upper()}{hint[1:]}")
        return 2
    text = _LINK.sub(r"\1", explanation(wanted))
    members = {"code": wanted.id, "name": wanted.name, "level": wanted.level.value, "about": wanted.about}
    answer(text, {**members, "explanation": text}, as_json=json)
    return 0


def explanation(code: FaultCode) -> str:
    """The section on a fault in Markdown; its own sentence where its package explains no more."""
    heading = f"{code.id} {code.name} ({code.level.value})"
    owner = owner_of(code)
    package = next((source.package for source in installed() if source.distribution == owner), "citepress.cli")
    page = files(package).joinpath(FAULTS)
    text = page.read_text("utf-8") if page.is_file() else ""
    section = re.search(rf"(?ms)^### {re.escape(heading)}\n(.*?)(?=^##|\Z)", text)
    return f"{heading}\n\n{section[1].strip() if section else code.about}"
