"""The door: from a request to its answer, without knowing what server carries it or what the archive holds."""

from collections.abc import Iterable, Mapping
from typing import Protocol
from urllib.parse import quote, unquote

from citepress.base.bounded_log import BoundedLog
from citepress.contract import problem as sorts
from citepress.contract.cache import Cache
from citepress.contract.index_filter import IndexFilter
from citepress.contract.limits import Counters, Headers, Limit, rate_fields
from citepress.contract.problem import NearPage, ProblemError, ProblemType
from citepress.edition.fields import SiteFields
from citepress.edition.served import PATH_SAFE, Served
from citepress.http.accept import READ_BYTES, best_match
from citepress.http.client_address import ClientAddressResolver
from citepress.http.encoding import CODING_BYTES, select_encoding
from citepress.http.message import Handler, Receive, Request, Response, ResponseObserver, preflights
from citepress.http.path import HEADER_BYTES, UnreadableError, read, shown
from citepress.http.preconditions import CONDITIONS, FAILED, NOT_MODIFIED, OK, evaluate_preconditions
from citepress.http.problem import form_for, refuse, uncounted_form
from citepress.web.index_filter import ROUTES, apply_filter, linked, parse_filter, unknown

NEAREST = 5
NOT_FOUND = sorts.NOT_FOUND.status
SHOWN_BYTES = 200
"""Most bytes of a path that a sentence repeats."""
NO_FORM = "The Accept field excludes every form of this document."
READS = frozenset({"GET", "HEAD"})
ALLOW = (b"allow", b"GET, HEAD, OPTIONS")
MACHINE = ("json", "html", "markdown")
"""The order of forms where the path's ending says nothing of what the client wanted."""
JSON_FORM = MACHINE[0]
"""The form that counts against the limit."""
LIMITED = (("limit", "rest_json", "limited"),)
"""What statistics learn of a 429."""
log = BoundedLog(__name__)


class ServedEdition(Protocol):
    """What the door needs of an edition."""

    fields: SiteFields

    def find(self, path: str) -> Served | None:
        """What answers at a decoded path."""
        ...

    def near(self, path: str, count: int = NEAREST) -> tuple[tuple[str, str], ...]:
        """(path, title) of pages whose paths are close, best first."""
        ...

    def shell(self, name: str) -> bytes:
        """A recovery shell (``404.html``, ``404.md``)."""
        ...


