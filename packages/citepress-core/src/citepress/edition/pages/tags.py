"""Tags: a page of all of them, and a page of the newest records of each."""

from collections.abc import Iterator
from functools import partial
from itertools import islice
from operator import attrgetter

from citepress.archive.model import Entry
from citepress.base.ids import twin
from citepress.base.slugs import tag_slug
from citepress.contract.document import Draft, Pages, Parameter, Section
from citepress.contract.model import Model, Moment, constructed
from citepress.contract.page import INTERFACE, Block, Fact, Facts, Item, Items, Link, Notice, Page
from citepress.contract.version import SCHEMA_VERSION
from citepress.edition.pages.collection_models import IndexItem
from citepress.edition.pages.collections import by_year, card
from citepress.edition.pages.facets import address, facet_index
from citepress.edition.render_context import RenderContext, single

TAGS_PATH = "/tags/"
NEWEST = 100
"""Records on the page of a tag."""
MAX_LISTED_TAGS = 1000
"""Tags on the page of all tags."""
TAG_PARAMETER = Parameter("tag", "A tag from /tags.json.", example="standards")


class TagItem(Model):
    """A tag in the list of tags."""

    slug: str
    """Its name in paths."""
    tag: str
    """The words, as they are mostly written."""
    count: int
    """Records that have it."""
    json_url: str
    """Its newest records."""


class TagIndex(Model):
    """The tags of the archive, the commonest first."""

    schema_version: int
    """Version of this document's schema."""
    as_of: Moment
    """The newest record date of the archive."""
    count: int
    """Tags in all; the list ends after the thousand commonest."""
    items: list[TagItem]
    """The commonest tags."""


class TagRecords(Model):
    """The newest records of a tag."""

    schema_version: int
    """Version of this document's schema."""
    tag: str
    """The words, as they are mostly written."""
    count: int
    """Records that have it; the list ends after the hundred newest."""
    items: list[IndexItem]
    """The newest records, of every collection."""


def _index(context: RenderContext) -> Page:
    tags = facet_index(context)
    counted = sorted(((-len(ids), slug) for slug, ids in tags.tagged.items() if ids))
    items = [
        TagItem(slug=slug, tag=tags.tag(slug), count=-count, json_url=context.url(f"{TAGS_PATH}{slug}.json"))
        for count, slug in counted[:MAX_LISTED_TAGS]
    ]
    listed = tuple(Item(f"{item.count:,}", href=_path(item.slug), title=item.tag) for item in items)
    empty = Notice("empty", "", "No record has a tag yet.")
    return Page(
        TAGS_PATH,
        "Tags",
        "The words that authors filed their records under, the commonest first.",
        (Items("tags", "", listed, text_language=context.site.language) if listed else empty,),
        label="Tags",
        template="list",
        updated=context.archive.as_of,
        crumbs=(Link("Home", "/"),),
        data=TagIndex(schema_version=SCHEMA_VERSION, as_of=context.archive.as_of, count=len(counted), items=items),
    )


def _path(slug: str) -> str:
    return f"{TAGS_PATH}{slug}/"


def _drafts(context: RenderContext) -> Iterator[Draft]:
    for slug, ids in sorted(facet_index(context).tagged.items()):
        if ids:
            yield _draft(context, slug)


def _draft(context: RenderContext, slug: str) -> Draft:
    tags, path = facet_index(context), _path(slug)

    def inputs() -> object:
        return [tags.tag(slug), len(tags.tagged[slug]), [entry.digest.hex() for entry in _newest(context, slug)]]

    return Draft(partial(_page, context, slug), inputs, path)


def _newest(context: RenderContext, slug: str) -> list[Entry]:
    ids, entries = facet_index(context).tagged[slug], context.archive.entries
    if len(ids) <= NEWEST:
        return sorted([entries[id_] for id_ in ids], key=attrgetter("order"))
    # Records are in this order already, and the newest of a common tag are soon met.
    return [entries[id_] for id_ in islice(filter(ids.__contains__, entries), NEWEST)]


def _touched(context: RenderContext) -> Iterator[tuple[str, Draft | None]]:
    edit = context.edit
    versions = (entry for id_ in edit.records for entry in edit.versions(id_)) if edit else ()
    tags = facet_index(context)
    for slug in sorted({tag_slug(tag) for entry in versions for tag in entry.head.tags}):
        yield _path(slug), _draft(context, slug) if tags.tagged[slug] else None


def _page(context: RenderContext, slug: str) -> Page:
    tags, entries = facet_index(context), _newest(context, slug)
    count, words = len(tags.tagged[slug]), tags.tag(slug)
    records = "1 record has" if count == 1 else f"{count:,} records have"
    data = TagRecords(schema_version=SCHEMA_VERSION, tag=words, count=count, items=[_item(entry) for entry in entries])
    return Page(
        _path(slug),
        words,
        f"{records} the tag {words}.",
        (*_collections(context, slug), *by_year([card(entry) for entry in entries])),
        label="Tag",
        template="list",
        updated=max(entry.head.updated_at for entry in entries),
        language=context.site.language,
        crumbs=(Link("Home", "/"), Link("Tags", TAGS_PATH)),
        indexed=False,
        data=data,
    )


def _collections(context: RenderContext, slug: str) -> tuple[Block, ...]:
    """The collections in which the tag is, where that list goes on."""
    index = facet_index(context)
    counted = ((kind, index.counts[kind.name]["tag"][slug]) for kind in context.archive.kinds)
    links = tuple(
        Link(f"{kind.plural} ({count:,})", address(kind, {"tag": slug} if context.served else {}), INTERFACE)
        for kind, count in counted
        if count
    )
    return (Facts("collections", "Collections", (Fact("In", links),), text_language=INTERFACE),)


def _item(entry: Entry) -> IndexItem:
    head = entry.head
    members = {
        "id": head.id,
        "slug": head.slug,
        "title": head.title,
        "summary": head.summary,
        "html_url": head.canonical_url,
        "markdown_url": twin(head.canonical_url, ".md"),
        "json_url": twin(head.canonical_url, ".json"),
        "published_at": head.published_at,
        "updated_at": head.updated_at,
        "topics": list(head.topics),
        "tags": list(head.tags),
        "language": head.language,
    }
    return constructed(IndexItem, members)


ALL = (
    Pages[RenderContext](
        "tags", TAGS_PATH, Section.EXTRAS, "The tags of all records.", single(_index), "TagIndex", TagIndex
    ),
    Pages[RenderContext](
        "tag",
        f"{TAGS_PATH}{{tag}}/",
        Section.EXTRAS,
        "The newest records of a tag.",
        _drafts,
        "TagRecords",
        TagRecords,
        (TAG_PARAMETER,),
        touched=_touched,
    ),
)
