"""A value that a command prints as JSON."""

import orjson

from citepress.cli.console import write


def write_json(value: object) -> None:
    """A value to standard output, as JSON."""
    write(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
