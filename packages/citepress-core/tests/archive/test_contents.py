"""Records that are held packed, in memory or in a file."""

import os
import pickle
import signal
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from citepress.archive.assemble import assembled, check
from citepress.archive.contents import MAX_LONG_OPEN_RECORDS, MIN_LONG_BYTES, FiledContents, PackedContents
from citepress.archive.local_facts import LocalFacts, PackedFacts
from citepress.archive.model import Archive
from citepress.archive.source_ledger import SourceLedger, filed_ledger
from citepress.base.filed_values import FiledMapping
from citepress.base.packed_values import FiledFrame, FrameFile
from citepress.content.folder import read
from citepress.contract.fault import Fault
from citepress.kinds import ALL as KINDS
from citepress.kinds import REGISTRIES
from citepress.kinds.neighbours import neighbours
from support.alone import alone

LISTS = ("collections", "topics")
"""Members of an archive that hold entries in lists."""
MOMENT = datetime(2027, 1, 1, tzinfo=UTC)
EXAMPLE = Path(__file__).parents[4] / "examples/agent-archive"


def example() -> tuple[Archive, tuple[Fault, ...]]:
    archive, faults = check(read(EXAMPLE, KINDS, REGISTRIES, moment=MOMENT), KINDS, REGISTRIES)
    assert archive is not None
    return archive, faults


def test_records_that_lie_in_a_file_are_the_same(tmp_path: Path) -> None:
    archive, faults = example()
    folder = read(EXAMPLE, KINDS, REGISTRIES, moment=MOMENT)
    filed, warnings = assembled(folder, KINDS, REGISTRIES, frames=FrameFile(tmp_path))
    assert filed is not None
    now = filed.archive
    lists = {name: {key: tuple(members) for key, members in getattr(now, name).items()} for name in LISTS}
    assert (replace(now, entries=dict(now.entries), **lists), warnings) == (archive, faults)
    assert isinstance(now.entries, FiledMapping)
    for entry, again in zip(archive.entries.values(), now.entries.values(), strict=True):
        assert isinstance(again.contents, FiledContents)
        assert again.contents.opened() is now.entries[entry.head.id].contents.opened()
        assert again.contents.opened() == entry.contents.opened()
        assert (again.head, again.head.published_at.tzinfo) == (entry.head, entry.head.published_at.tzinfo)
        assert neighbours(again, now) == neighbours(entry, archive)
    assert not list(tmp_path.iterdir()), "the file has no name"


def test_sources_of_an_archive_in_a_file_are_opened_where_one_is_asked_for(tmp_path: Path) -> None:
    archive, _ = example()
    folder = read(EXAMPLE, KINDS, REGISTRIES, moment=MOMENT)
    filed, _ = assembled(folder, KINDS, REGISTRIES, frames=FrameFile(tmp_path))
    assert filed is not None
    ledger = filed.archive.ledger
    assert isinstance(ledger, FiledMapping)
    assert list(ledger.items()) == list(archive.ledger.items())
    url = next(iter(ledger))
    assert ledger[url] == archive.ledger[url]
    assert ledger.get("https://nowhere.example/") is None


@pytest.mark.parametrize("is_killed", [False, True])
def test_the_ledger_is_made_in_a_process_of_its_own_or_here_where_it_ends(tmp_path: Path, *, is_killed: bool) -> None:
    archive, _ = example()

    def check() -> None:
        here = os.getpid()

        def build() -> SourceLedger:
            assert is_killed or os.getpid() != here
            if is_killed and os.getpid() != here:
                os.kill(os.getpid(), signal.SIGKILL)
            return SourceLedger(archive.ledger, archive.aliases, archive.origins)

        frames = FrameFile(tmp_path)
        before = frames.add(b"what lies there already")
        sources = filed_ledger(frames, build)
        after = frames.add(b"what follows")
        assert isinstance(sources.ledger, FiledMapping)
        assert (dict(sources.ledger), sources.origins) == (dict(archive.ledger), archive.origins)
        assert [*sources.ledger] == [*archive.ledger]
        assert (before.read(), after.read()) == (b"what lies there already", b"what follows")

    alone(check)


def test_packed_facts_of_a_record_read_like_the_facts(tmp_path: Path) -> None:
    held, _ = assembled(read(EXAMPLE, KINDS, REGISTRIES, moment=MOMENT), KINDS, REGISTRIES)
    assert held is not None
    for record in held.records.values():
        packed = pickle.loads(pickle.dumps(PackedFacts(record.own)))  # noqa: S301  (as a process sends them)
        packed.move(FrameFile(tmp_path))
        assert isinstance(packed.frame, FiledFrame)
        for name in set(LocalFacts.__slots__) - {"shared"}:
            assert getattr(packed, name) == getattr(record.own, name), name


def test_few_long_records_are_held_opened() -> None:
    archive, _ = example()
    contents = next(iter(archive.entries.values())).contents.opened()
    text = "word " * MIN_LONG_BYTES
    long = PackedContents(contents._replace(record=contents.record.model_copy(update={"body_markdown": text})))
    assert long.opened() is long.opened()
    others = [PackedContents(long.opened()) for _ in range(MAX_LONG_OPEN_RECORDS)]
    opened = long.opened()
    assert [other.opened() for other in others] == [opened] * len(others)
    assert long.opened() is not opened


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
