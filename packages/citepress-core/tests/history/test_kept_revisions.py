"""Revisions of content without a history: kept from the first build on, whatever ends a process in between."""

import resource
import signal
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest

from citepress.admin.build import Builder
from citepress.app.registry import render_context
from citepress.contract.fault import VANISHED
from citepress.edition.edition import Edition, open_edition
from citepress.history.append_log import AppendLog, DamagedLogError
from citepress.history.revision_numbers import HistoryError
from citepress.settings import Settings
from support.folder import SITE, folder, markdown, post

MOMENT, LATER = datetime(2026, 11, 21, tzinfo=UTC), datetime(2026, 11, 22, 8, tzinfo=UTC)
FILE = "content/posts/x.md"


def built(root: Path, state: Path, moment: datetime = MOMENT) -> Edition:
    return open_edition(Builder(Settings(root, state)).build(moment).pointer).render_with(render_context)


def body(edition: Edition, path: str) -> bytes:
    served = edition.find(path)
    assert served, path
    return bytes(served.leaf.body)


def document(edition: Edition, path: str) -> Any:
    return orjson.loads(body(edition, path))


def texts(edition: Edition, page: str = "/posts/x/") -> dict[int, str]:
    return {
        row.number: document(edition, f"{page}@{row.number}.json")["written"]["body_markdown"].strip()
        for row in edition.revisions(page)
    }


@pytest.fixture
def edited(tmp_path: Path) -> tuple[Path, Path]:
    """A folder whose record was published three times, and its state."""
    root, state = tmp_path / "archive", tmp_path / "state"
    for number, moment in ((1, MOMENT), (2, MOMENT), (3, LATER)):
        folder(root, {FILE: post(f"Text {number}.", updates=[{"date": "2026-05-02", "note": "More."}][: number - 1])})
        built(root, state, moment)
    return root, state


def test_each_change_of_what_a_record_says_is_a_revision(edited: tuple[Path, Path]) -> None:
    root, state = edited
    edition = built(root, state)
    assert texts(edition) == {1: "Text 1.", 2: "Text 2.", 3: "Text 3."}
    rows = edition.revisions("/posts/x/")
    assert [(row.moment.isoformat()[:10], row.notes) for row in rows] == [
        ("2026-05-01", []),
        ("2026-11-21", ["More."]),
        ("2026-11-22", []),
    ]
    file = root / FILE
    file.write_text(file.read_text().replace("title: A note", "title:   A note # with a comment"))
    file.write_text(file.read_text().replace("claims: []", "claims: []\nextra:\n  mine: 1"))
    assert list(texts(built(root, state))) == [1, 2, 3], "what readers see is the same"


@pytest.mark.requirement("citation line")
def test_a_clock_that_was_set_back_makes_no_later_revision_the_earlier_one(edited: tuple[Path, Path]) -> None:
    root, state = edited
    folder(root, {FILE: post("Text 4.")})
    assert [row.moment for row in built(root, state, MOMENT).revisions("/posts/x/")][2:] == [LATER, LATER]


def test_citations_name_the_day_of_the_revision_though_its_author_noted_none(edited: tuple[Path, Path]) -> None:
    edition = built(*edited)
    record = document(edition, "/posts/x.json")
    assert (record["updated_at"], record["revised_at"]) == ("2026-05-02T00:00:00Z", "2026-11-22T08:00:00Z")
    for path in ("/posts/x.bib", "/posts/x.ris", "/posts/x.csl.json", "/posts/x.md", "/posts/x/", "/library.bib"):
        said = body(edition, path).decode()
        assert "Revision 3, 2026-11-22" in said, path
        assert "Revision 3, 2026-05-02" not in said, path
    for path, day in (("/posts/x/@1.md", "2026-05-01"), ("/posts/x/@2.md", "2026-11-21")):
        assert f"(Revision {path[-4]}, {day})" in body(edition, path).decode().replace("\\", "")
    assert b"<lastmod>2026-05-02" in body(edition, "/sitemaps/posts-1.xml"), "sitemaps and feeds follow the author"
    assert b"<updated>2026-05-02" in body(edition, "/posts/feed.xml")


def test_a_revision_has_the_words_that_its_claims_quote_and_no_check_of_them(tmp_path: Path) -> None:
    root, state = tmp_path / "archive", tmp_path / "state"
    source = {"id": "a", "url": "https://a.example/page", "title": "A page"}
    claims = [{"text": "It says so.", "source_refs": ["a"], "quote": "Exactly so."}]
    edition = built(folder(root, {FILE: post(sources=[source], claims=claims)}), state)
    for path in ("/posts/x/@1/", "/posts/x/@1.md", "/posts/x/@1.json"):
        said = body(edition, path).decode()
        assert "Exactly so." in said, path
        assert "not checked yet" not in said, path
    assert "not checked yet" in body(edition, "/posts/x.md").decode()


