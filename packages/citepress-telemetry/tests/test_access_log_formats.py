"""Every format of access logs tells the same request; what is no request is malformed, and nothing raises."""

import json
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from citepress_telemetry.access_logs import FORMATS, detect_format, find_format, open_parser
from citepress_telemetry.access_logs.line import Line, moment
from support.access_log_import import START, W3C_HEADS, built, combined, hours, line_of, objects, run, written
from support.traffic_counter import GPTBOT
from support.tree import ROOT

W3C_LOGS = ("iis", "cloudfront")
WHOLE = tuple(format_.name for format_ in FORMATS if format_.name not in {"common", "w3c"})
"""Formats whose every line tells all by itself."""
NAMES = tuple(format_.name for format_ in FORMATS)
MS = int(START.timestamp() * 1000)


def parsed(name: str, line: str | bytes, **fields: str) -> Line | None:
    raw = line if isinstance(line, bytes) else line.encode()
    return find_format(name).parser(fields)(raw.rstrip(b"\n"))


@pytest.mark.parametrize("name", WHOLE)
def test_a_request_is_read_from_each_format(name: str) -> None:
    entry = parsed(name, line_of(name, START))
    assert entry is not None
    assert entry[:7] == (MS, "203.0.113.7", "GET", b"/posts/one/", b"a=1", 200, 500)
    assert entry[7:9] == (b"https://chatgpt.com/", GPTBOT.encode())
    assert entry.host == ("" if name == "combined" else "archive.test")


@pytest.mark.parametrize("name", [*WHOLE, "common"])
def test_the_format_of_a_log_is_told_by_its_first_lines(name: str) -> None:
    lines = [line_of(name, START + timedelta(seconds=second)).encode() for second in range(5)]
    format_ = detect_format([b"# a comment", *lines], {})
    assert format_
    assert format_.name == name


def test_a_common_line_tells_no_client_and_a_combined_one_that_was_cut_is_none() -> None:
    entry = parsed("common", line_of("common", START))
    assert entry is not None
    assert entry[:7] == (MS, "203.0.113.7", "GET", b"/posts/one/", b"a=1", 200, 500)
    assert entry[7:9] == (b"", b"")
    whole = combined(START).rstrip("\n")
    assert [size for size in range(len(whole) - 150, len(whole) + 1) if parsed("common", whole[:size] + ' "')] == []


@pytest.mark.parametrize("name", W3C_LOGS)
def test_the_columns_of_a_w3c_log_are_those_that_its_head_names(name: str) -> None:
    head, line = W3C_HEADS[name].encode().splitlines(), line_of(name, START).encode().rstrip(b"\n")
    format_ = detect_format([*head, line], {})
    assert format_
    assert format_.name == "w3c"
    parse = open_parser(format_, {}, head)
    entry = parse(line)
    assert entry is not None
    assert entry[:9] == (
        MS,
        "203.0.113.7",
        "GET",
        b"/posts/one/",
        b"a=1",
        200,
        500,
        b"https://chatgpt.com/",
        GPTBOT.encode(),
    )
    assert (entry.host, entry.form) == ("archive.test", "html" if name == "cloudfront" else "")
    assert [size for size in range(len(line)) if parse(line[:size]) is not None and size < len(line) - 9] == []
    assert parse(line.replace(b" ", b"  ").replace(b"\t", b"\t\t")) is None
    assert format_.parser({})(line) is None, "without its columns"


@pytest.mark.parametrize("name", [*W3C_LOGS, "common"])
def test_a_log_is_imported_whole_and_goes_on_in_its_middle(tmp_path: Path, name: str) -> None:
    place, head = built(tmp_path), W3C_HEADS.get(name, "")
    lines = [line_of(name, START + timedelta(minutes=minute)) for minute in range(50)]
    log = written(tmp_path / "access.log", [head, *lines[:20]])
    first = run(place, log)
    written(log, [head, *lines[:30], head, *lines[30:]])
    second = run(place, log)
    assert (first.lines, first.malformed, second.lines, second.malformed) == (20, 0, 30, 0)
    assert sum(hour.rows for hour in hours(place)) == 50
    assert set(second.families) == {"(no user agent)" if name == "common" else "GPTBot"}


