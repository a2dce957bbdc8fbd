"""Access logs of web servers, imported into the same rollups as the service's own requests."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from citepress.telemetry.access_logs.caddy import caddy
from citepress.telemetry.access_logs.cloudflare import cloudflare
from citepress.telemetry.access_logs.combined import combined, vhost
from citepress.telemetry.access_logs.jsonlines import jsonlines
from citepress.telemetry.access_logs.line import Parser


@dataclass(frozen=True, slots=True)
class Format:
    """A way to write an access log."""

    name: str
    parser: Callable[[Mapping[str, str]], Parser]
    """Builds the parser from the JSON field names that the publisher maps."""


FORMATS = (
    Format("vhost", lambda _: vhost),
    Format("combined", lambda _: combined),
    Format("caddy", lambda _: caddy),
    Format("cloudflare", lambda _: cloudflare),
    Format("json", jsonlines),
)
"""Every format; if two match a file equally well, the first is taken."""


def detected(lines: Iterable[bytes], fields: Mapping[str, str]) -> Format | None:
    """The format that parses most of these lines; ``None`` if none parses any."""
    some = [line for line in lines if line.strip()]
    fits = [
        (sum(parse(line) is not None for line in some), -place, format_)
        for place, format_ in enumerate(FORMATS)
        for parse in [format_.parser(fields)]
    ]
    best = max(fits, key=lambda fit: fit[:2])
    return best[2] if best[0] else None


def named(name: str) -> Format:
    """The format of this name. Raises ``LookupError``."""
    for format_ in FORMATS:
        if format_.name == name:
            return format_
    raise LookupError(name)
