"""Reads the plain values in settings that are JavaScript or TypeScript, without running them."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple

MAX_SCRIPT_CHARS = 400_000
MAX_DEPTH = 60
MAX_CODE_TOKENS = 1_000
"""Limit of the code of one function that is kept."""
MAX_STEPS = 200_000
"""Limit of the values read in one file: nested functions are read once for each level."""
_GAP = re.compile(r"(?:\s+|//[^\n]*|/\*.*?(?:\*/|\Z))+", re.DOTALL)
_TOKEN = re.compile(
    r"(?P<text>\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|(?P<word>[A-Za-z_$][\w$]*)"
    r"|(?P<number>\d[\d_]*(?:\.\d+)?)|(?P<sign>=>|\.\.\.|\?\.|&&|\|\||\?\?|[=!]==?|.)",
    re.DOTALL,
)
_EXPRESSION = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*")
_ESCAPE = re.compile(r"\\(u\{?([0-9a-fA-F]{1,6})\}?|\n|.)", re.DOTALL)
_PAIRS = {"{": "}", "[": "]", "(": ")"}
_LITERALS: Mapping[str, object] = {"true": True, "false": False, "null": None, "undefined": None}
_ENDS = frozenset({",", ";", ")", "]", "}", ""})
_JOINS = frozenset({"+", "?", "&&", "||", "??", "-", "*", "/", "===", "!==", "==", "!=", "<", ">", "%", "&", "|", "`"})
SPREAD = "..."
"""The key that marks an object whose further members are unknown."""


class Unknown(NamedTuple):
    """A value that only running the code would produce."""


UNKNOWN = Unknown()


class ScriptCall(NamedTuple):
    """A call: its result is unknown, its name and arguments are known."""

    name: str
    arguments: tuple[Any, ...]


class ScriptFunction(NamedTuple):
    """A function: the object that it returns, as far as it can be read, and its code."""

    returned: Any
    code: str = ""


class ScriptToken(NamedTuple):
    """One word, text, number or sign of a script."""

    sort: str
    text: str


class Script:
    """The values of one file."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text[:MAX_SCRIPT_CHARS]))
        self._close = _closings(self._tokens)
        self._values: dict[str, Any] = {}
        self._steps = 0

    @cached_property
    def _constants(self) -> dict[str, int]:
        """The index of the token at which the value of each declared name begins."""
        places: dict[str, int] = {}
        for place, token in enumerate(self._tokens):
            if token.text not in ("const", "let", "var") or self._sort(place + 1) != "word":
                continue
            at = place + 2
            while at < place + 60 and self._text(at) not in ("=", ";", ""):
                at = self._after(at)
            if self._text(at) == "=":
                places.setdefault(self._text(place + 1), at + 1)
        return places

    def exported(self) -> dict[str, Any]:
        """The members of the exported object, of the first object in an exported call, or of a returned object."""
        for place, token in enumerate(self._tokens):
            if token.text == "export" and self._text(place + 1) == "default":
                return _members(self._value(place + 2, 0)[0])
            if [self._text(place + step) for step in range(4)] == ["module", ".", "exports", "="]:
                return _members(self._value(place + 4, 0)[0])
        return {}

    def constant(self, name: str, depth: int = 0) -> Any:  # noqa: ANN401
        """The value of a declared name; ``UNKNOWN`` for others."""
        if name not in self._values:
            self._values[name] = UNKNOWN  # stops a value that refers to itself
            if name in self._constants:
                self._values[name] = self._value(self._constants[name], depth + 1)[0]
        return self._values[name]

    def named(self, name: str) -> list[Any]:
        """The value of every member and declaration of a name, wherever it stands; ``UNKNOWN`` where code gives it."""
        values = []
        for place, token in enumerate(self._tokens):
            written = _unquoted(token.text) if token.sort == "text" else token.text if token.sort == "word" else ""
            if written != name or self._text(place - 1) == ".":  # a member of something else
                continue
            if self._text(place + 1) in (":", "="):
                values.append(self._value(place + 2, 0)[0])
            elif token.sort == "word" and self._text(place + 1) in (",", "}"):
                values.append(self.constant(name))
        return values

    def text(self, *names: str) -> str:
        """The first text under the first of these names that has one; empty where none has."""
        return next((value for name in names for value in texts(self.named(name)) if value), "")

    def uses(self, word: str) -> bool:
        """Whether a word stands in the code itself."""
        return any(token.sort == "word" and token.text == word for token in self._tokens)

    def calls(self, name: str) -> list[tuple[Any, ...]]:
        """The arguments of every call of a name, such as ``ignores.add``."""
        words = name.replace(".", " . ").split()
        return [
            tuple(self._list(place + len(words), 0))
            for place in range(len(self._tokens) - len(words))
            if self._text(place) == words[0]
            and [self._text(place + step) for step in range(len(words))] == words
            and self._text(place + len(words)) == "("
        ]

    def _text(self, place: int) -> str:
        return self._tokens[place].text if 0 <= place < len(self._tokens) else ""

    def _sort(self, place: int) -> str:
        return self._tokens[place].sort if 0 <= place < len(self._tokens) else ""

    def _after(self, place: int) -> int:
        """The place after a token; for an opening bracket, the place after its closing one."""
        return self._close.get(place, place) + 1

    def _end(self, place: int) -> int:
        """The place at which an expression ends: at a comma, a semicolon or a closing bracket."""
        while self._text(place) not in _ENDS or self._sort(place) == "text":
            place = self._after(place)
        return place

    def _value(self, place: int, depth: int) -> tuple[Any, int]:
        """The value that begins at a place, and the place after it."""
        value, place = self._primary(place, depth)
        while self._text(place) in ("as", "satisfies") and self._sort(place) == "word":
            place = self._end(place)
        if self._sort(place) == "sign" and self._text(place) in _JOINS:
            return UNKNOWN, self._end(place)
        return value, place

    def _primary(self, place: int, depth: int) -> tuple[Any, int]:
        self._steps += 1
        if depth > MAX_DEPTH or self._steps > MAX_STEPS:
            return UNKNOWN, self._end(place)
        sort, text = self._sort(place), self._text(place)
        value: Any = UNKNOWN
        after = self._after(place)
        if sort == "text":
            value = _unquoted(text)
        elif sort == "number":
            value = float(text.replace("_", ""))
        elif text == "{":
            value = self._object(place, depth + 1)
        elif text == "[":
            value = self._list(place, depth + 1)
        elif sort == "word" or (text == "(" and self._text(after) == "=>"):
            value, after = self._named(place, depth) if sort == "word" else self._function(after, depth)
        elif text == "(":
            value = self._value(place + 1, depth + 1)[0]
        elif text == "!":
            given, after = self._primary(place + 1, depth + 1)
            value = not given if isinstance(given, bool) else UNKNOWN
        else:
            after = self._end(place + 1) if text not in _ENDS else place
        return value, after

    def _function(self, place: int, depth: int) -> tuple[Any, int]:
        """A function whose arrow or body is at a place."""
        start = place
        place += self._text(place) == "=>"
        if self._text(place) != "{":
            value, place = self._value(place, depth + 1)
            return ScriptFunction(value, self._code(start, place)), place
        returned: Any = UNKNOWN
        for at in range(place + 1, self._close.get(place, place)):
            if self._text(at) == "return" and isinstance(value := self._value(at + 1, depth + 1)[0], dict):
                returned = value
        return ScriptFunction(returned, self._code(start, self._after(place))), self._after(place)

    def _code(self, start: int, end: int) -> str:
        """The code between two places, with a space between all of its words and signs."""
        return " ".join(token.text for token in self._tokens[start : min(end, start + MAX_CODE_TOKENS)])

    def _named(self, place: int, depth: int) -> tuple[Any, int]:
        """The value of a name, a path of names or a call."""
        text = self._text(place)
        if text in ("new", "await", "async") and self._text(place + 1) != "=>":
            return self._primary(place + 1, depth + 1)
        if text == "function":
            while self._text(place) not in ("{", ""):
                place = self._after(place)
            return self._function(place, depth)
        if self._text(place + 1) == "=>":
            return self._function(place + 1, depth)
        value = _LITERALS[text] if text in _LITERALS else self.constant(text, depth)
        name, place = text, place + 1
        while self._text(place) in (".", "?.", "(", "["):
            if self._text(place) == "(":
                value, place = ScriptCall(name, tuple(self._list(place, depth + 1))), self._after(place)
            elif self._text(place) == "[":
                value, place = UNKNOWN, self._after(place)
            else:
                step = self._text(place + 1)
                name, place = f"{name}.{step}", place + 2
                value = value.get(step, UNKNOWN) if isinstance(value, dict) else UNKNOWN
        return value, place

    def _list(self, place: int, depth: int) -> list[Any]:
        """The values between two brackets."""
        values, close, place = list[Any](), self._close.get(place, place), place + 1
        while place < close:
            if spread := self._text(place) == "...":
                place += 1
            value, after = self._value(place, depth)
            values += value if spread and isinstance(value, list) else [UNKNOWN if spread else value]
            place = self._end(max(after, place)) + 1
        return values

    def _object(self, place: int, depth: int) -> dict[str, Any]:
        members, close, place = dict[str, Any](), self._close.get(place, place), place + 1
        while place < close:
            text = self._text(place)
            if text == "...":
                value = self._value(place + 1, depth)[0]
                members |= value if isinstance(value, dict) else {SPREAD: UNKNOWN}
            elif self._text(place + 1) == ":":
                key = _unquoted(text) if self._sort(place) == "text" else text
                members[str(key)] = self._value(place + 2, depth)[0]
            elif self._sort(place) == "word" and self._text(place + 1) in (",", "}"):
                members[text] = self.constant(text, depth)
            elif self._sort(place) == "word":
                method = self._text(place + 1) == "("
                members[text] = self._function(self._after(place + 1), depth + 1)[0] if method else UNKNOWN
            place = self._end(place) + 1 if text != "," else place + 1
        return members


