"""JSON from outside: the values that any reader finds, each name once, and no more depth than is declared."""

import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citepress.base.strict_json import (
    MAX_DUPLICATES,
    MAX_JSON_DEPTH,
    MAX_VALUES,
    DuplicateNameError,
    JsonError,
    count_values,
    loads,
)

SCALARS = st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=20
)


@given(VALUES, st.booleans())
def test_what_names_every_member_once_is_read_as_it_is(value: Any, escaped: bool) -> None:
    assert loads(json.dumps(value, ensure_ascii=escaped).encode()) == value


@given(st.dictionaries(st.text(), VALUES, min_size=1, max_size=4), st.data())
def test_a_repeated_name_is_found_wherever_it_stands(members: dict[str, Any], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(members)))
    pairs = [*members.items(), (name, data.draw(VALUES))]
    text = ",".join(f"{json.dumps(key)}:{json.dumps(value)}" for key, value in pairs)
    with pytest.raises(DuplicateNameError) as error:
        loads(f'[0,{{"here":{{{text}}}}}]'.encode())
    assert error.value.locations == ((1, "here", name),)


@pytest.mark.parametrize(
    "body",
    [
        b'{"a":1,"a":1}',
        b'{"a":1,"\\u0061":2}',
        b'{"a":1,"a":2,"b":"\\u003a"}',
        b'{"a":1,"a":2,"b":"\\u003A"}',
        b'{"b":"::","a":{},"a":{"c":1}}',
        b'{"a":%s,"a":-1e5}' % (b"9" * 200),
    ],
)
def test_escapes_colons_and_long_numbers_hide_no_repeated_name(body: bytes) -> None:
    with pytest.raises(DuplicateNameError) as error:
        loads(body)
    assert error.value.locations == (("a",),)


def test_a_few_repeated_names_are_told_however_many_there_are() -> None:
    many = b"{%s}" % b",".join(b'"%d":1,"%d":2' % (number, number) for number in range(1000))
    with pytest.raises(DuplicateNameError) as error:
        loads(many, max_values=None)
    assert error.value.locations == tuple((str(number),) for number in range(MAX_DUPLICATES))


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"\xff", b"\xef\xbb\xbf{}", b"NaN", b"[Infinity]", b"[1e999]", b'"\\ud800"', b"{}{}", b"[" * 999],
)
def test_what_is_no_json_is_refused(body: bytes) -> None:
    with pytest.raises(JsonError, match="is not JSON"):
        loads(body)


@pytest.mark.parametrize(("opens", "closes"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_depth_is_bounded_on_both_sides(opens: bytes, closes: bytes) -> None:
    loads(opens * MAX_JSON_DEPTH + b"0" + closes * MAX_JSON_DEPTH)
    with pytest.raises(JsonError, match="deeper than 254 levels"):
        loads(opens * (MAX_JSON_DEPTH + 1) + b"0" + closes * (MAX_JSON_DEPTH + 1))


def test_a_repeated_name_at_the_greatest_depth_is_found() -> None:
    inner = b'{"b":1,"b":2}'
    with pytest.raises(DuplicateNameError) as error:
        loads(b'{"a":' * (MAX_JSON_DEPTH - 1) + inner + b"}" * (MAX_JSON_DEPTH - 1))
    assert error.value.locations == (("a",) * (MAX_JSON_DEPTH - 1) + ("b",),)


def decoded(body: bytes) -> bool:
    """Whether a decoder saw the text, by the calls that were made."""
    names: list[str] = []
    sys.setprofile(lambda _frame, event, called: names.append(called.__name__) if event == "c_call" else None)
    try:
        loads(body)
    except JsonError:
        pass
    finally:
        sys.setprofile(None)
    return not {"loads", "scan_once"}.isdisjoint(names)


def values_of(value: object) -> int:
    """Values as the bound counts them."""
    if isinstance(value, dict | list):
        inner = list(value.values()) if isinstance(value, dict) else value
        return 1 + (sum(map(values_of, inner)) or 1)
    return 1


@given(VALUES, st.booleans())
def test_values_are_counted_in_the_bytes_whatever_strings_hold(value: Any, escaped: bool) -> None:
    text = json.dumps(value, ensure_ascii=escaped).encode()
    count = values_of(value)
    for most in (1, count - 1, count):
        assert (count_values(text, most) > most) == (count > most)


@pytest.mark.parametrize(
    "body",
    [
        b'{"a":["\\u003a"%s]}' % (b',{"a":{}}' * 28_000),
        b"[0%s]" % (b",[]" * 80_000),
        b"[%s0]" % (b'"",' * 80_000),
        b"[" * 250_000,
        b'{"a":1,"a":2%s}' % (b',"b":3' * 40_000),
    ],
)
def test_a_body_of_many_values_is_refused_before_it_is_decoded(body: bytes) -> None:
    assert not decoded(body)
    with pytest.raises(JsonError, match=f"more than {MAX_VALUES:,} values"):
        loads(body)


@pytest.mark.parametrize("text", ["a, [b] {c}" * 20_000, '\\",[' * 50_000, '",' * 80_000])
def test_a_long_text_is_one_value_whatever_it_holds(text: str) -> None:
    assert loads(json.dumps({"text": text}).encode()) == {"text": text}
