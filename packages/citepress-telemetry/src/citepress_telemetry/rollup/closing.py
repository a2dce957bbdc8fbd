"""Checks signatures when their hour is closed: rows with a valid signature become signed, others stay as they are."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime

from citepress_telemetry.contract.words import VerificationState
from citepress_telemetry.identify.verify.directories import DirectoriesError, Directory
from citepress_telemetry.identify.verify.signatures import Checker, restore_request
from citepress_telemetry.ports import SIGNED, SpoolRow
from citepress_telemetry.sql.dimensions import SqlDimensions
from citepress_telemetry.sql.spool_base import SqlSpool

MAX_HOURLY_SIGNATURES = 20_000
"""Signatures checked in one hour (0.4 ms each); further requests stay claimed."""
SIGNED_STATE = VerificationState.SIGNED.stored
log = logging.getLogger(__name__)


class Signatures:
    """Refines the rows of an hour; deletes the signatures of earlier hours, which are closed by then."""

    def __init__(
        self,
        spool: SqlSpool,
        dimensions: SqlDimensions,
        signers: Mapping[str, str],
        directories: Callable[[], Iterable[Directory]],
    ) -> None:
        """``signers``: URLs by family; ``directories`` returns the pinned ones or raises ``DirectoriesError``."""
        self._spool, self._dimensions = spool, dimensions
        self._signers = {name: url for name, url in signers.items() if url}
        self._directories = directories

    def __call__(self, hour: int, rows: Iterable[SpoolRow]) -> Iterable[SpoolRow]:
        """The rows, signed ones marked. Raises ``StoreUnavailable`` and ``SignaturesUnavailable``."""
        self._spool.forget_signed(hour)
        held = self._spool.signed(hour)
        if not held:
            return rows
        try:
            checker = Checker(self._directories())
        except DirectoriesError as error:
            log.warning("signatures are not checked: %s", error)
            return rows
        return self._refined(rows, held, checker)

    def _refined(self, rows: Iterable[SpoolRow], held: Mapping[int, bytes], checker: Checker) -> Iterator[SpoolRow]:
        families, checked = self._dimensions.families(), 0
        for row in rows:
            signature = held.get(row.id) if row.flags & SIGNED else None
            family = families.get(row.family)
            directory = self._signers.get(family.name) if family else None
            if signature is None or directory is None or checked >= MAX_HOURLY_SIGNATURES:
                yield row
                continue
            checked += 1
            at = datetime.fromtimestamp(row.ts / 1000, UTC)
            signed = checker.state(directory, restore_request(signature), at) == "signed"
            yield row._replace(verify=SIGNED_STATE) if signed else row
