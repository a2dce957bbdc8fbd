"""The feeds: RSS and JSON Feed of new field notes, Atom of significant changes, of a collection and of a topic.

All bounded, newest first; records with their full text, their authors and their licence.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from heapq import nlargest
from html import escape
from itertools import islice

from citepress.archive.model import Change, Entry
from citepress.base.media import FEED_JSON, FEED_XML
from citepress.base.memo import memoized
from citepress.base.text import sentence
from citepress.contract.citation import ORCID
from citepress.contract.document import SLUG, Document, Output, Parameter, Section, nothing_stored
from citepress.contract.kind import Kind
from citepress.contract.record import Author
from citepress.contract.site import OWNER_PAGE, Site
from citepress.edition.feeds.atom import atom
from citepress.edition.feeds.derived import COLLECTION, FORMATS, SHAPE, TOPIC, FeedFormat
from citepress.edition.feeds.json_feed import json_feed
from citepress.edition.feeds.model import Feed, FeedAuthor, FeedEntry
from citepress.edition.feeds.rss import rss
from citepress.edition.prose.absolute import html_elsewhere
from citepress.edition.render_context import RenderContext
from citepress.kinds.parts import UNEXPLAINED
from citepress.kinds.posts import KIND as POSTS
from citepress.kinds.topics import KIND as TOPICS

MAX_FEED_ENTRIES = 50
MAX_FEED_TEXT_CHARS = 512 * 1024
"""Characters of the texts of one feed; it ends before the entry that would go beyond."""


def _newest(context: RenderContext) -> list[FeedEntry]:
    return _bounded(_post(context, entry) for entry in context.archive.collections[POSTS.name])


def _bounded(posts: Iterable[FeedEntry]) -> list[FeedEntry]:
    """The first posts, as many as a feed may hold; one whose own text is too long has its summary alone."""
    taken: list[FeedEntry] = []
    size = 0
    for post in islice(posts, MAX_FEED_ENTRIES):
        entry = replace(post, content="") if len(post.content) > MAX_FEED_TEXT_CHARS else post
        size += len(entry.content)
        if size > MAX_FEED_TEXT_CHARS:
            break
        taken.append(entry)
    return taken


def _post(context: RenderContext, entry: Entry) -> FeedEntry:
    record, site = entry.record, context.site
    words = (*record.topics, *record.tags)
    return FeedEntry(
        site.entry_id(record.canonical_url) if site.feed_ids_from else record.canonical_url,
        record.title,
        record.canonical_url,
        record.summary,
        record.published_at,
        record.updated_at,
        words,
        tuple(_author(author) for author in record.authors if author.role == "author"),
        _content(context, site, entry),
        record.license,
        record.language,
    )


def _author(author: Author) -> FeedAuthor:
    """An author by name and by the address that lasts: the ORCID iD where there is one."""
    return FeedAuthor(author.name, f"{ORCID}{author.orcid}" if author.orcid else author.url or "")


def _content(context: RenderContext, site: Site, entry: Entry) -> str:
    """The whole text of a record as HTML that is safe in any reader, with whole links."""
    inputs = (site.base_url, site.language)
    return memoized(entry.memo, "feed", inputs, partial(_feed_html, context, entry))


def _feed_html(context: RenderContext, entry: Entry) -> str:
    text = entry.record.body_markdown.strip()
    return (
        html_elsewhere(text, context, entry.path, entry.record.sources)
        if text
        else f"<p>{escape(entry.head.summary, quote=False)}</p>"
    )


def _change(context: RenderContext, change: Change) -> FeedEntry:
    """A change has an id of its own, so that one record's changes stay apart."""
    url = context.url(change.path)
    note = change.note or UNEXPLAINED
    summary = f"{sentence(note)} {sentence(f'Credit: {change.credit}')}" if change.credit else note
    title = f"{change.change.capitalize()}: {change.title}"
    return FeedEntry(
        context.site.entry_id(f"{url}#{change.id}"), title, url, summary, change.moment, change.moment, (change.change,)
    )


def _links(context: RenderContext, path: str) -> tuple[str, ...]:
    """Link fields of a feed: itself, and the WebSub hub where the publisher has one."""
    hub = (f'<{context.site.hub}>; rel="hub"',) if context.site.hub else ()
    return (f'<{context.url(path)}>; rel="self"', *hub)


def _feed(context: RenderContext, path: str, page: str, title: str, entries: Sequence[FeedEntry]) -> Feed:
    """A feed; what it says of the publication is the same in all of them."""
    site = context.site
    return Feed(
        context.url(path),
        context.url(page),
        title,
        site.description,
        site.language,
        FeedAuthor(context.archive.owner.name, context.url(OWNER_PAGE)),
        site.license,
        site.hub or "",
        max((entry.updated for entry in entries), default=context.archive.as_of),
        tuple(entries),
    )


def _output(context: RenderContext, path: str, feed: Feed, write: Callable[[Feed], bytes]) -> Output:
    return Output(write(feed), links=_links(context, path))


