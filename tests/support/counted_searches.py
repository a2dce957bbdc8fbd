"""Calls of the search engine, counted, and an index and questions that would take many."""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import pytest

from citepress.search.engine import Engine
from citepress.search.index import SearchIndex
from support.search import indexed, note

SEARCHES = ("search", "search_preferring", "newest", "matches", "count")
LIMIT, DUPLICATES = 20, 150
QUESTIONS = {
    "nothing": "",
    "spaces": " \t " * 300,
    "one word": "agent",
    "common words": "agent memory " * 40,
    "unknown words": " ".join(f"agnt{number}x" for number in range(70)),
    "quoted passages": " ".join(f'"agent memory {number}"' for number in range(40)),
    "one long passage": '"' + "agent memory settles " * 25 + '"',
    "many parts": "; ".join("agent memory files" for _ in range(30)),
    "identifiers": " ".join(f"agentMemory-files.v{number}" for number in range(40)),
    "no spaces": "\u8a18\u61b6" * 260,
    "surrogates": "\udcff agent \ud800 memory",
}


@contextmanager
def counted_calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """Calls of the engine by method."""
    calls: Counter[str] = Counter()

    def counting(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def counted(*arguments: Any, **named: Any) -> Any:
            calls[name] += 1
            return method(*arguments, **named)

        return counted

    with monkeypatch.context() as patched:
        for name in (*SEARCHES, "words", "stored"):
            patched.setattr(Engine, name, counting(name, getattr(Engine, name)))
        yield calls


def crowded_index(folder: Path) -> SearchIndex:
    """Records on one subject, most of them near-duplicates."""
    chance = random.Random(5)  # noqa: S311  (the same records in every run)
    vocabulary = [f"{start}{end}" for start in ("agent", "memory", "file", "tool") for end in ("", "s", "ic", "less")]
    same = "Agent memory settles into plain Markdown files that a person reads and keeps under version control."
    duplicates = [note(f"same-{number}", f"{same} Note {number}.") for number in range(DUPLICATES)]
    others = [note(f"other-{number}", " ".join(chance.choices(vocabulary, k=30)) + ".") for number in range(60)]
    return indexed(folder, *duplicates, *others)
