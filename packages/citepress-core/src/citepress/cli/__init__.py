"""The commands: thin, each in one file, imported only when it runs.

Exit codes are 0 for success, 1 for faults or failure, 2 for wrong usage.
"""

import gc
import os
import sys
from collections.abc import Sequence
from functools import cache
from typing import Annotated

from cyclopts import App, Group, Parameter
from cyclopts.exceptions import CycloptsError, UnusedCliTokensError
from cyclopts.validators import mutually_exclusive

from citepress.base.declared_names import COMMAND_GROUPS
from citepress.base.errors import CitepressError
from citepress.base.shortage import about_shortage
from citepress.cli.console import complain, speaking
from citepress.cli.examples import CORE as EXAMPLES
from citepress.cli.examples import example, examples
from citepress.cli.version import VERSION_TEXT
from citepress.extension import Command, function_of, install_hint, joined

CORE = (
    ("init", "Create a content folder.", "Write"),
    ("new", "Create a draft record of a kind, a page, the owner or a dataset.", "Write"),
    ("check", "Check a content folder and show every fault, errors first.", "Write"),
    ("build", "Write every publication path as a file, with _headers, _redirects and archive.db.", "Publish"),
    ("serve", "Serve a content folder over HTTP until SIGTERM or Ctrl-C.", "Publish"),
    ("routes", "Print the route table: method, path, type, schema and name of every route.", "Reference"),
    (
        "doctor",
        "Check settings, clock, disk, stores, edition, proxies and ports, and say what to do about each.",
        "Run",
    ),
    ("explain", "Explain a fault of check: what it means, with an example.", "Reference"),
    ("man", "Print the manual page of all commands, as man reads it.", "Reference"),
    ("completion", "Print a script that completes commands, options and files in a shell.", "Reference"),
    ("version", "Print the version of citepress and of the public contract.", "Reference"),
    ("backup", "Copy what cannot be built again into a new folder.", "Run"),
    ("restore", "Write a backup into an empty state folder or database, and read every row back.", "Run"),
)
"""Name, summary and group of each command of the core, a function of its name in a module of that name.

A module is imported only when its command runs, because importing all of them takes two seconds of CPU. So ``--help``
takes its lines from here, and a test compares them with the docstrings."""
MODULES = {"restore": "backup"}
"""Modules of another name."""
CORE_COMMANDS = tuple(
    Command(name, f"{__name__}.{MODULES.get(name, name)}:{name}", summary, group=group) for name, summary, group in CORE
)
CORE_NAMES = {"--version", *(command.name for command in CORE_COMMANDS)}
GROUPS = {name: Group(name, sort_key=place) for place, name in enumerate(COMMAND_GROUPS)}
VOLUME = Group("Options of every command", sort_key=len(COMMAND_GROUPS), validator=mutually_exclusive)
Words = Annotated[str, Parameter(show=False, allow_leading_hyphen=True)]
Quiet = Annotated[bool, Parameter(alias="-q", group=VOLUME, help="Print only errors, documents and JSON.")]
Verbose = Annotated[bool, Parameter(alias="-v", group=VOLUME, help="Print each step and what it works on.")]
USAGE = 2
"""The exit code of wrong usage."""


@cache
def application(*, core: bool = False) -> App:
    """The commands of the core, or those of every extension too. Raises ``ExtensionError``."""
    app = App(
        name="citepress",
        help="Publish an archive that people and AI agents can read, cite, correct and buy compute from.",
        version=VERSION_TEXT,
        default_parameter=Parameter(negative=(), show_default=_shown_default),
        help_format="plaintext",
        exit_on_error=False,
        print_error=False,
        result_action="return_value",
    )
    for flag in ("--help", "--version"):
        app[flag].group = GROUPS["Reference"]
    shown = EXAMPLES if core else examples()
    for command in CORE_COMMANDS if core else commands():
        # A group has no example of its own: its commands do.
        ending = {"help_epilogue": example(command.name)} if command.name in shown else {}
        app.command(command.runs, name=command.name, help=command.summary, group=GROUPS[command.group], **ending)

    @app.meta.default
    def frame(*words: Words, quiet: Quiet = False, verbose: Verbose = False) -> object:
        """Run one command."""
        with speaking(quiet=quiet, verbose=verbose):
            return app(words)

    return app


