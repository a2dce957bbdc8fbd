"""Leaves of citation forms: not stored, but made from the stored page and its JSON form when they are asked for."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from citepress.base import fast_json
from citepress.contract.citation import citation_of
from citepress.contract.form import CitationForm, CitedPage
from citepress.contract.site import Publication
from citepress.edition.citations import ALL
from citepress.edition.leaf import Leaf, Variant

CITATION_FORMS = {form.name: form for form in ALL}
JSON = "json"
ENDINGS = tuple(form.path("/x/").removeprefix("/x") for form in ALL)
"""What the paths of each form end in, in place of the slash of the page."""


def page_of(path: str) -> str:
    """Path of the page that a path may be a citation form of; empty where it has no such ending."""
    return next((f"{path.removesuffix(ending)}/" for ending in ENDINGS if path.endswith(ending)), "")


def derived(variants: Iterable[Variant]) -> Iterator[Variant]:
    """Those of the forms of a page that are derived."""
    return (variant for variant in variants if variant.form in CITATION_FORMS)


def derived_leaf(
    page: Leaf, path: str, body: Callable[[str], bytes | None], site: Publication, owner: str
) -> Leaf | None:
    """The leaf of a path that is a citation form of this page; ``None`` where it is not.

    ``body`` reads what is stored at a path, ``owner`` is the name of the publisher.
    """
    variant = next((variant for variant in derived(page.variants) if variant.path == path), None)
    stored = next((body(variant.path) for variant in page.variants if variant.form == JSON), None)
    if variant is None or stored is None:
        return None
    form: CitationForm = CITATION_FORMS[variant.form]
    cited = CitedPage(citation_of(fast_json.loads(stored), site.publisher(owner)), page.links)
    links = [link for link in page.links if link.endswith('rel="canonical"')]
    if form.shape:
        links.append(f'<{site.url(f"/schemas/{form.shape}.json")}>; rel="describedby"')
    return replace(
        page,
        path=path,
        route=form.path(page.route),
        kind=form.media.name,
        type=form.media.sent,
        body=form.write(cited),
        accepted=form.media.accepted,
        links=tuple(links),
        variants=(),
        title="",
    )
