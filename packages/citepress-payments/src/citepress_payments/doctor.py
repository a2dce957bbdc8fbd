"""What ``citepress doctor`` finds about payment rails."""

from collections.abc import Iterator
from itertools import groupby

from citepress.admin.doctor import DoctorCheck, Finding, command
from citepress.base.text import sentence_list
from citepress.content.validation_messages import dotted
from citepress.contract.site import Site
from citepress.settings import Settings
from citepress_payments.admin import open_payment_checks, open_payment_service
from citepress_payments.configuration import ClosedRail
from citepress_payments.settings import payments_of

STATUS = "payments status"


def examine_rails(settings: Settings, site: Site) -> Iterator[Finding]:
    """Open every rail as a server would. Raises ``CitepressError``."""
    terms = payments_of(site)
    if terms is None:
        yield Finding("rails", "ok", "nothing is sold: site.toml has no [payments]")
        return
    with open_payment_checks(settings) as stores, open_payment_service(terms, stores) as system:
        for rail in system.rails.all:
            reason = system.rails.unavailable_reason(rail)
            todo = f"run {command(settings, STATUS)}" if reason else ""
            yield Finding("rails", "failure" if reason else "ok", f"{rail.slug}: {reason or 'open'}", todo)
        # What several rails lack is told once.
        for reason, closed in groupby(sorted(system.rails.closed, key=_reason), _reason):
            rails = list(closed)
            names, where = sentence_list([rail.slug for rail in rails]), dotted(rails[0].location)
            closed_rails = f"{names} {'is' if len(rails) == 1 else 'are'} closed: {where}: {reason}"
            yield Finding("rails", "failure", closed_rails, f"correct that, then run {command(settings, STATUS)}")


def _reason(rail: ClosedRail) -> str:
    return rail.reason


CHECKS = (DoctorCheck("rails", STATUS, examine_rails),)
