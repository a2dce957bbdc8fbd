"""The RIS form, as reference managers import it: one tag a line, lines end in CRLF."""

from collections.abc import Iterator
from functools import partial

from citepress.base.ids import twin
from citepress.base.media import RIS
from citepress.base.timestamps import UNKNOWN
from citepress.contract.citation import Reference
from citepress.contract.form import CitationForm, CitedPage


def entry(citation: Reference) -> str:
    """The reference of one citation; every value is on one line, so that none can begin a tag."""
    return "".join(f"{tag}  - {value}\r\n" for tag, value in _tags(citation) if value) + "ER  - \r\n"


def _tags(citation: Reference) -> Iterator[tuple[str, str]]:
    moment = citation.published
    yield "TY", "DATA" if citation.dataset else "ELEC"
    yield "ID", citation.key
    yield "TI", citation.title
    yield from (("AU", name) for name in citation.authors)
    yield from (("A2", name) for name in citation.named("editor"))
    yield from (("A4", name) for name in citation.named("translator"))
    yield "T2", citation.publication
    yield "PB", citation.publisher
    if moment != UNKNOWN:
        yield "PY", str(moment.year)
        yield "DA", f"{moment.year:04}/{moment.month:02}/{moment.day:02}/"
    yield "ET", citation.edition
    yield "DO", citation.doi
    yield "UR", citation.url
    yield "LA", citation.language
    yield from (("KW", word) for word in citation.keywords)
    yield "AB", citation.abstract
    yield "C1", citation.license


def write(page: CitedPage) -> bytes:
    """The citation as a file of one reference."""
    return entry(page.citation).encode()


FORM = CitationForm("ris", "RIS", RIS, partial(twin, suffix=".ris"), write, copied=True)
