"""Why files of a folder are held back, counted for whoever builds it."""

from collections import Counter
from collections.abc import Iterable, Iterator

from citepress.base.text import counted
from citepress.contract.fault import LOOKS_PRIVATE, NOT_PUBLIC, Fault

MAX_REASONS = 10
HELD, DOUBT = "held back: ", " looks private: the note is not published"
"""What a message says before the reason, or behind one that only looks private."""
HELD_CODES = (LOOKS_PRIVATE, NOT_PUBLIC)


def held_reasons(faults: Iterable[Fault]) -> Iterator[str]:
    """Why files of a folder are held back, once for each of them."""
    return (fault.message.removeprefix(HELD).removesuffix(DOUBT) for fault in faults if fault.code in HELD_CODES)


def held_sentence(reasons: Iterable[str]) -> str:
    """A line on the files that are held back, with the number of each reason; empty where there is none."""
    counts = Counter(reasons)
    if not counts:
        return ""
    reasons = [f"{count:,} {reason}" for reason, count in counts.most_common(MAX_REASONS)]
    more = [f"{len(counts) - MAX_REASONS} further reasons"] if len(counts) > MAX_REASONS else []
    return f"{counted(counts.total(), 'file')} held back: {', '.join([*reasons, *more])}"
