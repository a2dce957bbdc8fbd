"""The search page: a form and its results in HTML or Markdown; as JSON, the plain answer."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any
from urllib.parse import quote, urlencode

from citepress.archive.labels import labelled
from citepress.base.headers import Headers
from citepress.base.ids import twin
from citepress.base.media import HTML, JSON, MARKDOWN
from citepress.base.timestamps import day, spoken_day
from citepress.contract import problem as problem_types
from citepress.contract.cache import Cache
from citepress.contract.json_body import InvalidArgumentsError
from citepress.contract.kind import Kind
from citepress.contract.operation import Operation, Refusal
from citepress.contract.route import Route
from citepress.edition.edition import Edition
from citepress.edition.pages.search_page import OPTIONS, QUERY, RESULTS, ROBOTS, SEARCH_TEMPLATES
from citepress.edition.prose.markdown_escape import text
from citepress.edition.response_headers import SiteFields
from citepress.edition.served import PATH_SAFE, VARY_FORM
from citepress.http.accept import READ_BYTES, best_match
from citepress.http.message import Receive, Request, Response
from citepress.http.problem import form_for, refuse, uncounted_form
from citepress.http.query import members, page_number, read_query
from citepress.http.response import with_body
from citepress.kinds import ALL as KINDS
from citepress.kinds.topics import KIND as TOPICS
from citepress.operations.context import OperationContext
from citepress.operations.search_archive import SearchAnswer, SearchAsk, SearchHit, facets, run
from citepress.search.datasets import DATASETS, PLURAL, SINGULAR
from citepress.search.models import MatchCounts
from citepress.web.endpoints.context import GETS, ActionContext, ResponseError, call, json_reply, outcome_of, with_note
from citepress.web.site import MACHINE, READS

NOT_INDEXED = b'<meta name="robots" content="noindex">'
"""What crawlers are told of results."""
PER_PAGE = 10
MAX_SEARCH_PAGES = 100
PAGE_DIGITS = 4
SEARCH_PAGE_FORMS = {"html": HTML, "markdown": MARKDOWN, "json": JSON}
"""The forms of the page, the default first."""
NO_HIT = "No record has “{}”. Check the spelling, try fewer words, or begin at a topic."
BEGIN = "begin at a topic"
"""The words of it that lead to the topics."""
CURRENT = ' aria-current="true"'
_CODE = re.compile(r"`([^`]+)`")
Lines = Iterator[str]
Pieces = Sequence[tuple[str, bool]]
"""A text in pieces, each with whether it is a word of the search."""
Labels = Mapping[str, tuple[str, str]]
"""What one member of each collection is called, and what several are."""


@dataclass(frozen=True, slots=True)
class ShownResults:
    """What the page shows of an answer."""

    answer: SearchAnswer
    facets: MatchCounts
    snippets: Sequence[Pieces]
    """One for each result."""


def _shown_results(ask: SearchAsk, context: OperationContext) -> ShownResults:
    answer = run(ask, context)
    weighted = context.index.weigh(ask.query)
    snippets = [context.index.marked(hit.snippet, weighted) for hit in answer.results]
    return ShownResults(answer, facets(ask, context), snippets)


class SearchPageResult:
    """The content of the page: a search and what it found, or why there is none."""

    def __init__(self, query: bytes) -> None:
        self._members = _members(query)
        given = [*self._members.get("query", ()), *self._members.get("q", ())]
        self.query = next(iter(given), "").strip()[:500]
        self.kinds = tuple(kind for value in self._members.get("kinds", ()) for kind in value.split(",") if kind)
        self.page = min(page_number(self._members.get("page", ()), PAGE_DIGITS), MAX_SEARCH_PAGES)
        self.error: InvalidArgumentsError | None = None
        self.shown: ShownResults | None = None
        self.ask: SearchAsk | None = None
        """The search, until it is answered."""
        if self.query:
            part = {"limit": str(PER_PAGE), "start": str((self.page - 1) * PER_PAGE)}
            try:
                self.ask = read_query(query, SearchAsk, part)
            except InvalidArgumentsError as error:
                self.error = error

    @property
    def answer(self) -> SearchAnswer | None:
        """The answer, once there is one."""
        return self.shown.answer if self.shown else None

    def there(self, **changed: str) -> str:
        """The address of the same search with other members; an empty value leaves one out."""
        search = [
            (name, value)
            for name, values in {**self._members, "query": [self.query]}.items()
            for value in values
            if name in SearchAsk.model_fields and name not in changed and value
        ]
        return "?" + urlencode([*search, *((name, value) for name, value in changed.items() if value)])

    @property
    def sentence(self) -> str:
        """The number of results in a sentence; empty without a query."""
        if self.error:
            return str(self.error)
        if self.answer is None:
            return ""
        records = "1 record matches" if self.answer.total == 1 else f"{self.answer.total:,} records match"
        if not self.answer.results:
            counted = NO_HIT.format(self.query) if self.page == 1 else "There are no more matches."
        elif self.page == MAX_SEARCH_PAGES and self.answer.more:
            counted = f"{records}; page {self.page} is the last one shown. More words or a filter lead to the others."
        elif self.page > 1 or self.answer.more:
            counted = f"{records}; page {self.page}."
        elif unlisted := self.answer.unlisted:
            counted = f"{records}, of which {unlisted:,} nearly repeat another and are not listed."
        else:
            counted = f"{records}."
        return " ".join((counted, *self.answer.notes))


def _members(query: bytes) -> dict[str, list[str]]:
    """The members of a query; none where it cannot be read, and then the page is shown empty."""
    try:
        return members(query)
    except InvalidArgumentsError:
        return {}


class SearchPage:
    """``/search/``: the one page that is written while it is asked for."""

    def __init__(self, operation: Operation, route: Route, context: ActionContext) -> None:
        self._operation, self._route, self._context = operation, route, context
        self._on_page = replace(operation, run=_shown_results)

    async def __call__(self, request: Request, _receive: Receive) -> Response:
        """405 → 406 → 429 → the page.

        As JSON it counts as JSON, and faults are a problem document; otherwise searches have a limit of their own.
        """
        try:
            return await self._answer(request)
        except ResponseError as refused:
            return refused.reply

    async def _answer(self, request: Request) -> Response:
        context = self._context
        edition, operation_context = context.opened(request, GETS)
        if request.method not in READS:
            raise context.method_not_allowed(request, edition, GETS)
        offers = tuple(media.accepted for media in SEARCH_PAGE_FORMS.values())
        place = best_match(request.fields.get(b"accept", b"")[:READ_BYTES], offers)
        if place < 0:
            return self._unacceptable(request, edition)
        form = tuple(SEARCH_PAGE_FORMS)[place]
        if form == "json":
            rate, retry = context.site_app.spend(request)
            if not retry:
                return await self._json(request, edition, operation_context, rate)
            form = uncounted_form(request)
            if not form:
                return context.site_app.limited(request, edition, rate, retry)
        search = SearchPageResult(request.query)
        rate = context.spend_search(request, edition, form) if search.query else []
        if search.ask:
            search.shown = await self._ran(self._on_page, search.ask, request, edition, operation_context, form, rate)
        write = _html if form == "html" else _markdown
        body = write(edition.page_template(SEARCH_TEMPLATES[form]), search, operation_context)
        status = problem_types.BAD_QUERY.status if search.error else 200
        cache = self._route.cache if form == "html" and not search.error else Cache.NO_STORE
        keys = edition.fields.keys(self._route.path)
        fields = [edition.fields.caching(cache), VARY_FORM, *edition.fields.common, *keys, *rate]
        reply = with_body(status, SEARCH_PAGE_FORMS[form].sent, body, fields, head=request.method == "HEAD")
        if not search.query:
            return reply
        outcome = outcome_of(self._operation, search.answer) if search.answer else "refused"
        return with_note(reply, "action", self._operation.name, outcome)

    async def _ran(
        self,
        operation: Operation,
        ask: object,
        request: Request,
        edition: Edition,
        operation_context: OperationContext,
        form: str,
        rate: Headers,
    ) -> Any:  # noqa: ANN401  (what the operation answers)
        """What a search finds. Raises ``ResponseError``: 503 where too many are under way."""
        try:
            return await call(operation, ask, operation_context)
        except Refusal as busy:
            further = [*rate, (b"retry-after", b"%d" % busy.retry_after)]
            raise ResponseError(
                refuse(problem_types.UNAVAILABLE, request, edition, form, detail=busy.message, further=further)
            ) from None

    async def _json(
        self, request: Request, edition: Edition, operation_context: OperationContext, rate: Headers
    ) -> Response:
        """The plain answer, as at the REST address."""
        try:
            ask = read_query(request.query, SearchAsk)
        except InvalidArgumentsError as error:
            refused = self._context.invalid(problem_types.BAD_QUERY, request, edition, error, rate)
            return with_note(refused.reply, "action", self._operation.name)
        answer = await self._ran(self._operation, ask, request, edition, operation_context, "json", rate)
        reply = json_reply(200, answer, request, edition, self._route, [*rate, VARY_FORM])
        return with_note(reply, "action", self._operation.name, outcome_of(self._operation, answer))

    def _unacceptable(self, request: Request, edition: Edition) -> Response:
        form = form_for(request, MACHINE)
        rate = self._context.spend(request, edition) if form == "json" else []
        available = [(self._route.path, media.type) for media in SEARCH_PAGE_FORMS.values()]
        return refuse(problem_types.NOT_ACCEPTABLE, request, edition, form, available=available, further=rate)


def _html(page_template: bytes, search: SearchPageResult, operation_context: OperationContext) -> bytes:
    config = operation_context.edition.config
    labels = {kind.name: _labels(labelled(kind, config.publication)) for kind in KINDS} | {DATASETS: (SINGULAR, PLURAL)}
    filled = {"": "All collections"} | {name: label for name, (label, _) in labels.items() if name in config.filled}
    options = "".join(_option(name, escape(label), search.kinds) for name, label in filled.items())
    body = page_template.replace(ROBOTS, NOT_INDEXED if search.query else b"", 1)
    body = body.replace(
        RESULTS, "".join(_sections(search, labels, operation_context.edition.fields)).encode(), 1
    ).replace(OPTIONS, options.encode(), 1)
    return body.replace(QUERY, escape(search.query).encode(), 1)


def _labels(kind: Kind) -> tuple[str, str]:
    return kind.singular, kind.plural


def _option(name: str, label: str, chosen: tuple[str, ...]) -> str:
    selected = " selected" if name in chosen or (not name and not chosen) else ""
    return f'<option value="{name}"{selected}>{label}</option>'


def _sections(search: SearchPageResult, labels: Labels, fields: SiteFields) -> Lines:
    if search.sentence:
        topics = f'<a href="{escape(fields.target(TOPICS.path))}">{BEGIN}</a>'
        head, begin, rest = search.sentence.rpartition(BEGIN)
        sentence = escape(head) + (topics if begin else "") + escape(rest)
        yield f'<div class="block found" role="status"><div class="body"><p>{sentence}</p></div></div>\n'
    shown = search.shown
    if shown is None:
        return
    if suggestions := shown.answer.suggestions:
        items = "".join(
            f'<li><a href="?{escape(urlencode({"query": suggestion}))}">{escape(suggestion)}</a></li>'
            for suggestion in suggestions
        )
        yield f'<div class="block items"><div class="body"><p>Did you mean:</p><ul>{items}</ul></div></div>\n'
    yield from _facets(search, shown.facets, labels)
    if shown.answer.results:
        yield '<div class="block cards" id="results"><div class="body">\n<ul>\n'
        for hit, snippet in zip(shown.answer.results, shown.snippets, strict=True):
            href = quote(fields.target(hit.url.removeprefix(fields.base_url)), safe=PATH_SAFE)
            yield (
                f'<li>\n<p class="meta"><span class="label">{escape(labels[hit.kind][0])}</span> · <time'
                f' datetime="{day(hit.published_at)}">{spoken_day(hit.published_at)}</time></p>\n<h2 class="title"'
                f' dir="auto"><a href="{escape(href)}">{_plain(hit.title)}</a></h2>\n'
                f'<p class="summary" dir="auto">{_marked(snippet)}</p>\n{_near_repeats(hit, fields)}</li>\n'
            )
        yield "</ul>\n</div></div>\n"
    yield from _pager(search, shown.answer)


def _near_repeats(hit: SearchHit, fields: SiteFields) -> str:
    """Links to records that nearly repeat a result, which are not listed."""
    links = (f'<a href="{escape(fields.target(f"/{id_}/"))}">{escape(id_)}</a>' for id_ in hit.near_repeats or ())
    return f'<p class="meta">Nearly repeated by {", ".join(links)}</p>\n' if hit.near_repeats else ""


def _marked(pieces: Pieces) -> str:
    """A passage with its code set as code."""
    return "".join(f"<mark>{escape(piece)}</mark>" if matches else _plain(piece) for piece, matches in pieces)


def _plain(words: str) -> str:
    """Words as HTML, with code between backticks set as code."""
    return _CODE.sub(r"<code>\1</code>", escape(words))


def _facets(search: SearchPageResult, facets: MatchCounts, labels: Labels) -> Lines:
    """The collections and years among the matches, as links that narrow the search or widen it again."""
    year = str(search.ask.year) if search.ask and search.ask.year else ""
    lists = (
        (
            "Collections",
            "kinds",
            search.kinds,
            [(name, escape(plural), facets.kinds.get(name, 0)) for name, (_, plural) in labels.items()],
        ),
        ("Years", "year", (year,), [(str(y), str(y), facets.years[y]) for y in sorted(facets.years, reverse=True)]),
    )
    rows = "".join(_facet(search, *facet) for facet in lists)
    if rows:
        yield f'<div class="block facets"><div class="body"><nav aria-label="Filters">{rows}</nav></div></div>\n'


def _facet(
    search: SearchPageResult, title: str, name: str, chosen: Sequence[str], values: Sequence[tuple[str, str, int]]
) -> str:
    """The values of one filter that match; nothing where there is no choice."""
    counted = [value for value in values if value[2]]
    if len(counted) < 2 and not any(value in chosen for value, _, _ in counted):  # noqa: PLR2004
        return ""
    items = "".join(
        f'<li><a href="{escape(search.there(**{name: "" if value in chosen else value}))}"'
        f"{CURRENT if value in chosen else ''}>{label}</a> {count:,}</li>"
        for value, label, count in counted
    )
    return f"<p>{title}</p><ul>{items}</ul>"


def _pager(search: SearchPageResult, answer: SearchAnswer) -> Lines:
    links = [("prev", search.page - 1, "Previous page")] if search.page > 1 else []
    links += [("next", search.page + 1, "Next page")] if answer.more and search.page < MAX_SEARCH_PAGES else []
    if links:
        items = "".join(
            f'<li><a rel="{rel}" href="{escape(search.there(page=str(page)))}">{words}</a></li>'
            for rel, page, words in links
        )
        yield f'<div class="block pager"><div class="body"><nav aria-label="Pages"><ul>{items}</ul></nav></div></div>\n'


def _markdown(page_template: bytes, search: SearchPageResult, operation_context: OperationContext) -> bytes:
    return page_template.replace(RESULTS, "\n".join(_lines(search, operation_context)).encode(), 1)


def _lines(search: SearchPageResult, operation_context: OperationContext) -> Lines:
    if search.query:
        yield f"## Results for {text(search.query)}\n"
    if search.sentence:
        yield text(search.sentence).replace(BEGIN, f"[{BEGIN}]({operation_context.url(twin(TOPICS.path, '.md'))})", 1)
    if search.answer is None:
        return
    yield from (f"- Did you mean: {text(suggestion)}" for suggestion in search.answer.suggestions)
    for hit in search.answer.results:
        yield (
            f"\n- [{text(hit.title)}]({hit.url.rstrip('/')}.md) ({hit.id}, {day(hit.published_at)}): "
            f"{text(hit.snippet)}"
        )
        if hit.near_repeats:
            repeats = ", ".join(f"[{id_}]({operation_context.url(f'/{id_}.md')})" for id_ in hit.near_repeats)
            yield f"  Nearly repeated by {repeats}"
    if search.answer.more and search.page < MAX_SEARCH_PAGES:
        yield f"\n[Next page]({operation_context.url('/search/')}{search.there(page=str(search.page + 1))})"
