"""A public log of an Apache server with known counts: 10,000 lines in combined format, May 2015."""

from collections import Counter
from pathlib import Path

import pytest

from citepress_telemetry.access_logs.combined import combined
from support.access_log_import import built, counts, hours, run
from support.samples import ACCESS_LOG, HOW

SAMPLE = ACCESS_LOG.path
NOISE = 58
"""Requests of the sample that scan, counted by hand from those that were refused; 5,587 were called noise when being
unmatched was enough."""
STATUSES = {200: 9125, 304: 445, 404: 213, 301: 164, 206: 45, 500: 3, 403: 2, 416: 2}
BYTES = 2_747_282_505

pytestmark = pytest.mark.skipif(not SAMPLE.is_file(), reason=f"the sample log is not here: {HOW}")


def test_the_sample_has_its_known_statuses_and_bytes() -> None:
    lines = [combined(line) for line in SAMPLE.read_bytes().splitlines()]
    read = [line for line in lines if line is not None]
    assert (len(lines), len(lines) - len(read)) == (10_000, 1)
    assert Counter(line.status for line in read) == STATUSES
    assert sum(line.size for line in read) == BYTES


def test_the_sample_is_imported_whole_and_once(tmp_path: Path) -> None:
    place = built(tmp_path)
    tally = run(place, SAMPLE)
    assert (tally.lines, tally.malformed, tally.requests + tally.excluded_assets, len(tally.hours)) == (
        10_000,
        1,
        9999,
        84,
    )
    sums, _ = counts(place)
    by_class: Counter[int] = Counter()
    for key, n in sums.items():
        if key[0] == "traffic" and key[-1] == "n":
            by_class[key[4]] += n
    missing = tally.excluded_assets
    assert (by_class[0] + by_class[1] + missing, by_class[2], by_class[3]) == (9125 + 45 + 445 + 164, 213 + 2 + 2, 3)
    if not missing:
        assert sum(n for key, n in sums.items() if key[0] == "traffic" and key[-1] == "bytes") == BYTES
    assert len(hours(place)) == 84
    assert hours(place)[-1].hour - hours(place)[0].hour == 83
    before = counts(place)
    assert run(place, SAMPLE).lines == 0
    assert counts(place) == before


def test_noise_of_the_sample_is_what_scans_and_not_what_is_no_page_today(tmp_path: Path) -> None:
    place = built(tmp_path)
    run(place, SAMPLE)
    sums, _ = counts(place)
    noise = {
        name: sum(n for key, n in sums.items() if key[0] == "traffic" and key[1] == "scanner_noise" and key[-1] == name)
        for name in ("n", "ok")
    }
    assert abs(noise["n"] - NOISE) <= 5
    assert noise["ok"] <= 5, "a scanner that calls itself one was answered four times"
