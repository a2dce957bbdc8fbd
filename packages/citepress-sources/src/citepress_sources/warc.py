"""One capture as a WARC 1.1 file (ISO 28500:2017): the request, the response, and the readable text as a resource.

The text has an address of its own, as crawlers give it one. A conversion has to repeat the address of the page,
and programs that replay WARC files then show the text where the page was asked for.
"""

import io
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from citepress.base.errors import CitepressError
from citepress.base.timestamps import rfc3339

HOP = frozenset({"transfer-encoding", "connection", "keep-alive", "trailer", "upgrade"})
"""Fields of the connection, which say nothing of the body as it is kept."""
WARC_VERSION = "WARC/1.1"
TEXT_URI = "urn:text:{url}"
TEXT_TYPES = frozenset({"resource", "conversion"})
"""The record of the readable text; a conversion in the files of earlier versions."""


class CaptureError(CitepressError):
    """A stored capture cannot be read; the sentence says why."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request that was answered."""

    url: str
    """The address that answered."""
    at: datetime
    sent: Mapping[str, str]
    """Header fields of the request."""
    status: int
    fields: Mapping[str, str]
    """Header fields of the answer, names in lower case."""
    body: bytes


@dataclass(frozen=True, slots=True)
class KeptCapture:
    """What is read back of a capture."""

    url: str
    fields: Mapping[str, str]
    body: bytes
    text: str
    """The readable text; empty where there is none."""


def write_warc(exchange: Exchange, text: str, software: str) -> bytes:
    """The WARC file of a capture, each record compressed by itself."""
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=True, warc_version=WARC_VERSION)
    date = {"WARC-Date": rfc3339(exchange.at)}
    about = {"software": software, "format": "WARC File Format 1.1", "isPartOf": "citepress-captures"}
    writer.write_record(writer.create_warcinfo_record("capture.warc.gz", about))
    response = writer.create_warc_record(
        exchange.url,
        "response",
        payload=io.BytesIO(exchange.body),
        http_headers=_answer_head(exchange),
        warc_headers_dict=dict(date),
    )
    request = writer.create_warc_record(
        exchange.url, "request", http_headers=_request_head(exchange), warc_headers_dict=dict(date)
    )
    writer.write_request_response_pair(request, response)
    if text:
        beside = {"WARC-Concurrent-To": response.rec_headers.get_header("WARC-Record-ID"), **date}
        readable = io.BytesIO(text.encode("utf-8", "replace"))
        content_type = "text/plain; charset=utf-8"
        writer.write_record(
            writer.create_warc_record(
                TEXT_URI.format(url=exchange.url),
                "resource",
                readable,
                warc_content_type=content_type,
                warc_headers_dict=beside,
            )
        )
    return out.getvalue()


def read_warc(data: bytes) -> KeptCapture:
    """A capture from its WARC file. Raises ``CaptureError``."""
    url, text, body = "", "", b""
    fields: dict[str, str] = {}
    try:
        for record in ArchiveIterator(io.BytesIO(data)):
            if record.rec_type == "response":
                url = record.rec_headers.get_header("WARC-Target-URI") or ""
                fields = {name.lower(): value for name, value in record.http_headers.headers}
                body = record.raw_stream.read()
            elif record.rec_type in TEXT_TYPES:
                text = record.raw_stream.read().decode("utf-8", "replace")
    except (ArchiveLoadFailed, ValueError, EOFError, AttributeError) as error:
        raise CaptureError(f"a capture cannot be read: {error}") from None
    if not url:
        raise CaptureError("a capture holds no response")
    return KeptCapture(url, fields, body, text)


def _answer_head(exchange: Exchange) -> StatusAndHeaders:
    fields = [(name, value) for name, value in exchange.fields.items() if name not in HOP]
    fields = [(name, value) for name, value in fields if name != "content-length"]
    phrase = next((status.phrase for status in HTTPStatus if status == exchange.status), "Unknown")
    length = ("content-length", str(len(exchange.body)))
    return StatusAndHeaders(f"{exchange.status} {phrase}", [*fields, length], protocol="HTTP/1.1")


def _request_head(exchange: Exchange) -> StatusAndHeaders:
    target = "/" + exchange.url.split("/", 3)[3] if exchange.url.count("/") > 2 else "/"  # noqa: PLR2004
    host = ("Host", exchange.url.split("/", 3)[2])
    return StatusAndHeaders(f"GET {target} HTTP/1.1", [host, *exchange.sent.items()], is_http_request=True)
