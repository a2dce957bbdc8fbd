"""Extensions of this process: their parts are objects of a test, and nothing is installed."""

from dataclasses import dataclass
from typing import Any

import pytest

from citepress import extension, hooks
from citepress.extension import Extension, Installed


@dataclass(frozen=True)
class Distribution:
    """A distribution that is not installed."""

    name: str
    version: str = "1"


@dataclass(frozen=True)
class Entry:
    """Its entry point."""

    name: str
    module: str
    dist: Distribution


def give(monkeypatch: pytest.MonkeyPatch, *extensions: tuple[str, dict[str, Any]]) -> None:
    """Have these extensions, by name, and no other at the points of their parts; each is of ``<name>-ext``."""
    fakes = [
        Installed(
            Extension(name=name, **parts),
            Entry(name, name, Distribution(f"{name}-ext")),  # type: ignore[arg-type]
        )
        for name, parts in extensions
    ]
    real = extension._declared  # noqa: SLF001

    def declared(point: str) -> tuple[tuple[Installed, Any], ...]:
        here = tuple((fake, value) for fake in fakes if (value := getattr(fake.extension, point)))
        return here or real(point)

    monkeypatch.setattr(extension, "_SOURCES", dict(extension._SOURCES))  # noqa: SLF001  (by identity of what ends here)
    monkeypatch.setattr(extension, "_declared", declared)
    for name in ("provider", "hooks"):  # without what they remember
        reader = getattr(hooks, name)
        monkeypatch.setattr(hooks, name, getattr(reader, "__wrapped__", reader))
