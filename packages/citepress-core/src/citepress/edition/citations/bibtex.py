"""The BibTeX form: one ``@misc`` entry in UTF-8, whatever characters a title holds."""

from collections.abc import Iterator
from functools import partial

from citepress.base.ids import twin
from citepress.base.media import BIBTEX
from citepress.base.timestamps import UNKNOWN, day
from citepress.contract.citation import Reference
from citepress.contract.form import CitationForm, CitedPage

_ESCAPED = str.maketrans(
    {char: "\\" + char for char in "#$%&_"}
    | {"\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", '"': r"\textquotedbl{}"}
)
"""Braces are written as words: BibTeX counts them even behind a backslash."""
_IN_ADDRESSES = str.maketrans({"{": "%7B", "}": "%7D", "\\": "%5C", " ": "%20"})


def entry(citation: Reference, *, abstract: bool = True) -> str:
    """The entry of one citation, with a final newline; one member a line."""
    shown = [row for row in _members(citation) if row[1] and (abstract or row[0] != "abstract")]
    members = "".join([f"  {name} = {{{value}}},\n" for name, value in shown])
    return f"@misc{{{citation.key},\n{members}}}\n"


def escaped(text: str) -> str:
    """Plain text as a value in braces."""
    return text.translate(_ESCAPED)


def _members(citation: Reference) -> Iterator[tuple[str, str]]:
    moment = citation.published
    yield "author", _names(citation.authors)
    yield "editor", _names(citation.named("editor"))
    yield "translator", _names(citation.named("translator"))
    yield "title", f"{{{escaped(citation.title)}}}"  # braces keep the case of a title
    if moment != UNKNOWN:
        yield "year", str(moment.year)
        yield "month", str(moment.month)
        yield "date", day(moment)
    yield "publisher", escaped(citation.publisher)
    yield "howpublished", escaped(f"{citation.publication}, data set" if citation.dataset else citation.publication)
    yield "note", escaped(citation.edition)
    yield "doi", citation.doi
    yield "url", citation.url.translate(_IN_ADDRESSES)
    yield "language", escaped(citation.language)
    yield "keywords", ", ".join(escaped(word.replace(",", " ")) for word in citation.keywords)
    yield "abstract", escaped(citation.abstract)
    yield "copyright", escaped(citation.license)


def _names(names: tuple[str, ...]) -> str:
    """Names as they are written: which part of one is the family name is not known."""
    return " and ".join([f"{{{escaped(name)}}}" for name in names])


def write(page: CitedPage) -> bytes:
    """The citation as a bibliography of one entry."""
    return entry(page.citation).encode()


FORM = CitationForm("bibtex", "BibTeX", BIBTEX, partial(twin, suffix=".bib"), write, copied=True)
