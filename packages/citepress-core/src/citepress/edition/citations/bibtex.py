"""The BibTeX form: one ``@misc`` entry in UTF-8, whatever characters a title holds."""

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


def _members(citation: Reference) -> tuple[tuple[str, str], ...]:
    moment = citation.published
    dated = (("year", str(moment.year)), ("month", str(moment.month)), ("date", day(moment)))
    return (
        ("author", _names(citation.authors)),
        ("editor", _names(citation.named("editor"))),
        ("translator", _names(citation.named("translator"))),
        ("title", f"{{{escaped(citation.title)}}}"),  # braces keep the case of a title
        *(dated if moment != UNKNOWN else ()),
        ("publisher", escaped(citation.publisher)),
        ("howpublished", escaped(f"{citation.publication}, data set" if citation.dataset else citation.publication)),
        ("note", escaped(citation.edition)),
        ("doi", citation.doi),
        ("url", citation.url.translate(_IN_ADDRESSES)),
        ("language", escaped(citation.language)),
        ("keywords", ", ".join([escaped(word.replace(",", " ")) for word in citation.keywords])),
        ("abstract", escaped(citation.abstract)),
        ("copyright", escaped(citation.license)),
    )


def _names(names: tuple[str, ...]) -> str:
    """Names as they are written: which part of one is the family name is not known."""
    return " and ".join([f"{{{escaped(name)}}}" for name in names])


def write(page: CitedPage) -> bytes:
    """The citation as a bibliography of one entry."""
    return entry(page.citation).encode()


FORM = CitationForm("bibtex", "BibTeX", BIBTEX, partial(twin, suffix=".bib"), write, copied=True)
