"""The CSL-JSON form: the citation as processors of the Citation Style Language take it."""

from datetime import datetime
from functools import partial
from typing import Any

from citepress.base.canonical import json_bytes
from citepress.base.ids import twin
from citepress.base.media import CSL_JSON
from citepress.base.timestamps import UNKNOWN
from citepress.contract.citation import Reference
from citepress.contract.form import CitationForm, CitedPage
from citepress.edition.citations.models import CslDocument


def item(citation: Reference) -> dict[str, Any]:
    """The item of one citation, in the members of the CSL data schema."""
    members: dict[str, Any] = {
        "id": citation.key,
        "type": "dataset" if citation.dataset else "webpage",
        "title": citation.title,
        "author": _names(citation.authors),
        "editor": _names(citation.named("editor")),
        "translator": _names(citation.named("translator")),
        "issued": _date(citation.published),
        "container-title": citation.publication,
        "publisher": citation.publisher,
        "version": citation.edition,
        "DOI": citation.doi,
        "URL": citation.url,
        "language": citation.language,
        "abstract": citation.abstract,
        "keyword": ", ".join(citation.keywords),
    }
    return {name: value for name, value in members.items() if value}


def _names(names: tuple[str, ...]) -> list[dict[str, str]]:
    """Names as they are written: which part of one is the family name is not known."""
    return [{"literal": name} for name in names]


def _date(moment: datetime) -> dict[str, list[list[int]]]:
    if moment == UNKNOWN:
        return {}
    return {"date-parts": [[moment.year, moment.month, moment.day]]}


def write(page: CitedPage) -> bytes:
    """The citation as a list of one item."""
    return json_bytes([item(page.citation)])


FORM = CitationForm("csl", "CSL-JSON", CSL_JSON, partial(twin, suffix=".csl.json"), write, model=CslDocument)
