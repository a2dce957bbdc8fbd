"""Every document and page of the edition, in the order in which guides list them."""

from collections.abc import Sequence
from typing import Any

from citepress.contract.document import Declared, Document, Hosting, Pages
from citepress.contract.kind import Kind
from citepress.edition.data import datasets, library, source_ledger
from citepress.edition.feeds import entries as feeds
from citepress.edition.machine import guides, licensing, llms, openapi, schemas, sitemap, wellknown
from citepress.edition.pages import assets, collections, glossary, home, owner, search_files, sources, tags
from citepress.edition.render_context import RenderContext
from citepress.edition.reports import declared as reports
from citepress.edition.revisions import declared as revisions
from citepress.edition.verification import declared as verification
from citepress.extension import derived, joined

FAMILIES = (
    home,
    openapi,
    llms,
    guides,
    glossary,
    datasets,
    library,
    owner,
    sitemap,
    feeds,
    wellknown,
    verification,
    licensing,
    source_ledger,
    sources,
    tags,
    schemas,
    search_files,
    assets,
)


def declared(
    kinds: Sequence[Kind], hosting: Hosting = Hosting.SERVICE
) -> tuple[Document[RenderContext] | Pages[RenderContext], ...]:
    """Everything that an edition for a service or for files publishes, the collections derived from their kinds."""
    records = (item for kind in kinds for item in derived(kind, collections.of_kind(kind)))
    core = (item for module in FAMILIES for item in module.ALL)
    family: tuple[Any, ...] = joined("documents", (Document, Pages), core, lambda item: (item.name, item.path))
    further = (*revisions.of_kinds(kinds), reports.of_kinds(kinds), *feeds.further_formats(kinds))
    below = (item for item in further if _belongs(item, hosting))
    return (*(item for item in family if _belongs(item, hosting)), *records, *below)


def _belongs(item: Declared, hosting: Hosting) -> bool:
    return item.only in (None, hosting) and not (item.live and hosting is Hosting.FILES)
