"""The sandbox of an archive's own templates: what they make is bounded, so that a mistake cannot take all memory."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Any

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.exceptions import SecurityError
from jinja2.filters import FILTERS
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

MAX_CHARS = 16_000_000
"""Characters, or members of a list, that a template may make at once; the largest page of an archive has less than a
tenth."""
MAX_TOTAL_CHARS = 8 * MAX_CHARS
"""Characters that the operators, calls and filters of one page may make together: what it keeps of them adds up."""
MAX_ROUNDS = 5_000_000
"""Rounds that the loops of one page may make together, which take a few seconds."""
MAX_NUMBER_BITS = 10_000
"""Bits of a number that a power or a product may have."""
ROUNDS = "rounds of a loop"
"""The filter around what a loop goes through; no template can write its name."""
_FORMATS = frozenset({"format", "format_map"})
_WIDTH = re.compile(r"[0-9]{6,}|\*")
"""A width in a format that is no layout: six digits, or one that an argument gives."""


class _Generator(CodeGenerator):
    """Compiles ``~`` so that its result is checked too, and loops so that their rounds are counted."""

    def visit_Template(self, node: nodes.Template, frame: Frame | None = None) -> None:  # noqa: N802  (Jinja's name)
        for loop in node.find_all(nodes.For):
            loop.iter = nodes.Filter(loop.iter, ROUNDS, [], [], None, None, lineno=loop.iter.lineno)
        super().visit_Template(node, frame)

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802  (the name that Jinja calls)
        self.write("environment.checked(")
        super().visit_Concat(node, frame)
        self.write(")")


class OverrideEnvironment(ImmutableSandboxedEnvironment):
    """A sandbox whose operators, calls, filters and captures refuse to make more than ``MAX_CHARS`` characters."""

    code_generator_class = _Generator
    intercepted_binops = frozenset({"*", "**", "%", "+"})

    def __init__(self, **options: Any) -> None:  # noqa: ANN401  (those of Jinja)
        super().__init__(**options, finalize=self._written)
        self._size = self._total = self._rounds = 0
        """Characters that the page has written, those of captured blocks included, and that its operators made; and
        the rounds of its loops."""
        # Its own filters only: those of the theme make what every page has.
        self.filters.update({name: self._bounded(filter_) for name, filter_ in FILTERS.items()})
        self.filters[ROUNDS] = self._counted

    def begin(self) -> None:
        """Begin another page."""
        self._size = self._total = self._rounds = 0

    def _counted(self, members: Iterable[Any]) -> Iterator[Any]:
        for member in members:
            self._rounds += 1
            if self._rounds > MAX_ROUNDS:
                raise SecurityError(f"the loops of this page make more than {MAX_ROUNDS:,} rounds")
            yield member

    def _written(self, value: Any) -> Any:  # noqa: ANN401  (any value)
        """A value that a template writes: counted here, because a loop would hold all of them until its end."""
        self._size += _size(value) if _has_parts(value) else 0
        _check(self._size)
        return value

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:  # noqa: ANN401  (any value)
        """An operator, refused where its result would be too large."""
        if operator == "%" and isinstance(left, str):
            _check_format(left)
        elif operator == "+":
            _check(_size(left) + _size(right) if _has_parts(left) else 0)
        elif operator == "*" and (_has_parts(left) or _has_parts(right)):
            _check(_size(left) * _size(right))
        elif operator == "*" and isinstance(left, int) and isinstance(right, int):
            _check_bits(left.bit_length() + right.bit_length())
        elif operator == "**" and isinstance(left, int) and isinstance(right, int):
            _check_bits(left.bit_length() * right)
        return self.checked(super().call_binop(context, operator, left, right))

    def call(self, context: Context, called: Any, *arguments: Any, **named: Any) -> Any:  # noqa: ANN401  (any value)
        """A call, refused where its arguments could make too much, or where it did."""
        owner = getattr(called, "__self__", None)
        _check_arguments((owner, *arguments, *named.values()))
        if isinstance(owner, str) and called.__name__ in _FORMATS:
            _check_format(owner)
        return self.checked(super().call(context, called, *arguments, **named))

    def concat(self, parts: Iterable[str]) -> str:
        """The parts of a template, a macro or a captured block as one text."""
        taken, size = list[str](), 0
        for part in parts:
            size += len(part) + 1
            _check(size)
            taken.append(part)
        return "".join(taken)

    def checked(self, value: Any) -> Any:  # noqa: ANN401  (any value)
        """The value, where neither it nor all that the page has made is too large."""
        size = len(value) if _has_parts(value) else 0
        _check(size)
        self._total += size
        if self._total > MAX_TOTAL_CHARS:
            raise SecurityError(f"this page makes more than {MAX_TOTAL_CHARS:,} characters, which a template may not")
        return value

    def _bounded(self, filter_: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(filter_)
        def bounded(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401  (any value)
            _check_arguments((*arguments, *named.values()))
            if filter_.__name__ == "do_format":
                _check_format(str(arguments[0]))
            return self.checked(filter_(*arguments, **named))

        return bounded


def _has_parts(value: object) -> bool:
    return isinstance(value, str | bytes | list | tuple)


def _size(value: object) -> int:
    """How often or how much a value makes something: a number as it is, anything else by its length."""
    if isinstance(value, int):
        return abs(value)
    return len(value) if isinstance(value, str | bytes | list | tuple) else 0


def _check(size: int) -> None:
    if size > MAX_CHARS:
        raise SecurityError(f"this makes more than {MAX_CHARS:,} characters, which a template may not")


def _check_bits(bits: int) -> None:
    if bits > MAX_NUMBER_BITS:
        raise SecurityError("this makes a number that is too large for a template")


def _check_format(text: str) -> None:
    if _WIDTH.search(text):
        raise SecurityError("a width of six digits, or from an argument, is not allowed in a format")


def _check_arguments(values: Iterable[object]) -> None:
    """Refuse values that could multiply each other: a text by a width, a list by a separator."""
    sizes = sorted((_size(value) for value in values), reverse=True)
    # A filter repeats at most one argument as often as another one says, or as it has members.
    _check(sizes[0] if sizes else 0)
    if len(sizes) > 1:
        _check(sizes[0] * sizes[1])
