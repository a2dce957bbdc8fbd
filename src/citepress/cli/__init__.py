"""The commands: thin, each in one file, imported when it is asked for; exit codes are 0 for fine, 1 for faults, 2 for wrong usage."""

import sys
from collections.abc import Sequence

from cyclopts import App
from cyclopts.exceptions import CycloptsError

from citepress import __version__
from citepress.base.errors import CitepressError
from citepress.cli.console import complain

COMMANDS = (
    ("init", "init:init", "Create a content folder."),
    ("new", "new:new", "Create a draft record of a kind."),
    ("check", "check:check", "Check a content folder: every fault at once, errors first."),
    ("build", "build:build", "Write every publication path as a file, with _headers, _redirects and archive.db."),
    ("serve", "serve:serve", "Serve a content folder over HTTP until SIGTERM or Ctrl-C."),
    ("mcp", "mcp:mcp", "Speak MCP over standard input and output until the input ends: one message a line."),
    ("routes", "show:routes", "Print the route table: method, path, type, schema and name of every route."),
    ("schema", "show:schema", "Print the JSON Schema of a kind's published record, or of any published document."),
    ("version", "version:version", "Print the version of citepress and of the public contract."),
    ("inbox", "inbox:inbox", "Review what agents proposed; works while the server runs."),
    ("telemetry", "telemetry:telemetry", "Import access logs, read and publish what machines read here; works while the server runs."),
    ("payments", "payments:payments", "Sell compute: open rails, look after them, try them out."),
)
"""Name, ``module:attribute`` in this package, and summary. A module is imported only when its command runs, because importing every
room costs two seconds of processor time; so ``--help`` takes its lines from here, and a test compares them with the docstrings."""
USAGE = 2
"""The exit code of what was asked wrongly."""


def _application() -> App:
    app = App(
        name="citepress",
        help="Publish an archive that people and AI agents can read, cite, correct and buy compute from.",
        version=__version__,
        help_format="plaintext",
        exit_on_error=False,
        print_error=False,
        result_action="return_value",
    )
    for name, path, summary in COMMANDS:
        app.command(f"{__name__}.{path}", name=name, help=summary)
    return app


app = _application()


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and leave with its exit code."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command; give its exit code."""
    try:
        code = app(list(arguments) if arguments is not None else None)
    except CycloptsError as error:
        return _failed(error, USAGE)
    except CitepressError as error:
        return _failed(error, error.exit_code)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    return code if isinstance(code, int) else 0


def _failed(error: Exception, code: int) -> int:
    complain(f"{error}\nTry: citepress --help" if code == USAGE else str(error))
    return code