def test_half_an_entry_is_cut_off_wherever_the_process_was_killed(edited: tuple[Path, Path]) -> None:
    root, state = edited
    log = state / "revisions/revisions.log"
    whole = log.read_bytes()
    ends = [at for at, _ in AppendLog(log).more()][1:]
    for cut in range(ends[-1] + 1, len(whole)):
        log.write_bytes(whole[:cut])
        assert [at for at, _ in AppendLog(log).more()] == [0, *ends][:-1]
    (state / "revisions/revisions.size").write_text(str(ends[-1]))
    log.write_bytes(whole[:-3])
    edition = built(root, state)
    assert texts(edition) == {1: "Text 1.", 2: "Text 2.", 3: "Text 3."}
    assert edition.digest == built(root, state).digest
    log.write_bytes(whole + bytes(40))  # a file system may leave zeros behind a crash
    assert texts(built(root, state)) == {1: "Text 1.", 2: "Text 2.", 3: "Text 3."}


@pytest.mark.parametrize("end", [-7, 0, None])
def test_a_log_that_lost_its_end_stops_the_edition_until_it_is_restored(
    edited: tuple[Path, Path], end: int | None
) -> None:
    root, state = edited
    log = state / "revisions/revisions.log"
    whole, builder = log.read_bytes(), Builder(Settings(root, state))
    digest = open_edition(builder.build(LATER).pointer).digest
    rest = None if end is None else whole[:end]
    log.unlink() if rest is None else log.write_bytes(rest)
    folder(root, {FILE: post("Other words.")}, None)
    for again in (builder, Builder(Settings(root, state))):
        for ask in (again.build, again.check):
            with pytest.raises(HistoryError, match=f"of {len(whole):,} that were written: restore it from a backup"):
                ask(LATER)
    assert open_edition(builder.last().pointer).digest == digest, "the former edition stays"
    assert rest is None or log.read_bytes() == rest, "nothing is written behind what is left"
    log.write_bytes(whole)
    builder.build(LATER)
    assert list(texts(built(root, state, LATER)).values()) == ["Text 1.", "Text 2.", "Text 3.", "Other words."]


def test_a_damaged_log_is_named_and_left_as_it_is(edited: tuple[Path, Path]) -> None:
    root, state = edited
    log = state / "revisions/revisions.log"
    damaged = bytearray(log.read_bytes())
    damaged[20] ^= 255
    log.write_bytes(damaged)
    with pytest.raises(
        HistoryError, match=r"revisions.log is damaged at byte 0: .*, or remove it, with revisions.size"
    ):
        built(root, state)
    assert log.read_bytes() == bytes(damaged), "nothing is thrown away"


def test_numbers_go_on_above_those_of_a_log_that_was_given_up(edited: tuple[Path, Path]) -> None:
    root, state = edited
    running = Builder(Settings(root, state))
    running.build(LATER)
    for name in ("revisions.log", "revisions.size"):
        (state / "revisions" / name).unlink()
    with pytest.raises(HistoryError, match="ends at byte 0"):
        running.build(LATER)
    folder(root, {FILE: post("Other words."), "content/posts/y.md": post("New.")}, None)
    running.build(LATER)
    for text in ("Other words.", "More words."):
        folder(root, {FILE: post(text)}, None)
        edition = built(root, state, LATER)
    assert texts(edition) == {4: "Other words.", 5: "More words."}
    assert texts(edition, "/posts/y/") == {4: "New."}


@pytest.mark.parametrize("said", [b"", b"{}", b'{"git":1,"above":0,"highest":3}', b"[1, 2, 3]"])
def test_damaged_numbers_stop_the_edition(edited: tuple[Path, Path], said: bytes) -> None:
    root, state = edited
    (state / "revisions/numbers.json").write_bytes(said)
    with pytest.raises(HistoryError, match=r"numbers.json is damaged: restore it from a backup"):
        built(root, state)


def test_files_that_cannot_be_read_or_written_are_told_in_a_sentence(edited: tuple[Path, Path]) -> None:
    root, state = edited
    size, place = state / "revisions/revisions.size", state / "revisions"
    size.unlink()
    size.mkdir()
    with pytest.raises(HistoryError, match=r"revisions.size: Is a directory$"):
        built(root, state)
    place.rename(state / "aside")
    place.write_text("")
    with pytest.raises(HistoryError, match=r"^revisions of records cannot be read: .*: Not a directory$"):
        built(root, state)


def test_a_file_that_may_not_grow_stops_the_edition(edited: tuple[Path, Path]) -> None:
    root, state = edited
    folder(root, {FILE: post("Text 4.")}, None)
    builder = Builder(Settings(root, state))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, ((state / "revisions/revisions.log").stat().st_size + 9, limits[1]))
        with pytest.raises(HistoryError, match=r"cannot be kept: File too large at .*revisions.log: .*\(ulimit -f\)"):
            builder.build(LATER)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)


