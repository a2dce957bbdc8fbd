"""Faults as an author reads them, and as editors, code hosts and programs read them."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, get_args

from citepress.base.text import counted
from citepress.cli.console import is_quiet
from citepress.content.held_reasons import held_reasons, held_sentence
from citepress.contract.fault import Fault, FaultCode, Level, Span, fault_codes

FaultFormat = Literal["text", "json", "sarif", "github"]
FORMATS: Final[tuple[str, ...]] = get_args(FaultFormat)
GITHUB_LEVELS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}
MAX_WRITTEN_WARNINGS = 3
"""Warnings of one code that are written out as text; more are folded to a line."""
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_COLOURS = {"error": "\x1b[31m", "warning": "\x1b[33m", "note": "\x1b[36m", "dim": "\x1b[2m", "end": "\x1b[0m"}


def written(faults: Sequence[Fault], form: str, *, records: int | None, terminal: bool, every: bool = False) -> str:
    """The faults in one of ``FORMATS``, in file order; text ends with a sum and has colours on a ``terminal`` only.

    Text has all errors first, then the warnings; many warnings of one code are folded to a line, unless ``every``
    one is asked for; where a command is quiet, it is the errors alone. ``records`` is the number of published records,
    ``None`` where an error keeps them from being counted.
    """
    ordered = sorted(faults, key=lambda fault: fault.key)
    if form == "text" and is_quiet():
        return _errors(ordered, colour=terminal)
    if form == "text":
        return _text(ordered, colour=terminal, every=every) + _sum(ordered, records)
    return _json(ordered, records or 0) if form == "json" else _WRITERS[form](ordered)


def brief(fault: Fault) -> str:
    """A fault in a line: its place and what is wrong."""
    return f"{_clean(_where(fault.place))}: {_clean(fault.message)}"


def _errors(faults: Sequence[Fault], *, colour: bool = False) -> str:
    errors = [fault for fault in faults if fault.code.level is Level.ERROR]
    return _text(sorted(errors, key=lambda fault: fault.key), colour=colour, every=True)


def refusal(faults: Sequence[Fault]) -> str:
    """The errors as text, which are why nothing is published, and the sum of all faults."""
    rest = "`citepress check` shows the warnings too.\n"
    is_whole = all(fault.code.level is Level.ERROR for fault in faults)
    return _errors(faults) + ("" if is_whole else rest) + _sum(faults, None)


def _sum(faults: Sequence[Fault], records: int | None) -> str:
    """``12 records, 2 errors and 1 warning``."""
    counts = {level: sum(fault.code.level is level for fault in faults) for level in (Level.ERROR, Level.WARNING)}
    sums = " and ".join(counted(count, level.value) for level, count in counts.items() if count) or "no faults"
    return f"{sums}\n" if records is None else f"{counted(records, 'record')}, {sums}\n"


def _text(faults: Sequence[Fault], *, colour: bool, every: bool) -> str:
    """Every error, then the warnings by code, then what is held back."""
    blocks = [_block(fault, colour=colour) for fault in faults if fault.code.level is Level.ERROR]
    by_code: dict[FaultCode, list[Fault]] = {}
    for fault in faults:
        if fault.code.level is Level.WARNING:
            by_code.setdefault(fault.code, []).append(fault)
    folded = False
    for code in sorted(by_code, key=lambda code: code.id):
        alike = by_code[code]
        if every or len(alike) <= MAX_WRITTEN_WARNINGS:
            blocks += [_block(fault, colour=colour) for fault in alike]
        else:
            folded = True
            blocks.append(_fold(code, alike, colour=colour))
    if folded:
        blocks.append("`citepress check --all` shows each warning.\n")
    notes = [fault for fault in faults if fault.code.level is Level.NOTE]
    blocks += [_block(fault, colour=colour) for fault in notes if every]
    if held := "" if every else held_sentence(held_reasons(faults)):
        blocks.append(f"{_painted('note', 'note', colour=colour)} {held}; `citepress check --all` names each\n")
    return "".join(blocks)


def _fold(code: FaultCode, alike: Sequence[Fault], *, colour: bool) -> str:
    """``warning CP040 x 559 in 46 files: what the code says`` and the first of them."""
    level = _painted(f"{code.level.value} {code.id}", code.level.value, colour=colour)
    files = counted(len({fault.place.file for fault in alike}), "file")
    return (
        f"{level} x {len(alike):,} in {files}: {code.about}\n    first: {_clean(_where(alike[0].place))}"
        f" {_clean(alike[0].message)}\n"
    )


def _where(place: Span) -> str:
    return ":".join(str(part) for part in (place.file, place.line, place.column) if part)


def _block(fault: Fault, *, colour: bool) -> str:
    place = fault.place
    level = fault.code.level.value
    lines = [
        f"{_clean(_where(place))} {_painted(f'{level} {fault.code.id}', level, colour=colour)} {_clean(fault.message)}"
    ]
    if place.source.strip():
        lines += _quoted(place.source, place.column, str(place.line), colour=colour)
    if fault.hint:
        lines.append(f"    hint: {_clean(fault.hint)}")
    return "\n".join(lines) + "\n"


def _quoted(source: str, column: int, line: str, *, colour: bool) -> list[str]:
    """The line with a caret below its place; tabs count as one column and are shown as a space."""
    start = max(0, column - 100)
    shown = _clean(source.replace("\t", " ")[start : start + 140].rstrip())
    margin = " " * len(line)
    caret = " " * (column - 1 - start) + "^" if column else ""
    return [_painted(f"    {line} | {shown}", "dim", colour=colour), f"    {margin} | {caret}".rstrip()]


def _painted(text: str, name: str, *, colour: bool) -> str:
    return f"{_COLOURS[name]}{text}{_COLOURS['end']}" if colour else text


def _clean(text: str) -> str:
    """No character of a file may move the cursor or the reading direction."""
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _json(faults: Sequence[Fault], records: int) -> str:
    rows = [
        {
            "code": fault.code.id,
            "name": fault.code.name,
            "level": fault.code.level.value,
            "file": fault.place.file,
            "line": fault.place.line,
            "column": fault.place.column,
            "message": fault.message,
            "hint": fault.hint,
            "source": fault.place.source,
        }
        for fault in faults
    ]
    return json.dumps({"records": records, "faults": rows}, indent=2, ensure_ascii=False) + "\n"


def _sarif(faults: Sequence[Fault]) -> str:
    driver = {"name": "citepress", "rules": [_rule(code) for code in fault_codes()]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(fault) for fault in faults],
    }
    log = {"version": "2.1.0", "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _rule(code: FaultCode) -> Mapping[str, Any]:
    return {
        "id": code.id,
        "name": code.name,
        "shortDescription": {"text": code.about},
        "defaultConfiguration": {"level": code.level.value},
    }


def _result(fault: Fault) -> Mapping[str, Any]:
    place = fault.place
    location: dict[str, Any] = {"artifactLocation": {"uri": _uri(place.file)}}
    if place.line:
        location["region"] = {"startLine": place.line, "startColumn": max(place.column, 1)}
    text = f"{fault.message} ({fault.hint})" if fault.hint else fault.message
    return {
        "ruleId": fault.code.id,
        "ruleIndex": fault_codes().index(fault.code),
        "level": fault.code.level.value,
        "message": {"text": text},
        "locations": [{"physicalLocation": location}],
    }


def _uri(path: str) -> str:
    return "".join(
        c if c.isascii() and (c.isalnum() or c in "/._-~") else "".join(f"%{b:02X}" for b in c.encode()) for c in path
    )


def _github(faults: Sequence[Fault]) -> str:
    """Workflow commands, which code hosts show at the changed line."""
    return "".join(
        f"::{GITHUB_LEVELS[fault.code.level]} {_properties(fault)}::{_escaped(_sentence(fault))}\n" for fault in faults
    )


def _properties(fault: Fault) -> str:
    place = fault.place
    pairs = {"file": place.file, "line": place.line, "col": place.column, "title": fault.code.id}
    return ",".join(
        f"{key}={_escaped(str(value)).replace(':', '%3A').replace(',', '%2C')}" for key, value in pairs.items() if value
    )


def _sentence(fault: Fault) -> str:
    return f"{fault.message} ({fault.hint})" if fault.hint else fault.message


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


_WRITERS: Mapping[str, Callable[[Sequence[Fault]], str]] = {"sarif": _sarif, "github": _github}
