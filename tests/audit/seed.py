"""Two days of synthetic traffic on the demo archive, for checkers of pages: ``seed.py FOLDER STATE HOST PORT``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from citepress.base import clock
from citepress.settings import from_environment
from support.reports import CountedArchive, built

HOURS = 48


def main(folder: str, state: str, host: str, port: str) -> None:
    """Build the edition that ``citepress serve`` will find, and close hours up to now over its pages."""
    settings = from_environment(Path(folder), state=Path(state), host=host, port=int(port))
    now = int(clock.now().timestamp()) // 3600
    CountedArchive(settings, built(settings)).count(range(now - HOURS, now))


if __name__ == "__main__":
    main(*sys.argv[1:])
