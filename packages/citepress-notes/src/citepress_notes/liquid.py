"""The logic of Liquid in a text: conditions, loops and values that the source itself gives; nothing of it is code.

Tags that are no logic, such as includes, and values that nothing in the source gives are left for whoever calls.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, NamedTuple

from citepress.base.errors import ControlFlow
from citepress.base.slugs import plain_letters, slugify
from citepress_notes.word_lists import word_list

MAX_STEPS = 20_000
"""Pieces of one text that are written, loops counted each time round."""
MAX_DEPTH = 30
UNSAID = object()
"""A value of the scope that the former tool made, and that the source does not hold."""
_TOKEN = re.compile(
    r"\{%-?\s*(\w+)((?:[^%{}]|%(?!\})|\{(?!%)|\}){0,4000}?)-?%\}|\{\{-?\s*((?:[^{}]){0,1000}?)\s*-?\}\}", re.DOTALL
)
_OF_TEXT: Mapping[str, Callable[[str], str]] = {
    "upcase": str.upper,
    "downcase": str.lower,
    "capitalize": str.capitalize,
    "strip": str.strip,
    "slugify": lambda text: slugify(plain_letters(text)),
    "slug": lambda text: slugify(plain_letters(text)),
}
"""Filters of a text."""
_BLOCKS = {
    "if": "endif",
    "unless": "endunless",
    "case": "endcase",
    "for": "endfor",
    "capture": "endcapture",
    "macro": "endmacro",
}
_BRANCHES = frozenset({"else", "elsif", "when"})
_LOGIC = word_list("liquid tags of logic") | {"liquid", *_BLOCKS.values()}
_PATH = re.compile(r"""[A-Za-z_][\w-]*(?:\.[\w-]+|\[(?:\d{1,6}|"[^"\]]*"|'[^'\]]*')\])*\Z""")
_STEP = re.compile(r"""[.\[]?["']?([\w -]+)["']?\]?""")
_COMPARED = re.compile(r"(.+?)\s*(==|!=|>=|<=|>|<|\bcontains\b)\s*(.+)", re.DOTALL)
_FOR = re.compile(r"(\w+)\s+in\s+(\S+)(.*)", re.DOTALL)


class UnsaidValue(ControlFlow):
    """What the source does not say."""


class _Token(NamedTuple):
    start: int
    end: int
    tag: str
    rest: str
    output: str | None


