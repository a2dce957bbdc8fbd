"""Every reference of a draft led to its record: the edges, what is published in its place, and the faults."""

import posixpath
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from urllib.parse import unquote

from citepress.archive.links import Addresses, AnchorLink, Internal, anchor_links, hidden_paths, internal
from citepress.archive.local_facts import PACKED_FACTS, LocalFacts, PackedFacts, local_facts
from citepress.archive.mentions import MentionRules
from citepress.archive.model import Edge
from citepress.archive.model_patch import DROPPED, may_be_dropped
from citepress.archive.origins import Origins
from citepress.archive.record_index import RecordIndex
from citepress.base.ids import path_of
from citepress.base.memo import memoized
from citepress.base.slugs import slugify
from citepress.base.text import did_you_mean
from citepress.content.files import printable_path
from citepress.content.headings import headings
from citepress.content.passages import LinkPassage, passages
from citepress.content.source_record import HasSource, SourceRecord, in_body
from citepress.content.sources_file import SharedSources
from citepress.content.validation_messages import dotted
from citepress.content.value_hints import sources_hint
from citepress.contract.fault import BROKEN_LINK, DANGLING, DEAD_LINK, HIDDEN, IMAGE, ORPHAN, Fault, Span, set_aside
from citepress.contract.page import SOURCE_ANCHOR
from citepress.contract.refs import ChartMark, Location, Marked, Ref
from citepress.contract.site import Site

ABOUT, RELATED = "about-topic", "related"
MAX_LINK_FAULTS = 100
"""Faults on the links of one text."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A draft with its references resolved."""

    draft: SourceRecord
    own: LocalFacts
    edges: tuple[Edge, ...]
    changes: dict[Location, object]
    faults: tuple[Fault, ...]
    hidden: frozenset[str] = frozenset()
    """Paths in its text that lead to records that are not shown."""


def derived_ahead(
    shared: SharedSources, site: Site, also: Callable[[SourceRecord], object], *, packed: bool = False
) -> Callable[[object], None]:
    """Notes with a record what follows from it and these alone, so that ``resolve`` finds it there; and ``also``."""
    origins, rules, base_url = Origins(shared), MentionRules.of(site), site.url("")

    def derive(content: object) -> None:
        if isinstance(content, SourceRecord):
            local_facts(content, shared, origins, rules)
            _passages(content, base_url)
            _anchors(content, base_url)
            also(content)
            if packed:
                content.memo[PACKED_FACTS] = PackedFacts(content.memo.pop("own")[1])

    return derive


def orphan(draft: SourceRecord) -> Fault:
    """The warning about a record without links."""
    message = "no record links here, and this links to none"
    return Fault.at(ORPHAN, Span(printable_path(draft.file), 1, 1), message, "name a topic or a related record")


def resolve(draft: SourceRecord, own: LocalFacts, addresses: Addresses) -> Resolved:
    """References and links of a record against all names of the archive; computed again only when either changes."""
    # Not ``memoized``: names are compared by what they hold, which is worth doing once for all records.
    earlier = draft.memo.get("resolved")
    if earlier is None or earlier[0] is not own or not addresses.unchanged_since(earlier[1]):
        resolved = _resolved(draft, own, addresses)
        earlier = (own, addresses.names, (resolved.edges, resolved.changes, resolved.faults, resolved.hidden))
        draft.memo["resolved"] = earlier
    return Resolved(draft, own, *earlier[2])


