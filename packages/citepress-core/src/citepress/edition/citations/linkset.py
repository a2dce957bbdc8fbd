"""The linkset form (RFC 9264): every typed link of a page, also those that are too many for a header field."""

from collections import defaultdict
from functools import partial

from citepress.base.canonical import json_bytes
from citepress.base.ids import twin
from citepress.base.media import RECORD_LINKSET
from citepress.contract.form import CitationForm, CitedPage
from citepress.edition.citations.models import LinksetDocument
from citepress.edition.citations.signposting import author_links, parsed

AUTHOR, SELF = "author", ("canonical", "linkset")
"""The relation whose links a header field may have in part, and those that say nothing here."""


def write(page: CitedPage) -> bytes:
    """The links of the page, by relation in the order of its header."""
    targets: dict[str, list[dict[str, str]]] = defaultdict(list)
    own = [value for value in page.links if not value.endswith(f'rel="{AUTHOR}"')]
    for relations, address, attributes in parsed((*own, *author_links(page.citation.author_urls))):
        for relation in relations.split():
            if relation not in SELF:
                targets[relation].append({"href": address, **attributes})
    return json_bytes({"linkset": [{"anchor": page.citation.page_url, **targets}]})


FORM = CitationForm(
    "linkset", "Linkset", RECORD_LINKSET, partial(twin, suffix=".linkset.json"), write, "linkset", LinksetDocument
)
