"""What checks of identity stand on: the operators' own lists and keys, and when they were fetched."""

from collections.abc import Iterable, Iterator, Mapping

from citepress.contract.reports.head import VerificationBasis
from citepress.telemetry.identify.user_agents.table import FamilyRule
from citepress.telemetry.identify.verify.ranges import Fetched


def basis(
    rows: Iterable[FamilyRule], fetched: Mapping[str, Fetched], *, reverse_dns: bool = False, signatures: bool = False
) -> dict[str, tuple[VerificationBasis, ...]]:
    """The documents behind the checks of each family, by its name; families that nothing can check have none.

    ``reverse_dns`` and ``signatures`` say whether these checks are made at all.
    """
    found = {one.family.name: tuple(_of(one, fetched, reverse_dns=reverse_dns, signatures=signatures)) for one in rows}
    return {name: documents for name, documents in found.items() if documents}


def _of(row: FamilyRule, fetched: Mapping[str, Fetched], *, reverse_dns: bool, signatures: bool) -> Iterator[VerificationBasis]:
    family = row.family
    if signatures and family.signature:
        yield VerificationBasis(method="signed", source_url=family.signature, fetched_at=None)
    for key in family.ranges:
        if key in fetched:
            yield VerificationBasis(method="ip_range", source_url=fetched[key].url, fetched_at=fetched[key].fetched_at)
    if reverse_dns and family.rdns:
        yield VerificationBasis(method="fcrdns", source_url=row.source, fetched_at=None)
