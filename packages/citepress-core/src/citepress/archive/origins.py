"""Where a source comes from: the longest match of ``sources.yaml``, else its registrable host."""

import re
from collections import defaultdict
from dataclasses import dataclass

from citepress.base.urls import host_of, registrable_host
from citepress.content.sources_file import OriginInput, SharedSources

_OTHER = re.compile(r"[^a-z0-9.-]+|[.-]{2,}")


@dataclass(frozen=True, slots=True)
class OriginMatch:
    """An origin as an address finds it."""

    id: str
    title: str
    url: str
    description: str = ""


class Origins:
    """The origins of one archive, by host."""

    def __init__(self, shared: SharedSources) -> None:
        self._declared: dict[str, list[tuple[str, OriginMatch]]] = defaultdict(list)
        self._hosts: dict[tuple[str, str], OriginMatch] = {}
        """By scheme and host: an origin must not depend on which of its addresses was looked up first."""
        for origin in shared.origins:
            place = OriginMatch(origin.id, origin.title, origin.url, origin.description or "")
            for host, path in _matches(origin):
                self._declared[host].append((path, place))
        for matches in self._declared.values():
            matches.sort(key=lambda match: -len(match[0]))

    def of(self, url: str) -> OriginMatch:
        """The origin of a normalised URL."""
        scheme, _, netloc, path = url.split("/", 3)
        if self._declared and (declared := self._declared_of(netloc.partition(":")[0], f"/{path}")):
            return declared
        place = self._hosts.get((scheme, netloc))
        if place is None:
            name = registrable_host(host_of(url))
            place = OriginMatch(_OTHER.sub("-", name).strip("-.") or "unknown", name, f"{scheme}//{netloc}/")
            self._hosts[scheme, netloc] = place
        return place

    def _declared_of(self, host: str, path: str) -> OriginMatch | None:
        """The declared origin with the longest match: the nearest host, then the longest path."""
        labels = host.split(".")
        for start in range(len(labels)):
            for prefix, place in self._declared.get(".".join(labels[start:]), ()):
                if path == prefix or path.startswith(f"{prefix}/"):
                    return place
        return None


def _matches(origin: OriginInput) -> list[tuple[str, str]]:
    """(host, beginning of a path) of each match; the host of its home where none is given."""
    origins = []
    for match in origin.match or [host_of(origin.url)]:
        host, slash, path = match.removeprefix("https://").removeprefix("http://").partition("/")
        origins.append((host.lower(), f"{slash}{path}".rstrip("/")))
    return origins