@dataclass
class Liquid:
    """Writes the logic of one text."""

    scope: dict[str, Any]
    """``site`` and ``page``."""
    output: Callable[[str], str | None]
    """What a value that is not in the scope becomes; ``None`` leaves it as it is."""
    note: Callable[[str], str]
    """What is written in place of a loop that cannot be run."""
    closed: bool = False
    """Whether a name that is not in the scope has no value, as it has none in Nunjucks."""
    steps: int = 0
    _tokens: list[_Token] = field(default_factory=list)
    _text: str = ""

    def render(self, text: str) -> str:
        """The text with its logic run."""
        if "{%" not in text and "{{" not in text:
            return text
        self._text = text
        self._tokens = [
            _Token(*match.span(), match[1] or "", (match[2] or "").strip(), match[3]) for match in _TOKEN.finditer(text)
        ]
        return "".join(self._written(0, len(self._tokens), 0, len(text), 0))

    def _written(self, first: int, last: int, start: int, end: int, depth: int) -> Iterator[str]:
        """The text between two places, whose tokens are those of a range."""
        at, place = start, first
        while place < last:
            token = self._tokens[place]
            self.steps += 1
            if self.steps > MAX_STEPS:
                break
            yield self._text[at : token.start]
            close = self._end_of(place, last) if token.tag in _BLOCKS and depth < MAX_DEPTH else place
            if token.output is not None:
                yield self._value(token)
            elif token.tag in _BLOCKS:
                yield self._block(place, close, depth) if close > place else ""
            elif token.tag == "assign":
                self._assign(token.rest)
            elif token.tag not in _LOGIC:
                yield self._text[token.start : token.end]
            at, place = self._tokens[close].end, close + 1
        yield self._text[at:end]

    def _end_of(self, place: int, last: int) -> int:
        """The token that ends a block; its own where nothing does."""
        name, depth = self._tokens[place].tag, 0
        for number in range(place, last):
            tag = self._tokens[number].tag
            depth += (tag == name) - (tag == _BLOCKS[name])
            if not depth:
                return number
        return place

    def _value(self, token: _Token) -> str:
        written = self._text[token.start : token.end]
        try:
            value = self._filtered(token.output or "")
        except UnsaidValue:
            text = self.output(token.output or "")
            return written if text is None else text
        return _shown(value)

    def _filtered(self, expression: str) -> object:
        """A value after its filters, of which those are known that leave it as it is, or nearly so."""
        first, *filters = [part.strip() for part in expression.split("|")]
        value = self._evaluated(first)
        for words in filters:
            name, _, argument = words.partition(":")
            value = self._through(name.strip(), argument.strip(), value)
        return value

    def _through(self, name: str, argument: str, value: object) -> object:
        if name == "default":
            return self._evaluated(argument) if value in (None, "", False, []) else value
        if name in _OF_TEXT:
            return _OF_TEXT[name](_shown(value))
        if name == "size" and isinstance(value, str | Sequence):
            return len(value)
        if name == "join" and isinstance(value, Sequence) and not isinstance(value, str):
            return (_shown(self._evaluated(argument)) if argument else " ").join(map(_shown, value))
        if name == "date" and isinstance(value, date):
            return value.strftime(_shown(self._evaluated(argument)))
        if name in (
            "escape",
            "markdownify",
            "strip_html",
            "relative_url",
            "absolute_url",
            "smartify",
            "xml_escape",
            "url",
            "safe",
            "absoluteUrl",
        ):
            return value
        raise UnsaidValue(name)

    def _evaluated(self, expression: str) -> Any:  # noqa: ANN401
        """A literal, or a value of the scope. Raises ``UnsaidValue``."""
        expression = expression.strip()
        if expression[:1] in ("'", '"') and expression[-1:] == expression[:1] and len(expression) > 1:
            return expression[1:-1]
        literals = {"true": True, "false": False, "nil": None, "null": None, "empty": "", "blank": ""}
        if expression in literals:
            return literals[expression]
        if re.fullmatch(r"-?\d{1,15}(?:\.\d{1,15})?", expression):
            return float(expression) if "." in expression else int(expression)
        if not _PATH.match(expression):
            raise UnsaidValue(expression)
        root, *steps = _STEP.findall(expression)
        if root not in self.scope:
            raise UnsaidValue(expression)
        value = self.scope[root]
        for step in steps:
            value = _member(value, step, expression)
        if value is UNSAID or (value is None and (root, *steps[:1]) == ("site", "data")):
            raise UnsaidValue(expression)
        return value

    def _is_true(self, condition: str) -> bool:
        """Whether a condition holds. Raises ``UnsaidValue``."""
        for word, joined in ((r"\bor\b", any), (r"\band\b", all)):
            if re.search(word, condition):
                return joined(self._is_true(part) for part in re.split(word, condition))
        condition = condition.strip()
        if (
            self.closed
            and condition.isidentifier()
            and condition not in self.scope
            and condition not in ("true", "false")
        ):
            return False
        match = _COMPARED.fullmatch(condition)
        if match is None:
            inner = condition.removeprefix("not ")
            return self._is_true(inner) is False if inner != condition else self._evaluated(inner) not in (None, False)
        left, right = self._evaluated(match[1]), self._evaluated(match[3])
        if match[2] == "contains":
            return isinstance(left, str | Sequence) and right in left
        if match[2] in ("==", "!="):
            same = left == right or (right == "" and left in ([], None))
            return same is (match[2] == "==")
        return _is_ordered(left, match[2], right)

    def _assign(self, rest: str) -> None:
        name, _, expression = rest.partition("=")
        try:
            self.scope[name.strip()] = self._filtered(expression.strip())
        except UnsaidValue:
            self.scope.pop(name.strip(), None)

    def _block(self, place: int, close: int, depth: int) -> str:
        token = self._tokens[place]
        if token.tag == "for":
            return self._loop(place, close, depth)
        if token.tag == "macro":
            return ""
        if token.tag == "capture":
            self.scope[token.rest.strip()] = self._between(place, close, depth)
            return ""
        branches = self._branches(place, close)
        for number, (at, until) in enumerate(branches):
            if self._fits(token, self._tokens[at], first=number == 0):
                return self._between(at, until, depth)
        return ""

    def _between(self, place: int, close: int, depth: int) -> str:
        """What stands between two tokens."""
        start, end = self._tokens[place].end, self._tokens[close].start
        return "".join(self._written(place + 1, close, start, end, depth + 1))

    def _branches(self, place: int, close: int) -> list[tuple[int, int]]:
        """The tokens between which each branch of a block stands."""
        edges, skip = [place], place
        for number in range(place + 1, close):
            tag = self._tokens[number].tag
            if number <= skip:
                continue
            if tag in _BLOCKS:
                skip = self._end_of(number, close)
            elif tag in _BRANCHES:
                edges.append(number)
        return list(zip(edges, [*edges[1:], close], strict=True))

    def _fits(self, block: _Token, branch: _Token, *, first: bool) -> bool:
        """Whether a branch is the one that is written; of what the source does not say, the first is."""
        try:
            if branch.tag == "else":
                return True
            if branch.tag == "when":
                value = self._evaluated(block.rest)
                return any(self._evaluated(word) == value for word in re.split(r",|\bor\b", branch.rest))
            if branch.tag == "case":
                return False
            return self._is_true(branch.rest) is not (branch.tag == "unless")
        except UnsaidValue:
            return first or branch.tag == "when"

    def _loop(self, place: int, close: int, depth: int) -> str:
        match = _FOR.fullmatch(self._tokens[place].rest)
        try:
            rows = self._evaluated(match[2]) if match else None
        except UnsaidValue:
            return self.note("for")
        if isinstance(rows, Mapping):
            rows = [[key, value] for key, value in rows.items()]
        if match is None or not isinstance(rows, list) or match[3].strip():
            return self.note("for") if rows else ""
        before, parts = self.scope.get(match[1]), list[str]()
        at, until = self._branches(place, close)[0]
        for row in rows:
            self.scope[match[1]] = row
            parts.append(self._between(at, until, depth))
        self.scope[match[1]] = before
        return "".join(parts)


def _member(value: object, step: str, expression: str) -> object:
    """A member of a value; nothing where it has none of that name. Raises ``UnsaidValue`` below what is not there."""
    if isinstance(value, Mapping):
        if step in value:
            return value[step]
        if step != "size":
            return None
    if step == "size" and isinstance(value, Mapping | Sequence):
        return len(value)
    if isinstance(value, list) and value:
        places = {"first": 0, "last": -1}
        place = places.get(step, int(step) if step.isdigit() else None)
        return value[place] if place is not None and place < len(value) else None
    if value is None:
        return None
    raise UnsaidValue(expression)


def _is_ordered(left: Any, sign: str, right: Any) -> bool:  # noqa: ANN401
    try:
        return bool({">": left > right, "<": left < right, ">=": left >= right, "<=": left <= right}[sign])
    except TypeError:
        return False


def _shown(value: object) -> str:
    """A value as Liquid writes it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "".join(map(_shown, value))
    return "" if isinstance(value, Mapping) else str(value)
