"""Pages that are written against whoever reads them: each ends its own reading, and the next page is read."""

import threading
from collections.abc import Iterator

import psutil
import pytest

from citepress_sources import reading_process
from citepress_sources.readable import readable
from citepress_sources.reading_process import PageReader
from support.origin import STORY, page

HTML = {"content-type": "text/html; charset=utf-8"}
URL = "https://office.example/x"
ATTRIBUTES = b"<p " + b" ".join(b"a%d=1" % number for number in range(200_000)) + b">words</p>"
CELLS = b"<table><tr>" + b"<td>x</td>" * 180_000 + b"</table>"


@pytest.fixture
def reader() -> Iterator[PageReader]:
    running = PageReader(cpu_s=2)
    yield running
    running.close()


def test_a_page_reads_as_it_would_in_the_same_process(reader: PageReader) -> None:
    assert reader.readable(HTML, page(), URL) == readable(HTML, page(), URL)
    assert STORY[0] in reader.whole_text(HTML, page())


@pytest.mark.parametrize("bomb", [ATTRIBUTES, CELLS])
def test_a_page_that_takes_the_processor_without_bound_has_no_text(reader: PageReader, bomb: bytes) -> None:
    assert reader.readable(HTML, bomb, URL).text == ""
    assert STORY[0] in reader.readable(HTML, page(), URL).text


def test_a_page_nested_without_end_ends(reader: PageReader) -> None:
    assert reader.readable(HTML, b"<div>" * 100_000 + page(), URL).text == ""
    assert reader.whole_text(HTML, b"<table><tr><td>" * 100_000 + b"words") == ""


def test_a_reader_that_was_closed_begins_again(reader: PageReader) -> None:
    reader.close()
    assert STORY[1] in reader.readable(HTML, page(), URL).text


def reading() -> psutil.Process:
    """The process that reads pages, among those that this one started and others may have left."""
    living = [child for child in psutil.Process().children() if child.status() != psutil.STATUS_ZOMBIE]
    (process,) = [child for child in living if "reading_process" in " ".join(child.cmdline())]
    return process


def test_a_process_that_stands_still_is_ended(reader: PageReader, monkeypatch: pytest.MonkeyPatch) -> None:
    assert STORY[0] in reader.whole_text(HTML, page())
    process = reading()
    process.suspend()
    monkeypatch.setattr(reading_process, "WALL_S", 0.5)
    assert reader.whole_text(HTML, page() * 100) == ""
    monkeypatch.setattr(reading_process, "WALL_S", 120.0)
    assert STORY[0] in reader.whole_text(HTML, page())


@pytest.mark.parametrize("suspended", [False, True])
def test_a_page_whose_process_is_killed_from_elsewhere_is_read_by_another(reader: PageReader, suspended: bool) -> None:
    """A system that is short of memory kills what it likes: that says nothing of the page."""
    assert STORY[0] in reader.whole_text(HTML, page())
    process = reading()
    if suspended:
        process.suspend()
        threading.Timer(0.5, process.kill).start()
    else:
        process.kill()
    assert STORY[0] in reader.whole_text(HTML, page() * 100)
