"""The site application: dispatches requests, independent of the server and of the archive's content."""

from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote, unquote

from citepress.base.bounded_log import BoundedLog
from citepress.base.headers import Headers
from citepress.contract import problem as problem_types
from citepress.contract.cache import Cache
from citepress.contract.json_body import InvalidArgumentsError
from citepress.contract.limits import Counters, Limit
from citepress.contract.problem import NearPage, ProblemType
from citepress.edition.edition import Edition
from citepress.edition.memento import order_note, timegate_links
from citepress.edition.pack import DamagedPackError
from citepress.edition.response_headers import SiteFields
from citepress.edition.served import PATH_SAFE, Served
from citepress.http.accept import READ_BYTES, best_match
from citepress.http.client_address import ClientAddressResolver
from citepress.http.encoding import CODING_BYTES, select_encoding
from citepress.http.limits import HEADER_BYTES
from citepress.http.message import Handler, Receive, Request, Response, ResponseObserver, preflights
from citepress.http.path import UnreadableError, printable_target, read
from citepress.http.preconditions import CONDITIONS, FAILED, NOT_MODIFIED, OK, evaluate_preconditions
from citepress.http.problem import form_for, refuse, uncounted_form
from citepress.http.rate_limit import rate_fields
from citepress.http.response import without_body
from citepress.search.wholeness import EngineError
from citepress.web import timegate
from citepress.web.queried_reply import QueriedPages, ignored_fields

NOT_FOUND = problem_types.NOT_FOUND.status
SHOWN_BYTES = 200
"""Maximum length of a path quoted in a message."""
NO_FORM = "The Accept field excludes every form of this document."
READS = frozenset({"GET", "HEAD"})
ALLOW = (b"allow", b"GET, HEAD, OPTIONS")
MACHINE = ("json", "html", "markdown")
"""The order of forms where the path's ending does not indicate the client's wish."""
LIMITED = (("limit", "rest_json", "limited"),)
"""The note of a 429."""
RELATED = {"successor-version": "successor", "version-history": "history"}
"""The members of a problem document that name what there is of a withdrawn record, by relation."""
REPAIR_SECONDS = 5
"""When a client may ask again for what was damaged or took too much memory: a small archive is made anew in this
time."""
DAMAGED_DOCUMENT = "The stored copy of this document is damaged and is being made anew."
NO_MEMORY = "The service has not enough memory for this answer."
log = BoundedLog(__name__)


