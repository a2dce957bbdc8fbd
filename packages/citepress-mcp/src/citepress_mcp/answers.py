"""A tool's answer within its token budget: the same members as JSON and as text, and what was cut or left out."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import orjson
from pydantic import BaseModel

from citepress.base.canonical import sorted_bytes
from citepress.contract.operation import Answer, Operation
from citepress_mcp import cursors
from citepress_mcp.cursors import Cursor
from citepress_mcp.limits import MCP_TOKENS
from citepress_mcp.text_format import add, as_text

MIN_ANSWER_TOKENS, MAX_ANSWER_TOKENS = 200, MCP_TOKENS
"""Bounds of ``max_tokens``."""
TOKEN_BYTES = 4
"""Bytes of a token, as estimates count."""
IDENTIFYING = frozenset({"id", "kind", "title", "url", "total", "since"})
"""Members that every page of an answer holds, however small its budget."""
REPEATED = IDENTIFYING | {"citation"}
"""Members that every page of an answer repeats where there is room."""
MIN_TEXT_CHARS = 24
"""Characters to which the longest text of an item may be shortened."""
MIN_CUT_FRACTION = 4
"""The cut member gets at least this part of the budget, if it can fill it."""
UNWANTED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
"""Invisible characters that could be used to deceive a model."""
EMPTY: tuple[Any, ...] = ([], {}, "")
_PARAGRAPH = re.compile(r"\n{2,}")


class AnswerPage(NamedTuple):
    """Parameters for writing one page of an answer."""

    budget: int
    """Tokens."""
    arguments: Mapping[str, Any]
    """The arguments that, with the tool, its cursors belong to."""
    edition: str
    """The mark of the edition in which they are issued."""
    offset: int = 0
    """Items or characters of the cut member that earlier pages gave."""
    later: bool = False
    """Whether a cursor led here: members that do not identify the answer are not repeated."""
    notes: tuple[str, ...] = ()
    """Sentences about what was corrected or left out."""
    ignored: tuple[str, ...] = ()
    """Names of arguments that the tool does not have."""


def tag_of(tool: str, arguments: Mapping[str, Any]) -> str:
    """The tag that binds cursors to a tool and its arguments."""
    return cursors.tag(
        tool.encode(), sorted_bytes({name: value for name, value in arguments.items() if name != "limit"})
    )


Written: TypeAlias = tuple[str, bytes, Mapping[str, Any] | None]
"""An answer as text and as JSON, and the ``resource_link`` block that a tool adds."""


class AnswerWriter:
    """Writes the answers of one tool."""

    def __init__(self, operation: Operation) -> None:
        tool = operation.tool
        assert tool is not None, operation.name  # noqa: S101  (only tools have sheets)
        fields = operation.answer.model_fields
        self._name = operation.name
        self.cut = tool.cut
        self.framed = tool.tokens > 0
        self.markdown = bool(tool.cut) and fields[tool.cut].annotation is str
        self._link = tool.link
        self._as_json = tool.as_json
        self._optional = tuple(name for name, field in fields.items() if not field.is_required())
        self._sliced = not self.markdown and "start" not in operation.ask.model_fields

    def write(self, answer: BaseModel, page: AnswerPage) -> Written:
        """The answer in both forms, within the page's budget."""
        members: dict[str, Any] = answer.__pydantic_serializer__.to_python(answer, mode="json", exclude_none=True)
        for name in self._optional:
            if name in members and members[name] in EMPTY:
                del members[name]
        if self._as_json:
            json = _within(_clean(members), self.cut, page.budget * TOKEN_BYTES)
            return json.decode(), json, None
        if not self.framed or not isinstance(answer, Answer):
            members = _clean(members)
            _add_remarks(members, page.notes, page.ignored)
            return as_text(members), orjson.dumps(members), None
        as_of = members.pop("as_of")
        link = self._linked(members, as_of) if self._link else None
        if self.markdown or page.later:
            members = self._continued(members, page)
        fitter = BudgetFitter(self._name, self.cut, as_of, page, answer.notes, markdown=self.markdown)
        text, json = fitter.fit(members, more=answer.more)
        return text, json, link

    def _continued(self, members: dict[str, Any], page: AnswerPage) -> dict[str, Any]:
        """The members without what earlier pages contained; offsets in a text count visible characters."""
        if self.markdown:
            members[self.cut] = UNWANTED.sub("", members[self.cut])
        if self.markdown or self._sliced:
            members[self.cut] = members[self.cut][page.offset :]
        return (
            {name: value for name, value in members.items() if name in REPEATED or name == self.cut}
            if page.later
            else members
        )

    def _linked(self, members: Mapping[str, Any], as_of: str) -> dict[str, Any]:
        """The record's Markdown as a resource."""
        modified = members.get("updated_at") or members.get("published_at") or as_of
        return {
            "type": "resource_link",
            "uri": members["url"],
            "name": members["id"],
            "title": members["title"],
            "mimeType": "text/markdown",
            "annotations": {"priority": 0.5, "lastModified": modified},
        }


