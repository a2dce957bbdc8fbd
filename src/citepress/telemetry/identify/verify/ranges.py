"""Published address lists: which of them an address is on, and what that says of who asks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from ipaddress import ip_network
from pathlib import Path
from typing import Literal, Protocol, Self

import orjson

from citepress.base.errors import CitepressError
from citepress.telemetry.identify.verify import known
from citepress.telemetry.identify.verify.intervals import Intervals, cut
from citepress.telemetry.identify.verify.known import AddressList

MAX_AGE_DAYS = 7
"""A list fetched longer ago proves nothing."""
FORMAT = 1
FILE_BYTES = 33_554_432
RangeState = Literal["ip_range", "contradicted", "claimed"]


class RangesError(CitepressError, ValueError):
    """The file of fetched lists cannot be used; the text says why."""


class RangeClaimant(Protocol):
    """What is asked of a family: its name and its lists."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def ranges(self) -> tuple[str, ...]:
        """Keys of its lists."""
        ...


@dataclass(frozen=True, slots=True)
class Fetched:
    """A list as it was fetched."""

    key: str
    url: str
    fetched_at: datetime
    digest: str
    """``sha-256:`` and the digest of the document."""
    prefixes: tuple[str, ...]
    """Networks in CIDR form, sorted."""


@dataclass(frozen=True, slots=True)
class Ranges:
    """The lists at one moment; looked at again with ``aged`` when time has passed."""

    fetched: Mapping[str, Fetched]
    intervals: Intervals
    fresh: frozenset[str]
    """Lists young enough to prove something."""
    complete: Mapping[str, frozenset[str]]
    """Families of which each list is the whole, by key."""

    @classmethod
    def load(cls, path: Path, now: datetime, *, max_age_days: int = MAX_AGE_DAYS, lists: Iterable[AddressList] | None = None) -> Self:
        """The lists of ``state/ranges.json``; without the file, or for lists no longer known of, nothing. Raises ``RangesError``."""
        wanted = known.shipped() if lists is None else tuple(lists)
        complete = {one.key: one.complete_for for one in wanted}
        fetched = {key: one for key, one in read(path).items() if key in complete}
        made = cls(
            fetched, cut((one.key, ip_network(prefix)) for one in fetched.values() for prefix in one.prefixes), frozenset(), complete
        )
        return made.aged(now, max_age_days=max_age_days)

    def aged(self, now: datetime, *, max_age_days: int = MAX_AGE_DAYS) -> Self:
        """The same lists at another moment; the addresses are not cut again."""
        oldest = now - timedelta(days=max_age_days)
        young = frozenset(key for key, one in self.fetched.items() if oldest <= one.fetched_at <= now + timedelta(days=1))
        return self if young == self.fresh else replace(self, fresh=young)

    def lists(self, address: str) -> frozenset[str]:
        """Keys of the lists that an address is on, stale ones too; none for what is no address."""
        return self.intervals.lists(address)

    def state(self, family: RangeClaimant, address: str) -> RangeState:
        """What the lists say of a request of this family from this address.

        On a fresh list of the family: ``ip_range``. On none of them, though all are fresh and the operator calls each the whole:
        ``contradicted``. Else ``claimed``.
        """
        if not family.ranges:
            return "claimed"
        on = self.intervals.lists(address)
        if any(key in on and key in self.fresh for key in family.ranges):
            return "ip_range"
        sure = all(key in self.fresh and family.name in self.complete.get(key, ()) for key in family.ranges)
        return "contradicted" if sure and not on.intersection(family.ranges) else "claimed"


def read(path: Path) -> dict[str, Fetched]:
    """The lists of a file by key; empty without the file. Raises ``RangesError``."""
    try:
        with path.open("rb") as file:
            data = file.read(FILE_BYTES + 1)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise RangesError(f"{path.name} cannot be read: {error.strerror}") from None
    if len(data) > FILE_BYTES:
        raise RangesError(f"{path.name} is larger than {FILE_BYTES} bytes")
    try:
        raw = orjson.loads(data)
        if raw["format"] != FORMAT:
            raise RangesError(f"{path.name} is of another format; fetch the lists again")
        return {key: _fetched(key, one) for key, one in raw["lists"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, RangesError):
            raise
        raise RangesError(f"{path.name} cannot be read: {error!r}; fetch the lists again") from None


def written(fetched: Mapping[str, Fetched]) -> bytes:
    """The lists as the text of the file."""
    lists = {
        one.key: {"url": one.url, "fetched_at": one.fetched_at.isoformat(), "digest": one.digest, "prefixes": one.prefixes}
        for one in sorted(fetched.values(), key=lambda one: one.key)
    }
    return orjson.dumps({"format": FORMAT, "lists": lists}, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _fetched(key: str, one: Mapping[str, object]) -> Fetched:
    prefixes = one["prefixes"]
    if not isinstance(prefixes, list):
        raise TypeError("prefixes is a list")
    moment = datetime.fromisoformat(str(one["fetched_at"]))
    if moment.tzinfo is None:
        raise ValueError("fetched_at has no time zone")
    return Fetched(key, str(one["url"]), moment, str(one["digest"]), tuple(str(ip_network(str(prefix))) for prefix in prefixes))
