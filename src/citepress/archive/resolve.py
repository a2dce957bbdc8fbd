"""Every reference of a draft led to its record: the edges, what is published in its place, and the faults."""

from dataclasses import dataclass

from citepress.archive.links import Addresses, Internal, internal
from citepress.archive.local_facts import LocalFacts
from citepress.archive.model import Edge
from citepress.archive.model_patch import DROPPED, may_be_dropped
from citepress.archive.record_index import RecordIndex
from citepress.content.source_record import HasSource, SourceRecord, in_body
from citepress.content.validation_messages import dotted
from citepress.contract.fault import BROKEN_LINK, DANGLING, DEAD_LINK, HIDDEN, IMAGE, Fault
from citepress.contract.refs import Location, Marked, Ref

TOLD = 100
"""Faults on the links of one text."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A draft with its references resolved."""

    draft: SourceRecord
    own: LocalFacts
    edges: tuple[Edge, ...]
    changes: dict[Location, object]
    faults: tuple[Fault, ...]


def path_of(id_: str) -> str:
    """The canonical path of a record."""
    return f"/{id_}/"


def resolve(draft: SourceRecord, own: LocalFacts, addresses: Addresses) -> Resolved:
    """References and links of a draft, against all names of the archive; worked out again only when either changes."""
    kept = draft.memo.get("resolved")
    if kept is None or kept[0] is not own or not addresses.unchanged_since(kept[1]):
        found = _resolved(draft, own, addresses)
        kept = draft.memo["resolved"] = (own, addresses.names, (found.edges, found.changes, found.faults))
    return Resolved(draft, own, *kept[2])


def _resolved(draft: SourceRecord, own: LocalFacts, addresses: Addresses) -> Resolved:
    changes = dict(own.renamed)
    faults: list[Fault] = []
    edges: dict[tuple[str, str], Edge] = {}
    for ref in own.refs:
        target = _target(draft, ref, addresses.known, faults, changes)
        if target:
            mark = ref.mark
            edge = mark.edge if isinstance(mark, Ref) else ""
            edges.setdefault((target, edge), Edge(draft.id, target, edge))
    for target in _linked(draft, addresses, faults):
        edges.setdefault((target, "links-to"), Edge(draft.id, target, "links-to"))
    return Resolved(draft, own, tuple(edges.values()), changes, tuple(faults))


def _target(draft: SourceRecord, ref: Marked, known: RecordIndex, faults: list[Fault], changes: dict[Location, object]) -> str:
    """The id that a reference names, noting how it is published; nothing when it is left out or at fault."""
    mark = ref.mark
    if not isinstance(mark, Ref):
        return ""
    id_ = known.id_of(ref.value, mark.kind)
    if mark.kind and not id_.startswith(f"{mark.kind}/"):
        faults.append(_dangling(draft, ref, f"{ref.value[:80]!r} is not among the {mark.kind}", ""))
    elif id_ == draft.id:
        faults.append(_dangling(draft, ref, "names the record itself", "leave it out"))
    elif id_ in known.published:
        name = id_.partition("/")[2] if mark.edge == "about-topic" else id_
        if name != ref.value:
            changes[ref.location] = name
        return id_
    elif id_ in known.hidden and may_be_dropped(draft.front, ref.location):
        changes[ref.location] = DROPPED
        message = f"{dotted(ref.location)}: {id_!r} is {known.hidden[id_]}; the reference is left out"
        faults.append(Fault.at(HIDDEN, draft.locate(ref.location), message))
    elif id_ in known.hidden:
        faults.append(_dangling(draft, ref, f"{id_!r} is {known.hidden[id_]}, and the reference cannot be left out", ""))
    else:
        faults.append(_dangling(draft, ref, f"there is no record {id_[:120]!r}", known.hint(id_)))
    return ""


def _dangling(draft: SourceRecord, ref: Marked, message: str, hint: str) -> Fault:
    return Fault.at(DANGLING, draft.locate(ref.location), f"{dotted(ref.location)}: {message}", hint)


def _linked(draft: SourceRecord, addresses: Addresses, faults: list[Fault]) -> list[str]:
    """Ids of the records that the text links to, in its order; links that lead nowhere are told."""
    found: list[str] = []
    for path, offset, image in _internal(draft, addresses.known.base_url):
        sort, value = addresses.target(path)
        if sort == "record" and value != draft.id:
            found.append(value)
        if (sort == "record" and not image) or len(faults) > TOLD:
            continue
        if sort == "hidden":
            message = f"the link leads to {value!r}, which is {addresses.known.hidden[value]}"
            faults.append(Fault.at(HIDDEN, in_body(draft, offset), message))
        elif sort == "broken" and addresses.names.plain:
            faults.append(_dead(draft, path, offset, value))
        elif sort == "broken":
            faults.append(Fault.at(BROKEN_LINK, in_body(draft, offset), f"{path[:200]!r} leads to no page of the archive", value))
        elif image and addresses.no_image(path):
            faults.append(no_image(draft, path, offset))
    return found


def _dead(draft: SourceRecord, path: str, offset: int, hint: str) -> Fault:
    """The warning of a link of a plain note, in its author's own words, which may have named a file."""
    written: dict[str, str] = draft.memo.get("written", {})
    return Fault.at(
        DEAD_LINK, in_body(draft, offset), f"{written.get(path, path)[:200]!r} leads to no note and no file of this folder", hint
    )


def no_image(written: HasSource, path: str, offset: int) -> Fault:
    """The warning of an image whose address is a page's."""
    return Fault.at(IMAGE, in_body(written, offset), f"{path[:200]!r} is no image", "name a file of static/")


def images_of(draft: SourceRecord, base_url: str) -> tuple[str, ...]:
    """Paths of this site's own images in the text, in order."""
    return tuple(one.path for one in _internal(draft, base_url) if one.image)


def _internal(draft: SourceRecord, base_url: str) -> tuple[Internal, ...]:
    kept = draft.memo.get("links")
    if kept is None or kept[0] != base_url:
        kept = draft.memo["links"] = (base_url, internal(draft, path_of(draft.id), base_url))
    links: tuple[Internal, ...] = kept[1]
    return links
