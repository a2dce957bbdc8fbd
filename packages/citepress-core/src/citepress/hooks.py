"""Calls what extensions give: whatever a function of theirs raises, or gives of a wrong shape, says whose it is."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from types import TracebackType
from typing import Any

import orjson

from citepress.base.declared_names import kind_names
from citepress.base.errors import CitepressError, ControlFlow
from citepress.base.shortage import about_shortage
from citepress.extension import CORE, ExtensionError, failure, joined, owner_of, provider

Kind = type | tuple[type, ...]
Passing = type[Exception] | tuple[type[Exception], ...]
BY_CONTRACT: tuple[type[Exception], ...] = (CitepressError, ControlFlow)
"""What explains itself to whoever asked."""
log = logging.getLogger(__name__)


@cache
def hooks(point: str) -> tuple[Callable[..., Any], ...]:
    """The functions of all extensions at a point, by the names of the extensions. Raises ``ExtensionError``."""
    return joined(point, Callable)  # type: ignore[arg-type]  # whatever can be called


def shaped(value: object, kind: Kind) -> Any:  # noqa: ANN401
    """A value of a kind, as ``isinstance`` takes it. Raises ``TypeError``, which its caller names the extension in."""
    if not isinstance(value, kind):
        raise TypeError(f"it gives {value!r:.100}, not {kind_names(kind)}")
    return value


class Guard:
    """A context that names the extension of a part in what its code raises, where that is not ``passing``.

    It raises ``ExtensionError``, or logs its sentence and goes on behind the block. Errors of the core's own parts, and
    what a machine has run out of, pass. A class, because a page enters several.
    """

    __slots__ = ("logged", "part", "passing", "point")

    def __init__(self, point: str, part: object, passing: Passing = BY_CONTRACT, *, logged: bool = False) -> None:
        """``point`` is empty for a declaration, whose own name is told."""
        self.point, self.part, self.passing, self.logged = point, part, passing, logged

    def __enter__(self) -> None:
        """Nothing is prepared."""

    def __exit__(self, _: object, error: BaseException | None, __: TracebackType | None) -> bool | None:
        """Whether the error was logged, and the work goes on. Raises ``ExtensionError``."""
        if not isinstance(error, Exception) or isinstance(error, self.passing):
            return False
        owner = owner_of(self.part)
        if owner == CORE or about_shortage(error):
            return False
        log.debug("%s of %s failed", self.point or getattr(self.part, "name", ""), owner, exc_info=error)
        refusal = failure(self.part, self.point, f"{type(error).__name__}: {error}")
        if not self.logged:
            raise refusal from error
        log.warning("%s", refusal)
        return True


def guard_of(part: Any) -> Guard:  # noqa: ANN401  (a kind, a document or pages)
    """The guard of what a declaration makes for an edition: errors of content and of files pass as they are."""
    return Guard("", part, (*BY_CONTRACT, OSError))


def results(
    point: str, kind: Kind, *given: object, passing: Passing = BY_CONTRACT, logged: bool = False
) -> Iterator[tuple[str, Any]]:
    """What each function at a point returns, of a ``kind``, behind its distribution, under a ``Guard``."""
    for hook in hooks(point):
        with Guard(point, hook, passing, logged=logged):
            yield owner_of(hook), shaped(hook(*given), kind)


def gathered(
    point: str, kind: Kind, *given: object, passing: Passing = BY_CONTRACT, logged: bool = False
) -> Iterator[Any]:
    """The items, each of a ``kind``, that the functions at a point return together, under a ``Guard``."""
    for hook in hooks(point):
        with Guard(point, hook, passing, logged=logged):
            for item in hook(*given):
                yield shaped(item, kind)


def united(point: str, given: Iterable[tuple[str, Mapping[Any, Any]]]) -> dict[Any, Any]:
    """Mappings of several distributions in one. Raises ``ExtensionError`` where two give one key."""
    values: dict[Any, Any] = {}
    owners: dict[Any, str] = {}
    for owner, mapping in given:
        for key, value in mapping.items():
            if key in values:
                name = key.__qualname__ if isinstance(key, type) else key
                raise ExtensionError(f"{owners[key]} and {owner} both give {name!r} ({point}): uninstall one of them")
            values[key], owners[key] = value, owner
    return values


def merged(point: str, *given: object, written: bool = False) -> dict[Any, Any]:
    """What the functions of all extensions at a point return for ``given``, as ``united``; ``written``: as JSON."""

    def mapping(hook: Callable[..., Any]) -> Mapping[Any, Any]:
        with Guard(point, hook):
            result: Mapping[Any, Any] = shaped(hook(*given), Mapping)
            if written:
                orjson.dumps(result)
            return result

    return united(point, ((owner_of(hook), mapping(hook)) for hook in hooks(point)))


def provided(point: str, *given: object) -> Any:  # noqa: ANN401
    """What the function gives that one extension alone may have at a point; ``None`` without one."""
    if (function := provider(point)) is None:
        return None
    with Guard(point, function):
        return function(*given)
