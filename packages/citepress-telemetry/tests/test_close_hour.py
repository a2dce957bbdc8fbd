"""Closing an hour: sessions, depth, steps, bursts, and what is left out of them."""

from collections.abc import Iterable

import pytest

from citepress_telemetry.model import VERIFY, CarryOver, TrafficKey
from citepress_telemetry.ports import GET, HEAD_FLAG, NAVIGATION, FamilyRow, SpoolRow
from citepress_telemetry.rollup.close_hour import ClosedHour, ClosingContext, close_hour, late_rows

HOUR = 500_016
"""Midnight of a day."""
BOT, USER, CURL, BROWSER, LOST = 1, 2, 3, 4, 9
ROBOTS, POST, FEED = 1, 2, 3
MINUTE = 60_000
KNOWN = ClosingContext(
    {
        BOT: FamilyRow(BOT, "Bot", "Maker", "training", "crawler", "direct", "", True),
        USER: FamilyRow(USER, "Bot-User", "Maker", "user_action", "ai_user_agent", "direct", "", True),
        CURL: FamilyRow(CURL, "curl", "", "library", "machine_route", "direct", "", True),
        BROWSER: FamilyRow(BROWSER, "(browser-like)", "", "unknown", "", "direct", "", False),
    },
    ROBOTS,
    FamilyRow(LOST, "(unresolved)", "", "unknown", "", "direct", "", False),
)


def row(
    minute: float, family: int = BOT, net: int | None = 7, hour: int = HOUR, id_: int = 1, **facts: int
) -> SpoolRow:
    """A request so many minutes into an hour."""
    usual = {
        "verify": 3,
        "route": POST,
        "material": 0,
        "rep": 0,
        "status": 200,
        "bytes": 10,
        "flags": GET,
        "probe": 0,
        "miss": 0,
        "source": 0,
    }
    return SpoolRow(id_, hour * 60 * MINUTE + int(minute * MINUTE), net, family, **(usual | facts))


NOTHING_OPEN = CarryOver()


def closed(
    rows: Iterable[SpoolRow],
    before: CarryOver = NOTHING_OPEN,
    hour: int = HOUR,
    bursts: frozenset[tuple[int, int]] = frozenset(),
) -> ClosedHour:
    return close_hour(hour, sorted(rows, key=lambda hour: (hour.ts, hour.id)), bursts, KNOWN, before)


def test_a_gap_of_thirty_minutes_goes_on_and_one_millisecond_more_begins_anew() -> None:
    last = HOUR + 23
    goes_on = closed([row(0, hour=last), row(30, hour=last)], hour=last)
    begins = closed([row(0, hour=last), row(30 + 1 / MINUTE, hour=last)], hour=last)
    assert (goes_on.rows.families[BOT].sessions, begins.rows.families[BOT].sessions) == (1, 2)


def test_a_session_counts_in_the_hour_in_which_its_timeout_runs_out() -> None:
    first = closed([row(10), row(35)])
    assert BOT not in first.rows.paths
    assert (first.rows.families[BOT].sessions, len(first.after.sessions)) == (0, 1)
    second = closed([], first.after, HOUR + 1)
    assert (second.rows.families[BOT].sessions, second.rows.families[BOT].depth_sum, second.after.sessions) == (
        1,
        2,
        (),
    )


def test_the_timeout_that_runs_out_with_the_hour_still_waits_for_the_request_at_its_end() -> None:
    first = closed([row(30)])
    second = closed([row(0, hour=HOUR + 1)], first.after, HOUR + 1)
    assert second.rows.families[BOT].sessions == 1
    assert second.rows.families[BOT].depth_max == 2


def test_midnight_cuts_what_is_open_and_says_so() -> None:
    last = HOUR + 23
    done = closed(
        [row(5, hour=last), row(45, hour=last), row(45, USER, hour=last), row(20, CURL, hour=last)], hour=last
    )
    assert {family: (sums.sessions, sums.cut) for family, sums in done.rows.families.items()} == {
        BOT: (2, 1),
        USER: (1, 1),
        CURL: (1, 0),
    }
    assert done.after == CarryOver()


def test_sessions_are_of_a_family_and_a_network_and_bursts_of_the_family_alone() -> None:
    last = HOUR + 23
    done = closed([row(1, net=1, hour=last), row(2, net=2, hour=last), row(3, net=0, hour=last)], hour=last)
    assert (done.rows.families[BOT].sessions, done.rows.families[BOT].bursts) == (3, 1)


def test_what_is_told_of_a_session_is_its_depth_its_ends_and_its_steps() -> None:
    last = HOUR + 23
    rows = [
        row(0, route=ROBOTS, hour=last),
        row(1, route=POST, material=5, hour=last),
        row(2, route=POST, material=5, hour=last),
        row(3, route=POST, material=6, hour=last),
        row(4, route=0, miss=8, status=404, hour=last),
    ]
    done = closed(rows, hour=last).rows
    assert done.paths[BOT].steps == {ROBOTS << 16 | POST: 1, POST << 16 | POST: 1, POST << 16: 1}
    assert done.paths[BOT].edges == {ROBOTS: 1, 1 << 16: 1}
    assert done.families[BOT].depth_hist == [0, 0, 1, *[0] * 10]


@pytest.mark.parametrize(("depth", "bucket"), [(1, 0), (2, 1), (3, 1), (4, 2), (4095, 11), (4096, 12), (9000, 12)])
def test_depth_is_counted_by_powers_of_two(depth: int, bucket: int) -> None:
    last = HOUR + 23
    done = closed([row(at / 1000, hour=last, id_=at) for at in range(depth)], hour=last)
    assert [at for at, n in enumerate(done.rows.families[BOT].depth_hist) if n] == [bucket]


