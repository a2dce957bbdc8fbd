"""Names of what extensions declare: which are allowed, and how sentences say them."""

import re
from collections.abc import Iterable

CORE_FOLDERS = "edition|export|log|overlay|publish|revisions|search"
"""The folders of the state that are the core's own."""
WORD, METRIC = re.compile("[a-z0-9]+(-[a-z0-9]+)*"), re.compile("[a-z][a-z0-9_]*")
FOLDER = re.compile(f"(?!({CORE_FOLDERS})$)[a-z][a-z0-9_-]*")
COMMAND_GROUPS = ("Write", "Publish", "Review", "Measure", "Sell", "Run", "Reference")
"""The groups of commands, in the order of the help."""
CORE_COMMANDS = frozenset(
    {"init", "new", "check", "build", "serve", "routes", "doctor"}
    | {"explain", "man", "completion", "version", "backup", "restore"}
)
"""Names that no extension may give a command; here, so that whatever loads extensions refuses them."""


def check_names(what: str, names: Iterable[object], pattern: re.Pattern[str], wanted: str, kind: type = tuple) -> None:
    """Raise ``ValueError`` where the names are no ``kind`` of texts that the pattern matches."""
    right = isinstance(names, kind)
    for name in names if right else (names,):
        if not (right and isinstance(name, str) and pattern.fullmatch(name)):
            raise ValueError(f"{what} {name!r:.100} is not {wanted}")


def kind_names(kind: type | tuple[type, ...]) -> str:
    """The names of types, as ``isinstance`` takes them, in a sentence."""
    return " or ".join(each.__name__ for each in (kind if isinstance(kind, tuple) else (kind,)))
