"""From events to rows: which client it was, what was sent, and nothing that identifies a person."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from citepress.base import clock
from citepress_telemetry.capture.context import EnrichmentContext, IdMaps
from citepress_telemetry.capture.event import Event, HeaderFields, ServedLeaf
from citepress_telemetry.capture.hashing import Address, address_of, address_text, network_key, path_key, readable
from citepress_telemetry.capture.recall_probes import recall_outcomes
from citepress_telemetry.capture.unlisted_agents import Unlisted
from citepress_telemetry.contract.words import SentForm, VerificationState
from citepress_telemetry.identify.user_agents.probes import CATEGORIES, examine, look
from citepress_telemetry.identify.user_agents.referrers import operator
from citepress_telemetry.identify.user_agents.scanning import ANSWERED
from citepress_telemetry.identify.user_agents.table import AUTOMATION, BROWSER, UNRESOLVED, Family
from citepress_telemetry.identify.verify.signatures import signed_request, store_request
from citepress_telemetry.ports import (
    BACKGROUND,
    EMBEDDED,
    GET,
    HEAD_FLAG,
    MALFORMED,
    NAVIGATION,
    SIGNED,
    Batch,
    SpoolRow,
)

MS_NS, HOUR_NS, DAY_NS = 1_000_000, 3_600_000_000_000, 86_400_000_000_000
REDIRECT = "(redirect)"
"""The route of the publisher's redirects: there are too many paths to count each."""
PLACES = SentForm.numbers()
OTHER = PLACES["other"]
STATES = VerificationState.numbers()
CLAIMED, CONFIRMED = VerificationState.CLAIMED.stored, VerificationState.FCRDNS.stored
ENRICHED_METHODS = {"GET": GET, "HEAD": HEAD_FLAG}
PROBES: dict[str | None, int] = {None: 0, **{name: place for place, name in enumerate(CATEGORIES, 1)}}
FILE_PROBES = frozenset({0, PROBES["wordpress"]})
"""Probes as which files of pages may appear: those of every WordPress site do."""
FILE_TYPE = b"image/*"
"""How events of logs write the Content-Type of every file of a page."""
FILE_FLAG = 1 << 20
"""A flag that no row keeps: the request is for a picture, font, script or style of a page."""
COUNTED = (AUTOMATION, UNRESOLVED)
"""Families whose user agents are counted beside their rows."""
BREATH = 64
"""Events after which the thread that answers requests may go on."""
NEW_ROW: Callable[[tuple[int | None, ...]], SpoolRow] = partial(tuple.__new__, SpoolRow)
"""A third of the cost of naming every column."""
PUBLISHED_STATUS = 200


class _Client:
    """What is known of one client address while its batch is enriched."""

    __slots__ = ("address", "day", "is_self", "net", "verified")

    def __init__(self, address: Address | None, *, is_self: bool) -> None:
        self.address = address
        self.is_self = is_self
        self.day = -1
        """The day that ``net`` is of."""
        self.net: int | None = None
        self.verified: dict[int, int] = {}
        """Place of the verification state by family id."""


class _Agent(NamedTuple):
    """What is known of one user agent while its batch is enriched."""

    id: int
    family: Family
    is_self: bool


class _Sent(NamedTuple):
    """What is known of one leaf while its batch is enriched."""

    route: int
    material: int
    rep: int
    asset: bool


class _Memory:
    """What a batch remembers; addresses are forgotten with it."""

    __slots__ = ("agents", "clients", "counts", "held", "id_maps", "leaves", "unlisted")

    def __init__(self, id_maps: IdMaps) -> None:
        self.id_maps = id_maps
        self.clients: dict[str, _Client] = {}
        self.agents: dict[bytes, _Agent] = {}
        self.leaves: dict[int, _Sent] = {}
        self.counts: Counter[tuple[int, str]] = Counter()
        self.unlisted: Counter[bytes] = Counter()
        self.held: dict[int, bytes] = {}


