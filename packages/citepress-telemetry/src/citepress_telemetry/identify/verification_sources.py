"""The sources of identity checks: the operators' own lists and keys, and when they were fetched."""

from collections.abc import Iterable, Iterator, Mapping

from citepress_telemetry.contract.head import VerificationBasis
from citepress_telemetry.identify.user_agents.table import FamilyRule
from citepress_telemetry.identify.verify.ranges import Fetched


def basis(
    rows: Iterable[FamilyRule], fetched: Mapping[str, Fetched], *, reverse_dns: bool = False, signatures: bool = False
) -> dict[str, tuple[VerificationBasis, ...]]:
    """The documents behind the checks of each family by name; families without checks are left out.

    ``reverse_dns`` and ``signatures``: whether these checks are switched on.
    """
    sources = {
        row.family.name: tuple(_of(row, fetched, reverse_dns=reverse_dns, signatures=signatures)) for row in rows
    }
    return {name: documents for name, documents in sources.items() if documents}


def _of(
    row: FamilyRule, fetched: Mapping[str, Fetched], *, reverse_dns: bool, signatures: bool
) -> Iterator[VerificationBasis]:
    family = row.family
    if signatures and family.signature:
        yield VerificationBasis(method="signed", source_url=family.signature, fetched_at=None)
    for key in family.ranges:
        if key in fetched:
            yield VerificationBasis(method="ip_range", source_url=fetched[key].url, fetched_at=fetched[key].fetched_at)
    if reverse_dns and family.rdns:
        yield VerificationBasis(method="fcrdns", source_url=row.source, fetched_at=None)
