"""``citepress routes``: what the service answers, printed."""

import sys

from citepress.app.registry import table
from citepress.cli.console import Json
from citepress.cli.json_output import write_json


def routes(*, json: Json = False) -> None:
    """Print the route table: method, path, type, schema and name of every route."""
    if not json:
        sys.stdout.write(table().text())
        return
    rows = [
        {
            "method": r.method,
            "path": r.path,
            "type": r.media.type,
            "schema": r.shape or None,
            "name": r.name,
            "section": r.section.value,
            "negotiates": r.negotiates,
            "promised": r.promised,
            "summary": r.summary,
        }
        for r in table()
    ]
    write_json(rows)
