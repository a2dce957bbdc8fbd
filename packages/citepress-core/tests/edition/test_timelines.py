"""The names of few dots of a timeline stand beside them, and never over one another."""

from datetime import UTC, datetime, timedelta

import pytest

from citepress.edition.forms.timeline import CHARACTER, Mark, timeline

START = datetime(2026, 1, 1, tzinfo=UTC)


def extent(name: Mark) -> tuple[float, float]:
    at, wide = float(name.at.rstrip("%")), len(name.label) * CHARACTER
    return (at, at + wide) if name.anchor == "start" else (at - wide, at)


@pytest.mark.parametrize("days", [(0, 5, 300), (0, 290, 300), (0, 150, 300), (0, 20, 280, 300), (0, 1, 2, 300)])
def test_names_touch_neither_each_other_nor_their_lines(days: tuple[int, ...]) -> None:
    entries = [(START + timedelta(day), f"Change {day}") for day in days]
    line = timeline(entries)
    assert line
    assert len(line.names) == len(days)
    for name in line.names:
        begin, end = extent(name)
        assert (begin >= 0, end <= 100) == (True, True)
        for other in line.names:
            near, far = extent(other)
            assert name is other or name.line != other.line or end < near or far < begin
            assert other.line <= name.line or not begin < float(other.at.rstrip("%")) < end
    assert line.foot - 15 * max(name.line for name in line.names) >= 12  # the highest is inside of the picture


def test_a_name_without_room_is_left_out_instead_of_printed_over_another() -> None:
    days = {0: "2.1.59", 148: "2.1.219", 168: "2.1.232", 177: "2.1.240"}
    line = timeline([(START + timedelta(day), name) for day, name in days.items()])
    assert line
    assert {name.label for name in line.names} > {"2.1.59", "2.1.219"}
    for name in line.names:
        begin, end = extent(name)
        for other in line.names:
            near, far = extent(other)
            assert name is other or name.line != other.line or end < near or far < begin


def test_what_speaks_against_is_drawn_below_the_axis_on_the_same_scale() -> None:
    line = timeline([(START, "First"), (START + timedelta(10), "Last")], [START + timedelta(20), START + timedelta(20)])
    assert line
    assert line.label.endswith("to 21 January 2026; below it 2 that speak against it")
    assert [dot.at for dot in line.dots] == ["3.00%", "50.00%"]
    assert [(dot.at, dot.layer) for dot in line.against] == [("97.00%", 0), ("97.00%", 1)]
    assert line.below > 0
    bare = timeline([(START, "First"), (START + timedelta(10), "Last")])
    assert bare
    assert bare.below == 0


def test_sentences_are_no_names_of_dots() -> None:
    line = timeline([(START, "Opened"), (START + timedelta(9), "A sentence about what happened on this day.")])
    assert line
    assert line.names == ()