@pytest.mark.parametrize("bit", range(32))
def test_a_damaged_length_is_damage_and_not_an_entry_that_was_cut_short(edited: tuple[Path, Path], bit: int) -> None:
    root, state = edited
    log = state / "revisions/revisions.log"
    damaged = bytearray(log.read_bytes())
    damaged[bit // 8] ^= 1 << bit % 8
    log.write_bytes(damaged)
    with pytest.raises(DamagedLogError):
        list(AppendLog(log).more())
    if bit == 30:
        with pytest.raises(HistoryError, match="damaged at byte"):
            built(root, state)
        assert log.read_bytes() == bytes(damaged), "nothing is thrown away"


def test_a_record_that_moves_takes_its_revisions_with_it(edited: tuple[Path, Path]) -> None:
    root, state = edited
    (root / FILE).unlink()
    folder(root, {"content/posts/y.md": post("Text 4.", aliases=["/posts/x/"])}, None)
    edition = built(root, state, LATER)
    assert list(texts(edition, "/posts/y/").values()) == ["Text 1.", "Text 2.", "Text 3.", "Text 4."]
    for below in ("@2/", "@2.md", "@1..3.json", "history/", "history.link"):
        moved = edition.find(f"/posts/x/{below}")
        assert moved
        assert (moved.leaf.status, moved.leaf.location) == (308, f"/posts/y/{below}")


def test_a_record_that_is_renamed_without_an_alias_is_warned_of_until_something_stands_for_it(
    edited: tuple[Path, Path],
) -> None:
    root, state = edited
    text = (root / FILE).read_text()
    (root / FILE).unlink()
    folder(root, {"content/posts/y.md": text}, None)
    assert warnings(root, state) == [
        (
            "content/posts/y.md",
            "/posts/x/ was published and leads nowhere any more, nor do its revisions; posts/y has its text",
            "add `aliases: [/posts/x/]`, or leave a file of its name with `gone: true`",
        )
    ]
    built(root, state, LATER)
    assert [message for _, message, _ in warnings(root, state)] != [], "it says so as long as it is so"
    folder(root, {"content/posts/y.md": text.replace("title:", "aliases: [/posts/x/]\ntitle:")}, None)
    assert warnings(root, state) == []
    (root / "content/posts/y.md").unlink()
    assert [file for file, _, _ in warnings(root, state)] == ["content/posts/x.md", "content/posts/y.md"]
    folder(root, {f"content/posts/{name}.md": markdown({"gone": True, "title": "Gone"}) for name in "xy"}, None)
    assert warnings(root, state) == []


@pytest.mark.parametrize("change", ["draft: true", "publishDate: 2030-01-01", "expiryDate: 2026-06-01"])
def test_a_record_that_is_only_not_shown_has_not_vanished(edited: tuple[Path, Path], change: str) -> None:
    root, state = edited
    (root / FILE).write_text((root / FILE).read_text().replace("title:", f"{change}\ntitle:"))
    assert warnings(root, state) == []


def warnings(root: Path, state: Path) -> list[tuple[str, str, str]]:
    """File, message and hint of each warning about an address that vanished."""
    faults = Builder(Settings(root, state)).check(LATER)[1]
    return [(fault.place.file, fault.message, fault.hint) for fault in faults if fault.code is VANISHED]


def test_the_revisions_of_a_withdrawn_record_are_gone_with_it(edited: tuple[Path, Path]) -> None:
    root, state = edited
    folder(
        root, {FILE: markdown({"title": "A note", "gone": {"reason": "It was wrong."}}), "content/posts/z.md": post()}
    )
    edition = built(root, state, LATER)
    for below in ("@1/", "@2.json", "@1..2/", "history/", "history.link"):
        gone = edition.find(f"/posts/x/{below}")
        assert gone, below
        assert gone.leaf.status == 410
        assert b"It was wrong." in bytes(gone.leaf.body)
    stored = b"".join(layer.path.read_bytes() for layer in edition.layers)
    assert b"Text 2." not in stored


def test_a_build_that_fails_keeps_nothing(edited: tuple[Path, Path]) -> None:
    root, state = edited
    log = (state / "revisions/revisions.log").read_bytes()
    folder(root, {FILE: post("Text 4."), "content/posts/bad.md": "---\ntitle: [\n---\n"}, None)
    builder = Builder(Settings(root, state))
    archive, faults = builder.check(LATER)
    assert archive is None
    assert faults
    (root / "content/posts/bad.md").unlink()
    folder(root, {FILE: post("Text number 5.")}, None)
    builder.build(LATER)
    assert (state / "revisions/revisions.log").read_bytes().startswith(log)
    assert list(texts(built(root, state, LATER)).values()) == ["Text 1.", "Text 2.", "Text 3.", "Text number 5."]


def test_drafts_are_shown_without_revisions_and_leave_none(tmp_path: Path) -> None:
    root = folder(tmp_path / "archive", {FILE: post("Text 1.", draft=True)}, SITE)
    result = Builder(Settings(root, tmp_path / "state", drafts=True)).build(MOMENT)
    edition = open_edition(result.pointer).render_with(render_context)
    assert (edition.revisions("/posts/x/"), document(edition, "/posts/x.json")["revision_url"]) == ([], None)
    assert not (tmp_path / "state/revisions").exists()
