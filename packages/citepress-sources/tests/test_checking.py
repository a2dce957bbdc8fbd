"""Checks of sources: what is kept, what is compared, and what a killed run leaves behind."""

import io
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker as WarcChecker

from citepress.base.quotation import quote_digest
from citepress.contract.observation import Observation, QuoteObservation
from citepress_objects.files import FileObjects
from citepress_sources.checking import Captures, SourceChecker, Wish, observations
from citepress_sources.fetching import Fetcher
from citepress_sources.journal import JOURNAL_FILE, Journal, SourceCheck
from support.origin import NETWORK, STORY, WORDS, Reply, ScriptedOrigin, page, scripted_origin

MOMENT = datetime(2026, 11, 21, tzinfo=UTC)


@pytest.fixture
def site() -> Iterator[ScriptedOrigin]:
    with scripted_origin() as running:
        running.pages["/page"] = Reply(page())
        yield running


@pytest.fixture
def captures(tmp_path: Path) -> Iterator[Captures]:
    copies = opened(tmp_path)
    yield copies
    copies.close()


def opened(folder: Path) -> Captures:
    return Captures(FileObjects(folder, str(folder)), Journal(folder))


def check(
    captures: Captures, site: ScriptedOrigin, path: str = "/page", *, day: int = 0, anew: bool = False
) -> Observation:
    checker = SourceChecker(
        captures, Fetcher(networks=(ip_network(NETWORK),)), lambda: MOMENT + timedelta(days=day), f"run {day}"
    )
    url = site.url + path
    (_,) = checker.check_all([Wish(url, url, anew)])
    (observation,) = observations(captures, {url: ()})
    return observation


def test_a_first_check_keeps_a_copy(captures: Captures, site: ScriptedOrigin, tmp_path: Path) -> None:
    observation = check(captures, site)
    assert (observation.status, observation.checked_at, observation.captured_at, observation.changed_share) == (
        "unchanged",
        MOMENT,
        MOMENT,
        0.0,
    )
    assert (observation.title, observation.dated, observation.language) == ("On tables", "2026-01-05", "en")
    (file,) = (tmp_path / "captures").iterdir()
    records = [
        (record.rec_type, record.rec_headers.get_header("WARC-Target-URI"), record.content_stream().read())
        for record in ArchiveIterator(io.BytesIO(file.read_bytes()))
    ]
    assert [(sort, url) for sort, url, _ in records] == [
        ("warcinfo", None),
        ("response", f"{site.url}/page"),
        ("request", f"{site.url}/page"),
        ("resource", f"urn:text:{site.url}/page"),
    ]
    assert records[1][2] == page()
    assert STORY[0] in records[3][2].decode()


def test_a_foreign_reader_finds_no_fault_in_a_copy(captures: Captures, site: ScriptedOrigin, tmp_path: Path) -> None:
    site.pages["/odd"] = Reply(b"\x00\xff" * 1000, fields={"Content-Type": "image/png", "X-Odd": "caf\xe9"})
    check(captures, site)
    check(captures, site, "/odd")
    files = [str(file) for file in (tmp_path / "captures").iterdir()]
    assert len(files) == 2
    judged = WarcChecker(type("Options", (), {"inputs": files, "verbose": True, "decompress": False}))
    judged.process_all()
    assert judged.exit_value == 0


def test_fields_of_a_host_cannot_be_lines_of_a_copy(captures: Captures, site: ScriptedOrigin) -> None:
    folded = {"Content-Type": "text/html", "X-A": "one\r\n WARC/1.1\r\n \r\n\tX-B: two"}
    site.pages["/page"] = Reply(page(), fields=folded)
    check(captures, site)
    reference = captures.journal.checks[f"{site.url}/page"].reference
    assert reference
    assert captures.read(reference).body == page()


def test_the_verdicts_follow_the_source_through_its_life(captures: Captures, site: ScriptedOrigin) -> None:
    """Edited, blocked, edited back, moved, taken away: each state is what was found, and the copy stays."""
    check(captures, site)
    site.pages["/page"] = Reply(page(footer="another footer"))
    assert (check(captures, site, day=1).status, len(stored(captures))) == ("unchanged", 1)
    site.pages["/page"] = Reply(page(*STORY[:3]))
    edited = check(captures, site, day=2)
    assert (edited.status, edited.captured_at) == ("changed", MOMENT + timedelta(days=2))
    assert 0.1 < (edited.changed_share or 0) < 0.2
    assert (check(captures, site, day=3).status, len(stored(captures))) == ("changed", 2), "kept once"
    site.pages["/page"] = Reply(b"who are you?", 403)
    blocked = check(captures, site, day=4)
    assert (blocked.status, blocked.reason, blocked.digest) == ("blocked", "answers 403", edited.digest)
    site.pages["/page"] = Reply(page())
    assert (check(captures, site, day=5).status, len(stored(captures))) == ("unchanged", 2)
    site.pages |= {"/new": Reply(page()), "/page": Reply(status=301, fields={"Location": "/new"})}
    moved = check(captures, site, day=6)
    assert (moved.status, moved.moved_to) == ("unchanged", f"{site.url}/new")
    site.pages["/page"] = Reply(status=410)
    gone = check(captures, site, day=7)
    assert (gone.status, gone.captured_at, gone.checked_at) == ("gone", MOMENT, MOMENT + timedelta(days=7))


