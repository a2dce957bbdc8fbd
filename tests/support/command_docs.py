"""The commands of ``docs/reference/commands.md``: what each does, takes and prints, as the program declares it."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any, get_args, get_origin

from cyclopts import App

from citepress.cli import application
from citepress.cli.man import arguments_of, leaves, usage
from support.marked_places import filled

MIN_COMMANDS = 2
"""Commands from which on an argument that they describe alike is explained once."""
PLAIN = {str: "text", int: "number", float: "number", Path: "path", bool: ""}


def commands() -> dict[str, App]:
    """Every command, ``inbox list`` too, in the order of their names."""
    return dict(leaves(application()))


SHARED_OPTIONS = {name for argument in arguments_of(application(), application().meta) for name in argument.names}
"""Options of every command."""


def options(command: App) -> set[str]:
    """The options of a command, without those that only take another back."""
    names = {name for argument in arguments_of(application(), command) for name in argument.names}
    return {name for name in names if name.startswith("--") and name != "--no-search"}


def sections() -> str:
    """A section for each command, after the arguments that mean the same in several of them."""
    arguments = {name: arguments_of(application(), command) for name, command in commands().items()}
    counts = Counter((_names(each), _item(each)) for taken in arguments.values() for each in taken)
    usual = {names: item for (names, item), count in reversed(counts.most_common()) if count >= MIN_COMMANDS}
    common = sorted(usual.values(), key=lambda item: item.strip("-` ").lower())
    return "".join(_common(common)) + "".join(
        "".join(_section(name, command, arguments[name], common)) for name, command in commands().items()
    )


def _common(items: Iterable[str]) -> Iterator[str]:
    yield "Every command has these options:\n\n"
    yield from map(_item, arguments_of(application(), application().meta))
    yield '\nThese mean the same in every section that lists them under "Also":\n\n'
    yield from items


def _section(name: str, command: App, arguments: list[Any], common: Container[str]) -> Iterator[str]:
    yield f"\n### citepress {name}\n\n"
    if (line := usage(name, arguments)) not in {name, f"{name} [CONTENT]"}:
        yield f"`citepress {line}`\n\n"
    yield filled(command.help.partition("Parameters\n")[0]) + "\n"
    if particular := [item for each in arguments if (item := _item(each)) not in common]:
        yield "\n" + "".join(particular)
    if shared := [_names(each) for each in arguments if _item(each) in common]:
        yield "\n" + filled(f"Also {', '.join(shared)}.") + "\n"


def _item(argument: Any) -> str:
    about = " ".join((argument.parameter.help or "").replace("``", "`").split())
    default = argument.field_info.default
    usual = f"default `{default}`" if default and isinstance(default, str | int | float | Path) else ""
    value = ", ".join(part for part in (_value(argument.hint, about), usual) if part)
    text = filled(f"{_names(argument)}{f' ({value})' if value else ''}: {about}", 98)
    return "- " + text.replace("\n", "\n  ") + "\n"


def _names(argument: Any) -> str:
    return ", ".join(f"`{name}`" for name in argument.names)


def _value(hint: Any, about: str) -> str:
    """The sort of value; nothing where the sentence about it lists all that can be given."""
    if hint in PLAIN:
        return PLAIN[hint]
    if get_origin(hint) is tuple:
        return ", ".join(part for part in (_value(get_args(hint)[0], about), "repeatable") if part)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return ", ".join(f"`{each.value}`" for each in hint)
    parts = [part for part in get_args(hint) if part is not type(None)]
    if all(isinstance(part, str) for part in parts):
        return "" if all(part in about for part in parts) else ", ".join(f"`{part}`" for part in parts)
    return " or ".join(_value(part, about) for part in parts if part is not ...)
