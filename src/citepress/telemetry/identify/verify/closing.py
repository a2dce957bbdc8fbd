"""Signatures are checked when their hour is closed: rows whose signature is good are taken for signed, the others stay as they are."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import astuple
from datetime import UTC, datetime

import orjson

from citepress.telemetry.identify.verify.directories import DirectoriesError, Directory
from citepress.telemetry.identify.verify.signatures import Checker, SignedRequest
from citepress.telemetry.ports import SIGNED, VERIFY, Dimensions, Spool, SpoolRow

MOST = 20_000
"""Signatures that are checked of one hour (0.4 ms each); further requests stay claimed."""
SIGNED_STATE = VERIFY.index("signed")
log = logging.getLogger(__name__)


class _Signer:
    """A family, as far as it signs."""

    __slots__ = ("signature",)

    def __init__(self, signature: str) -> None:
        self.signature = signature


def stored(held: SignedRequest) -> bytes:
    """What is kept of a signed request, as the spool keeps it."""
    return orjson.dumps(astuple(held))


def restored(value: bytes) -> SignedRequest:
    """What the spool kept."""
    return SignedRequest(*orjson.loads(value))


class Signatures:
    """Refines rows of an hour; signatures of the hours before, which are closed by then, are forgotten."""

    def __init__(
        self, spool: Spool, dimensions: Dimensions, signers: Mapping[str, str], directories: Callable[[], Iterable[Directory]]
    ) -> None:  # fmt: skip
        """``signers`` are URLs of directories by family; ``directories`` gives the pinned ones or raises ``DirectoriesError``."""
        self._spool, self._dimensions = spool, dimensions
        self._signers = {name: _Signer(url) for name, url in signers.items() if url}
        self._directories = directories

    def __call__(self, hour: int, rows: Iterable[SpoolRow]) -> Iterable[SpoolRow]:
        """The rows with those that are signed named so. Raises ``StoreUnavailable`` and ``SignaturesUnavailable``."""
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
            value = held.get(row.id) if row.flags & SIGNED else None
            family = families.get(row.family)
            signer = self._signers.get(family.name) if family and value else None
            if signer is None or value is None or checked >= MOST:
                yield row
                continue
            checked += 1
            at = datetime.fromtimestamp(row.ts / 1000, UTC)
            yield row._replace(verify=SIGNED_STATE) if checker.state(signer, restored(value), at) == "signed" else row
