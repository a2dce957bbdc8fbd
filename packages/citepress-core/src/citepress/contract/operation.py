"""The declaration of something that can be done: one file in ``operations/`` gives the REST action and the tool."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cache
from typing import Annotated, Any, get_args

from pydantic import Field, create_model
from pydantic.fields import FieldInfo
from pydantic.json_schema import SkipJsonSchema

from citepress.base.errors import CitepressError
from citepress.base.media import HTML, JSON, MARKDOWN
from citepress.contract.cache import Cache
from citepress.contract.document import Parameter, Section, path_mistake
from citepress.contract.limits import Limit
from citepress.contract.model import Model, Moment
from citepress.contract.route import Route
from citepress.extension import derived

PAGE_SUFFIX = "_page"
"""What follows an operation's name in the name of its page's route."""
MAX_DESCRIPTION_CHARS = 300
FARTHEST = 10_000
"""Items of a list that can be passed over."""


Reports = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class Paged(Model):
    """Arguments of an operation that answers with a part of a list; a member ``limit`` sets its length."""

    start: SkipJsonSchema[Annotated[int, Field(ge=0, le=FARTHEST)]] = 0
    """Items passed over. No schema offers it: a door fills it from its own means, a cursor or a parameter."""


class Answer(Model):
    """What every reading operation answers; its doors add their own members."""

    as_of: Moment
    """The newest record date of the archive."""
    more: SkipJsonSchema[bool] = Field(default=False, exclude=True)
    """For the doors: whether the list goes on after this part."""
    notes: SkipJsonSchema[tuple[str, ...]] = Field(default=(), exclude=True)
    """For the doors: sentences on what was mended or left out."""


class Effect(Enum):
    """What an operation leaves behind; decides the annotations of its tool and how strictly its arguments are read."""

    READ = "reads"
    SUBMIT = "queues a proposal for review"


@dataclass(frozen=True, slots=True)
class Get:
    """A REST route that takes its arguments from the query, and those its path names from there."""

    path: str
    parameters: tuple[Parameter, ...] = ()
    """Members of the path; each is an argument."""
    page: str = ""
    """Path of a page for people that shows the same answer, in HTML or Markdown by Accept. Declaring one is not
    enough: it needs a view in ``web/endpoints/operation.py`` that is written for this answer."""
    cache: Cache = Cache.LIVE
    promised: bool = True
    """Whether the specification names the route."""
    about: str = ""
    """The description of the route in guides and contracts, where that of the tool does not fit."""


@dataclass(frozen=True, slots=True)
class Post:
    """A REST route that takes its arguments as a JSON body."""

    path: str
    limit_bytes: int
    promised: bool = True
    about: str = ""
    area: str = "action"
    """The area of the notes of its calls."""


@dataclass(frozen=True, slots=True)
class Tool:
    """How a tool of an API sizes its answers."""

    tokens: int = 0
    """Default of ``max_tokens``; 0 for an answer that has no frame."""
    cut: str = ""
    """The member that is cut to the budget: a list, or a Markdown text."""
    link: bool = False
    """Whether the answer carries a ``resource_link`` to the record's Markdown."""
    as_json: bool = False
    """Whether the text is the JSON of the answer and nothing else, for a client that parses it."""