def stored(captures: Captures) -> list[str]:
    return [listed.name for listed in captures.objects.listing("captures")]


def test_a_copy_that_is_made_anew_is_the_one_to_compare_with(captures: Captures, site: ScriptedOrigin) -> None:
    check(captures, site)
    site.pages["/page"] = Reply(page(*STORY[:3]))
    assert check(captures, site, day=1).status == "changed"
    assert check(captures, site, day=2, anew=True).status == "unchanged"
    assert check(captures, site, day=3).status == "unchanged"


def test_bytes_without_a_text_are_compared_as_bytes(captures: Captures, site: ScriptedOrigin) -> None:
    site.pages["/page"] = Reply(b"\x89PNG 1", fields={"Content-Type": "image/png"})
    assert check(captures, site).changed_share is None
    assert check(captures, site, day=1).status == "unchanged"
    site.pages["/page"] = Reply(b"\x89PNG 2", fields={"Content-Type": "image/png"})
    changed = check(captures, site, day=2)
    assert (changed.status, changed.changed_share) == ("changed", None)


def test_a_copy_that_the_store_has_lost_is_made_again(captures: Captures, site: ScriptedOrigin) -> None:
    check(captures, site)
    for name in stored(captures):
        captures.objects.delete(name)
    site.pages["/page"] = Reply(page(*STORY[:3]))
    assert check(captures, site, day=1).status == "unchanged"
    assert len(stored(captures)) == 1


def test_a_journal_outlives_a_kill_at_any_byte(captures: Captures, site: ScriptedOrigin, tmp_path: Path) -> None:
    check(captures, site)
    first = captures.journal.checks[f"{site.url}/page"]
    before = (tmp_path / JOURNAL_FILE).read_bytes()
    check(captures, site, day=1)
    whole = (tmp_path / JOURNAL_FILE).read_bytes()
    for cut in range(len(before), len(whole), 7):
        (tmp_path / JOURNAL_FILE).write_bytes(whole[:cut])
        journal = Journal(tmp_path)
        assert journal.checks[first.url] == first
        journal.add(first.model_copy(update={"at": MOMENT + timedelta(days=9)}))
        assert Journal(tmp_path).checks[first.url].at == MOMENT + timedelta(days=9)


def test_a_run_that_was_broken_off_is_known_as_such_until_it_ends(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.begin("one")
    assert Journal(tmp_path).unfinished == "one"
    journal.end("one")
    assert Journal(tmp_path).unfinished == ""


def test_a_journal_stays_as_large_as_the_number_of_its_sources(tmp_path: Path) -> None:
    for number in range(200):
        journal = Journal(tmp_path)
        journal.begin(f"{number}")
        journal.add(SourceCheck(url="https://a.example/x", at=MOMENT + timedelta(days=number), status="gone"))
        journal.end(f"{number}")
    assert len((tmp_path / JOURNAL_FILE).read_bytes().splitlines()) < 150
    assert Journal(tmp_path).checks["https://a.example/x"].at == MOMENT + timedelta(days=199)


def test_two_hundred_sources_each_have_the_verdict_of_their_script(captures: Captures, site: ScriptedOrigin) -> None:
    """A fifth each stay, change, refuse, disappear or break; the second check says so of every one."""
    plain = {"Content-Type": "text/plain"}
    first = Reply("\n".join(STORY).encode(), fields=plain)
    replies = {
        "unchanged": Reply(first.body + b"\n5 views", fields=plain),
        "changed": Reply("\n".join(STORY[1:]).encode(), fields=plain),
        "blocked": Reply(b"no", 429),
        "gone": Reply(b"", 404),
        "unreachable": Reply(b"", 502),
    }
    states = {f"/{number}": list(replies)[number % 5] for number in range(200)}
    site.pages |= dict.fromkeys(states, first)
    wishes = [Wish(site.url + path, site.url + path) for path in states]
    fetcher = Fetcher(networks=(ip_network(NETWORK),))
    assert {done.status for done in SourceChecker(captures, fetcher, lambda: MOMENT, "1").check_all(wishes)} == {
        "unchanged"
    }
    site.pages |= {path: replies[state] for path, state in states.items()}
    verdicts = {
        done.url: done.status for done in SourceChecker(captures, fetcher, lambda: MOMENT, "2").check_all(wishes)
    }
    assert verdicts == {site.url + path: state for path, state in states.items()}


def test_a_quote_is_searched_again_only_where_the_answer_differs(captures: Captures, site: ScriptedOrigin) -> None:
    check(captures, site)
    url = f"{site.url}/page"
    (first,) = observations(captures, {url: [WORDS, STORY[0]]})
    assert {verdict.state for verdict in first.quotes.values()} == {"verified"}
    name = quote_digest(WORDS)
    marked = first.model_copy(update={"quotes": {name: QuoteObservation(state="drifted", likeness=90)}})
    (second,) = observations(captures, {url: [WORDS, STORY[0]]}, {url: marked})
    assert [second.quotes[quote_digest(text)].state for text in (WORDS, STORY[0])] == ["drifted", "verified"]
    site.pages["/page"] = Reply(page(*STORY, "A new end of it."))
    check(captures, site, day=1)
    (third,) = observations(captures, {url: [WORDS]}, {url: marked})
    assert third.quotes[name].state == "verified"
