"""The layout that all pages of a site share: navigation, footer, feeds and the machine-readable head."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

import orjson
from markupsafe import Markup

from citepress.base.ids import REPORT_BELOW
from citepress.base.media import PLAIN_TEXT
from citepress.base.timestamps import rfc3339
from citepress.base.values import value_type
from citepress.contract.citation import license_url
from citepress.contract.form import CitationForm, Form
from citepress.contract.page import Link, Page
from citepress.contract.picture import Pictures, pictures_of
from citepress.edition.citations.meta import meta_names
from citepress.edition.citations.signposting import shown_authors
from citepress.edition.feeds.derived import every_format
from citepress.edition.feeds.site import site_feeds
from citepress.edition.prose.html_parts import as_markup
from citepress.edition.render_context import RenderContext, nearest_guide
from citepress.edition.theme import papers, style
from citepress.kinds import ALL as KINDS
from citepress.kinds import REGISTRIES
from citepress.kinds.contents import PATH as CONTENTS

NAVIGATION = (
    Link("Contents", CONTENTS),
    *(Link(kind.plural, kind.path) for kind in KINDS if kind.in_header),
    Link("Datasets", "/datasets/"),
    Link("For agents", "/agents/"),
    Link("Search", "/search/"),
)
"""The header's links; those that the table does not know are left out."""
ABOUT = (
    Link("About this archive", "/about/"),
    Link("Owner profile", "/owner-profile/"),
    Link("Sources", "/sources/"),
    Link("Tags", "/tags/"),
    Link("Glossary", "/glossary/"),
    *(report for kind in KINDS for report in kind.reports),
    Link("Machine consumption", "/machine-consumption/"),
    *(Link(registry.plural, registry.page) for registry in REGISTRIES if registry.in_footer),
)
"""The footer's links to pages about the archive."""
GUIDES = (
    Link("llms.txt", "/llms.txt"),
    Link("Developers", "/developers/"),
    Link("Deprecation policy", "/developers/#deprecation-policy"),
)
"""The footer's links to guides, which those of APIs follow."""
CONTRACTS = (Link("OpenAPI", "/openapi.json"), Link("Sitemap", "/sitemap.xml"))
"""The last links of that group. Links and groups that the table does not know are left out."""
LISTS = frozenset({"home", "list"})
"""Templates of pages that lead to others."""
FEED_TYPES = {"rss.xml": "application/rss+xml", ".json": "application/feed+json", ".xml": "application/atom+xml"}
"""Media types by the ending of a feed's path, the first that fits."""
_IN_SCRIPTS = tuple((char, f"\\u{ord(char):04x}") for char in "<>&\u2028\u2029")
"""What JSON in a script element writes in another way."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The values that all pages of a site share."""

    title: str
    description: str
    base_url: str
    prefix: str
    """Path of the public address; mostly empty."""
    owner: str
    license: Link
    style: str
    """Path of the stylesheet."""
    papers: tuple[str, str]
    """The colours of the page, light and dark."""
    icon: str
    """Path of the icon."""
    navigation: tuple[Link, ...]
    """Links of the header; these and those below carry the prefix already."""
    collections: tuple[Link, ...]
    footer: tuple[tuple[str, tuple[Link, ...]], ...]
    feeds: tuple[Link, ...]
    feed_heads: tuple[tuple[str, str, str], ...]
    """(type, URL, title) of the feeds, as the head of a page names them that has none of its own."""
    forms: tuple[Form, ...]
    citations: tuple[CitationForm, ...]
    guides: Mapping[str, tuple[str, str, str]]
    """The relation to the ``llms.txt`` of each collection that has one; to that of the site under the empty name."""
    language: str
    """Language tag of its title and description."""
    report: str
    """Where a record is reported as wrong: a path below its own, else an address of the owner; empty where there is
    no way."""
    pictures: Pictures | None
    """What draws the pictures that stand for its pages."""