@dataclass(frozen=True, slots=True)
class Operation:
    """A named operation with typed arguments and a typed answer."""

    name: str
    """Tool name, and operation id in OpenAPI."""
    title: str
    description: str
    """For people and models; at most 300 characters."""
    ask: type[Model]
    """Its arguments, without those that belong to one door alone (``max_tokens``, ``cursor``)."""
    answer: type[Model]
    run: Callable[..., Any]
    """``run(ask, world) -> answer``; a submit operation also takes ``caller``. A coroutine function where a store is
    touched."""
    section: Section = Section.EXTRAS
    """Where guides list its REST route."""
    rest: Get | Post | None = None
    effect: Effect = Effect.READ
    tool: Tool | None = None
    beside: bool = False
    """Whether it searches the index or may wait, and so runs beside the event loop."""
    context: Callable[[Any], object] | None = None
    """Makes, of what the operation reads, the validation context of ``ask``: what its validators may look up."""
    example: Mapping[str, Any] = field(default_factory=dict)
    """Arguments as guides show them."""
    quota: Callable[[Any], Limit] | None = None
    """How much of it one client may use, of the published settings; documents state it."""
    rules: Callable[[Any], str] | None = None
    """What guides say once, of their render context, of all operations with the same rules."""
    reports: Reports | None = None
    """``(record) -> arguments`` with which a reader reports an error in a record, of its JSON: the page of each record
    leads to its call over HTTP and over each API."""
    before: str = ""

    def mistake(self) -> str:
        """What is wrong with the declaration; empty where nothing is."""
        if len(self.description) > MAX_DESCRIPTION_CHARS:
            return f"its description has {len(self.description)} characters, and {MAX_DESCRIPTION_CHARS} are the most"
        answer: Any = self.answer  # an extension may give anything
        if not (isinstance(answer, type) and issubclass(answer, Model)):
            return f"its answer {answer!r:.100} is not a subclass of Answer"
        if issubclass(self.answer, Answer):
            if names := [name for name, field in self.answer.model_fields.items() if _may_be_missing(field)]:
                return (
                    f"{self.answer.__name__}.{names[0]} may be None, which answers leave out: give it the default None"
                )
        elif self.effect is Effect.READ and "schema_version" not in self.answer.model_fields:
            return f"its answer {self.answer.__name__} is not a subclass of Answer"
        paths = (
            [self.rest.path, *([self.rest.page] if isinstance(self.rest, Get) and self.rest.page else [])]
            if self.rest
            else []
        )
        return next(filter(None, map(path_mistake, paths)), "")


def _may_be_missing(field: FieldInfo) -> bool:
    """Whether a schema requires a member that is left out where it is ``None``."""
    return type(None) in get_args(field.annotation) and field.default is not None and not field.exclude


class Refusal(CitepressError):  # noqa: N818  (an answer, not an accident)
    """An operation was refused; the message says what to do next."""

    def __init__(
        self, code: str, message: str, near: tuple[str, ...] = (), *, member: str = "", retry_after: int = 0
    ) -> None:
        """``code``: invalid_argument, not_found, gone, over_quota, unavailable."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.near = near
        """Ids or names similar to the requested one; the message does not repeat them."""
        self.member = member
        """The argument at fault, where one is."""
        self.retry_after = retry_after
        """Seconds to wait, where waiting helps."""


def routes(operations: Iterable[Operation]) -> Iterator[Route]:
    """The rows of the route table for the REST form of these operations."""
    for operation in operations:
        yield from derived(operation, _routes(operation))


def _routes(operation: Operation) -> Iterator[Route]:
    rest = operation.rest
    if rest is None:
        return
    row = Route(
        "GET" if isinstance(rest, Get) else "POST",
        rest.path,
        operation.name,
        JSON,
        operation.section,
        rest.about or operation.description,
        Cache.NO_STORE,
        operation.answer.__name__,
        promised=rest.promised,
        ask=operation.ask,
        example=operation.example,
    )
    if isinstance(rest, Post):
        yield row
        return
    yield replace(row, cache=rest.cache, parameters=rest.parameters)
    if page := rest.page:
        forms = (("html", HTML, page), ("markdown", MARKDOWN, page))
        yield replace(
            row,
            cache=rest.cache,
            path=page,
            name=operation.name + PAGE_SUFFIX,
            media=HTML,
            shape="",
            forms=forms,
            negotiates=True,
        )


def models(operations: Iterable[Operation]) -> dict[str, type[Model]]:
    """The types of the documents behind these rows, by schema name."""
    return {operation.answer.__name__: document(operation.answer) for operation in operations if operation.rest}


@cache
def document(answer: type[Model]) -> type[Model]:
    """An answer as a REST document, which has the version of its schema like every other."""
    if "schema_version" in answer.model_fields:
        return answer
    version: Any = (int, Field(description="Version of this document's schema."))
    return create_model(answer.__name__, __base__=answer, __doc__=answer.__doc__, schema_version=version)
