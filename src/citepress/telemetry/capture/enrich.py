"""From events to rows: who it was, what was sent, and nothing that tells a person."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from citepress.base import clock
from citepress.telemetry.capture.context import EnrichmentContext, IdMaps
from citepress.telemetry.capture.event import Event, Fields, ServedLeaf
from citepress.telemetry.capture.hashing import Address, address_of, network_key, path_key, readable, shown
from citepress.telemetry.capture.unlisted_agents import Unlisted
from citepress.telemetry.identify.user_agents.probes import CATEGORIES, look
from citepress.telemetry.identify.user_agents.referrers import operator
from citepress.telemetry.identify.user_agents.table import AUTOMATION, UNRESOLVED, Family
from citepress.telemetry.identify.verify.closing import stored
from citepress.telemetry.identify.verify.signatures import signed_request
from citepress.telemetry.ports import EMBEDDED, GET, HEAD, MALFORMED, NAVIGATION, REPRESENTATIONS, SIGNED, VERIFY, Batch, SpoolRow

MS_NS, HOUR_NS, DAY_NS = 1_000_000, 3_600_000_000_000, 86_400_000_000_000
REDIRECT = "(redirect)"
"""The route of a redirect of the publisher's: their paths are too many to count each."""
PLACES = {name: place for place, name in enumerate(REPRESENTATIONS)}
OTHER = PLACES["other"]
CLAIMED, CONFIRMED = VERIFY.index("claimed"), VERIFY.index("fcrdns")
METHODS = {"GET": GET, "HEAD": HEAD}
COUNTED = (AUTOMATION, UNRESOLVED)
"""Families whose user agents are counted beside their rows."""
BREATH = 64
"""Events after which the thread that answers requests may go on."""
NEW_ROW: Callable[[tuple[int | None, ...]], SpoolRow] = partial(tuple.__new__, SpoolRow)
"""A third of the cost of naming every column."""
PUBLISHED = 200


class _Client:
    """What is known of one client address while its batch is sorted."""

    __slots__ = ("address", "day", "net", "own", "verified")

    def __init__(self, address: Address | None, *, own: bool) -> None:
        self.address = address
        self.own = own
        self.day = -1
        """The day that ``net`` is of."""
        self.net: int | None = None
        self.verified: dict[int, int] = {}
        """Place of the verification state by family id."""


class _Agent(NamedTuple):
    """What is known of one user agent while its batch is sorted."""

    id: int
    family: Family
    own: bool


class _Sent(NamedTuple):
    """What is known of one leaf while its batch is sorted."""

    route: int
    material: int
    rep: int
    asset: bool


class _Memory:
    """What a batch remembers; addresses are forgotten with it."""

    __slots__ = ("agents", "clients", "counts", "held", "known", "leaves", "unlisted")

    def __init__(self, known: IdMaps) -> None:
        self.known = known
        self.clients: dict[str, _Client] = {}
        self.agents: dict[bytes, _Agent] = {}
        self.leaves: dict[int, _Sent] = {}
        self.counts: Counter[tuple[int, str]] = Counter()
        self.unlisted: Counter[bytes] = Counter()
        self.held: dict[int, bytes] = {}


