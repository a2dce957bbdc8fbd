"""The HTTP request logs that Cloudflare's Logpush delivers: JSON lines under names of its own."""

from citepress_telemetry.access_logs.jsonlines import line_of, read_object, text
from citepress_telemetry.access_logs.line import Line, moment, parts


def cloudflare(line: bytes) -> Line | None:
    """A line of the data set ``http_requests``."""
    record = read_object(line)
    if not record or "EdgeResponseStatus" not in record:
        return None
    value = record.get
    target = value("ClientRequestURI") or value("ClientRequestPath")
    at = value("EdgeStartTimestamp") or value("EdgeEndTimestamp")
    return line_of(
        moment(at),
        value("ClientIP"),
        value("EdgeResponseStatus"),
        value("EdgeResponseBytes"),
        parts(text(value("ClientRequestMethod")), text(target)),
        referer=value("ClientRequestReferer"),
        ua=value("ClientRequestUserAgent"),
        kind=value("EdgeResponseContentType"),
        host=value("ClientRequestHost"),
    )