def _of_notes(path: str, write: Callable[[Feed], bytes]) -> Callable[[RenderContext], Iterable[Output]]:
    """The feed of the newest field notes at a path."""

    def make(context: RenderContext) -> Iterable[Output]:
        feed = _feed(context, path, "/", context.site.title, _newest(context))
        return [_output(context, path, feed, write)]

    return make


def _changes(context: RenderContext) -> Iterable[Output]:
    posts = [_change(context, change) for change in context.archive.changes[:MAX_FEED_ENTRIES]]
    feed = _feed(context, "/changes.xml", "/", f"{context.site.title}: significant changes", posts)
    return [_output(context, "/changes.xml", feed, atom)]


def _last_changed(members: Sequence[Entry]) -> Sequence[Entry]:
    return nlargest(MAX_FEED_ENTRIES, members, key=lambda entry: (entry.head.updated_at, entry.head.id))


def _topics(context: RenderContext) -> Iterator[Output]:
    for hub in _hubs(context):
        slug = hub.head.slug
        path, members = TOPIC.format(slug=slug), context.archive.topics.get(slug, ())
        newest = context.derivations.held(f"feed of {slug}", members, partial(_last_changed, members))
        inputs = [hub.path, hub.head.title, *(entry.digest.hex() for entry in newest)]
        written = partial(_topic, context, path, hub, newest)
        yield Output(written, {"slug": slug}, _links(context, path), inputs=inputs)


def _hubs(context: RenderContext) -> list[Entry]:
    """The topic hubs that have a feed."""
    hubs = (hub for hub in context.archive.collections[TOPICS.name] if getattr(hub.record, "feed", False))
    return sorted(hubs, key=lambda hub: hub.head.slug)


def _topic(context: RenderContext, path: str, hub: Entry, newest: Sequence[Entry]) -> bytes:
    """The feed of a topic hub: its members that changed last."""
    posts = _bounded(_post(context, entry) for entry in newest)
    return atom(_feed(context, path, hub.path, f"{context.site.title}: {hub.head.title}", posts))


def collection_path(kind: Kind) -> str:
    """The feed of a collection."""
    return COLLECTION.format(collection=kind.name)


def collection_feed(kind: Kind) -> Document[RenderContext]:
    """The feed of the newest records of a kind, from its one declaration."""
    return Document[RenderContext](
        f"{kind.name.replace('-', '_')}_feed",
        collection_path(kind),
        FEED_XML,
        Section.RECORDS,
        f"Atom feed of the newest {kind.noun()}, with their full text.",
        _collection(kind),
        promised=False,
    )


def _collection(kind: Kind) -> Callable[[RenderContext], Iterable[Output]]:
    def make(context: RenderContext) -> Iterable[Output]:
        posts = _bounded(_post(context, entry) for entry in context.archive.collections[kind.name])
        title = f"{context.site.title}: {context.labelled(kind).noun()}"
        path = collection_path(kind)
        return [_output(context, path, _feed(context, path, f"/{kind.name}/", title, posts), atom)]

    return make


def further_formats(kinds: Sequence[Kind]) -> Iterator[Document[RenderContext]]:
    """The feeds of collections and topics in the formats that are made of their Atom feeds when asked for."""
    names = [kind.name for kind in kinds]
    collection = Parameter("collection", "A collection.", f"(?:{'|'.join(names)})", names[0])
    for format_ in FORMATS:
        yield _further(f"collection_{format_.name}", COLLECTION, format_, collection, lambda _: names)
        yield _further(f"topic_{format_.name}", TOPIC, format_, SLUG, lambda context: map(_slug, _hubs(context)))


def _slug(hub: Entry) -> str:
    return hub.head.slug


def _further(
    name: str, stored: str, format_: FeedFormat, parameter: Parameter, values: Callable[[RenderContext], Iterable[str]]
) -> Document[RenderContext]:
    def addresses(context: RenderContext) -> Iterator[Mapping[str, str]]:
        return ({parameter.name: value} for value in values(context))

    return Document[RenderContext](
        name,
        format_.path(stored),
        format_.media,
        Section.DISCOVERY,
        f"The feed of a {'topic hub' if stored == TOPIC else 'collection'} as {format_.label}.",
        nothing_stored,
        format_.shape,
        parameters=(parameter,),
        promised=False,
        addresses=addresses,
    )


ALL = (
    Document[RenderContext](
        "rss", "/rss.xml", FEED_XML, Section.DISCOVERY, "RSS of recent field notes.", _of_notes("/rss.xml", rss)
    ),
    Document[RenderContext](
        "json_feed",
        "/feed.json",
        FEED_JSON,
        Section.DISCOVERY,
        "JSON Feed 1.1 of recent field notes.",
        _of_notes("/feed.json", json_feed),
        SHAPE,
        resource=0.6,
    ),
    Document[RenderContext](
        "changes_feed",
        "/changes.xml",
        FEED_XML,
        Section.DISCOVERY,
        "Atom feed of significant changes.",
        _changes,
        resource=0.6,
    ),
    Document[RenderContext](
        "topic_feed",
        TOPIC,
        FEED_XML,
        Section.DISCOVERY,
        "A bounded Atom feed of one topic hub.",
        _topics,
        parameters=(SLUG,),
    ),
)
