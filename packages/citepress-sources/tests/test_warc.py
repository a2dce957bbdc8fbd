"""WARC files of captures: what is read back of them, also of those that earlier versions wrote."""

import io
from datetime import UTC, datetime

import pytest
from warcio.warcwriter import WARCWriter

from citepress_sources import warc

EXCHANGE = warc.Exchange(
    "https://source.example/page", datetime(2026, 11, 21, tzinfo=UTC), {}, 200, {"content-type": "text/html"}, b"<p>One"
)


def test_a_capture_is_read_as_it_was_written() -> None:
    capture = warc.read_warc(warc.write_warc(EXCHANGE, "One", "test/1"))
    assert capture == warc.KeptCapture(
        EXCHANGE.url, {"content-type": "text/html", "content-length": "6"}, b"<p>One", "One"
    )


def test_the_text_of_an_earlier_version_is_read_from_its_conversion() -> None:
    out = io.BytesIO(warc.write_warc(EXCHANGE, "", "test/1"))
    assert warc.read_warc(out.getvalue()).text == ""
    out.seek(0, io.SEEK_END)
    writer = WARCWriter(out, gzip=True)
    writer.write_record(writer.create_warc_record(EXCHANGE.url, "conversion", io.BytesIO(b"Two")))
    assert warc.read_warc(out.getvalue()).text == "Two"


@pytest.mark.parametrize("cut", [0, 10, 200])
def test_a_damaged_file_is_a_fault_with_a_sentence(cut: int) -> None:
    with pytest.raises(warc.CaptureError, match="capture"):
        warc.read_warc(warc.write_warc(EXCHANGE, "One", "test/1")[:cut])