class BudgetFitter:
    """Fits one answer into its budget."""

    def __init__(
        self, tool: str, cut: str, as_of: str, page: AnswerPage, notes: tuple[str, ...], *, markdown: bool
    ) -> None:
        self._tool = tool
        self._cut = cut
        self._markdown = markdown
        self._as_of = as_of
        self._page = page
        self._all_notes = self._notes = page.notes + notes
        self._most = page.budget * TOKEN_BYTES

    def fit(self, members: dict[str, Any], *, more: bool) -> tuple[str, bytes]:
        """Text and JSON with everything, or with as much as the budget allows."""
        text, json, size = self._assembled(
            members, self._page.offset + len(members[self._cut]) if more else 0, truncated=False
        )
        if _suspect(json) and UNWANTED.search(text):
            self._all_notes = self._notes = tuple(_clean(list(self._notes)))
            return self.fit(_clean(members), more=more)
        return (text, json) if size <= self._most else self._reduced(members, more=more)

    def _reduced(self, members: dict[str, Any], *, more: bool) -> tuple[str, bytes]:
        """Drop members that identify nothing, the last ones first, until there is room; then cut."""
        members_left = self._without_optional(members)
        if not self._cut:
            return self._assembled(members_left, 0, truncated=True)[:2]
        whole = members[self._cut]
        pieces = _paragraphs(whole) if self._markdown else whole
        count = self._fitting(members_left, pieces)
        while True:
            taken = self._taken(members_left, pieces, count)
            complete = count == len(pieces) and (not self._markdown or len(taken) == len(whole))
            following = self._page.offset + len(taken) if more or not complete else 0
            text, json, size = self._assembled({**members_left, self._cut: taken}, following, truncated=True)
            if count <= 1 or size <= self._most:
                return text, json
            count -= 1

    def _without_optional(self, members: dict[str, Any]) -> dict[str, Any]:
        members_left = dict(members)
        needed = 0
        if self._cut:
            needed = min(len(orjson.dumps(members_left[self._cut])), self._most // MIN_CUT_FRACTION)
            members_left[self._cut] = members_left[self._cut][:0]
        dropped: list[str] = []
        for name in reversed([name for name in members if name not in IDENTIFYING and name != self._cut]):
            if self._size(members_left) + needed <= self._most:
                break
            del members_left[name]
            dropped.insert(0, name)
            self._notes = (*self._all_notes, f"left out to stay within max_tokens: {', '.join(dropped)}")
        return members_left

    def _fitting(self, members: dict[str, Any], pieces: Sequence[Any]) -> int:
        """How many pieces fit, by their sizes one by one; at least one."""
        text = json = self._size(members)
        for count, piece in enumerate(pieces):
            text += len(piece.encode()) if self._markdown else _lines(piece)
            json += len(orjson.dumps(piece)) + (-2 if self._markdown else 1)
            if max(text, json) > self._most:
                return max(1, count)
        return len(pieces)

    def _taken(self, members: dict[str, Any], pieces: Sequence[Any], count: int) -> Any:  # noqa: ANN401  (a text or a list)
        """These pieces joined; a single one is shortened if even that is too much."""
        taken: Any = "".join(pieces[:count]) if self._markdown else pieces[:count]
        if count != 1 or self._size({**members, self._cut: taken}) <= self._most:
            return taken
        if not self._markdown:
            self._notes = (*self._notes, "texts of the first item are shortened")
        room = self._most - self._size(members)
        if self._markdown:
            return _head(taken, room)
        return [_shortened(taken[0], room)] if isinstance(taken[0], dict) else taken

    def _size(self, members: Mapping[str, Any]) -> int:
        """Bytes of the larger form if it were cut."""
        return self._assembled(members, FAR, truncated=True)[2]

    def _assembled(self, members: Mapping[str, Any], following: int, *, truncated: bool) -> tuple[str, bytes, int]:
        """Both forms with their frame, the estimate written in, and the size of the larger."""
        last = self._cut if self._markdown and self._cut in members else ""
        lines: list[str] = []
        add(lines, {name: value for name, value in members.items() if name != last} if last else members)
        lines += (f"as_of: {self._as_of}", "approx_tokens: ")
        before, after, end = (
            "\n".join(lines),
            *(self._further(following, truncated) if following or self._notes else ENDS[truncated]),
        )
        if last:
            after += "\n\n" + members[last]
        start = (
            orjson.dumps(members)[:-1]
            + (b',"as_of":"' if members else b'"as_of":"')
            + self._as_of.encode()
            + b'","approx_tokens":'
        )
        text = (
            len(before) + len(after)
            if before.isascii() and after.isascii()
            else len(before.encode()) + len(after.encode())
        )
        size = max(text, len(start) + len(end)) + 1
        tokens = str(estimate(size))
        return f"{before}{tokens}{after}", b"".join((start, tokens.encode(), end)), size + len(tokens) - 1

    def _further(self, following: int, truncated: bool) -> tuple[str, bytes]:
        """The part after the estimate, as text and as JSON."""
        further: dict[str, Any] = {"truncated": truncated}
        if following:
            page = self._page
            further["next_cursor"] = cursors.write(Cursor(tag_of(self._tool, page.arguments), following, page.edition))
        if self._notes or self._page.ignored:
            _add_remarks(further, self._notes, self._page.ignored)
        return "\n" + as_text(further), b"," + orjson.dumps(further)[1:]


def _within(members: dict[str, Any], cut: str, most: int) -> bytes:
    """The JSON of an answer without a frame, its text cut between words where it is longer than the budget."""
    json = orjson.dumps(members)
    if not cut or len(json) <= most:
        return json
    end = f"\n\n[The text is cut here; the rest is at {members['url']}]"
    room = most - len(orjson.dumps({**members, cut: end}))
    return orjson.dumps({**members, cut: _head(members[cut], room).rstrip() + end})


def _add_remarks(members: dict[str, Any], notes: Sequence[str], ignored: Sequence[str]) -> None:
    """Add the members that say what was corrected or left out, where there is anything to say."""
    if notes:
        members["warnings"] = list(notes)
    if ignored:
        members["ignored"] = list(ignored)


def has_results(answer: BaseModel) -> bool:
    """Whether an answer has results: an object or a list of objects; plain strings are only advice."""
    members = (value for _, value in answer)
    return any(isinstance(value[0] if isinstance(value, list) and value else value, BaseModel) for value in members)


ENDS = {False: ("\ntruncated: false", b',"truncated":false}'), True: ("\ntruncated: true", b',"truncated":true}')}
"""The end of an answer without cursor and warnings, after the estimate, as text and as JSON."""


def _suspect(json: bytes) -> bool:
    """Whether a JSON document may hold characters that are unwanted: a quick check that a slower one has to confirm.

    JSON writes control characters with a backslash; the same letters may follow a literal backslash in the text.
    """
    if b"\\" in json and (b"\\u00" in json or b"\\r" in json or b"\\b" in json or b"\\f" in json):
        return True
    return not json.isascii() or b"\x7f" in json


FAR = 9_999_999
"""An offset beyond any real one, to estimate the size of cursors that are not written yet."""


def estimate(size: int) -> int:
    """Tokens of so many bytes, one of which stands for the estimate's own digits."""
    tokens = 0
    while (better := (size - 1 + len(str(tokens)) + TOKEN_BYTES - 1) // TOKEN_BYTES) != tokens:
        tokens = better
    return tokens


def _lines(item: Any) -> int:  # noqa: ANN401  (JSON is any shape)
    """Bytes that an item of a list adds to a text."""
    return len(as_text({"-": [item]}).encode()) - len("-:")


def _clean(value: Any) -> Any:  # noqa: ANN401  (JSON is any shape)
    """The same text without invisible characters."""
    if isinstance(value, str):
        return UNWANTED.sub("", value)
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return {name: _clean(item) for name, item in value.items()} if isinstance(value, dict) else value


def _paragraphs(text: str) -> list[str]:
    """The paragraphs of a text, each with the empty lines that follow it."""
    ends = [match.end() for match in _PARAGRAPH.finditer(text)]
    return [text[a:b] for a, b in zip([0, *ends], [*ends, len(text)], strict=True) if a < b]


def _head(text: str, room: int) -> str:
    """The beginning of a paragraph that takes at most ``room`` bytes as JSON, up to a space where there is one."""
    size, end = 0, 0
    for end, char in enumerate(text):
        size += len(orjson.dumps(char)) - 2
        if size > room and end >= MIN_TEXT_CHARS:
            break
    else:
        return text
    space = text.rfind(" ", MIN_TEXT_CHARS, end)
    return text[: space + 1 if space > 0 else end]


def _shortened(item: dict[str, Any], room: int) -> dict[str, Any]:
    """An item whose longest texts are halved until it fits ``room`` bytes in both forms or cannot shrink further."""
    short = dict(item)
    while max(len(orjson.dumps(short)) + 1, _lines(short)) > room:
        name = max(
            short, key=lambda name: len(short[name]) if isinstance(short[name], str) and name not in IDENTIFYING else 0
        )
        text = short[name]
        if not isinstance(text, str) or name in IDENTIFYING or len(text) <= MIN_TEXT_CHARS:
            break
        short[name] = text[: max(MIN_TEXT_CHARS, len(text) // 2) - 1].rstrip() + "…"
    return short
