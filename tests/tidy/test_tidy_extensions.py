"""What extensions may rely on stands, and the core learns nothing of a single one."""

import re
from importlib import import_module

from support.tree import CORE, ROOT, sources

PUBLIC = re.compile(r"^\| `(citepress[\w.]*)` \| (.+) \|$", re.MULTILINE)
FEATURES = re.compile(r"\b(mcp|inbox|telemetry|x402|valkey|indexnow)\b", re.IGNORECASE)
"""Words of features that packages bring."""
MAX_FEATURE_LINES = 167
"""Lines of the core that name such a feature. The number only falls; none of them imports a package."""


def test_every_name_that_extensions_may_import_is_there() -> None:
    rows = PUBLIC.findall((ROOT / "docs" / "extending.md").read_text("utf-8"))
    assert len(rows) > 20
    missing = [
        f"{module}.{name}"
        for module, names in rows
        for name in re.findall(r"`(\w+)`", names)
        if not hasattr(import_module(module), name)
    ]
    assert missing == []


def test_the_core_names_ever_fewer_features_of_extensions() -> None:
    lines = [line for path in sources(CORE) for line in path.read_text("utf-8").splitlines()]
    assert sum(bool(FEATURES.search(line)) for line in lines) <= MAX_FEATURE_LINES
