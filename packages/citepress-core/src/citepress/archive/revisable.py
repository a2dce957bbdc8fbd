"""When one record may be revised by itself, and when all records have to be looked at again."""

from datetime import datetime

from citepress.archive.assembled import Assembled, of_type
from citepress.archive.dates import reads_other_dates
from citepress.archive.resolve import Resolved
from citepress.archive.site_links import site_links
from citepress.archive.translations import has_translations
from citepress.base.ids import path_of, twin
from citepress.content import schedule
from citepress.content.source_record import SourceRecord
from citepress.contract.refs import TOPICS

SUPERSEDES = "supersedes"


def may_be_revised(
    assembled: Assembled, former: SourceRecord | None, draft: SourceRecord | None, moment: datetime
) -> bool:
    """Whether the names of all other records lead where they led before, and nothing of the record waits.

    ``former`` and ``draft`` are the record as it was read before and as it is written now.
    """
    if former and (has_translations(former) or not _is_published(assembled, former)):
        return False
    if draft and draft.head.translation_key:
        return False
    if draft and not _appears(draft, moment):
        return False
    if former and draft:
        return _has_the_same_names(former, draft) and (
            former.head.date == draft.head.date or not _is_ruled_by_others(assembled, former.id)
        )
    return _is_new(assembled, draft) if draft else bool(former and _is_unnamed(assembled, former))


def _is_published(assembled: Assembled, former: SourceRecord) -> bool:
    """Whether a record was published as it was written, from this file."""
    published = assembled.records.get(former.id)
    return published is not None and published.draft is former and not former.head.expiry_date


def _appears(draft: SourceRecord, moment: datetime) -> bool:
    """Whether a record is shown as it is written, from now on."""
    return (
        not (draft.head.expiry_date or draft.head.draft)
        and draft.head.newest <= moment
        and schedule.begins(draft) <= moment
        and not schedule.waiting(draft, moment)
    )


def _has_the_same_names(former: SourceRecord, draft: SourceRecord) -> bool:
    before, now = former.head, draft.head
    return (
        (former.id, before.aliases, before.publish_date) == (draft.id, now.aliases, now.publish_date)
        and former.file == draft.file
        and (former.kind.name != TOPICS or before.title == now.title)
    )


def _is_ruled_by_others(assembled: Assembled, id_: str) -> bool:
    """Whether a rule of another record may read the date of this one."""
    return any(reads_other_dates(assembled.records[other].draft.kind) for other in assembled.inbound().get(id_, ()))


def _is_new(assembled: Assembled, draft: SourceRecord) -> bool:
    """Whether nothing has had the names of a record before; a reference to it would have been a fault."""
    names, path = assembled.addresses.names, path_of(draft.id)
    paths = {path, path.rstrip("/"), *(twin(path, suffix) for suffix in (".md", ".json"))}
    return (
        draft.id not in assembled.records
        and draft.id not in names.hidden
        and draft.kind.name != TOPICS
        and not draft.head.aliases
        and names.redirects.keys().isdisjoint(paths)
        and not any(static.startswith(path.rstrip("/")) for static in names.static)
    )


def _is_unnamed(assembled: Assembled, former: SourceRecord) -> bool:
    """Whether nothing names a record that goes: no other record, and nothing beside the records at all."""
    folder = assembled.folder
    beside = (folder.datasets, folder.registered, folder.pages, folder.redirects, folder.tombstones)
    settings = (folder.site.home.lead, *site_links(folder.site))
    return (
        not assembled.inbound().get(former.id)
        and former.kind.name != TOPICS
        and not former.head.aliases
        and not any(beside)
        and not any(settings)
    )


def stands_alone(former: Resolved | None, now: Resolved | None) -> bool:
    """Whether no rule between records reads what changed, and no other address of a source did."""
    versions = [version for version in (former, now) if version]
    return (
        not any(reads_other_dates(version.draft.kind) for version in versions)
        and _related_dates(former) == _related_dates(now)
        and (former.own.aliases if former else ()) == (now.own.aliases if now else ())
        and of_type(former.edges if former else (), SUPERSEDES) == of_type(now.edges if now else (), SUPERSEDES)
    )


def _related_dates(record: Resolved | None) -> list[object]:
    """What rules of other kinds read of the record; nothing where one of these members is empty."""
    read = [getattr(record.draft.front, name) for name in record.draft.kind.related_dates] if record else []
    return read if all(read) else []
