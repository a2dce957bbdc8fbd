"""``citepress man``: the manual page, from what every command declares of itself."""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import get_origin

from cyclopts import App
from cyclopts.argument import Argument

from citepress.base import clock
from citepress.base.declared_names import COMMAND_GROUPS
from citepress.base.timestamps import day
from citepress.cli.console import write
from citepress.cli.examples import examples
from citepress.cli.version import VERSION_TEXT

EXIT_CODES = {"0": "Success.", "1": "Faults in the content, or a failure.", "2": "A wrong command line."}


def man() -> int:
    """Print the manual page of all commands, as man reads it."""
    commands = import_module("citepress.cli")  # which imports this module when the command runs
    write(manual(commands.application(), {each.name: each.group for each in commands.commands()}).encode())
    return 0


def leaves(group: App, prefix: str = "") -> Mapping[str, App]:
    """Every command, those of groups too, in the order of their names."""
    members: dict[str, App] = {}
    for name in sorted(group):
        if not name.startswith("-"):
            command = group[name]
            members |= leaves(command, f"{prefix}{name} ") or {prefix + name: command}
    return members


def usage(name: str, arguments: Sequence[Argument]) -> str:
    """``new KIND [SLUG]``: a command with its arguments."""
    placed = (each for each in arguments if each.index is not None)
    names = ((each, _placed(each)) for each in placed)
    return " ".join((name, *(words if each.required else f"[{words}]" for each, words in names)))


def _placed(argument: Argument) -> str:
    return argument.names[0].lstrip("-").upper() + ("..." if get_origin(argument.hint) is tuple else "")


def arguments_of(app: App, command: App) -> list[Argument]:
    """What a command takes, as the help of the application shows it."""
    collection = command.assemble_argument_collection(default_parameter=app.default_parameter, parse_docstring=True)
    return [each for each in collection if each.names != ("*",) and each.parameter.show is not False]


def manual(app: App, groups: Mapping[str, str]) -> str:
    """The page in the language of troff; ``groups`` are those of the commands."""
    lines = [f'.TH CITEPRESS 1 "{day(clock.now())}" "{_plain(VERSION_TEXT)}"', ".SH NAME"]
    lines += [f"citepress \\- {_plain(app.help.rstrip('.'))}", ".SH SYNOPSIS", ".B citepress"]
    lines += [".I command", "[options] [arguments]", ".SH OPTIONS", *_arguments(arguments_of(app, app.meta))]
    commands = leaves(app)
    for group in COMMAND_GROUPS:
        lines.append(f".SH {group.upper()}")
        for name, command in commands.items():
            if groups[name.partition(" ")[0]] == group:
                lines += _section(name, command, arguments_of(app, command))
    lines.append(".SH EXIT STATUS")
    for code, about in EXIT_CODES.items():
        lines += [".TP", f".B {code}", about]
    return "\n".join(lines) + "\n"


def _section(name: str, command: App, arguments: Sequence[Argument]) -> Iterator[str]:
    yield f'.SS "citepress {_plain(usage(name, arguments))}"'
    yield _plain(" ".join(command.help.partition("Parameters\n")[0].split()))
    yield from _arguments(arguments)
    if example := examples().get(name):
        yield from (".PP", "Example:", ".B", _plain(f"citepress {example.words}"), ".br", _plain(example.about))


def _arguments(arguments: Sequence[Argument]) -> Iterator[str]:
    for each in arguments:
        about = " ".join((each.parameter.help or "").replace("``", "").split())
        value = "" if each.hint is bool or not each.names[0].startswith("-") else f" {_metavar(each)}"
        yield from (".TP", f".B {_plain(', '.join(each.names) + value)}", _plain(about))


def _metavar(argument: Argument) -> str:
    return "PATH" if argument.hint is Path else "VALUE..." if get_origin(argument.hint) is tuple else "VALUE"


def _plain(text: str) -> str:
    """Words that troff prints as they are."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("\N{HORIZONTAL ELLIPSIS}", "...").replace('"', "\\(dq")
    return f"\\&{text}" if text[:1] in (".", "'") else text
