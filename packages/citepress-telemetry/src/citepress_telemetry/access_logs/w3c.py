"""Logs in the extended format of the W3C, whose #Fields line names the columns: those of IIS and of CloudFront."""

from collections.abc import Mapping
from urllib.parse import unquote_to_bytes

from citepress_telemetry.access_logs.jsonlines import line_of
from citepress_telemetry.access_logs.line import COMMENT, NO_VALUE, Line, Parser, member_names, moment, parts

COLUMNS_LINE = b"#Fields:"
COLUMN_NAMES: Mapping[str, tuple[bytes, ...]] = {
    ours: tuple(name.encode() for name in theirs) for ours, theirs in member_names("w3c").items()
}
"""Our names and the columns that have them; of several the first that is there."""
REQUIRED = ("date", "time", "method", "target", "status")
EDGE_COLUMN = b"x-edge-location"
"""A column of CloudFront alone, which escapes User-Agent and Referer as URLs do; IIS writes their spaces as plus."""


def w3c(_fields: Mapping[str, str]) -> Parser:
    """A parser for one log: it remembers the columns of the last #Fields line, which it has to be shown first."""
    columns: dict[str, int] = {}
    count, is_edge = 0, False

    def parse(raw: bytes) -> Line | None:
        nonlocal count, is_edge
        if raw.startswith(COLUMNS_LINE):
            names = raw[len(COLUMNS_LINE) :].split()
            places = (
                (ours, name) for ours, theirs in COLUMN_NAMES.items() for name in reversed(theirs) if name in names
            )
            columns.clear()
            columns.update((ours, names.index(name)) for ours, name in places)
            count, is_edge = len(names), EDGE_COLUMN in names
            return None
        # CloudFront separates by tabs, IIS by spaces; in neither may a value hold one.
        values = raw.split(b"\t") if b"\t" in raw else raw.split(b" ")
        if len(values) != count or raw.startswith(COMMENT) or not columns.keys() >= set(REQUIRED):
            return None
        return _line({name: values[place] for name, place in columns.items()}, is_edge=is_edge)

    return parse


def _line(values: Mapping[str, bytes], *, is_edge: bool) -> Line | None:
    text = {name: "" if value == NO_VALUE else value.decode("latin-1") for name, value in values.items()}
    query = "" if not text.get("query") else f"?{text['query']}"
    sent = {name: _unescaped(text.get(name, ""), is_edge=is_edge) for name in ("referer", "agent")}
    return line_of(
        moment(f"{text['date']}T{text['time']}Z"),  # both write UTC
        text.get("client"),
        text["status"],
        text.get("bytes"),
        parts(values["method"], f"{text['target']}{query}".encode("latin-1")),
        referer=sent["referer"],
        ua=sent["agent"],
        kind=text.get("content_type"),
        host=text.get("host"),
    )


def _unescaped(text: str, *, is_edge: bool) -> str:
    if is_edge:
        # CloudFront escapes the percent signs of an escaped value once more.
        return unquote_to_bytes(unquote_to_bytes(text)).decode("latin-1")
    # IIS writes a space and a plus alike; two in a row are "+" at the beginning of a word, as in "; +https://".
    return text.replace("++", " \0").replace("+", " ").replace("\0", "+")
