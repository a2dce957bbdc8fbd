"""``citepress completion``: a script that completes commands and options in a shell."""

from importlib import import_module
from typing import Annotated, Literal

from cyclopts import App, Parameter

from citepress.cli.console import write

Shell = Annotated[Literal["bash", "zsh", "fish"], Parameter(help="The shell.")]


def completion(shell: Shell, /) -> int:
    """Print a script that completes commands, options and files in a shell."""
    app: App = import_module("citepress.cli").application()  # it imports this module when the command runs
    write(app.generate_completion(prog_name="citepress", shell=shell).encode())
    return 0
