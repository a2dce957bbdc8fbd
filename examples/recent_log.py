"""Prints the example log with its days moved, so that it ends yesterday: ``recent_log.py example-traffic.log.gz``."""  # noqa: INP001  (a script)

import gzip
import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from citepress.base import clock

STAMP, FORMAT = re.compile(r"\[(\d\d/\w{3}/\d{4})"), "%d/%b/%Y"


def main(log: str) -> None:
    """Move every line by the same number of days."""
    text = gzip.decompress(Path(log).read_bytes()).decode()
    days = {stamp: datetime.strptime(stamp, FORMAT).replace(tzinfo=UTC) for stamp in set(STAMP.findall(text))}
    later = timedelta((clock.now() - max(days.values())).days - 1)
    sys.stdout.write(STAMP.sub(lambda found: f"[{days[found[1]] + later:{FORMAT}}", text))


if __name__ == "__main__":
    main(*sys.argv[1:])
