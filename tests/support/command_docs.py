"""The commands of ``docs/reference/commands.md``: what each does, takes and prints, as the program declares it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_origin

from cyclopts import App

from citepress.cli import application
from citepress.cli.examples import examples
from citepress.cli.man import arguments_of, leaves, usage
from support.marked_places import filled

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
    """The options of every command, and a section for each command."""
    shared = "".join(map(_row, arguments_of(application(), application().meta)))
    table = f"| option of every command | value | meaning |\n| --- | --- | --- |\n{shared}\n"
    return table + "\n".join("".join(_section(name, command)) for name, command in commands().items())


def _section(name: str, command: App) -> Iterator[str]:
    arguments = arguments_of(application(), command)
    yield f"### citepress {name}\n\n```\ncitepress {usage(name, arguments)}\n```\n\n"
    yield filled(command.help.partition("Parameters\n")[0]) + "\n"
    if arguments:
        yield "\n| option | value | meaning |\n| --- | --- | --- |\n"
        yield from (_row(each) for each in arguments)
    if example := examples().get(name):
        text = f"For example, `citepress {example.words}`: {example.about[0].lower()}{example.about[1:]}"
        yield f"\n{filled(text)}\n"


def _row(argument: Any) -> str:
    names = " ".join(f"`{name}`" for name in argument.names)
    about = (argument.parameter.help or "").replace("``", "`").replace("|", "\\|")
    default = argument.field_info.default
    usual = f" Default: `{default}`." if default and isinstance(default, str | int | float | Path) else ""
    return f"| {names} | {_value(argument.hint)} | {' '.join(about.split())}{usual} |\n"


def _value(hint: Any) -> str:
    if hint in PLAIN:
        return PLAIN[hint]
    if get_origin(hint) is tuple:
        return f"{_value(get_args(hint)[0])}, repeatable"
    parts = [part for part in get_args(hint) if part is not type(None)]
    if all(isinstance(part, str) for part in parts):
        return ", ".join(f"`{part}`" for part in parts)
    return " or ".join(_value(part) for part in parts if part is not ...)
