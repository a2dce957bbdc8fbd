"""Published address lists: which of them an address is on, and what that proves."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from ipaddress import ip_network
from pathlib import Path
from typing import Literal, Self

import orjson

from citepress.base.errors import CitepressError
from citepress_telemetry.identify.user_agents.table import Family
from citepress_telemetry.identify.verify import address_lists
from citepress_telemetry.identify.verify.address_lists import AddressList
from citepress_telemetry.identify.verify.files import FORMAT, read_entries
from citepress_telemetry.identify.verify.intervals import Intervals, cut

MAX_AGE_DAYS = 7
"""Days after which a fetched list is ignored."""
RANGES_FILE = "ranges.json"
"""The fetched lists, in the state folder."""
FILE_BYTES = 33_554_432
RangeState = Literal["ip_range", "contradicted", "claimed"]


class RangesError(CitepressError, ValueError):
    """The file of fetched lists cannot be used; the message gives the reason."""


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
    """The lists at one moment; ``aged`` gives them at a later one."""

    fetched: Mapping[str, Fetched]
    intervals: Intervals
    fresh: frozenset[str]
    """Keys of lists that are recent enough to be used."""
    complete: Mapping[str, frozenset[str]]
    """Families for which a list is complete, by key."""

    @classmethod
    def load(
        cls, path: Path, now: datetime, *, max_age_days: int = MAX_AGE_DAYS, lists: Iterable[AddressList] | None = None
    ) -> Self:
        """The lists of ``state/ranges.json`` that are still known; none without the file.

        Raises ``RangesError``.
        """
        wanted = address_lists.shipped() if lists is None else tuple(lists)
        complete = {address_list.key: address_list.complete_for for address_list in wanted}
        fetched = {key: address_list for key, address_list in read_ranges(path).items() if key in complete}
        ranges = cls(
            fetched,
            cut(
                (address_list.key, ip_network(prefix))
                for address_list in fetched.values()
                for prefix in address_list.prefixes
            ),
            frozenset(),
            complete,
        )
        return ranges.aged(now, max_age_days=max_age_days)

    def aged(self, now: datetime, *, max_age_days: int = MAX_AGE_DAYS) -> Self:
        """The same lists at another moment."""
        oldest = now - timedelta(days=max_age_days)
        young = frozenset(
            key
            for key, address_list in self.fetched.items()
            if oldest <= address_list.fetched_at <= now + timedelta(days=1)
        )
        return self if young == self.fresh else replace(self, fresh=young)

    def lists(self, address: str) -> frozenset[str]:
        """Keys of the lists that an address is on, also stale ones; none if it is not an address."""
        return self.intervals.lists(address)

    def state(self, family: Family, address: str) -> RangeState:
        """The verification state of a request of this family from this address.

        ``ip_range`` if it is on a fresh list of the family; ``contradicted`` if it is on none of them although all are
        fresh and the operator calls each complete; otherwise ``claimed``.
        """
        if not family.ranges:
            return "claimed"
        on = self.intervals.lists(address)
        if any(key in on and key in self.fresh for key in family.ranges):
            return "ip_range"
        sure = all(key in self.fresh and family.name in self.complete.get(key, ()) for key in family.ranges)
        return "contradicted" if sure and not on.intersection(family.ranges) else "claimed"


def read_ranges(path: Path) -> dict[str, Fetched]:
    """The lists of a file by key; empty without the file. Raises ``RangesError``."""
    return read_entries(path, "lists", _fetched, RangesError, FILE_BYTES)


def write_ranges(fetched: Mapping[str, Fetched]) -> bytes:
    """The lists as the text of the file."""
    lists = {
        address_list.key: {
            "url": address_list.url,
            "fetched_at": address_list.fetched_at.isoformat(),
            "digest": address_list.digest,
            "prefixes": address_list.prefixes,
        }
        for address_list in sorted(fetched.values(), key=lambda address_list: address_list.key)
    }
    return orjson.dumps({"format": FORMAT, "lists": lists}, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _fetched(key: str, raw_list: Mapping[str, object]) -> Fetched:
    prefixes = raw_list["prefixes"]
    if not isinstance(prefixes, list):
        raise TypeError("prefixes must be a list")
    moment = datetime.fromisoformat(str(raw_list["fetched_at"]))
    if moment.tzinfo is None:
        raise ValueError("fetched_at has no time zone")
    return Fetched(
        key,
        str(raw_list["url"]),
        moment,
        str(raw_list["digest"]),
        tuple(str(ip_network(str(prefix))) for prefix in prefixes),
    )