def test_a_log_of_a_load_balancer_is_refused_by_its_name_and_what_the_guide_makes_of_it_is_read(
    tmp_path: Path,
) -> None:
    place = built(tmp_path)
    line = (
        f"h2 {START:%Y-%m-%dT%H:%M:%S}.186641Z app/my-balancer/50dc 203.0.113.7:2817 10.0.0.1:80 0.0 0.0 0.0"
        f' 200 200 34 500 "GET https://archive.test:443/posts/one/?a=1 HTTP/2.0" "{GPTBOT}" ECDHE TLSv1.2 arn "Root=1"'
        ' "archive.test" "arn" 0 2026-03-02T10:00:00.000000Z "forward" "-" "-" "10.0.0.1:80" "200" "-" "-"\n'
    )
    log = written(tmp_path / "balancer.log", [line] * 3)
    assert [file.state for file in run(place, log).files] == ["load balancer"]
    (script,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/guides/access-logs.md").read_text("utf-8"), re.DOTALL)
    output = subprocess.run([sys.executable, "-c", script], input=line * 3, capture_output=True, text=True, check=True)
    entry = parsed("json", output.stdout.splitlines()[0])
    assert entry is not None
    assert entry[:7] == (MS + 187, "203.0.113.7", "GET", b"/posts/one/", b"a=1", 200, 500)
    assert (entry.agent, entry.host) == (GPTBOT.encode(), "archive.test")


def test_what_is_no_log_has_no_format() -> None:
    assert detect_format([b"# Notes", b"", b'{"message":"started"}', b"\x1f\x00\xff"], {}) is None


@pytest.mark.parametrize("name", WHOLE)
def test_a_cut_line_is_malformed(name: str) -> None:
    line = line_of(name, START).rstrip("\n")
    assert [size for size in range(len(line)) if parsed(name, line[:size]) is not None] == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "junk", [b"", b"\xff" * 50, b"{}", b"[]", b'{"status":[]}', b"[" * 5000, b'"' * 5000, b"{" * 5000, b"null"]
)
def test_junk_is_malformed_and_raises_nothing(name: str, junk: bytes) -> None:
    assert parsed(name, junk) is None


def test_escapes_of_apache_and_nginx_are_undone() -> None:
    entry = parsed("combined", combined(START, r"/a\x22b\"c", r"A \"quoted\" \\ agent\x0A"))
    assert entry
    assert (entry.target, entry.agent) == (b'/a"b"c', b'A "quoted" \\ agent\n')


@pytest.mark.parametrize("request_line", ["-", r"\x16\x03\x01\x00", "GET", "quit"])
def test_a_request_line_that_cannot_be_read_is_a_path_that_fits_nothing(request_line: str) -> None:
    entry = parsed("combined", combined(START).replace("GET /posts/one/ HTTP/1.1", request_line))
    assert entry
    assert (entry.method, entry.target[:1] != b"/") == ("", True)


@pytest.mark.parametrize("zone", ["+0200", "-0930"])
def test_times_of_other_zones_are_in_utc(zone: str) -> None:
    entry = parsed("combined", combined(START, zone=zone))
    assert entry
    away = {"+0200": -2 * 60, "-0930": 9 * 60 + 30}[zone]
    assert entry.ts == MS + away * 60_000


@pytest.mark.parametrize(
    "stamp", ["31/Feb/2026:10:00:00 +0000", "01/Foo/2026:10:00:00 +0000", "01/Mar/2026:25:00:00 +0000"]
)
def test_a_time_that_is_none_is_malformed(stamp: str) -> None:
    assert parsed("combined", combined(START).replace("02/Mar/2026:10:00:00 +0000", stamp)) is None


@pytest.mark.parametrize(
    "value",
    [
        START.isoformat(),
        "2026-03-02T10:00:00Z",
        "2026-03-02T11:00:00+01:00",
        "02/Mar/2026:10:00:00 +0000",
        MS // 1000,
        f"{MS // 1000}.000",
        MS,
        MS * 1000,
        MS * 10**6,
    ],
)
def test_json_times_are_read_in_every_usual_form(value: object) -> None:
    assert moment(value) == MS


@pytest.mark.parametrize("value", ["2026-03-02T10:00:00", "yesterday", True, None, [], -1, 10**30, "9" * 40])
def test_a_json_time_without_zone_or_sense_is_none(value: object) -> None:
    assert moment(value) is None


def test_json_fields_go_by_the_publishers_names() -> None:
    at = datetime(2026, 3, 2, 10, tzinfo=UTC)
    line = json.dumps(
        {
            "t": at.isoformat(),
            "net": {"ip": "203.0.113.9"},
            "verb": "HEAD",
            "u": "/x",
            "code": 404,
            "n": 12,
            "ua": "curl/8",
        }
    )
    entry = parsed(
        "json", line, time="t", client="net.ip", method="verb", target="u", status="code", bytes="n", agent="ua"
    )
    assert entry
    assert entry[:9] == (MS, "203.0.113.9", "HEAD", b"/x", b"", 404, 12, b"", b"curl/8")
    assert parsed("json", line) is None


def test_json_of_nginx_may_name_path_and_query_apart() -> None:
    members = objects("json", START)
    del members["request"]
    entry = parsed("json", json.dumps({**members, "request_method": "GET", "uri": "/posts/one/", "args": "a=1"}))
    assert entry
    assert entry[2:5] == ("GET", b"/posts/one/", b"a=1")


def test_a_plain_combined_line_is_not_taken_for_one_with_a_host() -> None:
    assert parsed("vhost", combined(START)) is None
    assert parsed("vhost", "[2001:db8::1]:443 " + combined(START, client="2001:db8::7")) is not None