@value_type
class Head:
    """The metadata of one page for machines."""

    path: str
    """Path of the page as links write it."""
    current: str
    """The header link of the section that the page belongs to; empty if it belongs to none."""
    canonical: str
    title: str
    alternates: tuple[tuple[str, str, str], ...]
    """(type, URL, title) of the page's other forms."""
    translations: tuple[tuple[str, str], ...]
    """(language, URL) of the page in each of its languages."""
    feeds: tuple[tuple[str, str, str], ...]
    """(type, URL, title) of feeds."""
    relations: tuple[tuple[str, str, str], ...]
    """(relation, type, URL) of the nearest guide for models, its licence, its authors and the forms of its citation."""
    properties: tuple[tuple[str, str], ...]
    """Open Graph properties."""
    pictured: bool
    """Whether a picture stands for the page where it is shared."""
    names: tuple[tuple[str, str], ...]
    """Names and contents of metadata for reference managers (Highwire Press, Dublin Core)."""
    linked_data: tuple[Markup, ...]
    """JSON-LD objects, safe inside a script element."""
    tabs: tuple[Link, ...]
    """The page's forms, itself first."""
    markdown: str
    """Path of the Markdown twin, or empty."""


def page_layout(context: RenderContext) -> Layout:
    """The layout of a site."""
    site = context.site
    prefix = urlsplit(site.base_url).path
    labels = {
        f"/{kind.name}/": Link(kind.plural, f"/{kind.name}/", kind.label_language) for kind in context.archive.kinds
    }
    collections = [*labels.values(), Link("Datasets", "/datasets/")]
    navigation = [labels.get(link.href, link) for link in NAVIGATION]
    feeds = site_feeds(context.archive.kinds)
    machines = (*GUIDES, *(api.guide for api in context.apis), *CONTRACTS)
    footer = (("About", ABOUT), ("For machines", machines), ("Follow", feeds))
    groups = ((name, _routed(context, links, prefix)) for name, links in footer)
    routed_feeds = _routed(context, feeds)
    licence = site.license
    return Layout(
        title=site.title,
        description=site.description,
        base_url=site.base_url,
        prefix=prefix,
        owner=context.archive.owner.name,
        license=Link(licence, license_url(licence)),
        style=prefix + context.assets[style(site.theme.name)],
        papers=papers(site.theme.name),
        icon=f"{prefix}/favicon.svg",
        navigation=_routed(context, navigation, prefix),
        collections=_routed(context, collections, prefix),
        footer=tuple((name, links) for name, links in groups if links),
        feeds=routed_feeds,
        feed_heads=_feed_heads((), routed_feeds, site.base_url),
        forms=context.forms,
        citations=context.citations,
        guides={
            name: ("describedby", PLAIN_TEXT.type, context.url(nearest_guide(f"/{name}/", context.guides)))
            for name in ("", *context.guides)
        },
        language=site.language,
        report=_report(context),
        pictures=pictures_of(site),
    )


def _report(context: RenderContext) -> str:
    """A path below that of a record where a service takes reports; else a way to the owner."""
    if context.reporting:
        return REPORT_BELOW
    contact = context.archive.owner.data.get("contact") or {}
    return f"mailto:{contact['email']}" if contact.get("email") else contact.get("url") or ""


def head(page: Page, layout: Layout, own: str) -> Head:
    """The machine-readable head of a page; ``own`` is the name of the form that is being written."""
    canonical = layout.base_url + (page.canonical or page.path)
    forms = [
        (form, form.path(page.path) + page.query)
        for form in layout.forms
        if page.data is not None or not form.needs_data
    ]
    home = page.path == "/"
    section = "/".join([layout.prefix, *page.path.split("/")[1:2], ""])
    properties = _properties(page, layout, canonical)
    return Head(
        path=layout.prefix + page.path,
        current=section if any(link.href == section for link in layout.navigation) else "",
        canonical=canonical,
        title=layout.title if home else f"{page.title} · {layout.title}",
        alternates=tuple(
            (form.media.type, layout.base_url + path, f"{page.title} ({form.title})")
            for form, path in forms
            if form.name != own
        ),
        translations=tuple([(link.language, layout.base_url + link.href) for link in page.translations])
        if page.translations
        else (),
        feeds=_feed_heads(page.feeds, layout.feeds, layout.base_url) if page.feeds else layout.feed_heads,
        relations=(layout.guides.get(page.path.split("/", 2)[1], layout.guides[""]), *_relations(page, layout)),
        properties=tuple(properties.items()),
        pictured="og:image" in properties,
        names=tuple(meta_names(page.citation)) if page.citation else (),
        linked_data=tuple(_script(data) for data in _linked_data(page, layout, canonical)),
        tabs=tuple(Link(form.title, path) for form, path in forms),
        markdown=next((path for form, path in forms if form.name == "markdown"), ""),
    )