def _resolved(draft: SourceRecord, own: LocalFacts, addresses: Addresses) -> Resolved:
    own = own.opened()
    changes = dict(own.renamed)
    faults: list[Fault] = []
    edges: dict[tuple[str, str], Edge] = {}
    for ref in own.refs:
        broken = list[Fault]()
        if isinstance(ref.mark, ChartMark):
            faults += _no_chart(draft, ref, addresses.names.charts)
            continue
        target = _target(draft, ref, addresses.index, broken, changes)
        if broken and addresses.names.plain and may_be_dropped(draft.front, ref.location):
            changes[ref.location] = DROPPED
            broken = [set_aside(fault, "it") if fault.code is DANGLING else fault for fault in broken]
        faults += broken
        if target:
            mark = ref.mark
            edge = mark.edge if isinstance(mark, Ref) else ""
            edges.setdefault((target, edge), Edge(draft.id, target, edge))
    base_url = addresses.names.base_url
    for target, offset in _linked(draft, addresses, faults):
        if (target, "links-to") not in edges:
            edges[target, "links-to"] = Edge(draft.id, target, "links-to", _passages(draft, base_url).get(offset))
    if not addresses.names.plain:
        faults += islice(_lost_sources(draft, own, base_url), MAX_LINK_FAULTS)
    hidden = hidden_paths(_internal(draft, base_url), addresses)
    return Resolved(draft, own, tuple(edges.values()), changes, tuple(faults), hidden)


def _lost_sources(draft: SourceRecord, own: LocalFacts, base_url: str) -> Iterator[Fault]:
    """A fault for each reference of the text to a source that the record does not have."""
    links = [
        link
        for link in _anchors(draft, base_url)
        if link.anchor.startswith(SOURCE_ANCHOR) and link.path == path_of(draft.id)
    ]
    if not links:
        return
    ids = [source.id for source in own.sources]
    # A heading may be called "Source code".
    named = {*(SOURCE_ANCHOR + id_ for id_ in ids), *(heading.anchor for heading in headings(draft.body))}
    for link in links:
        if link.anchor not in named:
            id_ = link.anchor.removeprefix(SOURCE_ANCHOR)
            hint = sources_hint(ids)
            message = f"#{link.anchor[:90]}: {id_[:80]!r} is not a source of this record"
            yield Fault.at(DANGLING, in_body(draft, link.offset), message, hint)


def _target(
    draft: SourceRecord, ref: Marked, index: RecordIndex, faults: list[Fault], changes: dict[Location, object]
) -> str:
    """The id that a reference names, noting how it is published; nothing when it is left out or at fault."""
    mark = ref.mark
    if not isinstance(mark, Ref):
        return ""
    id_ = index.id_of(ref.value, mark.kind)
    if mark.kind and not id_.startswith(f"{mark.kind}/"):
        faults.append(_dangling(draft, ref, f"{ref.value[:80]!r} is not among the {mark.kind}", ""))
    elif id_ == draft.id:
        faults.append(_dangling(draft, ref, "names the record itself", "leave it out"))
    elif id_ in index.published:
        name = id_.partition("/")[2] if mark.edge == "about-topic" else id_
        if name != ref.value:
            changes[ref.location] = name
        return id_
    elif id_ in index.hidden and may_be_dropped(draft.front, ref.location):
        changes[ref.location] = DROPPED
        message = f"{dotted(ref.location)}: {id_!r} is {index.hidden[id_]}; the reference is left out"
        faults.append(Fault.at(HIDDEN, draft.locate(ref.location), message))
    elif id_ in index.hidden:
        faults.append(
            _dangling(draft, ref, f"{id_!r} is {index.hidden[id_]}, and the reference cannot be left out", "")
        )
    elif id_ not in index.faulty:
        faults.append(_dangling(draft, ref, f"there is no record {id_[:120]!r}", index.hint(id_)))
    return ""


def _no_chart(draft: SourceRecord, ref: Marked, charts: Collection[str]) -> Iterator[Fault]:
    """The fault of a chart that no dataset declares."""
    name = ref.value.removeprefix("datasets/")
    if name not in charts:
        hint = did_you_mean(name, charts) or f"there are {', '.join(sorted(charts)) or 'none'}"[:200]
        yield _dangling(draft, ref, f"there is no chart {ref.value!r}", hint)


def _dangling(draft: SourceRecord, ref: Marked, message: str, hint: str) -> Fault:
    return Fault.at(DANGLING, draft.locate(ref.location), f"{dotted(ref.location)}: {message}", hint)


