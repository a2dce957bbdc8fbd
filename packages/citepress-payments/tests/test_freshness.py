"""The day that dates a record's evidence is one that at least half of its sources reach."""

from datetime import UTC, datetime

from citepress_payments.products.coverage.freshness import evidence_at

PUBLISHED = "2020-05-01"


def test_one_new_source_among_many_makes_no_record_fresh() -> None:
    days = ("2026-11-22", "2020-05-01", "2020-05-01", "2020-05-01", PUBLISHED)

    assert evidence_at(days, datetime(2026, 11, 22, tzinfo=UTC)) == datetime(2020, 5, 1, tzinfo=UTC)
    assert evidence_at(("2026-11-22", "2020-05-01", PUBLISHED), datetime(2026, 11, 22, tzinfo=UTC)) == datetime(
        2020, 5, 1, tzinfo=UTC
    )
    assert evidence_at(
        ("2026-11-22", "2026-11-21", "2020-05-01", PUBLISHED), datetime(2026, 11, 22, tzinfo=UTC)
    ) == datetime(2026, 11, 21, tzinfo=UTC)
