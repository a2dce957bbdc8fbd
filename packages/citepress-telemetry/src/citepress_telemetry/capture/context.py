"""What enriching events needs: the classifier, address checks, the salts and the current ids."""

from collections.abc import Callable
from dataclasses import dataclass, field
from secrets import token_bytes
from typing import Protocol

from citepress_telemetry.capture.route_templates import RouteTemplates
from citepress_telemetry.capture.self_traffic import SelfTraffic
from citepress_telemetry.identify.user_agents.table import Family
from citepress_telemetry.identify.user_agents.verdict import UserAgentClassifier
from citepress_telemetry.sql.dimensions import SqlDimensions


class AddressRanges(Protocol):
    """Operators' address lists."""

    def state(self, family: Family, address: str, /) -> str:
        """The verification state of a request of this family: ``ip_range``, ``contradicted`` or ``claimed``."""
        ...


def nobody(_family: Family, _address: str) -> bool:
    """Confirm no address."""
    return False


@dataclass(frozen=True, slots=True)
class EnrichmentContext:
    """The collaborators of an ``Enricher``."""

    classifier: UserAgentClassifier
    ranges: AddressRanges
    dimensions: SqlDimensions
    own: SelfTraffic
    templates: RouteTemplates
    rpc_paths: frozenset[bytes] = frozenset()
    """Targets of the MCP endpoint."""
    base_url: bytes = b""
    """Public address; a Referer that begins with it is not a referral."""
    chores: Callable[[], None] = lambda: None
    """Called every ten seconds by the writer's thread."""
    confirmed: Callable[[Family, str], bool] = nobody
    """Whether reverse DNS has confirmed that an address belongs to the family's operator."""
    keep_unlisted: bool = False
    """Whether product names of unlisted automation are kept."""
    files_apart: bool = False
    """Whether files of pages are only counted where no leaf was sent: logs of other servers are full of them."""
    authority: str = ""
    """Host of the public address if signatures are checked, else empty."""


@dataclass(slots=True)
class IdMaps:
    """Ids and salts, which change while the service runs."""

    materials: dict[str, int] = field(default_factory=dict)
    """Ids by canonical path, of what was read before; 0 for what the edition does not list."""
    salts: Callable[[int], bytes | None] = lambda _day: None
    """The salt of a day (days since 1970), or ``None`` once it is gone."""
    spare: bytes = field(default_factory=lambda: token_bytes(32))
    """Key for paths once the salt is gone; known to this process only."""
    recall_probes: frozenset[str] = frozenset()
    """Questions of the published recall probes, normalized."""
