"""Calls what extensions give: whatever a function of theirs raises, or gives of a wrong shape, says whose it is."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

import orjson

from citepress.base.errors import CitepressError, ControlFlow
from citepress.base.shortage import about_shortage
from citepress.extension import ExtensionError, failure, joined, owner_of, provider

Kind = type | tuple[type, ...]
Passing = type[Exception] | tuple[type[Exception], ...]
BY_CONTRACT: Passing = (CitepressError, ControlFlow)
"""What explains itself to whoever asked."""
log = logging.getLogger(__name__)


@cache
def hooks(point: str) -> tuple[Callable[..., Any], ...]:
    """The functions of all extensions at a point, by the names of the extensions. Raises ``ExtensionError``."""
    return joined(point, Callable)  # type: ignore[arg-type]  # whatever can be called


def shaped(value: object, kind: Kind) -> Any:  # noqa: ANN401
    """A value of a kind, as ``isinstance`` takes it. Raises ``TypeError``, which its caller names the extension in."""
    if not isinstance(value, kind):
        kinds = " or ".join(each.__name__ for each in (kind if isinstance(kind, tuple) else (kind,)))
        raise TypeError(f"it gives {value!r:.100}, not {kinds}")
    return value


@contextmanager
def guarded(point: str, part: object) -> Iterator[None]:
    """Name the extension of a part in what its code raises. Raises ``ExtensionError``, and what is ``BY_CONTRACT``."""
    try:
        yield
    except BY_CONTRACT:
        raise
    except Exception as error:  # noqa: BLE001  (whatever it is)
        _report(point, part, error)


def _report(point: str, part: object, error: Exception, *, logged: bool = False) -> None:
    if about_shortage(error):
        raise error
    log.debug("%s of %s failed", point, owner_of(part), exc_info=error)
    refusal = failure(part, point, f"{type(error).__name__}: {error}")
    if not logged:
        raise refusal from error
    log.warning("%s", refusal)


def results(
    point: str, kind: Kind, *given: object, passing: Passing = BY_CONTRACT, logged: bool = False
) -> Iterator[tuple[str, Any]]:
    """What each function at a point returns, of a ``kind``, behind its distribution.

    What is not ``passing`` is a sentence that names the extension: ``logged``, or an ``ExtensionError``.
    """
    for hook in hooks(point):
        try:
            yield owner_of(hook), shaped(hook(*given), kind)
        except passing:
            raise
        except Exception as error:  # noqa: BLE001  (whatever it is)
            _report(point, hook, error, logged=logged)


def gathered(
    point: str, kind: Kind, *given: object, passing: Passing = BY_CONTRACT, logged: bool = False
) -> Iterator[Any]:
    """The items, each of a ``kind``, that the functions at a point return together; as ``results``."""
    for hook in hooks(point):
        try:
            for item in hook(*given):
                yield shaped(item, kind)
        except passing:
            raise
        except Exception as error:  # noqa: BLE001  (whatever it is)
            _report(point, hook, error, logged=logged)


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
        with guarded(point, hook):
            result: Mapping[Any, Any] = shaped(hook(*given), Mapping)
            if written:
                orjson.dumps(result)
            return result

    return united(point, ((owner_of(hook), mapping(hook)) for hook in hooks(point)))


def provided(point: str, *given: object) -> Any:  # noqa: ANN401
    """What the function gives that one extension alone may have at a point; ``None`` without one."""
    if (function := provider(point)) is None:
        return None
    # Not ``guarded``, whose context takes six calls for each page that asks for its picture.
    try:
        return function(*given)
    except BY_CONTRACT:
        raise
    except Exception as error:  # noqa: BLE001  (whatever it is)
        return _report(point, function, error)
