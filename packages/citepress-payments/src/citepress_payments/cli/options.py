"""What the commands on payments have in common: options, the site's table, and times as people read them."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.base.errors import CitepressError
from citepress.base.timestamps import rfc3339
from citepress.contract.fault import BAD_SITE
from citepress.settings import Settings, SettingsError
from citepress_payments.settings import Payments, payments_of

State = Annotated[Path | None, Parameter(help="Folder of the state; by default state/ in the content folder.")]
Content = Annotated[Path, Parameter(help="The content folder.")]
Json = Annotated[bool, Parameter(help="Print JSON.")]

MAX_LEDGER_ROWS = 500
"""Rows of the ledger that are read at once."""


def moment(second: int) -> str:
    """A second of the ledger as RFC 3339 text."""
    return rfc3339(datetime.fromtimestamp(second, UTC))


class NothingSoldError(CitepressError):
    """No product is sold: a state of the archive, not a wrong command line."""


def declared_terms(settings: Settings) -> Payments:
    """The ``[payments]`` table of the content folder. Raises ``SettingsError`` where it has none that can be used."""
    builder = Builder(settings)
    folder = builder.folder(clock.now())
    wrong = [fault for fault in builder.check(clock.now())[1] if fault.code is BAD_SITE]
    if wrong:
        raise SettingsError(f"site.toml:{wrong[0].place.line}: {wrong[0].message}")
    terms = payments_of(folder.site)
    if terms is None:
        raise NothingSoldError(
            f"{settings.root / 'site.toml'} has no [payments]: `citepress payments init` writes a test configuration"
        )
    return terms