class SiteApp:
    """Answers requests from the current edition."""

    def __init__(
        self,
        edition: Edition | None,
        counters: Counters,
        site: SiteFields,
        *,
        limit: Limit,
        observer: ClientAddressResolver | None = None,
        actions: Mapping[str, Handler] | None = None,
        tap: ResponseObserver | None = None,
        queried: Sequence[QueriedPages] = (),
    ) -> None:
        """``site`` is used until there is an edition; ``limit`` counts JSON responses; ``observer`` identifies clients.

        ``actions`` are the handlers of paths that run code, ``tap`` is called for every response,
        ``queried`` answer queries of pages, which are passed over without them.
        """
        self.edition = edition
        self.actions = actions or {}
        self.tap = tap
        self.queried = queried
        self.stopping = False
        """Whether the server is about to end, so that nothing new should begin."""
        self.observer = observer or ClientAddressResolver()
        self.client = self.observer.key
        self._counters = counters
        self._site = site
        self._limit = limit

    @property
    def site(self) -> SiteFields:
        """The site fields of the current edition."""
        return self.edition.fields if self.edition else self._site

    def localize(self, request: Request) -> None:
        """Take the path of the public address off the target; a proxy may have done so already."""
        prefix = self.site.prefix
        if prefix and request.target.startswith(start := prefix.encode()):
            rest = request.target[len(start) :]
            if rest[:1] in (b"", b"/"):
                request.target = rest or b"/"

    def action(self, method: str, target: bytes) -> Handler | None:
        """The action of a path: it handles all methods, except reads of a document published there.

        An action whose path ends in ``/*`` takes what lies right below.
        """
        path = target.decode("latin-1")
        handler = self.actions.get(path) or self.actions.get(path.rpartition("/")[0] + "/*")
        try:
            published = handler and method in READS and self.edition and self.edition.find(path)
        except DamagedPackError:
            return None  # ``answer`` meets the damage again and says so
        return None if published else handler

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
        """Add the deprecation fields to a response of a deprecated path (specification, "Versioning" 6)."""
        fields = self.site.deprecation(unquote(request.target.decode("latin-1"))) if reply.status != NOT_FOUND else []
        links = b", ".join([value for name, value in reply.headers if name == b"link"])
        return reply._replace(headers=[*reply.headers, *(field for field in fields if field[1] not in links)])

    def _failed(self, request: Request, error: Exception) -> Response:
        """503 for what may be had later, 500 for a fault that is ours: it is logged and not shown to the client."""
        if isinstance(error, DamagedPackError | EngineError):
            return self._later(request, DAMAGED_DOCUMENT)
        client = self.client(request.peer, request.fields)
        if isinstance(error, MemoryError):
            log.fault(f"not enough memory for an answer to {request.target[:200]!r}", client, cause=NO_MEMORY)
            return self._later(request, NO_MEMORY)
        log.fault(f"no answer to {request.method[:20]} {request.target[:200]!r}", client, error)
        # An exception may quote content or paths of this machine: the log has it, the client learns only that there was
        # one.
        return refuse(problem_types.INTERNAL, request, self.site)

    def _later(self, request: Request, detail: str) -> Response:
        """503: the document is made anew, or can be had when this machine has memory again."""
        further = [(b"retry-after", b"%d" % REPAIR_SECONDS)]
        return refuse(problem_types.UNAVAILABLE, request, self.site, detail=detail, further=further)

    def _open(self, request: Request) -> Response:
        edition = self.edition
        if edition is None:
            return refuse(problem_types.UNAVAILABLE, request, self._site, further=[(b"retry-after", b"1")])
        # A preflight is answered for any path: a browser asks before it knows whether the path exists.
        if request.method not in READS and request.size <= HEADER_BYTES and preflights(request):
            return Response(204, edition.fields.common + edition.fields.preflight(ALLOW[1]), b"")
        try:
            path = read(request)
        except UnreadableError as error:
            return self._refuse(error.problem_type, request, edition, detail=str(error))
        served = edition.find(path)
        if request.method not in READS:
            return self._no_read(request, edition, path, served)
        if served is None or served.leaf.status != OK:
            return self._elsewhere(request, edition, path, served)
        return self._send(request, edition, served)

    def _filtered(
        self, request: Request, edition: Edition, served: Served, pages: QueriedPages, *, negotiated: bool
    ) -> Response:
        """A page under a query, in the form of a leaf."""
        rate: Headers = []
        if served.counted:
            rate, retry = self.spend(request)
            if retry:
                return self.limited(request, edition, rate, retry)
        try:
            reply = pages.answer(request, edition, served, rate, negotiated=negotiated)
            unread = ignored_fields((pages,), request.query, edition, served)
            return reply._replace(headers=[*reply.headers, *unread])
        except InvalidArgumentsError as error:
            detail, members = str(error), {"errors": error.faults} if served.counted else None
            form = served.leaf.kind
            return refuse(problem_types.BAD_QUERY, request, edition, form, detail=detail, further=rate, members=members)

    def _send(self, request: Request, edition: Edition, served: Served) -> Response:
        """The form that the client prefers, or 406; the way to another revision where the client names a moment."""
        if timegate.FIELD in request.fields and (rows := edition.revisions(served.leaf.path)):
            return timegate.answer(request, served, rows, edition)
        place = best_match(request.fields.get(b"accept", b"")[:READ_BYTES], served.offers) if served.offers else 0
        return (
            self._unacceptable(request, edition, served) if place < 0 else self._form(request, edition, served, place)
        )

    def _form(self, request: Request, edition: Edition, served: Served, place: int) -> Response:
        """One form of what is published: limit, coding, condition, in this order."""
        fields = request.fields
        chosen = served if place == 0 else edition.find(served.leaf.variants[place].path)
        if chosen is None:
            raise LookupError(f"{served.leaf.path} lost its form {served.leaf.variants[place].form}")
        about, rate = served.fields[place], None
        if request.query:
            for pages in self.queried:
                if pages.asked(edition, chosen, request.query):
                    return self._filtered(request, edition, chosen, pages, negotiated=place > 0)
            about = about + ignored_fields(self.queried, request.query, edition, chosen)
        # Counted before conditions are evaluated: an unchanged document answers a poll too, so a 304 costs as much as a
        # 200.
        if chosen.counted:
            rate, retry = self.spend(request)
            if retry:
                free = _uncounted(request, edition, served)
                return (
                    self.limited(request, edition, rate, retry)
                    if free < 0
                    else self._form(request, edition, served, free)
                )
            about = about + rate
        coded = chosen.coded[
            (
                select_encoding(fields[b"accept-encoding"][:CODING_BYTES], chosen.codings)
                if b"accept-encoding" in fields
                else "identity"
            )
        ]
        # Most requests carry no condition, and this test is cheaper than reading four fields.
        if not CONDITIONS.isdisjoint(fields):
            status = evaluate_preconditions(fields, coded.etag, chosen.modified)
            if status == NOT_MODIFIED:
                return Response(status, coded.unchanged + about, b"", chosen.leaf)
            if status == FAILED:
                return self._refuse(problem_types.PRECONDITION, request, edition, spent=rate)
        return Response(
            OK, coded.headers + about, coded.body if request.method == "GET" else b"", chosen.leaf, (), coded.headers
        )

    def _elsewhere(self, request: Request, edition: Edition, path: str, served: Served | None) -> Response:
        """A path without a leaf to send: moved, withdrawn, or nothing there."""
        if served is None and not path.endswith("/"):
            served = edition.find(path + "/")
            if served and served.leaf.status == OK:
                return self._redirect(request, edition, served, path + "/")
        if served is None:
            detail = f"Nothing is published at {printable_target(request.target, SHOWN_BYTES)}.{order_note(path)}"
            return self._refuse(problem_types.NOT_FOUND, request, edition, detail=detail, missing=path)
        if served.leaf.status == problem_types.GONE.status:
            return self._withdrawn(request, edition, served)
        return self._redirect(request, edition, served, served.leaf.location)

    def _withdrawn(self, request: Request, edition: Edition, served: Served) -> Response:
        """410 with the reason, and with the ways to what replaces a record and to revisions that can still be read."""
        landing = f"/{served.leaf.canonical}/"
        rows = edition.revisions(landing)
        if rows and served.leaf.path == landing and timegate.FIELD in request.fields and request.method in READS:
            return timegate.answer(request, served, rows, edition)
        related = {"successor-version": served.leaf.location, "version-history": f"{landing}history/" if rows else ""}
        further: Headers = []
        if rows:
            links = timegate_links(landing, edition.fields.base_url.__add__)
            further = [(b"link", ", ".join(links).encode())]
        detail = bytes(served.leaf.body).decode()
        return self._refuse(problem_types.GONE, request, edition, detail=detail, related=related, further=further)

    def _redirect(self, request: Request, edition: Edition, served: Served, location: str) -> Response:
        """308 that keeps the query."""
        address = quote(edition.fields.target(location), safe=PATH_SAFE + "?#%")
        if request.query and "?" not in address and "#" not in address:
            address += "?" + quote(request.query, safe=PATH_SAFE + "?%")
        keys = edition.fields.keys(served.leaf.path, served.leaf.canonical)
        fields = [(b"location", address.encode()), edition.fields.caching(Cache.RECORD), *edition.fields.common, *keys]
        # 308 rather than 301, so that no client turns another method into GET (RFC 9110, section 15.4.9).
        return without_body(308, fields)._replace(leaf=served.leaf)

    def _no_read(self, request: Request, edition: Edition, path: str, served: Served | None) -> Response:
        """OPTIONS and unsupported methods; neither counts against the limit. Unpublished paths are always 404."""
        there = served or (edition.find(path + "/") if not path.endswith("/") else None)
        if there is None or there.leaf.status == problem_types.GONE.status:
            return self._elsewhere(request, edition, path, served)
        if request.method == "OPTIONS":
            return Response(204, edition.fields.common + edition.fields.preflight(ALLOW[1]), b"")
        detail = f"{request.method[:20]} is not among the methods of this path: GET, HEAD, OPTIONS."
        return refuse(
            problem_types.METHOD, request, edition, form_for(request, MACHINE), detail=detail, further=[ALLOW]
        )

    def _unacceptable(self, request: Request, edition: Edition, served: Served) -> Response:
        """406 with every form there is."""
        leaf = served.leaf
        forms = [
            (variant.path if variant.addressed else leaf.path, variant.accepted[0]) for variant in leaf.variants
        ] or [(leaf.path, leaf.type.partition(";")[0])]
        return self._refuse(
            problem_types.NOT_ACCEPTABLE, request, edition, order=MACHINE, detail=NO_FORM, available=forms
        )

    def _refuse(  # noqa: PLR0913  (everything a refusal may say)
        self,
        problem_type: ProblemType,
        request: Request,
        edition: Edition,
        *,
        order: tuple[str, ...] | None = None,
        spent: Headers | None = None,
        detail: str = "",
        missing: str = "",
        available: Iterable[tuple[str, str]] = (),
        related: Mapping[str, str] | None = None,
        further: Headers | None = None,
    ) -> Response:
        """A refusal in the form asked for.

        As JSON it counts, unless it did already: then ``spent`` are its RateLimit fields.

        ``missing`` is the requested path, for suggestions, ``related`` has the paths of what there is of a withdrawn
        record, by the relation of RFC 5829.
        """
        form = "json" if spent else form_for(request, order if request.method in READS else MACHINE)
        further = [*(further or ()), *(spent or ())]
        if form == "json" and not spent:
            rate, retry = self.spend(request)
            if not retry:
                further += rate
            else:
                form = uncounted_form(request)
                if not form:
                    return self.limited(request, edition, rate, retry)
        near = edition.near(missing) if missing else ()
        pages = {relation: _page_of(edition, path) for relation, path in (related or {}).items() if path}
        further += [(b"link", f'<{page.href}>; rel="{relation}"'.encode()) for relation, page in pages.items()]
        if pages and related and form != "json":  # JSON has a member for each; a page lists them among its links
            near = tuple((related[relation], page.title) for relation, page in pages.items())
        return refuse(
            problem_type,
            request,
            edition,
            form,
            detail=detail,
            near=near,
            available=available,
            further=further,
            members={RELATED[relation]: page for relation, page in pages.items()},
        )

    def spend(self, request: Request) -> tuple[Headers, int]:
        """Count a JSON answer: its RateLimit fields, and the seconds to wait where the client has nothing left."""
        return self.count(self._limit, request)

    def count(self, limit: Limit, request: Request) -> tuple[Headers, int]:
        """Likewise under another limit."""
        spent = self._counters.spend(limit, self.client(request.peer, request.fields))
        return rate_fields(limit, spent), 0 if spent.allowed else spent.reset

    def limited(self, request: Request, edition: Edition, rate: Headers, retry: int) -> Response:
        """429, always a problem document."""
        limit = self._limit
        detail = (
            f"{limit.quota} JSON answers in {limit.window} seconds have been sent to this address; the next window"
            f" begins in {retry} seconds."
        )
        further = [*rate, (b"retry-after", b"%d" % retry)]
        return refuse(problem_types.RATE_LIMITED, request, edition, detail=detail, further=further)._replace(
            notes=LIMITED
        )


def _page_of(edition: Edition, path: str) -> NearPage:
    """A page with its title; its path where it has none."""
    served = edition.find(path)
    title = served.leaf.title if served else ""
    return NearPage(href=edition.fields.base_url + path, title=title or path)


def _uncounted(request: Request, edition: Edition, served: Served) -> int:
    """The index of the form that the client prefers among those that are not counted; -1 where it accepts none."""
    forms = [edition.find(variant.path) for variant in served.leaf.variants]
    places = [place for place, form in enumerate(forms) if form and not form.counted]
    offers = tuple(served.offers[place] for place in places)
    best = best_match(request.fields.get(b"accept", b"")[:READ_BYTES], offers) if offers else -1
    return places[best] if best >= 0 else -1
