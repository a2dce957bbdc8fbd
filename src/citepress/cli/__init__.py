"""The commands: thin, each in one file; exit codes are 0 for fine, 1 for faults, 2 for wrong usage."""

import sys
from collections.abc import Sequence

from cyclopts import App
from cyclopts.exceptions import CycloptsError

from citepress import __version__
from citepress.app.imports import ImportBusyError
from citepress.cli import build, check, init, mcp, new, serve, show
from citepress.cli.console import complain
from citepress.cli.inbox import inbox
from citepress.cli.payments import payments
from citepress.cli.telemetry import telemetry
from citepress.cli.telemetry_state import UnbuiltError
from citepress.contract.store import StoreUnavailable
from citepress.edition.pack import PackError
from citepress.settings import SettingsError
from citepress.stores.sql.database import DatabaseError
from citepress.stores.valkey.counters import ValkeyError
from citepress.telemetry.imports.cursor import LogError
from citepress.telemetry.verify.directories import DirectoriesError
from citepress.telemetry.verify.ranges import RangesError
from citepress.telemetry.verify.signatures import SignaturesUnavailable
from citepress.web.serve import CannotListenError

FAILURES = (
    CannotListenError, DatabaseError, DirectoriesError, ImportBusyError, LogError, PackError, RangesError, SignaturesUnavailable,
    StoreUnavailable, UnbuiltError, ValkeyError,
)  # fmt: skip
"""What ends a command with its own sentence and exit code 1."""
app = App(
    name="citepress",
    help="Publish an archive that people and AI agents can read, cite, correct and buy compute from.",
    version=__version__,
    help_format="plaintext",
    exit_on_error=False,
    print_error=False,
    result_action="return_value",
)
for command in (init.init, new.new, check.check, build.build, serve.serve, mcp.mcp, show.routes, show.schema, show.version):
    app.command(command)
app.command(inbox)
app.command(telemetry)
app.command(payments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and leave with its exit code."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command; give its exit code."""
    try:
        code = app(list(arguments) if arguments is not None else None)
    except (CycloptsError, SettingsError) as error:
        complain(f"{error}\nTry: citepress --help")
        return 2
    except FAILURES as error:
        complain(str(error))
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    return code if isinstance(code, int) else 0
