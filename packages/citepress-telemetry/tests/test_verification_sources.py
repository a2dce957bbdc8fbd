"""What a check of identity stands on is named where it was fetched, and nowhere else."""

from datetime import UTC, date, datetime

from citepress_telemetry.identify.user_agents.table import Family, FamilyRule
from citepress_telemetry.identify.verification_sources import basis
from citepress_telemetry.identify.verify.ranges import Fetched

DAY = datetime(2026, 11, 20, tzinfo=UTC)
LISTED = Family(
    "Listed", ranges=("one", "two"), rdns=(".bot.example",), signature="https://bot.example/keys", listed=True
)
ROWS = tuple(
    FamilyRule(family, (), "https://bot.example/", date(2026, 11, 1), "")
    for family in (LISTED, Family("Plain", listed=True))
)
FETCHED = {"one": Fetched("one", "https://bot.example/one.json", DAY, "sha-256:00", ("192.0.2.0/24",))}


def test_a_fetched_list_is_named_with_its_date_and_others_are_not() -> None:
    (row,) = basis(ROWS, FETCHED)["Listed"]
    assert (row.method, row.source_url, row.fetched_at) == ("ip_range", "https://bot.example/one.json", DAY)


def test_a_family_that_nothing_can_check_has_no_basis() -> None:
    assert "Plain" not in basis(ROWS, FETCHED)
    assert basis(ROWS, {}) == {}


def test_checks_that_are_switched_off_are_not_named() -> None:
    methods = [row.method for row in basis(ROWS, FETCHED, reverse_dns=True, signatures=True)["Listed"]]
    assert methods == ["signed", "ip_range", "fcrdns"]
