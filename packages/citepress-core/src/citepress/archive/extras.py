"""The parts of an archive that are not records: datasets, the owner, registries, pages."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from pydantic import BaseModel

from citepress.archive.links import Addresses, hidden_paths, internal, published_text
from citepress.archive.local_facts import normal
from citepress.archive.model import Column, Dataset, DatasetVersion, Owner, StaticPage
from citepress.archive.model_patch import DROPPED, apply_patch, may_be_dropped
from citepress.archive.record_index import RecordIndex
from citepress.archive.resolve import MAX_LINK_FAULTS, no_image
from citepress.archive.source_ledger import SourceTitles
from citepress.base.ids import path_of
from citepress.base.urls import UrlError, opened
from citepress.content.datasets import DatasetFile
from citepress.content.folder import Folder
from citepress.content.hidden_text import without_comments
from citepress.content.owner_file import standing_in
from citepress.content.pages import Registered
from citepress.content.source_record import HasSource, in_body
from citepress.content.sources_file import url_fault, url_hint
from citepress.content.validation_messages import dotted
from citepress.contract.fault import BAD_URL, BROKEN_LINK, DANGLING, DEAD_LINK, DUPLICATE_ID, HIDDEN, Fault
from citepress.contract.kind import Registry
from citepress.contract.record import SourceInput
from citepress.contract.refs import TOPICS, Location, Ref, marked


def owner(folder: Folder) -> Owner:
    """The publisher named in ``owner.md``, or the publication itself."""
    given = folder.owner or standing_in(folder.site)
    apart = {"name", "type", "headline", "description"}
    data = given.model_dump(mode="json", exclude_none=True, exclude=apart)
    return Owner(given.name, given.type, given.headline, given.description, data, without_comments(folder.owner_text))


def datasets(folder: Folder, index: RecordIndex, faults: list[Fault]) -> tuple[Dataset, ...]:
    """Every dataset, by name; its sources under the titles that it gives them itself, empty where it gives none."""
    creator = (folder.owner or standing_in(folder.site)).name
    return tuple(_dataset(dataset, folder, index, faults, creator) for dataset in folder.datasets)


def _dataset(dataset: DatasetFile, folder: Folder, index: RecordIndex, faults: list[Fault], creator: str) -> Dataset:
    front = dataset.front
    return Dataset(
        name=dataset.name,
        title=front.title,
        summary=front.summary,
        license=front.license or folder.site.license,
        creator=front.creator or creator,
        published=front.date,
        updated=front.lastmod or front.date,
        keywords=tuple(front.keywords),
        topics=tuple(_topics(dataset, index, faults)),
        readme=without_comments(dataset.readme),
        sources=tuple(_sources(dataset, folder, faults)),
        versions=tuple(
            DatasetVersion(
                version=version,
                columns=tuple(
                    Column(column.name, column.type, column.description, column.format) for column in table.columns
                ),
                rows=table.rows,
                schema=dataset.schema,
                csv=table.csv,
                primary_key=dataset.key,
            )
            for version, table in dataset.tables
        ),
        authors=tuple(front.authors or (() if front.creator else folder.site.authors)),
        doi=front.doi or "",
        charts=tuple(front.charts),
    )


def with_source_titles(dataset: Dataset, titles: SourceTitles) -> Dataset:
    """The dataset with its sources under the titles that the whole archive shows."""
    return replace(dataset, sources=tuple((titles.of(normal), url, normal) for _, url, normal in dataset.sources))


def _topics(dataset: DatasetFile, index: RecordIndex, faults: list[Fault]) -> list[str]:
    slugs = []
    for place, topic in enumerate(dataset.front.topics):
        at: Location = ("topics", place)
        id_ = index.id_of(topic, TOPICS)
        if id_ in index.published:
            slugs.append(id_.partition("/")[2])
        elif id_ in index.hidden:
            message = f"{dotted(at)}: {id_!r} is {index.hidden[id_]}; it is left out"
            faults.append(Fault.at(HIDDEN, dataset.source_file.locate(at), message))
        elif id_ not in index.faulty:
            faults.append(
                Fault.at(
                    DANGLING,
                    dataset.source_file.locate(at),
                    f"{dotted(at)}: there is no topic {topic!r}",
                    index.hint(id_),
                )
            )
    return slugs


def _sources(dataset: DatasetFile, folder: Folder, faults: list[Fault]) -> list[tuple[str, str, str]]:
    sources = []
    for place, item in enumerate(dataset.front.sources):
        at: Location = ("sources", place)
        given = folder.shared.sources.get(item, item) if isinstance(item, str) else item
        address = given.url if isinstance(given, SourceInput) else given
        if "://" not in address:
            message = f"{dotted(at)}: {address[:80]!r} is not a shared source"
            if folder.shared.complete:
                where = dataset.source_file.locate(at)
                faults.append(Fault.at(DANGLING, where, message, folder.shared.near(address)))
            continue
        try:
            url = normal(address)
        except UrlError:
            faults.append(
                Fault.at(
                    BAD_URL, dataset.source_file.locate(at), f"{dotted(at)}: {url_fault(address)}", url_hint(address)
                )
            )
            continue
        sources.append(((given.title if isinstance(given, SourceInput) else None) or "", opened(address), url))
    return sources


def registered(
    entries: Sequence[Registered], registries: Sequence[Registry], index: RecordIndex, faults: list[Fault]
) -> Mapping[str, tuple[BaseModel, ...]]:
    """Entries of each registry, sorted by id; ids are unique."""
    by_name: dict[str, dict[str, BaseModel]] = {registry.name: {} for registry in registries}
    for entry in entries:
        id_ = str(getattr(entry.entry, "id", ""))
        if id_ in by_name[entry.registry]:
            place = entry.source_file.locate((*entry.at, "id"))
            faults.append(Fault.at(DUPLICATE_ID, place, f"id: {id_!r} is the id of another entry of {entry.registry}"))
        else:
            by_name[entry.registry][id_] = _referring(entry, index, faults)
    return {name: tuple(by_id[id_] for id_ in sorted(by_id)) for name, by_id in by_name.items()}


def _referring(registered: Registered, index: RecordIndex, faults: list[Fault]) -> BaseModel:
    """An entry with its references to records led to their ids."""
    changes: dict[Location, object] = {}
    for ref in marked(registered.entry):
        if not isinstance(ref.mark, Ref):
            continue
        id_ = index.id_of(ref.value, ref.mark.kind)
        place = (*registered.at, *ref.location)
        if id_ in index.published:
            changes[ref.location] = id_
        elif id_ in index.hidden and may_be_dropped(registered.entry, ref.location):
            changes[ref.location] = DROPPED
            faults.append(
                Fault.at(
                    HIDDEN,
                    registered.source_file.locate(place),
                    f"{dotted(place)}: {id_!r} is {index.hidden[id_]}; it is left out",
                )
            )
        elif id_ not in index.faulty:
            faults.append(
                Fault.at(
                    DANGLING,
                    registered.source_file.locate(place),
                    f"{dotted(place)}: there is no record {id_[:120]!r}",
                    index.hint(id_),
                )
            )
    entry: BaseModel = apply_patch(registered.entry, changes)
    return entry


def _link_faults(written: HasSource, page: str, addresses: Addresses) -> Iterator[Fault]:
    """A fault for each link of a text that leads nowhere."""
    for path, offset, image in internal(written, page, addresses.index.base_url):
        sort, value = addresses.target(path)
        if sort == "broken":
            code = DEAD_LINK if addresses.names.plain else BROKEN_LINK
            address = written.rewritten.original_address(path, offset) if written.rewritten else path
            yield Fault.at(code, in_body(written, offset), f"{address[:200]!r} leads to no page of the archive", value)
        elif sort == "hidden":
            message = f"the link leads to {value!r}, which is {addresses.index.hidden[value]}"
            yield Fault.at(HIDDEN, in_body(written, offset), message)
        elif image and addresses.no_image(path):
            yield no_image(written, path, offset)


def pages(folder: Folder, addresses: Addresses, faults: list[Fault]) -> Mapping[str, StaticPage]:
    """The archive's own pages by slug, with a fault for each link that leads nowhere, from faulty records too."""
    texts: list[tuple[str, HasSource]] = [(f"/{page.slug}/", page) for page in folder.pages]
    texts += [(path_of(record.id), record) for record in folder.faulty]
    for path, text in texts:
        faults += islice(_link_faults(text, path, addresses), MAX_LINK_FAULTS)
    shown: dict[str, StaticPage] = {}
    for page in folder.pages:
        path, base_url = f"/{page.slug}/", addresses.index.base_url
        body = published_text(page.body, hidden_paths(internal(page, path, base_url), addresses), path, base_url)
        shown[page.slug] = StaticPage(page.slug, page.title, page.summary, body, page.updated)
    return shown