class Enricher:
    """Enriches the events of one worker; used by one thread."""

    def __init__(self, context: EnrichmentContext, *, beside: bool = True) -> None:
        """``beside``: another thread of this process answers requests, and goes first."""
        self._context, self._beside = context, beside
        self._routes: dict[str, int] = {"": 0}
        self._operators: dict[str, int] = {"": 0}
        self._unlisted = Unlisted()

    def batch(self, events: Sequence[Event], id_maps: IdMaps) -> Batch:
        """The rows and counts of these events.

        Raises ``StoreUnavailable`` where a new name finds no store; enriching again is safe.
        """
        memory, rows = _Memory(id_maps), list[SpoolRow]()
        self._context.classifier.unseen_budget()
        for start in range(0, len(events), BREATH):
            for event in events[start : start + BREATH]:
                row = self._row(event, memory)
                if row is None:
                    continue
                if event[6] is not None and row.route and self._context.authority:
                    self._hold(event, len(rows), memory)
                rows.append(row)
            # Otherwise this thread would keep the interpreter's lock for the whole batch, and requests would wait for
            # it.
            if self._beside:
                clock.breathe()
        hour = events[-1][0] // HOUR_NS if events else 0
        keeps = memory.unlisted and self._context.keep_unlisted
        unlisted = self._unlisted.often(hour, memory.unlisted) if keeps else {}
        return Batch(rows, memory.counts, (), unlisted, memory.held)

    def _row(self, event: Event, memory: _Memory) -> SpoolRow | None:
        """The row of an event; ``None`` where it is only counted."""
        time, address, agent, accept, referer, mode, signed, method, _, query, leaf, _, status, size, notes = event
        # Hot: nearly every request finds its client, agent and leaf in the memory of its batch.
        client = memory.clients.get(address) or self._client(address, memory)
        who = memory.agents.get(agent) or self._agent(agent, memory)
        sent = None if leaf is None else memory.leaves.get(id(leaf)) or self._leaf(leaf, memory)
        # The operator's own monitoring and builds are no readers.
        if client.is_self or who.is_self:
            memory.counts[time // HOUR_NS, "self"] += 1
            return None
        # Stylesheets and icons say that a page was rendered, which is not a reading of its own.
        if sent is not None and sent.asset:
            memory.counts[time // HOUR_NS, "assets"] += 1
            return None
        if notes or who.family in COUNTED:
            _count(event, who.family, memory)
        flags = ENRICHED_METHODS.get(method, 0) | (SIGNED if signed else 0)
        if mode == b"navigate" or b"text/html" in accept:
            flags |= NAVIGATION
        day = time // DAY_NS
        # The key of a network is salted anew each day, so that no client can be followed over midnight.
        if client.day != day:
            client.day, client.net = day, _net(client.address, day, memory.id_maps)
        verify = client.verified.get(who.id)
        if verify is None:
            verify = client.verified[who.id] = self._verified(who.family, client.address)
        probe = miss = 0
        if sent is None:
            sent, more_flags, probe, miss = self._unmatched(event, memory)
            # An imported log does not say which files belong to pages; only those that browsers fetch surely do.
            if more_flags & FILE_FLAG and who.family is BROWSER and probe in FILE_PROBES and status in ANSWERED:
                memory.counts[time // HOUR_NS, "assets"] += 1
                return None
            flags |= more_flags & ~FILE_FLAG
        elif query and leaf is not None:
            probe, more_flags = self._examine(b"", query, leaf.route)
            flags |= more_flags
        source = self._source(referer, query) if referer or query else 0
        what = (0, time // MS_NS, client.net, who.id, verify, sent.route, sent.material, sent.rep)
        return NEW_ROW((*what, status, size, flags, probe, miss, source))

    def _client(self, text: str, memory: _Memory) -> _Client:
        address = address_of(text)
        client = memory.clients[text] = _Client(address, is_self=self._context.own.network(address))
        return client

    def _agent(self, agent: bytes, memory: _Memory) -> _Agent:
        family = self._context.classifier.family(agent.decode("latin-1"))
        id_ = self._context.dimensions.family(
            family.name,
            family.operator,
            family.purpose,
            family.cls,
            family.operation,
            family.disputed,
            named=family.listed,
        )
        who = memory.agents[agent] = _Agent(id_, family, self._context.own.agent(agent))
        return who

    def _leaf(self, leaf: ServedLeaf, memory: _Memory) -> _Sent:
        if leaf.kind == "asset":
            sent = _Sent(0, 0, OTHER, asset=True)
        # Addresses that only lead elsewhere are counted together; where they lead is counted by itself.
        elif leaf.status != PUBLISHED_STATUS:
            sent = _Sent(self._route(REDIRECT), 0, OTHER, asset=False)
        else:
            material = memory.id_maps.materials.get(leaf.canonical, 0) if leaf.canonical else 0
            sent = _Sent(self._route(leaf.route), material, PLACES.get(leaf.kind, OTHER), asset=False)
        memory.leaves[id(leaf)] = sent
        return sent

    def _unmatched(self, event: Event, memory: _Memory) -> tuple[_Sent, int, int, int]:
        """A request that no leaf answered: its route if it has one, further flags, the probe, the hash of its path."""
        method, target, query, fields = event[7], event[8], event[9], event[11]
        path = readable(target)
        template = self._context.templates.of(method, path) if path else ""
        route = self._route(template)
        rep = PLACES["mcp"] if target in self._context.rpc_paths else _sent(fields or ())
        sent = _Sent(route, 0, rep, asset=False)
        flags = MALFORMED if path is None else 0
        if route:
            probe, more_flags = self._examine(target, query, template)
            return sent, flags | more_flags, probe, 0
        traits = look(target + b"?" + query if query else target)
        flags |= (EMBEDDED if traits.embedded else 0) | (BACKGROUND if traits.background else 0)
        if self._context.files_apart and (traits.file or _is_file(fields or ())):
            flags |= FILE_FLAG
        probe = PROBES[traits.category]
        salt = memory.id_maps.salts(event[0] // DAY_NS) or memory.id_maps.spare
        return sent, flags, probe, path_key(salt, target)

    def _examine(self, target: bytes, query: bytes, template: str) -> tuple[int, int]:
        """The probe and further flags of a request whose path has a route."""
        whole = target + b"?" + query if query else target
        category, background = examine(whole, partial(self._context.templates.free_texts, template))
        return PROBES[category], BACKGROUND if background else 0

    def _verified(self, family: Family, address: Address | None) -> int:
        """Place of the verification state.

        An address is looked up only where a list or a name could speak for or against it.
        """
        # Without a published list or name there is nothing that a claim could be checked against.
        if address is None or not (family.ranges or family.rdns):
            return CLAIMED
        text = address_text(address)
        state = self._context.ranges.state(family, text)
        if state == "claimed" and family.rdns and self._context.confirmed(family, text):
            return CONFIRMED
        return STATES[state]

    def _hold(self, event: Event, place: int, memory: _Memory) -> None:
        """Keep what a signature is checked by when the hour is closed.

        The host is the site's own, whatever the request says.
        """
        signature, given, agent, target = (text.decode("latin-1") for text in event[6] or ())
        headers = {"signature": signature, "signature-input": given, "signature-agent": agent}
        url = f"{target}?{event[9].decode('latin-1')}" if event[9] else target
        signed = signed_request(event[7], self._context.authority, url, headers)
        if signed is not None:
            memory.held[place] = store_request(signed)

    def _route(self, template: str) -> int:
        id_ = self._routes.get(template)
        if id_ is None:
            id_ = self._routes[template] = self._context.dimensions.route(template)
        return id_

    def _source(self, referer: bytes, query: bytes) -> int:
        """Id of the operator that a visitor came from; the site's own pages are not one."""
        # A link within the archive is no source of readers.
        if self._context.base_url and referer.startswith(self._context.base_url):
            referer = b""
        name = operator(referer.decode("latin-1"), query.decode("latin-1")) or ""
        id_ = self._operators.get(name)
        if id_ is None:
            id_ = self._operators[name] = self._context.dimensions.operator(name)
        return id_


def _count(event: Event, family: Family, memory: _Memory) -> None:
    """Count what an event leaves beside its row."""
    hour = event[0] // HOUR_NS
    if family is AUTOMATION:
        memory.unlisted[event[2]] += 1
    elif family is UNRESOLVED:
        memory.counts[hour, "unresolved"] += 1
    for area, name, outcome in recall_outcomes(event[14], event[9], memory.id_maps.recall_probes):
        memory.counts[hour, f"gateway/{area}/{name}/{outcome}"] += 1


def _net(address: Address | None, day: int, id_maps: IdMaps) -> int | None:
    """The key of a network on a day; ``None`` without an address or once the salt of the day is gone."""
    salt = id_maps.salts(day) if address else None
    return network_key(salt, address) if salt and address else None


def _is_file(fields: HeaderFields) -> bool:
    """Whether a log says that a picture, font, script or style was sent."""
    return any(name == b"content-type" and value == FILE_TYPE for name, value in fields)


def _sent(fields: HeaderFields) -> int:
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