def _relations(page: Page, layout: Layout) -> Iterator[tuple[str, str, str]]:
    """What the ``Link`` fields of the page say too, for copies on hosts that send none."""
    if address := license_url(page.license):
        yield "license", "", address
    yield from (("me", "", address) for address in page.me)
    if page.citation:
        yield from (("author", "", address) for address in shown_authors(page.citation))
        forms = [form for form in layout.citations if form.imported]
        yield from (("describedby", form.media.type, layout.base_url + form.path(page.path)) for form in forms)


def _feed_heads(own: Sequence[Link], site: Sequence[Link], base_url: str) -> tuple[tuple[str, str, str], ...]:
    """(type, URL, title) of the feeds of a page in every format, then of those of the site that have another title."""
    titles = {link.href: link.text for link in every_format(own)}
    named = {*titles.values()}
    titles |= {link.href: link.text for link in reversed(site) if link.text not in named}
    return tuple((_feed_type(href), _absolute(href, base_url), text) for href, text in titles.items())


def _routed(context: RenderContext, links: Sequence[Link], prefix: str = "") -> tuple[Link, ...]:
    """Those of the links whose path is an enabled route and no empty collection, below the prefix."""
    empty = context.empty
    return tuple(
        Link(link.text, prefix + link.href, link.language)
        for link in links
        if link.href not in empty and context.publishes(link.href.partition("#")[0])
    )


def _absolute(href: str, base_url: str) -> str:
    return base_url + href if href.startswith("/") else href


def _feed_type(href: str) -> str:
    return next((type_ for ending, type_ in FEED_TYPES.items() if href.endswith(ending)), FEED_TYPES[".xml"])


def _properties(page: Page, layout: Layout, canonical: str) -> dict[str, str]:
    properties = {
        "og:type": "article" if page.template == "record" else "website",
        "og:title": page.title,
        "og:description": page.description,
        "og:url": canonical,
        "og:site_name": layout.title,
        **_image(page, layout),
    }
    if page.template == "record" and page.published:
        properties["article:published_time"] = rfc3339(page.published)
    if page.template == "record" and page.updated:
        properties["article:modified_time"] = rfc3339(page.updated)
    return {name: value for name, value in properties.items() if value}


def _image(page: Page, layout: Layout) -> dict[str, str]:
    """The picture that stands for a page: the one that is drawn for it, or else an image of its own."""
    if page.card and layout.pictures and (picture := layout.pictures.of_page(page)):
        return {
            "og:image": layout.base_url + picture.path,
            "og:image:type": picture.media_type,
            "og:image:width": str(picture.width),
            "og:image:height": str(picture.height),
            "og:image:alt": page.title,
        }
    return {"og:image": _absolute(quote(page.image), layout.base_url)} if page.image else {}


def _linked_data(page: Page, layout: Layout, canonical: str) -> Iterator[Mapping[str, object]]:
    """What the page is in the words of schema.org, with its last change, and the way to it."""
    yield from page.linked_data
    if page.changed and not any("dateModified" in data for data in page.linked_data):
        yield {
            "@context": "https://schema.org",
            "@type": "CollectionPage" if page.template in LISTS else "WebPage",
            "@id": f"{canonical}#page",
            "name": page.title,
            "description": page.description,
            "url": canonical,
            "dateModified": rfc3339(page.changed),
            "inLanguage": page.language,
            "isPartOf": {"@type": "WebSite", "@id": f"{layout.base_url}/#site", "name": layout.title},
        }
    yield from _breadcrumbs(page, layout, canonical)


def _breadcrumbs(page: Page, layout: Layout, canonical: str) -> tuple[Mapping[str, object], ...]:
    """The way to the page, where there is one; the front page is its own beginning."""
    if not page.crumbs and page.path != "/":
        return ()
    steps = [(crumb.text, _absolute(crumb.href, layout.base_url)) for crumb in page.crumbs] + [(page.title, canonical)]
    items = [
        {"@type": "ListItem", "position": place, "name": name, "item": url}
        for place, (name, url) in enumerate(steps, 1)
    ]
    return ({"@context": "https://schema.org", "@type": "BreadcrumbList", "itemListElement": items},)


def _script(data: Mapping[str, object]) -> Markup:
    """JSON that cannot end the script element that holds it, nor open a comment in it."""
    text = orjson.dumps(data).decode()
    for char, written in _IN_SCRIPTS:
        if char in text:
            text = text.replace(char, written)
    return as_markup(text)  # no character of markup is left
