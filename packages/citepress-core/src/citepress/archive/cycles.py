"""Circles among records that supersede each other."""

from collections.abc import Iterable

from citepress.archive.model import Edge


def cycles(edges: Iterable[Edge]) -> list[tuple[str, ...]]:
    """Each circle once, beginning with its smallest id, in the order of the references."""
    following: dict[str, list[str]] = {}
    for edge in edges:
        following.setdefault(edge.source, []).append(edge.target)
    unique: dict[tuple[str, ...], None] = {}
    done: set[str] = set()
    for start in sorted(following):
        if start not in done:
            for circle in _from(start, following, done):
                unique[circle] = None
    return list(unique)


def _from(start: str, following: dict[str, list[str]], done: set[str]) -> list[tuple[str, ...]]:
    """Circles met on a walk from one record, without recursion: a chain may be as long as the archive."""
    closed = []
    path: list[str] = [start]
    places = {start: 0}
    steps = [iter(following.get(start, ()))]
    while steps:
        step = next(steps[-1], None)
        if step is None:
            steps.pop()
            last = path.pop()
            del places[last]
            done.add(last)
        elif step in places:
            closed.append(_turned(path[places[step] :]))
        elif step not in done:
            places[step] = len(path)
            path.append(step)
            steps.append(iter(following.get(step, ())))
    return closed


def _turned(circle: list[str]) -> tuple[str, ...]:
    first = circle.index(min(circle))
    return (*circle[first:], *circle[:first])
