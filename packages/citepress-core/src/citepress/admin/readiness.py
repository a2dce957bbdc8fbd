"""Whether a running service is ready and live, as ``/ready`` and ``/live`` of the operator's listener answer."""

from collections.abc import Mapping, Sequence

from citepress.base import clock
from citepress.edition.edition import Edition
from citepress.web.measured import edition_mark

MAX_SILENCE_S = 10.0
"""A worker that has not shown its counts for so long does not answer."""
ServiceState = tuple[bool, Mapping[str, object]]
"""Whether it is so, and the facts."""
WorkerFacts = Mapping[str, int]


def answers(worker: WorkerFacts) -> bool:
    """Whether a worker has shown its counts lately."""
    return clock.seconds() - worker["beat"] / 1000 < MAX_SILENCE_S


def readiness(
    workers: Sequence[WorkerFacts], edition: Edition | None, wanted: int, rendered: int | None = None
) -> ServiceState:
    """Whether all wanted workers answer from the current edition.

    ``rendered``: the units that the first build has rendered, while pages are served early.
    """
    mark = edition_mark(edition.digest) if edition else 0
    shown = [
        {"pid": worker["pid"], "answers": answers(worker), "current": worker["edition"] == mark} for worker in workers
    ]
    whole = edition is not None and len(shown) >= wanted
    ready = whole and all(worker["answers"] and worker["current"] for worker in shown)
    return ready, {
        "status": "ready" if ready else "not ready" if rendered is None else "building the first edition",
        "edition": edition and edition.digest,
        "workers": shown,
        "wanted_workers": wanted,
        **({} if rendered is None else {"rendered_units": rendered}),
    }


def liveness(workers: Sequence[WorkerFacts]) -> ServiceState:
    """Whether at least one worker answers."""
    answering = sum(map(answers, workers))
    return answering > 0, {"status": "live" if answering else "not live", "answering": answering}
