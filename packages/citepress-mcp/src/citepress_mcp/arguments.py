"""Parsing a tool's arguments: read tools correct harmless mistakes; all other errors are reported together."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias, get_args, get_origin

import orjson
from pydantic import BaseModel, ValidationError

from citepress.base.strict_json import JsonError, loads
from citepress.base.text import bounded, did_you_mean
from citepress.contract.json_body import InvalidArgumentsError, faults_of, read_body
from citepress.contract.model import Model
from citepress.contract.operation import Effect, Operation, Post, Refusal
from citepress_mcp import cursors
from citepress_mcp.answers import MAX_ANSWER_TOKENS, MIN_ANSWER_TOKENS, AnswerPage, tag_of
from citepress_mcp.cursors import Cursor

MAX_NOTES, MAX_IGNORED = 5, 20
"""Unknown names that have a sentence, and those that are listed."""
MAX_QUOTED_CHARS = 60
"""Characters of an unknown name that a message quotes."""
_WHOLE = re.compile(r"[+-]?[0-9]{1,15}", re.ASCII)
_QUOTED = re.compile(r"'([^']*)'")


Mended: TypeAlias = tuple[dict[str, Any], list[str], list[str], list[str]]
"""Arguments, corrections (for the answer), errors (for the refusal), and names that the tool does not have."""


class Bounds(NamedTuple):
    """The range of an integer."""

    least: int
    most: int


class ArgumentReader:
    """Parses the arguments of one tool."""

    def __init__(self, operation: Operation) -> None:
        self._operation = operation
        self._model = operation.ask
        self._validate = operation.ask.__pydantic_validator__.validate_python
        tool = operation.tool
        self._tokens = tool.tokens if tool else 0
        self._cut = bool(tool and tool.cut and not tool.as_json)
        fields = {name: field for name, field in operation.ask.model_fields.items() if name != "start"}
        self._names = {*fields, *(("max_tokens",) if self._tokens else ()), *(("cursor",) if self._cut else ())}
        self._lists = frozenset(name for name, field in fields.items() if _is(field.annotation, list))
        self._objects = frozenset(name for name, field in fields.items() if _is(field.annotation, BaseModel, dict))
        self._also_named: Mapping[str, str] = getattr(operation.ask, "also_named", {})
        self._whole = frozenset(name for name, field in fields.items() if _is(field.annotation, int)) | {"max_tokens"}
        self._moved = {"max_tokens": Bounds(MIN_ANSWER_TOKENS, MAX_ANSWER_TOKENS)}
        if "limit" in fields:
            self._moved["limit"] = _bounds(fields["limit"].metadata)
        self._paged = "start" in operation.ask.model_fields

    def read(
        self, raw: Mapping[str, Any], cap: int, edition: str, operation_context: object
    ) -> tuple[Model, AnswerPage]:
        """The arguments and the page they ask for. Raises ``Refusal`` with every fault.

        ``cap`` bounds the budget; ``operation_context`` is what the operation reads.
        """
        if self._operation.effect is Effect.SUBMIT:
            return self._strict(raw, operation_context), AnswerPage(MAX_ANSWER_TOKENS, raw, edition)
        given, notes, faults, ignored = self._mended(raw)
        wanted, text = given.pop("max_tokens", self._tokens), given.pop("cursor", "")
        try:
            ask: Model = self._validate(given)
        except ValidationError as error:
            faults += argument_notes(error, self._model)
        if faults:
            unknown = (f"- {note}" for note in notes if ignored)
            raise Refusal("invalid_argument", "\n".join((*faults, *unknown)))
        cursor = self._cursor(text, given) if text else None
        budget = max(MIN_ANSWER_TOKENS, min(wanted or MAX_ANSWER_TOKENS, cap or MAX_ANSWER_TOKENS))
        if cursor is None:
            return ask, AnswerPage(budget, given, edition, 0, False, tuple(notes), tuple(ignored))
        if cursor.edition != edition:
            notes.append("the archive changed since the first page; entries may repeat or be missing")
        if self._paged:
            ask = ask.model_copy(update={"start": cursor.offset})
        return ask, AnswerPage(budget, given, edition, cursor.offset, True, tuple(notes), tuple(ignored))

    def _cursor(self, text: str, given: dict[str, Any]) -> Cursor:
        """The position that a cursor of these arguments names."""
        cursor = cursors.read_cursor(text, tag_of(self._operation.name, given))
        if cursor is None:
            raise Refusal("bad_cursor", "The cursor does not belong to these arguments; call again without cursor.")
        return cursor

    def _mended(self, raw: Mapping[str, Any]) -> Mended:
        """The valid arguments with mistakes corrected, notes about the others, and the errors."""
        given: dict[str, Any] = {}
        mended: Mended = given, [], [], []
        for name, value in raw.items():
            if value is None:
                continue
            if name not in self._names:
                self._drop(name, mended)
            elif name in self._whole:
                self._number(name, value, mended)
            elif name == "cursor":
                self._take_cursor(value, mended)
            elif name in self._lists and type(value) is str:
                parsed = _parsed(value)
                given[name] = parsed if type(parsed) is list else [value]
            elif name in self._objects and type(value) is str:
                given[name] = _parsed(value)
            else:
                given[name] = value
        return mended

    def _drop(self, name: str, mended: Mended) -> None:
        _, notes, _, ignored = mended
        if len(ignored) < MAX_NOTES:
            meant = self._also_named.get(name, "")
            hint = f'did you mean "{meant}"?' if meant else did_you_mean(name[:MAX_QUOTED_CHARS], self._names)
            notes.append(f"{_shown(name)} is not an argument of this tool and was ignored{f'; {hint}' if hint else ''}")
        if len(ignored) < MAX_IGNORED:
            ignored.append(bounded(name[:MAX_QUOTED_CHARS], MAX_QUOTED_CHARS))

    @staticmethod
    def _take_cursor(value: object, mended: Mended) -> None:
        """An empty cursor asks for the first page, as clients with a field for each argument send it."""
        given, _, faults, _ = mended
        if not isinstance(value, str):
            faults.append("- `cursor`: must be a string")
        elif value:
            given["cursor"] = value

    def _number(self, name: str, value: object, mended: Mended) -> None:
        if (isinstance(value, str) and _WHOLE.fullmatch(value.strip())) or (
            isinstance(value, float) and value.is_integer()
        ):
            value = int(value)
        given, notes, faults, _ = mended
        if type(value) is not int:
            faults.append(f"- `{name}`: must be a whole number")
            return
        if (bounds := self._moved.get(name)) and not bounds.least <= value <= bounds.most:
            notes.append(f"{name} was moved to its bound; it goes from {bounds.least} to {bounds.most}")
            value = min(max(value, bounds.least), bounds.most)
        given[name] = value

    def _strict(self, raw: Mapping[str, Any], operation_context: object) -> Model:
        """The arguments of a submission, under the bounds of its REST body."""
        rest = self._operation.rest
        size = len(orjson.dumps(raw))
        if isinstance(rest, Post) and size > rest.limit_bytes:
            raise Refusal(
                "invalid_argument", f"- the arguments hold {size:,} bytes; at most {rest.limit_bytes:,} are taken"
            )
        validation_context = self._operation.context(operation_context) if self._operation.context else None
        try:
            return read_body(self._model, self._unpacked(raw), validation_context)
        except InvalidArgumentsError as error:
            lines = "\n".join(f"- {fault.detail.rstrip('.')}" for fault in error.faults)
            raise Refusal("invalid_argument", lines) from None

    def _unpacked(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        """The same, with arrays and objects that were sent as JSON text parsed."""
        packed = self._lists | self._objects
        return {n: _parsed(value) if n in packed and type(value) is str else value for n, value in raw.items()}


def _parsed(text: str) -> Any:  # noqa: ANN401  (JSON is any shape)
    """The array or object that a text holds as JSON; the text itself where it holds none."""
    if text.lstrip()[:1] not in ("[", "{"):
        return text
    try:
        return loads(text.encode())
    except (JsonError, UnicodeEncodeError):
        return text


def argument_notes(error: ValidationError, model: type[Model]) -> list[str]:
    """A line for every error."""
    lines = []
    for name, words, detail in faults_of(error, model):
        if detail["type"] == "literal_error":
            words = _not_one_of(detail["input"], _QUOTED.findall(detail.get("ctx", {}).get("expected", "")))  # noqa: PLW2901
        lines.append(f"- `{name}`: {words}")
    return lines


def _not_one_of(value: object, options: list[str]) -> str:
    near = did_you_mean(value[:MAX_QUOTED_CHARS], options) if isinstance(value, str) else ""
    return " ".join(filter(None, (f"{_shown(value)} is not one of {', '.join(options)};", near))).rstrip(";")


def _shown(value: object) -> str:
    return f'"{bounded(str(value)[:MAX_QUOTED_CHARS], MAX_QUOTED_CHARS)}"'


def _is(annotation: Any, *wanted: type) -> bool:  # noqa: ANN401  (any type that a field may have)
    """Whether a field's type is one of these or of their subclasses, or optionally so."""
    options = (annotation, *(() if get_origin(annotation) in wanted else get_args(annotation)))
    types = (get_origin(option) or option for option in options)
    return any(isinstance(option, type) and issubclass(option, wanted) for option in types)


def _bounds(metadata: list[Any]) -> Bounds:
    """The bounds that a field's metadata declares."""
    least = next((mark.ge for mark in metadata if hasattr(mark, "ge")), 1)
    most = next((mark.le for mark in metadata if hasattr(mark, "le")), MAX_ANSWER_TOKENS)
    return Bounds(least, most)
