"""What an archive holds beside records: datasets, the owner, registries, pages."""

from collections.abc import Mapping, Sequence

from pydantic import BaseModel

from citepress.archive.links import Addresses, internal
from citepress.archive.local_facts import normal
from citepress.archive.model import Column, Dataset, DatasetVersion, Owner, StaticPage
from citepress.archive.model_patch import DROPPED, may_be_dropped, patched
from citepress.archive.record_index import RecordIndex
from citepress.archive.resolve import no_image
from citepress.base.text import did_you_mean
from citepress.base.urls import UrlError, host_of, opened
from citepress.content.datasets import DatasetFile
from citepress.content.folder import Folder
from citepress.content.owner_file import standing_in
from citepress.content.pages import Registered
from citepress.content.source_record import in_body
from citepress.content.sources_file import url_fault
from citepress.content.validation_messages import dotted
from citepress.contract.fault import BAD_URL, BROKEN_LINK, DANGLING, DEAD_LINK, DUPLICATE_ID, HIDDEN, Fault
from citepress.contract.kind import Registry
from citepress.contract.record import SourceInput
from citepress.contract.refs import Location, Ref, marked


def owner(folder: Folder) -> Owner:
    """Who publishes: as ``owner.md`` says, or the publication itself."""
    given = folder.owner or standing_in(folder.site)
    apart = {"name", "type", "headline", "description"}
    data = given.model_dump(mode="json", exclude_none=True, exclude=apart)
    return Owner(given.name, given.type, given.headline, given.description, data, folder.owner_text)


def datasets(folder: Folder, known: RecordIndex, faults: list[Fault]) -> tuple[Dataset, ...]:
    """Every dataset, by name."""
    creator = (folder.owner or standing_in(folder.site)).name
    return tuple(_dataset(found, folder, known, faults, creator) for found in folder.datasets)


def _dataset(found: DatasetFile, folder: Folder, known: RecordIndex, faults: list[Fault], creator: str) -> Dataset:
    front = found.front
    return Dataset(
        name=found.name,
        title=front.title,
        summary=front.summary,
        license=front.license or folder.site.license,
        creator=front.creator or creator,
        published=front.date,
        updated=front.lastmod or front.date,
        keywords=tuple(front.keywords),
        topics=tuple(_topics(found, known, faults)),
        readme=found.readme,
        sources=tuple(_sources(found, folder, faults)),
        versions=tuple(
            DatasetVersion(
                version=version,
                columns=tuple(Column(one.name, one.type, one.description, one.format) for one in table.columns),
                rows=table.rows,
                schema=found.schema,
                csv=table.csv,
                primary_key=found.key,
            )
            for version, table in found.tables
        ),
    )


def _topics(found: DatasetFile, known: RecordIndex, faults: list[Fault]) -> list[str]:
    slugs = []
    for place, topic in enumerate(found.front.topics):
        at: Location = ("topics", place)
        id_ = known.id_of(topic, "topics")
        if id_ in known.published:
            slugs.append(id_.partition("/")[2])
        elif id_ in known.hidden:
            message = f"{dotted(at)}: {id_!r} is {known.hidden[id_]}; it is left out"
            faults.append(Fault.at(HIDDEN, found.manuscript.locate(at), message))
        else:
            faults.append(Fault.at(DANGLING, found.manuscript.locate(at), f"{dotted(at)}: there is no topic {topic!r}", known.hint(id_)))
    return slugs


def _sources(found: DatasetFile, folder: Folder, faults: list[Fault]) -> list[tuple[str, str, str]]:
    sources = []
    for place, item in enumerate(found.front.sources):
        at: Location = ("sources", place)
        given = folder.shared.sources.get(item, item) if isinstance(item, str) else item
        address = given.url if isinstance(given, SourceInput) else given
        if "://" not in address:
            hint = did_you_mean(address, folder.shared.sources) or "write its URL, or name it in content/sources.yaml"
            faults.append(Fault.at(DANGLING, found.manuscript.locate(at), f"{dotted(at)}: {address[:80]!r} is no shared source", hint))
            continue
        try:
            url = normal(address)
        except UrlError:
            faults.append(Fault.at(BAD_URL, found.manuscript.locate(at), f"{dotted(at)}: {url_fault(address)}", "write https://…"))
            continue
        sources.append(((given.title if isinstance(given, SourceInput) else None) or host_of(url), opened(address), url))
    return sources


def registered(
    found: Sequence[Registered], registries: Sequence[Registry], known: RecordIndex, faults: list[Fault]
) -> Mapping[str, tuple[BaseModel, ...]]:
    """Entries of each registry, sorted by id; an id stands once."""
    by_name: dict[str, dict[str, BaseModel]] = {registry.name: {} for registry in registries}
    for one in found:
        id_ = str(getattr(one.entry, "id", ""))
        if id_ in by_name[one.registry]:
            place = one.manuscript.locate((*one.at, "id"))
            faults.append(Fault.at(DUPLICATE_ID, place, f"id: {id_!r} is the id of another entry of {one.registry}"))
        else:
            by_name[one.registry][id_] = _referring(one, known, faults)
    return {name: tuple(entries[id_] for id_ in sorted(entries)) for name, entries in by_name.items()}


def _referring(one: Registered, known: RecordIndex, faults: list[Fault]) -> BaseModel:
    """An entry with its references to records led to their ids."""
    changes: dict[Location, object] = {}
    for ref in marked(one.entry):
        if not isinstance(ref.mark, Ref):
            continue
        id_ = known.id_of(ref.value, ref.mark.kind)
        place = (*one.at, *ref.location)
        if id_ in known.published:
            changes[ref.location] = id_
        elif id_ in known.hidden and may_be_dropped(one.entry, ref.location):
            changes[ref.location] = DROPPED
            faults.append(
                Fault.at(HIDDEN, one.manuscript.locate(place), f"{dotted(place)}: {id_!r} is {known.hidden[id_]}; it is left out")
            )
        else:
            faults.append(
                Fault.at(DANGLING, one.manuscript.locate(place), f"{dotted(place)}: there is no record {id_[:120]!r}", known.hint(id_))
            )
    entry: BaseModel = patched(one.entry, changes)
    return entry


def pages(folder: Folder, addresses: Addresses, faults: list[Fault]) -> Mapping[str, StaticPage]:
    """The pages of the archive's own, by slug; links in them that lead nowhere are told."""
    for page in folder.pages:
        for path, offset, image in internal(page, f"/{page.slug}/", folder.site.url("")):
            sort, value = addresses.target(path)
            if sort == "broken":
                code = DEAD_LINK if folder.plain else BROKEN_LINK
                faults.append(Fault.at(code, in_body(page, offset), f"{path[:200]!r} leads to no page of the archive", value))
            elif sort == "hidden":
                message = f"the link leads to {value!r}, which is {addresses.known.hidden[value]}"
                faults.append(Fault.at(HIDDEN, in_body(page, offset), message))
            elif image and addresses.no_image(path):
                faults.append(no_image(page, path, offset))
    return {page.slug: StaticPage(page.slug, page.title, page.summary, page.body, page.updated) for page in folder.pages}
