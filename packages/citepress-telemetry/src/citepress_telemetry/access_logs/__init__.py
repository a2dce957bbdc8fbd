"""Access logs of web servers, imported into the same rollups as the service's own requests."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from citepress_telemetry.access_logs.caddy import caddy
from citepress_telemetry.access_logs.cloudflare import cloudflare
from citepress_telemetry.access_logs.combined import combined, common, vhost
from citepress_telemetry.access_logs.jsonlines import jsonlines
from citepress_telemetry.access_logs.line import COMMENT, Parser
from citepress_telemetry.access_logs.w3c import w3c


@dataclass(frozen=True, slots=True)
class Format:
    """A way to write an access log."""

    name: str
    parser: Callable[[Mapping[str, str]], Parser]
    """Builds the parser from the JSON field names that the publisher maps."""


BALANCER_LINE = re.compile(rb"(?:https?|h2|grpcs?|wss?) \d{4}-\d\d-\d\dT[\d:.]+Z (?:app/)?\S+ \S+:\d+ ")
"""A line of an AWS load balancer."""
FORMATS = (
    Format("vhost", lambda _: vhost),
    Format("combined", lambda _: combined),
    Format("common", lambda _: common),
    Format("w3c", w3c),
    Format("caddy", lambda _: caddy),
    Format("cloudflare", lambda _: cloudflare),
    Format("json", jsonlines),
)
"""Every format; if two match a file equally well, the first is taken."""


def detect_format(lines: Iterable[bytes], fields: Mapping[str, str]) -> Format | None:
    """The format that parses most of these lines; ``None`` if none parses any."""
    some = [line for line in lines if line.strip()]
    fits = [
        (sum(parse(line) is not None for line in some), -place, format_)
        for place, format_ in enumerate(FORMATS)
        for parse in [format_.parser(fields)]
    ]
    best = max(fits, key=lambda fit: fit[:2])
    return best[2] if best[0] else None


def open_parser(format_: Format, fields: Mapping[str, str], sample: Iterable[bytes]) -> Parser:
    """The parser of one log, which has seen the comments at its beginning: an import may go on in its middle."""
    parse = format_.parser(fields)
    for line in sample:
        if line.startswith(COMMENT):
            parse(line)
    return parse


def recognize_unread(lines: Iterable[bytes]) -> Literal["load balancer"] | None:
    """The sort of a log that is recognized but not read; ``None`` for any other log."""
    return "load balancer" if any(BALANCER_LINE.match(line) for line in lines) else None


def find_format(name: str) -> Format:
    """The format of this name. Raises ``LookupError``."""
    for format_ in FORMATS:
        if format_.name == name:
            return format_
    raise LookupError(name)
