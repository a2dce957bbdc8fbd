"""The state folder of every version: names and formats of what was published before stay as they were first written."""

import hashlib
import json
import shutil
import struct
import zlib
from datetime import UTC, datetime
from pathlib import Path
from zlib import crc32

import orjson

from citepress.admin.backup import back_up, restore
from citepress.admin.build import Builder
from citepress.app.registry import render_context
from citepress.contract.fault import FROZEN, VANISHED
from citepress.edition.edition import open_edition
from citepress.history.state_files import KEPT_FOLDERS
from citepress.settings import Settings
from citepress.stores.sql.migrate import open_store
from support.folder import folder, markdown, post

MOMENT = datetime(2026, 11, 27, tzinfo=UTC)
SAID = (
    b'{"body_markdown":"The former text.","published_at":"2026-05-01T00:00:00Z","title":"A note",'
    b'"updated_at":"2026-05-01T00:00:00Z"}'
)
REVISION = {
    "id": "posts/x",
    "number": 7,
    "moment": 1_764_000_000,
    "title": "A note",
    "notes": [],
    "credits": [],
    "changes": [],
    "digest": hashlib.sha256(SAID).hexdigest(),
    "former": "",
}
DATASET = {
    "datasets/d/README.md": markdown({"title": "Weights", "summary": "Of otters.", "date": "2026-05-01"}),
    "datasets/d/schema.json": json.dumps({"type": "object", "properties": {"kg": {"type": "number"}}}),
    "datasets/d/v1.csv": "kg\n7.5\n",
}


def entries(*written: bytes) -> bytes:
    """A log as it lies on the disk."""
    return b"".join(struct.pack("<II", len(entry), crc32(entry)) + entry for entry in written)


def former_state(state: Path) -> Path:
    """A state folder as the version before this package wrote it."""
    pack = entries(json.dumps(REVISION).encode() + b"\n" + zlib.compress(SAID))
    names = entries(b'["posts/x"]', b'["posts/lost"]', b'["d",1,"00"]')
    files = {
        "revisions.log": pack,
        "revisions.size": b"%d" % len(pack),
        "published.log": names,
        "published.size": b"%d" % len(names),
        "numbers.json": b'{"git":false,"above":3,"highest":9}',
    }
    (state / "revisions").mkdir(parents=True)
    for name, data in files.items():
        (state / "revisions" / name).write_bytes(data)
    return state


def test_a_state_folder_of_a_former_version_goes_on(tmp_path: Path) -> None:
    settings = Settings(
        folder(tmp_path / "archive", {"content/posts/x.md": post("New.")}), former_state(tmp_path / "s")
    )
    edition = open_edition(Builder(settings).build(MOMENT).pointer).render_with(render_context)

    assert [row.number for row in edition.revisions("/posts/x/")] == [7, 8]
    served = edition.find("/posts/x/@7.json")
    assert served
    assert orjson.loads(bytes(served.leaf.body))["written"]["body_markdown"] == "The former text."
    assert json.loads((settings.state / "revisions/numbers.json").read_bytes()) == {
        "git": False,
        "above": 3,
        "highest": 9,
    }


def test_what_a_former_version_published_is_compared_with_the_content(tmp_path: Path) -> None:
    root = folder(tmp_path / "archive", {"content/posts/y.md": post("New."), **DATASET})
    _, faults = Builder(Settings(root, former_state(tmp_path / "s"))).check(MOMENT)

    assert {fault.place.file for fault in faults if fault.code is VANISHED} == {"content/posts/x.md"}
    assert [fault.place.file for fault in faults if fault.code is FROZEN] == ["datasets/d/v1.csv"]


def test_a_build_keeps_its_history_where_it_always_was_and_a_backup_has_all_of_it(tmp_path: Path) -> None:
    settings = Settings(folder(tmp_path / "archive", {"content/posts/x.md": post("New."), **DATASET}), tmp_path / "s")
    Builder(settings).build(MOMENT)
    open_store(settings.state).close()
    paths = (path.relative_to(settings.state).as_posix() for path in settings.state.rglob("*") if path.is_file())
    written = {path for path in paths if path.startswith(KEPT_FOLDERS) and not path.endswith("process.lock")}

    assert written == {
        "log/editions.jsonl",
        "revisions/numbers.json",
        "revisions/published.log",
        "revisions/published.size",
        "revisions/revisions.log",
        "revisions/revisions.size",
    }
    assert (settings.state / "editions.head").is_file()
    assert (settings.state / "editions.log").is_file(), "the journal lies beside its edition"
    assert set(back_up(settings, tmp_path / "backup").files) == written

    restored = Settings(settings.root, tmp_path / "restored")
    restore(restored, tmp_path / "backup")
    folder(settings.root, {"content/posts/x.md": post("Newer.")})
    shutil.copy(settings.state / "edition.key", restored.state)  # keys are in no backup
    edition = open_edition(Builder(restored).build(MOMENT).pointer)
    assert [row.number for row in edition.revisions("/posts/x/")] == [1, 2]
