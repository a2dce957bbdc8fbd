"""Metadata in the head of a cited page, by the names that reference managers and indexes of scholarship read."""

from collections.abc import Iterator
from itertools import zip_longest

from citepress.base.timestamps import UNKNOWN, day
from citepress.contract.citation import ORCID, Reference, license_url


def meta_names(citation: Reference) -> Iterator[tuple[str, str]]:
    """(name, content) of Highwire Press and Dublin Core tags, those of one author together."""
    yield "citation_title", citation.title
    for name, writer in zip_longest(citation.authors, citation.writers):
        yield "citation_author", name
        if writer and writer.orcid:
            yield "citation_author_orcid", ORCID + writer.orcid
    if citation.published != UNKNOWN:
        yield "citation_publication_date", day(citation.published).replace("-", "/")
    yield "citation_publisher", citation.publication
    yield "citation_language", citation.language
    if citation.doi:
        yield "citation_doi", citation.doi
    yield "citation_fulltext_html_url", citation.page_url
    yield "DC.title", citation.title
    yield from (("DC.creator", name) for name in citation.authors)
    yield from (("DC.contributor", name) for role in ("editor", "translator") for name in citation.named(role))
    if citation.published != UNKNOWN:
        yield "DC.date", day(citation.published)
    yield "DC.publisher", citation.publication
    yield "DC.identifier", citation.cite_as
    yield "DC.language", citation.language
    yield "DC.rights", license_url(citation.license) or citation.license
    yield "DC.type", "Dataset" if citation.dataset else "Text"