def _shown_default(value: object) -> object:
    """A default as the help shows it: what is switched off, and what is empty, has none to show."""
    return None if value is False or value in ((), "") else value


def commands() -> tuple[Command, ...]:
    """Every command, in the order of the help. Raises ``ExtensionError``."""
    return joined("commands", Command, CORE_COMMANDS, lambda command: (command.name,))


def _import_command(name: str) -> None:
    """Import the command of an extension, whose faults are that extension's. Raises ``ExtensionError``."""
    for command in commands():
        if command.name == name:
            function_of(command, command.runs)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and leave with its exit code."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command; give its exit code."""
    code, shortage = 0, ""
    try:
        words = sys.argv[1:] if arguments is None else list(arguments)
        # To look for extensions takes 10 ms of CPU, which a command of the core is spared unless it needs them.
        name = next((word for word in words if not word.startswith("-") or word in CORE_NAMES), "")
        is_core = name in CORE_NAMES
        if name and not is_core:
            _import_command(name)
        answered = application(core=is_core).meta(words)
        code = answered if isinstance(answered, int) else 0
    except CycloptsError as error:
        chain = " ".join(("citepress", *(error.command_chain or ())))
        offer = _offered(arguments, str(error))
        return _failed(_worded(error, guess=not offer), USAGE, offer or f"Try: {chain} --help")
    except CitepressError as error:
        return _failed(error, error.exit_code)
    except KeyboardInterrupt as interrupted:
        return _failed(interrupted, 130) if str(interrupted) else 130
    except PermissionError as error:
        place = os.fsdecode(error.filename) if error.filename else "a file"
        return _failed(CitepressError(f"{place} cannot be read or written: {error.strerror}"), 1)
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except BaseException as error:  # a library that starts a thread in vain panics
        if not (shortage := about_shortage(error)):
            raise
        sys.unraisablehook = _silent  # until the process ends
    # Only outside of the handler what the error holds is let go of, so that the sentence finds memory.
    return _short(shortage) if shortage else code


def _silent(_unraisable: object) -> None:
    """Say nothing of what cannot be cleaned up without memory."""


def _short(shortage: str) -> int:
    gc.collect()
    sentence = f"{shortage}, and run the command again"
    try:
        complain(sentence)
    except MemoryError:  # what colours and wraps lines takes memory too
        os.write(sys.stderr.fileno(), f"citepress: {sentence}\n".encode())
    return 1


def _offered(arguments: Sequence[str] | None, reason: str) -> str:
    """What to install for a command, or an option of one, that is not there."""
    command, *rest = (sys.argv[1:] if arguments is None else arguments) or [""]
    if command not in {each.name for each in commands()}:
        return install_hint(command)
    options = (word.partition("=")[0] for word in rest if word.startswith("--"))
    return next((hint for word in options if word in reason and (hint := install_hint(f"{command} {word}"))), "")


def _worded(error: CycloptsError, *, guess: bool) -> str:
    """The sentence of a wrong command line; without the ``guess`` at what was meant where that may be installed."""
    if isinstance(error, UnusedCliTokensError):
        return (
            f"nothing takes {' '.join(map(repr, error.unused_tokens or ()))}: the folder is --content, if it is meant"
        )
    return str(error) if guess else str(error).partition(" Did you mean")[0]


def _failed(error: object, code: int, hint: str = "") -> int:
    complain(f"{error}\n{hint or 'Try: citepress --help'}" if code == USAGE else str(error))
    return code
