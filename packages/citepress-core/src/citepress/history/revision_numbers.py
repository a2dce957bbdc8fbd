"""Which numbers of revisions were given, and from where: kept apart from the histories that give them.

So that a history that is lost or cannot be read never gives a number to other words.
"""

from dataclasses import asdict, dataclass
from pathlib import Path

import orjson

from citepress.base import fast_json
from citepress.base.errors import CitepressError
from citepress.base.replaced_file import replace_file
from citepress.history.state_files import NUMBERS_FILE


class HistoryError(CitepressError):
    """What numbers the records cannot be read or kept, so no edition can be made."""


@dataclass(frozen=True, slots=True)
class GivenNumbers:
    """What is known of the numbers that were published from a state folder."""

    git: bool = False
    """Whether the commits of the folder gave them; else the state folder did."""
    above: int = 0
    """The state folder gives higher numbers alone: it holds nothing of what these were given to."""
    highest: int = 0


def read_given(folder: Path) -> GivenNumbers:
    """What is known in a folder of revisions. Raises ``HistoryError`` and ``OSError``."""
    file = folder / NUMBERS_FILE
    try:
        members = fast_json.loads(file.read_bytes())
        git, above, highest = (members[name] for name in GivenNumbers.__slots__)
    except FileNotFoundError:
        return GivenNumbers()
    except (ValueError, TypeError, LookupError):
        git = above = highest = None
    if isinstance(git, bool) and type(above) is type(highest) is int:
        return GivenNumbers(git, above, highest)
    raise HistoryError(f"{file} is damaged: restore it from a backup")


def note_given(folder: Path, now: GivenNumbers) -> GivenNumbers:
    """Keep what was given now, while the folder is locked. Raises ``OSError`` and ``HistoryError``."""
    # Read again: another process may have given more since.
    before = read_given(folder)
    highest = max(before.highest, now.highest)
    now = GivenNumbers(now.git, highest if now.git else max(before.above, now.above), highest)
    if now != before:
        replace_file(folder / NUMBERS_FILE, orjson.dumps(asdict(now)), durable=True)
    return now
