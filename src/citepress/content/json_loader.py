"""JSON as plain values: bounded, every key once, and the place of any value on request."""

import json
import re
from typing import NoReturn

from citepress.content.text import position
from citepress.content.value_marks import DEPTH, NODES, Marks, ParseFault, bounded, too_deep
from citepress.contract.fault import BAD_FRONT, DUPLICATE_KEY
from citepress.contract.refs import Location

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_BEGINS = re.compile(r'\{\s*["}]')


class _Twice(ValueError):  # noqa: N818  (it becomes a Fault)
    """A key that stands twice in one object."""


def extent(text: str) -> int:
    """How many characters the object at the beginning of a text takes; all where it cannot be read, 0 where there is none.

    A text may begin with a brace for other reasons: `{{< figure >}}`, `{% raw %}`.
    """
    if not _BEGINS.match(text):
        return 0
    if too_deep(text) >= 0:
        return len(text)
    try:
        _, end = json.JSONDecoder().raw_decode(text)
    except ValueError:
        return len(text)
    rest = text[end:].partition("\n")[0]
    return 0 if rest.strip() else end


def load(text: str, *, nodes: int = NODES) -> object:
    """The value of a JSON document. Raises ``ParseFault``."""
    found = marks(text)
    if (deep := too_deep(text)) >= 0:
        raise ParseFault(position(text, deep), f"nested deeper than {DEPTH} levels", code=BAD_FRONT)
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_refused)
    except json.JSONDecodeError as error:
        raise ParseFault((error.lineno, error.colno), f"the JSON cannot be read: {error.msg.lower()}", code=BAD_FRONT) from None
    except _Twice as error:
        key = str(error)
        second = [at.start() for at in re.finditer(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:", text)][1:2]
        mark = position(text, second[0]) if second else (1, 1)
        raise ParseFault(mark, f"the key {key!r} stands twice", "keep one of them", DUPLICATE_KEY) from None
    except ValueError as error:
        raise ParseFault((1, 1), f"the JSON cannot be read: {str(error)[:80]}", code=BAD_FRONT) from None
    return bounded(value, found, BAD_FRONT, nodes)


def marks(text: str, *, nodes: int = NODES) -> Marks:
    """Where everything stands in a JSON document; as far as it can be read."""
    found = Marks()
    path: list[str | int] = []
    """The open objects and lists: the key or place that is read in each."""
    keyed: list[bool] = []
    """Whether each is an object whose next text is a key."""
    for count, token in enumerate(_TOKEN.finditer(text)):
        if count > nodes * 4:
            break
        word, mark = token[0], position(text, token.start())
        if word in "{[":
            found.values.setdefault(tuple(path), mark)
            path.append("" if word == "{" else 0)
            keyed.append(word == "{")
        elif word in "}]":
            if not path:
                break
            path.pop()
            keyed.pop()
        elif word == ",":
            if path and isinstance(path[-1], int):
                path[-1] += 1
            elif keyed:
                keyed[-1] = True
        elif word != ":":
            _place(found, path, keyed, word, mark)
    return found


def _place(found: Marks, path: list[str | int], keyed: list[bool], word: str, mark: tuple[int, int]) -> None:
    """Note a key or a value that is no object and no list."""
    if keyed and keyed[-1]:
        path[-1], keyed[-1] = word[1:-1], False
        at: Location = tuple(path)
        found.keys.setdefault(at, mark)
    else:
        found.values.setdefault(tuple(path), mark)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members: dict[str, object] = {}
    for key, value in pairs:
        if key in members:
            raise _Twice(key)
        members[key] = value
    return members


def _refused(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")