def _passages(draft: SourceRecord, base_url: str) -> dict[int, LinkPassage]:
    links = _internal(draft, base_url)
    return memoized(draft.memo, "passages", links, lambda: passages(draft.body, {link.offset for link in links}))


def _linked(draft: SourceRecord, addresses: Addresses, faults: list[Fault]) -> list[tuple[str, int]]:
    """Each record that the text links to by its id, and where in the text, in its order.

    A link that leads nowhere is a fault.
    """
    targets: list[tuple[str, int]] = []
    for path, offset, image in _internal(draft, addresses.index.base_url):
        sort, value = addresses.target(path)
        if sort == "record" and value != draft.id:
            targets.append((value, offset))
        if (sort == "record" and not image) or len(faults) > MAX_LINK_FAULTS:
            continue
        if sort == "hidden":
            message = f"the link leads to {value!r}, which is {addresses.index.hidden[value]}"
            faults.append(Fault.at(HIDDEN, in_body(draft, offset), message))
        elif sort == "broken" and addresses.names.plain:
            faults.append(_dead(draft, path, offset, value, addresses.index))
        elif sort == "broken":
            hint = _file_hint(draft, path, addresses.index) or value
            message = f"{path[:200]!r} leads to no page of the archive"
            faults.append(Fault.at(BROKEN_LINK, in_body(draft, offset), message, hint))
        elif image and addresses.no_image(path):
            faults.append(no_image(draft, path, offset))
    return targets


def _file_hint(draft: SourceRecord, path: str, index: RecordIndex) -> str:
    """The page of the record whose file a link names, as seen from the file it is in; empty where it names none."""
    relative = posixpath.relpath(path, path_of(draft.id))
    files = posixpath.normpath(posixpath.join(draft.kind.name, relative)), path.removeprefix("/content/")
    for file in files:
        if (id_ := file.removesuffix(".md")) in index.published or id_ in index.faulty:
            return f"write {path_of('/'.join(map(slugify, id_.split('/'))))}"
    alike = [id_ for id_ in index.named_like_file(posixpath.basename(path)) if id_ != draft.id]
    if len(alike) == 1:
        return f'did you mean "{path_of(alike[0])}"?'
    return index.hint(files[0].removesuffix(".md"), linked=True) if path.endswith(".md") else ""


def _dead(draft: SourceRecord, path: str, offset: int, hint: str, index: RecordIndex) -> Fault:
    """The warning of a link of a plain note, in its author's own words, which may have named a file.

    A file of the same name elsewhere is meant rather than a name that is alike, and the note itself never.
    """
    written = draft.rewritten.original_address(path, offset) if draft.rewritten else path
    name = posixpath.basename(unquote(written.partition("#")[0]))
    elsewhere = [id_ for id_ in index.named_like_file(name) if id_ != draft.id]
    if elsewhere:
        hint = f'did you mean "{path_of(elsewhere[0])}"?'
    elif f'"{path_of(draft.id)}"' in hint:
        hint = ""
    return Fault.at(
        DEAD_LINK, in_body(draft, offset), f"{written[:200]!r} leads to no note and no file of this folder", hint
    )


def no_image(written: HasSource, path: str, offset: int) -> Fault:
    """The warning of an image whose address is a page's."""
    return Fault.at(IMAGE, in_body(written, offset), f"{path[:200]!r} is not an image", "name a file of static/")


def images_of(draft: SourceRecord, base_url: str) -> tuple[str, ...]:
    """Paths of this site's own images in the text, in order."""
    return tuple(link.path for link in _internal(draft, base_url) if link.image)


def _anchors(draft: SourceRecord, base_url: str) -> tuple[AnchorLink, ...]:
    find = partial(anchor_links, draft, path_of(draft.id), base_url)
    return memoized(draft.memo, "anchors", base_url, lambda: tuple(find()))


def _internal(draft: SourceRecord, base_url: str) -> tuple[Internal, ...]:
    return memoized(draft.memo, "links", base_url, lambda: internal(draft, path_of(draft.id), base_url))
