"""What the writer is handed: the classifier, the checks of addresses, the salt and the names of the moment."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from secrets import token_bytes
from typing import Protocol

from citepress.telemetry.capture.route_templates import RouteTemplates
from citepress.telemetry.capture.self_traffic import SelfTraffic
from citepress.telemetry.identify.user_agents.table import Family
from citepress.telemetry.identify.user_agents.verdict import UserAgentClassifier
from citepress.telemetry.ports import Dimensions


class AddressRanges(Protocol):
    """Operators' lists of addresses."""

    def state(self, family: Family, address: str, /) -> str:
        """What they say of a request of this family: ``ip_range``, ``contradicted`` or ``claimed``."""
        ...


def nobody(_family: Family, _address: str) -> bool:
    """No address is known by its name."""
    return False


@dataclass(frozen=True, slots=True)
class EnrichmentContext:
    """What events are sorted by."""

    judge: UserAgentClassifier
    ranges: AddressRanges
    dimensions: Dimensions
    own: SelfTraffic
    templates: RouteTemplates
    rpc_paths: frozenset[bytes] = frozenset()
    """Targets where MCP answers what no leaf does."""
    base_url: bytes = b""
    """Public address; a Referer that begins with it is no referral."""
    chores: Callable[[], None] = lambda: None
    """Called every ten seconds by the thread that sorts."""
    confirmed: Callable[[Family, str], bool] = nobody
    """Whether an address is known to have a name under the family's operator's domain (reverse DNS)."""
    keep_unlisted: bool = False
    """Whether product names of automation that no list names are kept."""
    authority: str = ""
    """Host of the public address where signatures are checked; empty where they are not."""


@dataclass(slots=True)
class IdMaps:
    """What changes while the service runs."""

    materials: Mapping[str, int] = field(default_factory=dict)
    """Ids by canonical path."""
    salts: Callable[[int], bytes | None] = lambda _day: None
    """The salt of a day (days since 1970), or nothing where it is gone."""
    spare: bytes = field(default_factory=lambda: token_bytes(32))
    """What paths are keyed with where the salt is gone; of this process alone."""