class Enricher:
    """Sorts the events of one worker; used by one thread."""

    def __init__(self, parts: EnrichmentContext, *, beside: bool = True) -> None:
        """``beside``: another thread of this process answers requests, and goes first."""
        self._parts, self._beside = parts, beside
        self._routes: dict[str, int] = {"": 0}
        self._operators: dict[str, int] = {"": 0}
        self._unlisted = Unlisted()

    def batch(self, events: Sequence[Event], known: IdMaps) -> Batch:
        """The rows and counts of these events. Raises ``StoreUnavailable`` where a new name finds no store; sorting again is safe."""
        memory, rows = _Memory(known), list[SpoolRow]()
        self._parts.judge.unseen_budget()
        for start in range(0, len(events), BREATH):
            for event in events[start : start + BREATH]:
                if (row := self._row(event, memory)) is not None:
                    if event[6] is not None and row.route and self._parts.authority:
                        self._hold(event, len(rows), memory)
                    rows.append(row)
            if self._beside:
                clock.breathe()
        hour = events[-1][0] // HOUR_NS if events else 0
        unlisted = self._unlisted.often(hour, memory.unlisted) if memory.unlisted and self._parts.keep_unlisted else {}
        return Batch(rows, memory.counts, (), unlisted, memory.held)

    def _row(self, event: Event, memory: _Memory) -> SpoolRow | None:
        """The row of an event; ``None`` where it is only counted."""
        time, client, agent, accept, referer, mode, signed, method, _, query, leaf, _, status, size, notes = event
        who = memory.clients.get(client) or self._client(client, memory)
        what = memory.agents.get(agent) or self._agent(agent, memory)
        sent = None if leaf is None else memory.leaves.get(id(leaf)) or self._leaf(leaf, memory)
        if who.own or what.own or (sent is not None and sent.asset):
            memory.counts[time // HOUR_NS, "self" if who.own or what.own else "assets"] += 1
            return None
        if notes or what.family in COUNTED:
            _count(event, what.family, memory)
        flags = METHODS.get(method, 0) | (SIGNED if signed else 0)
        if mode == b"navigate" or b"text/html" in accept:
            flags |= NAVIGATION
        day = time // DAY_NS
        if who.day != day:
            who.day, who.net = day, _net(who.address, day, memory.known)
        verify = who.verified.get(what.id)
        if verify is None:
            verify = who.verified[what.id] = self._verified(what.family, who.address)
        probe = miss = 0
        if sent is None:
            sent, more, probe, miss = self._unsent(event, memory)
            flags |= more
        source = self._source(referer, query) if referer or query else 0
        return NEW_ROW(
            (0, time // MS_NS, who.net, what.id, verify, sent.route, sent.material, sent.rep, status, size, flags, probe, miss, source)
        )  # fmt: skip

    def _client(self, client: str, memory: _Memory) -> _Client:
        address = address_of(client)
        found = memory.clients[client] = _Client(address, own=self._parts.own.network(address))
        return found

    def _agent(self, agent: bytes, memory: _Memory) -> _Agent:
        one = self._parts.judge.family(agent.decode("latin-1"))
        id_ = self._parts.dimensions.family(one.name, one.operator, one.purpose, one.cls, one.operation, one.disputed, named=one.listed)
        found = memory.agents[agent] = _Agent(id_, one, self._parts.own.agent(agent))
        return found

    def _leaf(self, leaf: ServedLeaf, memory: _Memory) -> _Sent:
        published = leaf.status == PUBLISHED
        asset = leaf.kind == "asset"
        route = 0 if asset else self._route(leaf.route if published else REDIRECT)
        material = memory.known.materials.get(leaf.canonical, 0) if leaf.canonical and published else 0
        found = memory.leaves[id(leaf)] = _Sent(route, material, PLACES.get(leaf.kind, OTHER) if published else OTHER, asset)
        return found

    def _unsent(self, event: Event, memory: _Memory) -> tuple[_Sent, int, int, int]:
        """What no leaf answered: its route if it has one, further flags, the probe and the hash of an unmatched path."""
        method, target, query, fields = event[7], event[8], event[9], event[11]
        path = readable(target)
        route = self._route(self._parts.templates.of(method, path)) if path else 0
        rep = PLACES["mcp"] if target in self._parts.rpc_paths else _sent(fields or ())
        probe = miss = 0
        flags = MALFORMED if path is None else 0
        if not route:
            found, embedded = look(target + b"?" + query if query else target)
            probe = CATEGORIES.index(found) + 1 if found else 0
            flags |= EMBEDDED if embedded else 0
            miss = path_key(memory.known.salts(event[0] // DAY_NS) or memory.known.spare, target)
        return _Sent(route, 0, rep, asset=False), flags, probe, miss

    def _verified(self, family: Family, address: Address | None) -> int:
        """Place of the verification state; an address is looked up only where a list or a name could speak for or against it."""
        if address is None or not (family.ranges or family.rdns):
            return CLAIMED
        told = shown(address)
        state = self._parts.ranges.state(family, told)
        if state == "claimed" and family.rdns and self._parts.confirmed(family, told):
            return CONFIRMED
        return VERIFY.index(state)

    def _hold(self, event: Event, place: int, memory: _Memory) -> None:
        """Keep what a signature is checked by when the hour is closed; the host is the site's own, whatever the request says."""
        signature, given, agent, target = (text.decode("latin-1") for text in event[6] or ())
        headers = {"signature": signature, "signature-input": given, "signature-agent": agent}
        query = event[9].decode("latin-1")
        if (one := signed_request(event[7], self._parts.authority, f"{target}?{query}" if query else target, headers)) is not None:
            memory.held[place] = stored(one)

    def _route(self, template: str) -> int:
        id_ = self._routes.get(template)
        if id_ is None:
            id_ = self._routes[template] = self._parts.dimensions.route(template)
        return id_

    def _source(self, referer: bytes, query: bytes) -> int:
        """Id of the operator that a visitor came from; our own pages are none."""
        if self._parts.base_url and referer.startswith(self._parts.base_url):
            referer = b""
        name = operator(referer.decode("latin-1"), query.decode("latin-1")) or ""
        id_ = self._operators.get(name)
        if id_ is None:
            id_ = self._operators[name] = self._parts.dimensions.operator(name)
        return id_


def _count(event: Event, family: Family, memory: _Memory) -> None:
    """Count what an event leaves beside its row."""
    hour = event[0] // HOUR_NS
    if family is AUTOMATION:
        memory.unlisted[event[2]] += 1
    elif family is UNRESOLVED:
        memory.counts[hour, "unresolved"] += 1
    for area, name, outcome in event[14]:
        memory.counts[hour, f"gateway/{area}/{name}/{outcome}"] += 1


def _net(address: Address | None, day: int, known: IdMaps) -> int | None:
    """The key of a network on a day; ``None`` without an address or once the salt of the day is gone."""
    salt = known.salts(day) if address else None
    return network_key(salt, address) if salt and address else None


def _sent(fields: Fields) -> int:
    """The representation that a Content-Type names."""
    kind = next((value.partition(b";")[0].strip() for name, value in fields if name == b"content-type"), b"")
    if kind == b"text/html":
        return PLACES["html"]
    if kind == b"text/markdown":
        return PLACES["markdown"]
    if kind.endswith(b"json"):
        return PLACES["json"]
    if kind.endswith(b"xml"):
        return PLACES["xml"]
    return PLACES["text"] if kind == b"text/plain" else OTHER
