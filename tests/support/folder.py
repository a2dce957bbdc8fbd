"""Small content folders on disk, read and assembled with the real kinds."""

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from citepress.archive.assemble import check
from citepress.archive.model import Archive
from citepress.content.folder import Folder, read
from citepress.contract.fault import Fault
from citepress.kinds import ALL as KINDS
from citepress.kinds import REGISTRIES

NOW = datetime(2026, 11, 21, tzinfo=UTC)
SITE = 'title = "Test archive"\nbase_url = "https://archive.test"\n'
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"/>'
SPEC = {"id": "spec", "url": "https://spec.example/one", "title": "The specification"}


def folder(path: Path, files: Mapping[str, str | bytes], site: str | None = SITE) -> Path:
    """A content folder of these files, last changed at ``NOW``, with a ``site.toml`` unless told otherwise."""
    first: dict[str, str | bytes] = {} if site is None else {"site.toml": site}
    for name, content in (first | dict(files)).items():
        target = path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
        os.utime(target, (NOW.timestamp(), NOW.timestamp()))
    return path


def markdown(front: Mapping[str, Any], body: str = "Some text.") -> str:
    """Front matter and a body."""
    return f"---\n{yaml.safe_dump(dict(front), sort_keys=False, allow_unicode=True)}---\n\n{body}\n"


def post(body: str = "Some text.", **members: Any) -> str:
    """A field note; members replace or extend the usual ones."""
    front = {
        "title": "A note",
        "summary": "What it says.",
        "date": "2026-05-01",
        "retrieval_nugget": "One sentence.",
        "claims": [],
    }
    return markdown(front | members, body)


def topic(**members: Any) -> str:
    """A topic hub."""
    front = {
        "title": "A topic",
        "summary": "What it asks.",
        "date": "2026-05-01",
        "question": "What?",
        "short_answer": "That.",
    }
    return markdown(front | members)


def pattern(**members: Any) -> str:
    """A trend pattern."""
    front: dict[str, Any] = {
        "title": "A pattern",
        "summary": "What moves.",
        "date": "2026-05-01",
        "statement": "It moves.",
        "status": "emerging",
        "confidence": {"level": "low", "rationale": "One case.", "assessed_at": "2026-05-01"},
        "evidence": [{"text": "A case."}],
        "counter_evidence": [],
        "revision_trigger": [{"condition": "It stops.", "action": "Retire it."}],
        "first_observed_at": "2026-04-01",
    }
    return markdown(front | members)


def signal(**members: Any) -> str:
    """A raw signal."""
    front: dict[str, Any] = {
        "title": "A signal",
        "summary": "What was seen.",
        "date": "2026-05-01",
        "observed_at": "2026-04-30",
        "signal_type": "release",
        "provenance": {
            "collected_by": "us",
            "method": "reading",
            "source_url": "https://a.example/",
            "captured_at": "2026-05-01",
        },
    }
    return markdown(front | members)


def forecast(**members: Any) -> str:
    """A forecast."""
    front = {
        "title": "A forecast",
        "summary": "What will be.",
        "date": "2026-05-01",
        "statement": "It will.",
        "probability": 0.5,
        "made_at": "2026-05-01",
        "resolves_at": "2026-06-01",
        "resolution_criteria": "It did.",
        "status": "open",
    }
    return markdown(front | members)


def reading(path: Path, **options: Any) -> Folder:
    """The folder as the real kinds read it."""
    return read(path, KINDS, REGISTRIES, **({"moment": NOW} | options))


def checked(path: Path, **options: Any) -> tuple[Archive | None, tuple[Fault, ...]]:
    """The archive of the folder, and every fault."""
    return check(reading(path, **options), KINDS, REGISTRIES)


def assembled(path: Path, **options: Any) -> Archive:
    """The archive of a folder that has no errors; its faults are the failure's message."""
    archive, faults = checked(path, **options)
    assert archive is not None, fault_places(faults)
    return archive


def fault_places(faults: Sequence[Fault]) -> list[str]:
    """``file:line:column code`` of each fault."""
    return [f"{fault.place.file}:{fault.place.line}:{fault.place.column} {fault.code.id}" for fault in faults]
