"""The glossary for readers: the collections of the archive, and the terms that its pages and documents use."""

from collections.abc import Iterable, Iterator

from citepress.base.slugs import slugify
from citepress.contract.document import Pages, Section
from citepress.contract.page import INTERFACE, Block, Item, Items, Link, Page
from citepress.edition.render_context import RenderContext, single

GLOSSARY_PATH = "/glossary/"
GLOSSARY_TERMS = (
    ("Archive", "All records of this site, with every reference between them resolved."),
    ("Backlink", "A record that refers to the one that you are reading."),
    ("Claim", "One statement of a record that can be checked against its sources."),
    ("Confidence", "How sure the publisher is that a pattern holds, from 0 to 1, with the reason in words."),
    ("Correction", "A dated change after an error; who reported it is credited if they wish."),
    ("Dataset", "Rows of data with a description of their columns, in versions that do not change."),
    ("Evidence", "Dated events, each tied to the sources and records that show it."),
    ("Mention", "A link to another site that is not a source of the record: no claim depends on it."),
    ("Origin", "The publisher of a source, identified by its address."),
    ("Record", "One entry of the archive, with its own address, sources and history."),
    ("Retrieval nugget", "One or two sentences of a record that can be quoted on their own."),
    ("Revision", "The number of a record's present text; each change makes a new one."),
    ("Source", "An address that a record cites: primary if it is the thing itself, secondary if it reports about it."),
    ("Source ledger", "Every cited address once, with the records that cite it."),
    ("Topic", "A question with its short answer, dated evidence and the records about it."),
    ("Twin", "The same page in another form: Markdown for reading in plain text, JSON for programs."),
)


def _page(context: RenderContext) -> Page:
    kinds = [
        (f"{kind.plural} ({len(entries):,})", kind.about, f"/{kind.name}/")
        for kind in map(context.labelled, context.archive.kinds)
        if (entries := context.archive.collections[kind.name])
    ]
    terms = [(term, text, "") for term, text in GLOSSARY_TERMS]
    site = context.site
    return Page(
        GLOSSARY_PATH,
        "Glossary",
        f"What {site.title} calls its collections and the parts of its pages.",
        (*_listed("collections", "Collections", kinds), *_listed("terms", "Terms", terms)),
        label="Guide",
        updated=context.archive.as_of,
        language=INTERFACE,
        crumbs=(Link("Home", "/"),),
        linked_data=(
            {
                "@context": "https://schema.org",
                "@type": "DefinedTermSet",
                "@id": context.url(GLOSSARY_PATH),
                "name": f"Glossary of {site.title}",
                "hasDefinedTerm": [
                    {
                        "@type": "DefinedTerm",
                        "@id": context.url(f"{GLOSSARY_PATH}#{_anchor(term)}"),
                        "name": term,
                        "description": text,
                    }
                    for term, text, _ in (*kinds, *terms)
                ],
            },
        ),
    )


def _listed(id_: str, title: str, rows: Iterable[tuple[str, str, str]]) -> Iterator[Block]:
    items = tuple(Item(text, title=term, href=href, id=_anchor(term)) for term, text, href in rows)
    if items:
        yield Items(id_, title, items)


def _anchor(term: str) -> str:
    return f"term-{slugify(term)}"


ALL = (
    Pages[RenderContext](
        "glossary",
        GLOSSARY_PATH,
        Section.CONTRACTS,
        "What the archive calls its collections and the parts of a page.",
        single(_page),
    ),
)
