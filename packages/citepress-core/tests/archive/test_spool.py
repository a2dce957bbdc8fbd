"""An archive written to disk and read back, and records that are held packed."""

from datetime import UTC, datetime
from pathlib import Path

from citepress.archive.assemble import check
from citepress.archive.model import Archive, Entry
from citepress.archive.spool import ArchiveSpool
from citepress.content.folder import read
from citepress.contract.fault import Fault
from citepress.kinds import ALL as KINDS
from citepress.kinds import REGISTRIES

EXAMPLE = Path(__file__).parents[4] / "examples/agent-archive"


def example() -> tuple[Archive, tuple[Fault, ...]]:
    archive, faults = check(
        read(EXAMPLE, KINDS, REGISTRIES, moment=datetime(2027, 1, 1, tzinfo=UTC)), KINDS, REGISTRIES
    )
    assert archive is not None
    return archive, faults


def whole(entry: Entry) -> tuple[object, ...]:
    return entry, *entry.contents.opened()


def test_an_archive_that_is_read_back_is_the_same(tmp_path: Path) -> None:
    archive, faults = example()
    again, warnings = ArchiveSpool(archive, faults, tmp_path).read()
    assert again == archive
    assert list(again.entries) == list(archive.entries)
    assert list(map(whole, again.entries.values())) == list(map(whole, archive.entries.values()))
    assert warnings == faults
    assert not list(tmp_path.iterdir())


def test_lists_of_an_archive_that_is_read_back_hold_its_entries(tmp_path: Path) -> None:
    again, _ = ArchiveSpool(*example(), tmp_path).read()
    listed = [entry for lists in (again.collections, again.topics) for entries in lists.values() for entry in entries]
    assert listed
    assert all(again.entries[entry.head.id] is entry for entry in listed)


def test_what_is_no_part_of_a_record_stays_where_it_is(tmp_path: Path) -> None:
    archive, faults = example()
    again, _ = ArchiveSpool(archive, faults, tmp_path).read()
    kinds = {id_: entry.kind for id_, entry in archive.entries.items()}
    assert all(entry.kind is kinds[id_] for id_, entry in again.entries.items())


def test_a_record_that_is_asked_for_twice_is_opened_once() -> None:
    archive, _ = example()
    entry = next(iter(archive.entries.values()))
    assert entry.record is entry.record


def test_the_head_of_a_record_says_what_the_record_says() -> None:
    archive, _ = example()
    for entry in archive.entries.values():
        head, record = entry.head, entry.record
        assert (head.id, head.slug, head.title, head.summary) == (record.id, record.slug, record.title, record.summary)
        assert (head.published_at, head.updated_at) == (record.published_at, record.updated_at)
        assert (head.language, head.canonical_url) == (record.language, record.canonical_url)
        assert ([*head.topics], [*head.tags]) == (record.topics, record.tags)
        assert [*head.cited] == [source.origin for source in record.sources]
        assert [*head.mentioned] == [mention.origin for mention in record.mentions]
