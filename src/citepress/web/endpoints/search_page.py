"""The search page for people: a plain form and what it finds, in HTML or Markdown; programs get the answer itself."""

from collections.abc import Iterable, Iterator
from html import escape
from urllib.parse import quote, urlencode

from citepress.base.media import HTML, JSON, MARKDOWN
from citepress.base.timestamps import day
from citepress.contract import problem as sorts
from citepress.contract.cache import Cache
from citepress.contract.limits import Headers
from citepress.contract.operation import Operation, Refusal
from citepress.contract.problem import ProblemError
from citepress.contract.route import Route
from citepress.edition.forms.markdown_escape import text
from citepress.edition.search_page import OPTIONS, QUERY, RESULTS, SHELLS
from citepress.edition.served import PATH_SAFE, VARY_FORM
from citepress.http.accept import READ_BYTES, best_match
from citepress.http.message import Receive, Request, Response
from citepress.http.problem import form_for, refuse, uncounted_form
from citepress.http.query import members, read_query
from citepress.kinds import ALL as KINDS
from citepress.operations.context import OperationContext
from citepress.operations.search_archive import SearchAnswer, SearchAsk
from citepress.web.endpoints.context import GETS, ActionContext, ResponseError, call, json_reply, matched_prefix, with_note
from citepress.web.site import MACHINE, READS, ServedEdition

PER_PAGE = 10
MOST_PAGES = 100
FORMS = {"html": HTML, "markdown": MARKDOWN, "json": JSON}
"""What the page answers in, the default first."""
SINGULAR = {kind.name: kind.singular for kind in KINDS}
Lines = Iterator[str]


class SearchPageResult:
    """What a page shows: a search and its answer, or why there is none."""

    def __init__(self, query: bytes, operation: Operation) -> None:
        told = members(query) or {}
        self.query = next(iter(told.get("query", ())), "").strip()[:500]
        self.kinds = tuple(kind for value in told.get("kinds", ()) for kind in value.split(","))
        self.page = _page(told.get("page", ()))
        self.faults: tuple[ProblemError, ...] = ()
        self.answer: SearchAnswer | None = None
        self.ask: SearchAsk | None = None
        """The search, until it is answered."""
        if self.query:
            ask = read_query(query, operation.ask, {"limit": str(PER_PAGE), "start": str((self.page - 1) * PER_PAGE)})
            self.ask = ask if isinstance(ask, SearchAsk) else None
            self.faults = ask if isinstance(ask, tuple) else ()
        self._told = told

    def there(self, page: int) -> str:
        """The address of another page of the same search."""
        kept = [(name, value) for name, values in self._told.items() for value in values if name in SearchAsk.model_fields and value]
        return "?" + urlencode([*kept, ("page", str(page))])

    @property
    def sentence(self) -> str:
        """What was found, in a sentence; empty while nothing was asked."""
        if self.faults:
            return " ".join(fault.detail for fault in self.faults)
        if self.answer is None:
            return ""
        if not self.answer.results:
            return "Nothing matches." if self.page == 1 else "There are no more matches."
        records = "1 record matches" if self.answer.total == 1 else f"{self.answer.total:,} records match"
        return f"{records}; page {self.page}." if self.page > 1 or self.answer.more else f"{records}."


def _page(values: Iterable[str]) -> int:
    number = next(iter(values), "1")
    return min(int(number), MOST_PAGES) if number.isascii() and number.isdecimal() and 0 < len(number) < 5 and int(number) else 1  # noqa: PLR2004


