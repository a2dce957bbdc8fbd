"""The commands of ``docs/reference/commands.md``: what each does, takes and prints, as the program declares it."""

from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any, get_args, get_origin

from cyclopts import App

from citepress.cli import application
from citepress.cli.man import arguments_of, leaves, usage
from support.marked_places import filled

COMMON = {
    "--content": "The content folder.",
    "--state": "Folder of the state; state/ in the content folder when left out.",
    "--base-url": "Public address; overrides base_url in site.toml.",
    "--by": "Name to record; the login name when left out.",
    "--json": "Print JSON.",
}
"""Options that are explained once: where the help of a command says exactly this."""
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
    """A section for each command, after the options that have one meaning in all of them."""
    return "".join(_common()) + "".join("".join(_section(name, command)) for name, command in commands().items())


def _common() -> Iterator[str]:
    yield "Every command has these options:\n\n"
    yield from map(_item, arguments_of(application(), application().meta))
    yield '\nThese options mean the same in every section that lists them under "Also":\n\n'
    yield from (f"- `{name}`: {about}\n" for name, about in COMMON.items())


def _section(name: str, command: App) -> Iterator[str]:
    arguments = arguments_of(application(), command)
    yield f"\n### citepress {name}\n\n`citepress {usage(name, arguments)}`\n\n"
    yield filled(command.help.partition("Parameters\n")[0]) + "\n"
    common = [each for each in arguments if COMMON.get(each.names[0]) == each.parameter.help]
    if particular := [each for each in arguments if each not in common]:
        yield "\n"
        yield from (_item(each) for each in particular)
    if common:
        yield f"\nAlso {', '.join(_names(each) for each in common)}.\n"


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
