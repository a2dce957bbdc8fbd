"""The fast decoder of JSON: what is faulty is told from what there is no memory for."""

import pytest

from citepress.base import fast_json, strict_json
from support.little_memory import run_with_little_memory

BOTH = """
import orjson
from citepress.base import fast_json, strict_json

text = b"[" + b"1," * 4_000_000 + b"1]"
limit(20_000_000)
for loads in (orjson.loads, fast_json.loads, lambda text: strict_json.loads(text, max_values=None)):
    try:
        loads(text)
    except Exception as error:
        print(type(error).__name__)
"""


def test_want_of_memory_is_no_fault_of_the_text() -> None:
    done = run_with_little_memory(BOTH)
    assert done.stdout.split() == ["JSONDecodeError", "MemoryError", "MemoryError"], done.stderr


@pytest.mark.parametrize("text", [b"", b"{", b'{"a": not enough memory}', b"\xff"])
def test_what_is_no_json_is_a_fault_of_the_text(text: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  (the decoder's own words)
        fast_json.loads(text)
    with pytest.raises(strict_json.JsonError):
        strict_json.loads(text)
