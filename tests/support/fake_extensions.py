"""Extensions of this process: their parts are objects of a test, and nothing is installed."""

from types import SimpleNamespace
from typing import Any

import pytest

from citepress import extension, hooks
from citepress.extension import Extension, Installed


def give(monkeypatch: pytest.MonkeyPatch, *extensions: tuple[str, dict[str, Any]]) -> None:
    """Have these extensions, by name, and no other at the points of their parts; each is of ``<name>-ext``."""
    fakes = [
        Installed(
            Extension(name=name, **parts),
            SimpleNamespace(name=name, module=name, dist=SimpleNamespace(name=f"{name}-ext", version="1")),  # type: ignore[arg-type]
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
