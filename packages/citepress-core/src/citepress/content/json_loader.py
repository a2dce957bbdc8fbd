"""JSON as plain values: bounded, every key once, and the place of any value on request."""

import json
import re
from typing import NoReturn

from citepress.base.strict_json import DuplicateNameError, unique_members
from citepress.content.text import position, positions
from citepress.content.value_marks import MAX_VALUE_DEPTH, NODES, Marks, ParseFault, bounded, too_deep
from citepress.contract.fault import BAD_FRONT, DUPLICATE_KEY
from citepress.contract.refs import Location

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_BEGINS = re.compile(r'\{\s*["}]')


def extent(text: str) -> int:
    """How many characters the object at the beginning of a text takes.

    All where it cannot be read, 0 where there is none.

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
    if (deep := too_deep(text)) >= 0:
        raise ParseFault(position(text, deep), f"nested deeper than {MAX_VALUE_DEPTH} levels", code=BAD_FRONT)
    marked = marks(text)
    try:
        value = json.loads(text, object_pairs_hook=unique_members, parse_constant=_refused)
    except json.JSONDecodeError as error:
        raise ParseFault(
            (error.lineno, error.colno), f"the JSON cannot be read: {error.msg.lower()}", code=BAD_FRONT
        ) from None
    except DuplicateNameError as error:
        key = str(error.locations[0][0])
        second = [at.start() for at in re.finditer(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:", text)][1:2]
        mark = position(text, second[0]) if second else (1, 1)
        raise ParseFault(mark, f"the key {key!r} is given twice", "keep one of them", DUPLICATE_KEY) from None
    except ValueError as error:
        raise ParseFault((1, 1), f"the JSON cannot be read: {str(error)[:80]}", code=BAD_FRONT) from None
    return bounded(value, marked, BAD_FRONT, nodes)


def marks(text: str, *, nodes: int = NODES) -> Marks:
    """The location of every value in a JSON document, as far as it can be read."""
    marked = Marks()
    path: list[str | int] = []
    """The open objects and lists: the key or place that is read in each."""
    keyed: list[bool] = []
    """Whether each is an object whose next text is a key."""
    place = positions(text)
    for count, token in enumerate(_TOKEN.finditer(text)):
        if count > nodes * 4 or len(path) > MAX_VALUE_DEPTH:
            break
        word, mark = token[0], place(token.start())
        if word in "{[":
            marked.values.setdefault(tuple(path), mark)
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
            _place(marked, path, keyed, word, mark)
    return marked


def _place(marked: Marks, path: list[str | int], keyed: list[bool], word: str, mark: tuple[int, int]) -> None:
    """Note the place of a key or of a simple value."""
    if keyed and keyed[-1]:
        path[-1], keyed[-1] = word[1:-1], False
        at: Location = tuple(path)
        marked.keys.setdefault(at, mark)
    else:
        marked.values.setdefault(tuple(path), mark)


def _refused(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number")
