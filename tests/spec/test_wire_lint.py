"""An independent judge of HTTP reads every sort of answer."""

import itertools
from pathlib import Path

import pytest

from support.edition import printed
from support.lint import remarks
from support.running_server import running

PATHS = [
    "/",
    "/posts/x/",
    "/posts/x.json",
    "/posts/x.md",
    "/feed.json",
    "/rss.xml",
    "/robots.txt",
    "/posts/x",
    "/posts/old/",
    "/posts/gone/",
    "/posts/gone.json",
    "/none",
    "/none.json",
    "/a%zz",
    "/" + "a" * 9000,
]
ASKED: list[dict[str, str]] = [
    {},
    {"accept": "text/markdown"},
    {"accept": "application/json", "accept-encoding": "br"},
    {"accept-encoding": "gzip"},
    {"if-none-match": "*"},
    {"if-match": '"x"'},
    {"accept": "image/png"},
]
INTENDED = {"DEPRECATION_PAST", "STATUS_BAD_REQUEST", "STATUS_URI_TOO_LONG"}
"""What the judge remarks on because the test provokes it."""
METHODS = ["GET", "HEAD", "OPTIONS", "POST"]


@pytest.mark.parametrize("quota", [10_000, 1])
def test_a_judge_of_http_finds_nothing_bad(tmp_path: Path, quota: int) -> None:
    row = {"path": "/rss.xml", "deprecated_on": "2026-09-01T00:00:00Z", "sunset_on": "2027-09-01T00:00:00Z"}
    printed(tmp_path, base_url="https://archive.test", deprecations=[row])
    findings = set()
    with running(tmp_path, quota) as server:
        for path, method, fields in itertools.product(PATHS, METHODS, ASKED):
            preflight = (
                {"origin": "https://a.test", "access-control-request-method": "GET"} if method == "OPTIONS" else {}
            )
            sent = {"host": "archive.test", **fields, **preflight}
            answer = server.ask(path, method, **sent)
            findings |= {
                (name, path[:20], method) for name in remarks(f"https://archive.test{path}", method, sent, answer)
            }
    findings = {remark for remark in findings if remark[0] not in INTENDED}
    assert findings == set()
