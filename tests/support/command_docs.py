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
USUAL = ("--content", "--json", "--state")
"""Options that most commands have: the page lists the others."""
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
    counts = Counter((_option(each), _item(each)) for taken in arguments.values() for each in taken)
    usual = {option: item for (option, item), _ in reversed(counts.most_common()) if option in USUAL}
    common = {item for (option, item), count in counts.items() if count >= MIN_COMMANDS and option not in USUAL}
    common |= set(usual.values())
    return "".join(_common(sorted(common, key=lambda item: item.strip("-` ").lower()))) + "".join(
        "".join(_section(name, command, arguments[name], common)) for name, command in commands().items()
    )


def without(option: str) -> list[str]:
    """The commands that do not have an option that most commands have."""
    return [name for name, command in commands().items() if option not in options(command)]


def _common(items: Iterable[str]) -> Iterator[str]:
    yield "Every command has these options:\n\n"
    yield from map(_item, arguments_of(application(), application().meta))
    yield "\nMost commands have these:\n\n"
    rest = []
    for item in items:
        option = item.partition("`")[2].partition("`")[0]
        if option in USUAL:
            text = f"{item.strip()} Not of {', '.join(f'`{name}`' for name in without(option))}."
            yield filled(text, 98).replace("\n", "\n  ") + "\n"
        else:
            rest.append(item)
    yield '\nThese mean the same in every section that lists them under "Also":\n\n'
    yield from rest


def _section(name: str, command: App, arguments: list[Any], common: Container[str]) -> Iterator[str]:
    yield f"\n### citepress {name}\n\n"
    yield filled(command.help.partition("Parameters\n")[0]) + "\n"
    items = [item for each in arguments if (item := _item(each)) not in common]
    shared = [_names(each) for each in arguments if _item(each) in common and _option(each) not in USUAL]
    if shared:
        items.insert(0, filled(f"- Also {', '.join(shared)}.", 98).replace("\n", "\n  ") + "\n")
    yield from ("\n", *items) if items else ()


def _item(argument: Any) -> str:
    about = " ".join((argument.parameter.help or "").replace("``", "`").split())
    default = argument.field_info.default
    usual = f"default `{default}`" if default and isinstance(default, str | int | float | Path) else ""
    value = ", ".join(part for part in (_value(argument.hint, about), usual) if part)
    text = filled(f"{_names(argument)}{f' ({value})' if value else ''}: {about}", 98)
    return "- " + text.replace("\n", "\n  ") + "\n"


def _option(argument: Any) -> str:
    return argument.names[0]


def _names(argument: Any) -> str:
    """The names of an argument, after the word for its place on the command line, in brackets if it may be left out."""
    names = [name for name in argument.names if name.startswith("-")]
    if argument.index is not None and _option(argument) not in USUAL:
        place = usage("", [argument]).strip()
        names = [place, *names]
    return ", ".join(f"`{name}`" for name in names)


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