class SiteApp:
    """Answers requests from the edition that it was last shown."""

    def __init__(
        self,
        edition: ServedEdition | None,
        counters: Counters,
        site: SiteFields,
        *,
        limit: Limit,
        observer: ClientAddressResolver | None = None,
        actions: Mapping[str, Handler] | None = None,
        tap: ResponseObserver | None = None,
    ) -> None:
        """``site`` speaks until there is an edition; ``limit`` counts JSON answers; ``observer`` knows who asks.

        ``actions`` are what answers at paths that do more than publish, ``tap`` is told of every answer.
        """
        self.edition = edition
        self.actions = actions or {}
        self.tap = tap
        self.stopping = False
        """Whether the server is about to end, so that nothing new should begin."""
        self.observer = observer or ClientAddressResolver()
        self.client = self.observer.key
        self._counters = counters
        self._site = site
        self._limit = limit

    @property
    def site(self) -> SiteFields:
        """What every answer says now."""
        return self.edition.fields if self.edition else self._site

    def action(self, method: str, target: bytes) -> Handler | None:
        """What answers instead of the door: at its path all methods are its own, but reading what is published there is not.

        An action whose path ends in ``/*`` takes what lies right below.
        """
        path = target.decode("latin-1")
        handler = self.actions.get(path) or self.actions.get(path.rpartition("/")[0] + "/*")
        if handler and method in READS and self.edition and self.edition.find(path):
            return None
        return handler

    def answer(self, request: Request) -> Response:
        """The answer to a request. Raises nothing."""
        try:
            reply = self._open(request)
        except Exception as error:  # noqa: BLE001  (whatever it is, the client gets an answer)
            return self._failed(request, error)
        edition = self.edition
        return self._marked(reply, request) if edition is not None and edition.fields.deprecated else reply

    async def act(self, handler: Handler, request: Request, receive: Receive) -> Response:
        """The answer of an action. Raises nothing but cancellation."""
        try:
            reply = await handler(request, receive)
        except Exception as error:  # noqa: BLE001  (whatever it is, the client gets an answer)
            return self._failed(request, error)
        return self._marked(reply, request) if self.site.deprecated else reply

    def _marked(self, reply: Response, request: Request) -> Response:
        """The answer of a deprecated path with what is announced of it, whoever answered (specification, "Versioning" 6)."""
        fields = self.site.deprecation(unquote(request.target.decode("latin-1"))) if reply.status != NOT_FOUND else []
        return reply._replace(headers=[*reply.headers, *fields]) if fields else reply

    def _failed(self, request: Request, error: Exception) -> Response:
        """500: the log learns of the fault, the client does not."""
        log.fault(f"no answer to {request.method[:20]} {request.target[:200]!r}", self.client(request.peer, request.fields), error)
        return refuse(sorts.INTERNAL, request, self.site, "json", None)

    def _open(self, request: Request) -> Response:
        edition = self.edition
        if edition is None:
            return refuse(sorts.UNAVAILABLE, request, self._site, "json", None, further=[(b"retry-after", b"1")])
        if request.method not in READS and request.size <= HEADER_BYTES and preflights(request):
            return Response(204, edition.fields.common + edition.fields.preflight(ALLOW[1]), b"")
        try:
            path = read(request)
        except UnreadableError as error:
            return self._refuse(error.sort, request, edition, detail=str(error))
        served = edition.find(path)
        if request.method not in READS:
            return self._no_read(request, edition, path, served)
        if served is None or served.leaf.status != OK:
            return self._elsewhere(request, edition, path, served)
        narrow = parse_filter(request.query) if request.query and served.leaf.route in ROUTES else None
        return self._narrow(request, edition, served, narrow) if narrow else self._send(request, edition, served)

    def _narrow(self, request: Request, edition: ServedEdition, served: Served, narrow: IndexFilter | tuple[ProblemError, ...]) -> Response:
        """An index narrowed by its query: made for this request, so nothing names it for the next."""
        if best_match(request.fields.get(b"accept", b"")[:READ_BYTES], served.offers) < 0:
            return self._unacceptable(request, edition, served)
        rate, retry = self.spend(request)
        if retry:
            return self.limited(request, edition, rate, retry)
        wrong = narrow if isinstance(narrow, tuple) else unknown(narrow, edition.find)
        if isinstance(narrow, tuple) or wrong:
            detail = " ".join(fault.detail for fault in wrong)
            members = {"errors": wrong}
            return refuse(sorts.BAD_QUERY, request, edition.fields, "json", edition, detail=detail, further=rate, members=members)
        hub = edition.find(f"/sources/{narrow.origin}.json") if narrow.origin else None
        body = apply_filter(served.leaf.body, narrow, hub.leaf.body if hub else None)
        links = b", ".join([*linked(served.leaf.links, narrow), edition.fields.policy])
        headers: Headers = [
            (b"content-type", served.leaf.type.encode()), (b"content-length", b"%d" % len(body)), edition.fields.caching(Cache.LIVE),
            (b"link", links), *edition.fields.common, *rate,
        ]  # fmt: skip
        return Response(OK, headers, body if request.method == "GET" else b"", served.leaf)

    def _send(self, request: Request, edition: ServedEdition, served: Served) -> Response:
        """The form that the client likes best, or 406."""
        place = best_match(request.fields.get(b"accept", b"")[:READ_BYTES], served.offers) if served.offers else 0
        return self._unacceptable(request, edition, served) if place < 0 else self._form(request, edition, served, place)

    def _form(self, request: Request, edition: ServedEdition, served: Served, place: int) -> Response:
        """One form of what is published: limit, coding, condition, in this order."""
        fields = request.fields
        chosen = served if place == 0 else edition.find(served.leaf.variants[place].path)
        if chosen is None:
            raise LookupError(f"{served.leaf.path} lost its form {served.leaf.variants[place].form}")
        narrow = parse_filter(request.query) if request.query and place and chosen.leaf.route in ROUTES else None
        if narrow:
            return self._narrow(request, edition, chosen, narrow)
        about, rate = served.fields[place], None
        if chosen.counted:
            rate, retry = self.spend(request)
            if retry:
                free = _uncounted(request, served)
                return self.limited(request, edition, rate, retry) if free < 0 else self._form(request, edition, served, free)
            about = about + rate
        coded = chosen.coded[
            select_encoding(fields[b"accept-encoding"][:CODING_BYTES], chosen.codings) if b"accept-encoding" in fields else "identity"
        ]
        if not CONDITIONS.isdisjoint(fields):
            status = evaluate_preconditions(fields, coded.etag, chosen.leaf.modified)
            if status == NOT_MODIFIED:
                return Response(status, coded.unchanged + about, b"", chosen.leaf)
            if status == FAILED:
                return self._refuse(sorts.PRECONDITION, request, edition, spent=rate)
        return Response(OK, coded.headers + about, coded.body if request.method == "GET" else b"", chosen.leaf, (), coded.headers)

    def _elsewhere(self, request: Request, edition: ServedEdition, path: str, served: Served | None) -> Response:
        """A path without a leaf to send: moved, withdrawn, or nothing there."""
        if served is None and not path.endswith("/"):
            served = edition.find(path + "/")
            if served and served.leaf.status == OK:
                return self._redirect(request, edition, served, path + "/")
        if served is None:
            detail = f"Nothing is published at {shown(request.target, SHOWN_BYTES)}."
            return self._refuse(sorts.NOT_FOUND, request, edition, detail=detail, missing=path)
        if served.leaf.status == sorts.GONE.status:
            return self._refuse(sorts.GONE, request, edition, detail=bytes(served.leaf.body).decode(), successor=served.leaf.location)
        return self._redirect(request, edition, served, served.leaf.location)

    def _redirect(self, request: Request, edition: ServedEdition, served: Served, location: str) -> Response:
        """308 that keeps the query."""
        address = quote(edition.fields.target(location), safe=PATH_SAFE + "?#%")
        if request.query and "?" not in address:
            address += "?" + quote(request.query, safe=PATH_SAFE + "?%")
        headers = [(b"location", address.encode()), (b"content-length", b"0"), edition.fields.caching(Cache.RECORD)]
        return Response(308, headers + edition.fields.common, b"", served.leaf)

    def _no_read(self, request: Request, edition: ServedEdition, path: str, served: Served | None) -> Response:
        """OPTIONS, and methods that nothing here answers; neither counts. What reading would not find, no method finds."""
        there = served or (edition.find(path + "/") if not path.endswith("/") else None)
        if there is None or there.leaf.status == sorts.GONE.status:
            return self._elsewhere(request, edition, path, served)
        if request.method == "OPTIONS":
            return Response(204, edition.fields.common + edition.fields.preflight(ALLOW[1]), b"")
        detail = f"{request.method[:20]} is not among the methods of this path: GET, HEAD, OPTIONS."
        return refuse(sorts.METHOD, request, edition.fields, form_for(request, MACHINE), edition, detail=detail, further=[ALLOW])

    def _unacceptable(self, request: Request, edition: ServedEdition, served: Served) -> Response:
        """406 with every form there is."""
        leaf = served.leaf
        forms = [(variant.path if variant.addressed else leaf.path, variant.accepted[0]) for variant in leaf.variants] or [
            (leaf.path, leaf.type.partition(";")[0])
        ]
        return self._refuse(sorts.NOT_ACCEPTABLE, request, edition, order=MACHINE, detail=NO_FORM, available=forms)

    def _refuse(  # noqa: PLR0913  (everything a refusal may say)
        self, sort: ProblemType, request: Request, edition: ServedEdition, *, order: tuple[str, ...] | None = None, spent: Headers | None = None,
        detail: str = "", missing: str = "", available: Iterable[tuple[str, str]] = (), successor: str = "",
    ) -> Response:  # fmt: skip
        """A refusal in the form asked for; as JSON it counts, unless it did already: then ``spent`` are its RateLimit fields.

        ``missing`` is a path that something may lie near, ``successor`` what stands in place of a withdrawn record (RFC 5829).
        """
        form = "json" if spent else form_for(request, order if request.method in READS else MACHINE)
        rate = spent or []
        if form == "json" and not spent:
            rate, retry = self.spend(request)
            if retry and not (form := uncounted_form(request)):
                return self.limited(request, edition, rate, retry)
            rate = rate if form == "json" else []
        near = edition.near(missing, NEAREST) if missing else ()
        members = None
        if successor:
            found = edition.find(successor)
            page = NearPage(href=edition.fields.base_url + successor, title=found.leaf.title if found and found.leaf.title else successor)
            rate = [*rate, (b"link", f'<{page.href}>; rel="successor-version"'.encode())]
            near, members = (() if form == "json" else ((successor, page.title),)), {"successor": page}
        return refuse(
            sort, request, edition.fields, form, edition, detail=detail, near=near, available=available, further=rate, members=members
        )

    def spend(self, request: Request) -> tuple[Headers, int]:
        """Count a JSON answer: its RateLimit fields, and the seconds to wait where the client has nothing left."""
        return self.count(self._limit, request)

    def count(self, limit: Limit, request: Request) -> tuple[Headers, int]:
        """Likewise under another limit."""
        spent = self._counters.spend(limit, self.client(request.peer, request.fields))
        return rate_fields(limit, spent), 0 if spent.allowed else spent.reset

    def limited(self, request: Request, edition: ServedEdition, rate: Headers, retry: int) -> Response:
        """429, always a problem document."""
        limit = self._limit
        detail = f"{limit.quota} JSON answers in {limit.window} seconds have been sent to this address; the next window begins in {retry} seconds."
        further = [*rate, (b"retry-after", b"%d" % retry)]
        return refuse(sorts.RATE_LIMITED, request, edition.fields, "json", edition, detail=detail, further=further)._replace(notes=LIMITED)


def _uncounted(request: Request, served: Served) -> int:
    """The place of the form that the client likes best of those that are not JSON; -1 where it wants none of them."""
    places = [place for place, variant in enumerate(served.leaf.variants) if variant.form != JSON_FORM]
    best = best_match(request.fields.get(b"accept", b"")[:READ_BYTES], tuple(served.offers[place] for place in places)) if places else -1
    return places[best] if best >= 0 else -1
