"""Results kept beside the object that they were worked out from, as long as their other inputs stay the same."""

from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")
Memo: TypeAlias = dict[str, Any]
"""By name: inputs and result. A memo holds results of every type, and ``memoized`` gives each its own back."""


def memoized(memo: Memo, name: str, inputs: object, compute: Callable[[], T]) -> T:
    """The result of this name for these inputs: the earlier one while they are equal, else computed now.

    Only the newest result of a name is kept, so a memo does not grow with the number of editions.
    """
    entry = memo.get(name)
    # Inputs are mostly the very object of before, and comparing it with itself would still walk all of its fields.
    if entry is None or (entry[0] is not inputs and entry[0] != inputs):
        entry = memo[name] = (inputs, compute())
    result: T = entry[1]
    return result