def test_sessions_that_read_robots_txt_alone_are_told_apart() -> None:
    last = HOUR + 23
    rows = [row(1, net=1, route=ROBOTS, hour=last), row(1, net=2, route=ROBOTS, hour=last), row(2, net=2, hour=last)]
    assert closed(rows, hour=last).rows.families[BOT].robots_only == 1


def test_a_session_and_its_step_go_on_over_the_hour_and_a_restart() -> None:
    first = closed([row(59, route=0, miss=3, status=404)])
    second = closed(
        [row(0, route=0, miss=4, status=404, hour=HOUR + 1), row(1, route=0, miss=4, status=404, hour=HOUR + 1)],
        first.after,
        HOUR + 1,
    )
    assert second.rows.paths[BOT].steps == {0: 1}


def test_contradicted_requests_are_counted_apart_and_nowhere_else() -> None:
    done = closed([row(1, verify=VERIFY.index("contradicted"), material=5)])
    assert (
        done.rows.families[BOT].n,
        set(done.rows.families[BOT].materials),
        done.rows.reads,
        done.after.sessions,
    ) == (0, set(), {}, ())
    assert done.rows.families[BOT].verify == [0, 0, 0, 0, 1]
    assert [(key.cls, key.purpose, traffic.n) for key, traffic in done.rows.traffic.items()] == [
        ("machine_route", "unknown", 1)
    ]


def test_people_and_unnamed_clients_have_no_sessions() -> None:
    assert closed([row(1, BROWSER, flags=GET | NAVIGATION)]).after.sessions == ()


def test_requests_without_a_network_count_but_begin_no_session() -> None:
    done = closed([row(1, net=None, material=5)])
    assert (done.rows.families[BOT].n, set(done.rows.families[BOT].materials), done.after.sessions) == (1, {5}, ())


def test_readership_is_what_crawlers_and_agents_got() -> None:
    shown = [row(1, material=5), row(2, USER, material=5, status=304), row(3, CURL, material=5)]
    not_shown = [
        row(4, material=6, status=404),
        row(5, material=6, flags=HEAD_FLAG),
        row(6, BROWSER, material=6, flags=GET | NAVIGATION),
    ]
    done = closed([*shown, *not_shown]).rows
    assert {(key.material, key.family): (read.n, read.n304) for key, read in done.reads.items()} == {
        (5, BOT): (1, 0),
        (5, USER): (1, 1),
    }
    assert {family: set(sums.materials) for family, sums in done.families.items()} == {
        BOT: {5},
        USER: {5},
        CURL: {5},
        BROWSER: {6},
    }


def test_a_burst_makes_scanners_of_unnamed_clients_and_libraries_only() -> None:
    missing = {"route": 0, "miss": 3, "status": 404}
    slot = row(1).ts // 600_000
    done = closed([row(1, family, **missing) for family in (BOT, CURL, BROWSER)], bursts=frozenset({(7, slot)})).rows
    assert sorted(key.cls for key in done.traffic) == ["crawler", "scanner_noise", "scanner_noise"]
    done = closed([row(11, CURL, **missing)], bursts=frozenset({(7, slot)})).rows
    assert {key.cls for key in done.traffic} == {"machine_route"}


def test_a_probe_counts_where_it_is_scanning_and_a_referral_where_a_page_was_viewed() -> None:
    probes = [
        row(1, CURL, route=0, miss=1, probe=2, status=404),
        row(2, route=0, miss=1, probe=2, status=404, verify=1),
    ]
    views = [row(3, BROWSER, flags=GET | NAVIGATION, source=4), row(4, BROWSER, flags=GET, source=4)]
    done = closed([*probes, *views]).rows
    assert (done.probes, done.referrals) == ({"wordpress": 1}, {4: 1})


def test_a_family_whose_name_is_lost_is_counted_as_unresolved() -> None:
    done = closed([row(1, family=77)]).rows
    assert done.families[LOST].n == 1
    assert set(done.traffic) == {TrafficKey("machine_route", "unknown", 0, 0, 3)}


def test_odd_statuses_have_a_place_of_their_own() -> None:
    done = closed([row(1, status=status) for status in (206, 304, 101, 999, 0)]).rows
    assert (done.families[BOT].status, done.families[BOT].ok) == ([1, 1, 0, 0, 3], 2)


def test_the_cursor_holds_the_highest_row_whatever_the_order_of_times() -> None:
    done = closed([row(2, id_=3), row(1, id_=9), row(3, id_=4)])
    assert (done.count, done.last_row) == (3, 9)


def test_the_same_rows_give_the_same_rollups() -> None:
    rows = [row(at / 7, net=at % 3, material=at % 5, id_=at) for at in range(200)]
    before = closed(rows[:100]).after
    assert closed(rows[100:], before) == closed(rows[100:], before)


def test_late_rows_count_but_walk_nowhere() -> None:
    done = late_rows(HOUR, [row(1, material=5), row(2, net=None, material=6)], frozenset(), KNOWN)
    assert (done.rows.families[BOT].n, set(done.rows.families[BOT].materials), done.rows.paths) == (2, {5, 6}, {})
    assert done.rows.families[BOT].sessions == 0


def test_an_import_counts_what_is_open_in_its_last_hour() -> None:
    done = close_hour(HOUR + 3, [row(50, hour=HOUR + 3)], frozenset(), KNOWN, CarryOver(), ends=True)
    assert (done.rows.families[BOT].sessions, done.after) == (1, CarryOver())