class SearchPage:
    """``/search/``: the one page that is written while it is asked for."""

    def __init__(self, operation: Operation, route: Route, clerk: ActionContext) -> None:
        self._operation, self._route, self._clerk = operation, route, clerk

    async def __call__(self, request: Request, _receive: Receive) -> Response:
        """405 → 406 → 429 → the page. As JSON it counts as JSON, and faults are a problem document; otherwise searches have a limit of their own."""
        try:
            return await self._answer(request)
        except ResponseError as refused:
            return refused.reply

    async def _answer(self, request: Request) -> Response:
        clerk = self._clerk
        edition, world = clerk.opened(request, GETS)
        if request.method not in READS:
            raise clerk.method(request, edition, GETS)
        offers = tuple(media.accepted for media in FORMS.values())
        place = best_match(request.fields.get(b"accept", b"")[:READ_BYTES], offers)
        if place < 0:
            return self._unacceptable(request, edition)
        form = tuple(FORMS)[place]
        if form == "json":
            rate, retry = clerk.door.spend(request)
            if not retry:
                return await self._json(request, edition, world, rate)
            if not (form := uncounted_form(request)):
                return clerk.door.limited(request, edition, rate, retry)
        found = SearchPageResult(request.query, self._operation)
        rate = clerk.spend_search(request, edition, form) if found.query else []
        if found.ask:
            found.answer = await self._ran(found.ask, request, edition, world, form, rate)
        body = (_html if form == "html" else _markdown)(edition.shell(SHELLS[form]), found, world)
        status = sorts.BAD_QUERY.status if found.faults else 200
        headers: Headers = [
            (b"content-type", FORMS[form].sent.encode()), (b"content-length", b"%d" % len(body)),
            edition.fields.caching(self._route.cache if form == "html" and status == 200 else Cache.NO_STORE),  # noqa: PLR2004
            VARY_FORM, *edition.fields.common, *rate,
        ]  # fmt: skip
        reply = Response(status, headers, b"" if request.method == "HEAD" else body)
        if not found.query:
            return reply
        return with_note(
            reply, "action", self._operation.name, matched_prefix(self._operation, found.answer) if found.answer else "refused"
        )

    async def _ran(
        self, ask: object, request: Request, edition: ServedEdition, world: OperationContext, form: str, rate: Headers
    ) -> SearchAnswer:
        """The search. Raises ``ResponseError``: 503 where too many are under way."""
        try:
            answer: SearchAnswer = await call(self._operation, ask, world)
        except Refusal as busy:
            further = [*rate, (b"retry-after", b"%d" % busy.retry_after)]
            raise ResponseError(
                refuse(sorts.UNAVAILABLE, request, edition.fields, form, edition, detail=busy.message, further=further)
            ) from None
        return answer

    async def _json(self, request: Request, edition: ServedEdition, world: OperationContext, rate: Headers) -> Response:
        """The answer itself, as at the address for programs."""
        ask = read_query(request.query, self._operation.ask)
        if isinstance(ask, tuple):
            fault = self._clerk.faulty(sorts.BAD_QUERY, request, edition, ask, rate)
            return with_note(fault.reply, "action", self._operation.name)
        answer = await self._ran(ask, request, edition, world, "json", rate)
        reply = json_reply(200, answer, request, edition, self._route, [*rate, VARY_FORM])
        return with_note(reply, "action", self._operation.name, matched_prefix(self._operation, answer))

    def _unacceptable(self, request: Request, edition: ServedEdition) -> Response:
        form = form_for(request, MACHINE)
        rate = self._clerk.spend(request, edition) if form == "json" else []
        available = [(self._route.path, media.type) for media in FORMS.values()]
        return refuse(sorts.NOT_ACCEPTABLE, request, edition.fields, form, edition, available=available, further=rate)


def _html(shell: bytes, found: SearchPageResult, _world: OperationContext) -> bytes:
    options = "".join(_option(name, found.kinds) for name in ("", *SINGULAR))
    body = shell.replace(RESULTS, "".join(_sections(found)).encode(), 1).replace(OPTIONS, options.encode(), 1)
    return body.replace(QUERY, escape(found.query).encode(), 1)


def _option(name: str, chosen: tuple[str, ...]) -> str:
    selected = " selected" if name in chosen or (not name and not chosen) else ""
    return f'<option value="{name}"{selected}>{SINGULAR.get(name, "All collections")}</option>'


def _sections(found: SearchPageResult) -> Lines:
    if found.sentence:
        yield f'<div class="block notice" role="status"><div class="body"><p>{escape(found.sentence)}</p></div></div>\n'
    if found.answer is None:
        return
    if suggestions := found.answer.suggestions:
        items = "".join(f'<li><a href="?{escape(urlencode({"query": one}))}">{escape(one)}</a></li>' for one in suggestions)
        yield f'<div class="block items"><div class="body"><p>Did you mean:</p><ul>{items}</ul></div></div>\n'
    if found.answer.results:
        yield '<div class="block cards" id="results"><div class="body">\n<ul>\n'
        for hit in found.answer.results:
            yield (
                f'<li>\n<p class="meta"><span class="label">{SINGULAR[hit.kind]}</span> · '
                f'<time datetime="{day(hit.updated_at)}">{day(hit.updated_at)}</time></p>\n'
                f'<h2 class="title" dir="auto"><a href="{escape(quote(hit.url, safe=PATH_SAFE))}">{escape(hit.title)}</a></h2>\n'
                f'<p class="summary" dir="auto">{escape(hit.snippet)}</p>\n</li>\n'
            )
        yield "</ul>\n</div></div>\n"
    yield from _pager(found, found.answer)


def _pager(found: SearchPageResult, answer: SearchAnswer) -> Lines:
    links = [("prev", found.page - 1, "Previous page")] if found.page > 1 else []
    links += [("next", found.page + 1, "Next page")] if answer.more and found.page < MOST_PAGES else []
    if links:
        items = "".join(f'<li><a rel="{rel}" href="{escape(found.there(page))}">{words}</a></li>' for rel, page, words in links)
        yield f'<div class="block pager"><div class="body"><nav aria-label="Pages"><ul>{items}</ul></nav></div></div>\n'


def _markdown(shell: bytes, found: SearchPageResult, world: OperationContext) -> bytes:
    return shell.replace(RESULTS, "\n".join(_lines(found, world)).encode(), 1)


def _lines(found: SearchPageResult, world: OperationContext) -> Lines:
    if found.query:
        yield f"## Results for {text(found.query)}\n"
    if found.sentence:
        yield text(found.sentence)
    if found.answer is None:
        return
    yield from (f"- Did you mean: {text(one)}" for one in found.answer.suggestions)
    for hit in found.answer.results:
        yield f"\n- [{text(hit.title)}]({hit.url.rstrip('/')}.md) ({hit.id}, {day(hit.updated_at)}): {text(hit.snippet)}"
    if found.answer.more and found.page < MOST_PAGES:
        yield f"\n[Next page]({world.url('/search/')}{found.there(found.page + 1)})"
