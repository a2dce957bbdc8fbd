"""Typed links of a cited page for machines (Signposting): in its ``Link`` fields, and whole in its linkset."""

import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import quote

from citepress.contract.citation import Reference, license_url
from citepress.contract.form import CitationForm, Form
from citepress.contract.page import Page

MAX_HEADER_AUTHORS, MAX_AUTHOR_CHARS = 5, 200
"""Authors in a header field, and characters of their addresses; the linkset names all of them."""
_SAFE = ":/?#[]@!$&'()*+;=%-._~"
_PLAIN = re.compile(r"[A-Za-z0-9_.~:/?#\[\]@!$&'()*+;=%-]*")
"""An address in which nothing has to be quoted."""
_VALUE = re.compile(r'<([^>]*)>((?:; [a-z]+="[^"]*")*)')
_PARAMETER = re.compile(r'; ([a-z]+)="([^"]*)"')


def landing_links(
    page: Page, forms: Iterable[Form], citations: Iterable[CitationForm], url: Callable[[str], str]
) -> Iterator[str]:
    """The typed links of a page as values of ``Link`` fields; none of a page without a citation."""
    if page.citation is None:
        return
    yield from _relations(page.citation, str(page.linked_data[0]["@type"]))
    twins = [(form.path(page.path), form.media.type) for form in forms if not form.default]
    yield from (_link(url(path), "item", media) for path, media in page.parts or twins)
    yield from (_link(url(form.path(page.path)), form.relation, form.media.type) for form in citations)


def _relations(citation: Reference, linked_type: str) -> Iterator[str]:
    """The links that a citation gives; ``linked_type`` is the page's schema.org type."""
    yield _link(citation.cite_as, "cite-as")
    yield from (_link(f"https://schema.org/{name}", "type") for name in ("AboutPage", linked_type))
    if address := license_url(citation.license):
        yield _link(address, "license")
    yield from author_links(shown_authors(citation))


def shown_authors(citation: Reference) -> list[str]:
    """The addresses of authors that a header has room for."""
    return [address for address in citation.author_urls if len(address) <= MAX_AUTHOR_CHARS][:MAX_HEADER_AUTHORS]


def author_links(people: Iterable[str]) -> Iterator[str]:
    """The addresses of authors as values of ``Link`` fields."""
    return (_link(address, "author") for address in people)


def _link(address: str, relation: str, media: str = "") -> str:
    quoted = address if _PLAIN.fullmatch(address) else quote(address, safe=_SAFE)
    written = f'<{quoted}>; rel="{relation}"'
    return f'{written}; type="{media}"' if media else written


def parsed(values: Iterable[str]) -> Iterator[tuple[str, str, dict[str, str]]]:
    """(relation, address, attributes) of links that this program wrote."""
    for value in values:
        match = _VALUE.fullmatch(value)
        if match:
            attributes = dict(_PARAMETER.findall(match[2]))
            yield attributes.pop("rel"), match[1], attributes
