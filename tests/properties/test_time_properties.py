"""What holds whatever dates an archive is given: nothing that is published comes after the moment of the build."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from citepress.app.registry import table
from citepress.contract.fault import Level
from citepress.edition.compiler import render_units, shared_inputs
from citepress.edition.passthrough import passthrough_leaves
from citepress.edition.private_index import CHANGE_ROLL, PUBLISHED_ROLL, Lookup
from citepress.edition.site_edition import site_config
from citepress.operations.records import FOREVER
from support.folder import checked, folder, forecast, pattern, post, signal
from support.operation_context import CATALOGUE, desk, edition

MOMENT = datetime(2026, 11, 21, 12, tzinfo=UTC)
ATOM = "{http://www.w3.org/2005/Atom}"
EVER = (0, FOREVER)


@st.composite
def dates(draw: st.DrawFn, most: int = 40) -> str:
    """A day, or a time with its zone, around the moment."""
    moment = MOMENT + timedelta(
        days=draw(st.integers(-most, most)), minutes=draw(st.sampled_from((-721, -1, 0, 1, 719)))
    )
    return draw(st.sampled_from((moment.date().isoformat(), moment.isoformat())))


NOTES = st.lists(st.fixed_dictionaries({"date": dates(), "note": st.sampled_from(("A.", "B."))}), max_size=4)
COMMON = {"date": st.just("2026-10-01") | dates()}
"""Often before all others, for a change before the publication is an error."""
FURTHER = {"lastmod": dates(), "updates": NOTES, "corrections": NOTES, "publishDate": dates()}


@st.composite
def archives(draw: st.DrawFn) -> dict[str, str]:
    """Files of a few records whose dates lie around the moment."""
    files = {"content/posts/old.md": post(date="2026-01-01")}
    for number in range(draw(st.integers(1, 4))):
        members: dict[str, Any] = draw(st.fixed_dictionaries(COMMON, optional=FURTHER))
        kind = draw(st.sampled_from(("posts", "patterns", "signals", "forecasts")))
        if kind == "patterns":
            members |= draw(st.fixed_dictionaries({}, optional={"revisions": NOTES, "first_observed_at": dates()}))
        if draw(st.booleans()) and "publishDate" not in members:
            members["expiryDate"] = draw(dates())
        if kind == "forecasts":
            members |= draw(st.sampled_from(({}, {"status": "resolved_yes", "resolved_at": "2026-11-20"})))
        text = {"posts": post, "patterns": pattern, "signals": signal, "forecasts": forecast}[kind](**members)
        files[f"content/{kind}/x{number}.md"] = text
    return files


@settings(max_examples=25, deadline=None)
@given(archives())
def test_nothing_that_is_published_comes_after_the_moment(files: dict[str, str]) -> None:
    with TemporaryDirectory() as place:
        archive, faults = checked(folder(Path(place) / "content", files), moment=MOMENT)
        if archive is None:
            assert any(fault.code.id in ("CP024", "CP051") for fault in faults if fault.code.level is Level.ERROR)
            return
        assert archive.as_of <= MOMENT
        assert site_config(archive, table()).as_of <= MOMENT
        records = [entry.record for entry in archive.entries.values()]
        assert all(record.published_at <= record.updated_at <= archive.as_of for record in records)
        assert all(change.moment <= archive.as_of for change in archive.changes)
        names = [(change.record, change.id) for change in archive.changes]
        assert len(names) == len(set(names))
        at = desk(archive)
        leaves = [
            leaf
            for work in (*render_units(at, CATALOGUE, shared_inputs(at, b"")), *passthrough_leaves(at))
            for leaf in work.render()
        ]
        feed = etree.fromstring(next(leaf.body for leaf in leaves if leaf.path == "/changes.xml"))
        assert all(
            datetime.fromisoformat(str(element.text)) <= MOMENT
            for element in feed.iter(f"{ATOM}updated", f"{ATOM}published")
        )
        if archive.next_moment:
            assert archive.next_moment > MOMENT


@settings(max_examples=6, deadline=None)
@given(archives())
def test_all_surfaces_tell_of_the_same_changes(files: dict[str, str]) -> None:
    with TemporaryDirectory() as place:
        archive, _ = checked(folder(Path(place) / "content", files), moment=MOMENT)
        if archive is None:
            return
        lookup = Lookup(edition(archive, Path(place) / "state"))
        total, rows = lookup.part(CHANGE_ROLL, EVER, (), "", 0, 1000)
        new, _ = lookup.part(PUBLISHED_ROLL, EVER, (), "", 0, 1000)
        dated = [change for change in archive.changes if change.change != "published"]
        assert (total, new) == (len(dated), len(archive.entries))
        assert [row[6] for row in rows] == [change.id for change in dated]
        for entry in archive.entries.values():
            record: Any = entry.record
            own = {change.id for change in (*record.updates, *record.corrections, *getattr(record, "revisions", ()))}
            assert own == {change.id for change in dated if change.record == record.id and change.change != "resolved"}
            assert (record.updated_at > record.published_at) <= bool(lookup.history(record.id)), (
                "what was changed is among the changes"
            )


@given(archives(), st.integers(0, 45))
@settings(max_examples=12, deadline=None)
def test_what_waits_appears_at_its_moment(files: dict[str, str], days: int) -> None:
    """An archive read at a later moment shows what one that stepped from turn to turn shows."""
    with TemporaryDirectory() as place:
        where = folder(Path(place) / "content", files)
        archive, _ = checked(where, moment=MOMENT)
        goal = MOMENT + timedelta(days=days)
        while archive and archive.next_moment and archive.next_moment <= goal:
            archive, _ = checked(where, moment=archive.next_moment)
        last, _ = checked(where, moment=goal)
        if archive and last:
            assert {id_: entry.digest for id_, entry in archive.entries.items()} == {
                id_: entry.digest for id_, entry in last.entries.items()
            }
            assert archive.as_of == last.as_of
