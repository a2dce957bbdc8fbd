"""Where the log goes: to standard error, as plain lines or as one JSON object a line."""

import json
import logging
import sys
from datetime import UTC, datetime


class JsonFormatter(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        document = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "process": record.process,
        }
        if record.exc_info:
            document["exception"] = self.formatException(record.exc_info)
        return json.dumps(document, default=str)


def configure_logs(*, as_json: bool) -> None:
    """Send the log of this process to standard error, unless something else configured it before."""
    root = logging.getLogger()
    if root.handlers:
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setLevel(logging.INFO if as_json else logging.WARNING)
    if as_json:
        handler.setFormatter(JsonFormatter())
        logging.getLogger("citepress").setLevel(logging.INFO)
    root.addHandler(handler)