def _tokens(text: str) -> Iterator[ScriptToken]:
    at, before = 0, ""
    while at < len(text):
        if gap := _GAP.match(text, at):
            at = gap.end()
            continue
        begins = text[at] == "/" and (before in ("", "return", "=>") or before[-1:] in "(,=:[!&|?{};")
        if expression := begins and _EXPRESSION.match(text, at):
            yield ScriptToken("expression", "/")
            at, before = expression.end(), "/"
            continue
        match = _TOKEN.match(text, at)
        if match is None:
            return
        at, before = match.end(), match[0]
        yield ScriptToken(match.lastgroup or "", match[0])


def _closings(tokens: list[ScriptToken]) -> dict[int, int]:
    """The place of the closing bracket of each opening one; the end of the file if it is never closed."""
    closings: dict[int, int] = {}
    opened: list[int] = []
    for place, token in enumerate(tokens):
        if token.sort != "sign":
            continue
        if token.text in _PAIRS:
            opened.append(place)
        elif token.text in _PAIRS.values() and opened and _PAIRS[tokens[opened[-1]].text] == token.text:
            closings[opened.pop()] = place
    return closings | dict.fromkeys(opened, len(tokens))


def _unquoted(text: str) -> str | Unknown:
    if text.startswith("`") and "${" in text:
        return UNKNOWN
    return _ESCAPE.sub(_escaped, text[1:-1])


def _escaped(match: re.Match[str]) -> str:
    if match[2] and int(match[2], 16) <= 0x10FFFF:  # noqa: PLR2004  (the last character)
        return chr(int(match[2], 16))
    return {"n": "\n", "t": "\t", "r": "\r", "\n": ""}.get(match[1], match[1])


def _members(value: Any) -> dict[str, Any]:  # noqa: ANN401
    while isinstance(value, ScriptFunction):
        value = value.returned
    if isinstance(value, ScriptCall):
        value = next((item for item in value.arguments if isinstance(item, dict | ScriptFunction)), {})
        return _members(value)
    return value if isinstance(value, dict) else {}


def texts(value: object) -> list[str]:
    """The texts of a value or a list of values."""
    return [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, str)]


def is_known(value: object) -> bool:
    """Whether a value is known completely."""
    if isinstance(value, list):
        return all(map(is_known, value))
    return not isinstance(value, Unknown | ScriptCall | ScriptFunction)


def is_plain(value: object) -> bool:
    """Whether a value and everything inside it is known."""
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return is_known(value) and all(map(is_plain, inner))
