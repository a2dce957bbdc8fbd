"""The glossary for readers: the collections of the archive, and the terms that its pages and documents use."""

from collections.abc import Iterable, Iterator

from citepress.base.slugs import slugify
from citepress.base.word_lists import word_list
from citepress.contract.document import Pages, Section
from citepress.contract.page import INTERFACE, Block, Item, Items, Link, Page
from citepress.edition.render_context import RenderContext, single

GLOSSARY_PATH = "/glossary/"
GLOSSARY_TERMS = tuple(row.split(": ", 1) for row in word_list("citepress", "glossary"))


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
