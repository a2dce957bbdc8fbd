"""``citepress sources`` from the command line against a site that lives and dies, and what the archive then says."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from citepress.content.observations_file import OBSERVATIONS_FILE
from support.commands import citepress
from support.folder import folder, post, signal
from support.origin import NETWORK, STORY, Reply, ScriptedOrigin, page, scripted_origin
from support.running_server import serving
from support.waiting import until

SITE = 'title = "Test archive"\nbase_url = "https://archive.test"\n'


@pytest.fixture
def site() -> Iterator[ScriptedOrigin]:
    with scripted_origin() as running:
        running.pages |= {"/one": Reply(page()), "/two": Reply(page()), "/shut": Reply(b"", 401)}
        yield running


@pytest.fixture
def root(tmp_path: Path, site: ScriptedOrigin) -> Path:
    archived = f"https://web.archive.example/{site.port}"
    cited = [{"url": f"{site.url}/one", "archive_url": archived}, f"{site.url}/shut", "http://192.168.0.9/"]
    files = {
        "content/posts/a.md": post(sources=cited),
        "content/signals/b.md": signal(sources=[f"{site.url}/two"]),
    }
    return folder(tmp_path / "archive", files, SITE)


def sources(root: Path, command: str, *words: str) -> dict[str, Any]:
    """A command on the sources; what it says of each, by its path."""
    allowed = () if command == "status" else ("--allow-network", NETWORK)
    done = citepress("sources", command, *words, *allowed, "--content", str(root), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return {row["url"].rpartition("/")[2] or "private": row for row in json.loads(done.stdout)}


def states(rows: dict[str, Any]) -> dict[str, str]:
    return {name: row["status"] for name, row in rows.items()}


def test_the_state_of_every_source_is_known_from_its_first_check_on(root: Path, site: ScriptedOrigin) -> None:
    assert set(states(sources(root, "status")).values()) == {"never_checked"}
    assert site.requests == []
    rows = sources(root, "capture")
    assert states(rows) == {"one": "unchanged", "two": "unchanged", "shut": "blocked", "private": "unreachable"}
    assert "must name a public host" in rows["private"]["reason"]
    site.pages |= {"/one": Reply(page(*STORY[:2])), "/two": Reply(b"", 404)}
    assert set(sources(root, "capture")) == {"shut", "private"}, "only what has no copy yet"
    expected = {"one": "changed", "two": "gone", "shut": "blocked", "private": "unreachable"}
    assert states(sources(root, "check")) == expected == states(sources(root, "status"))
    assert (root / "state" / "sources").stat().st_mode & 0o077 == 0
    assert states(sources(root, "capture", f"{site.url}/one")) == {"one": "unchanged"}


def test_a_selection_is_by_age_kind_number_or_address(root: Path, site: ScriptedOrigin) -> None:
    assert set(sources(root, "check", "--kind", "signals")) == {"two"}
    assert set(sources(root, "check", "--due", "7")) == {"one", "shut", "private"}
    assert sources(root, "check", "--due", "7") == {}
    assert len(sources(root, "check", "--limit", "2")) == 2
    assert set(sources(root, "status", f"{site.url}/one?utm_source=x")) == {"one"}


def test_a_check_by_a_clock_that_was_ahead_is_due_first(root: Path, site: ScriptedOrigin) -> None:
    line = '{{"url": "{}", "status": "gone", "checked_at": "{}-11-21T00:00:00Z"}}\n'
    dates = {f"{site.url}/one": 2999, f"{site.url}/shut": 2025, "http://192.168.0.9/": 2025, f"{site.url}/two": 2025}
    (root / OBSERVATIONS_FILE).write_text("".join(line.format(url, year) for url, year in dates.items()))
    assert set(sources(root, "status", "--due", "36500")) == {"one"}
    assert set(sources(root, "status", "--limit", "1")) == {"one"}


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("check", "https://other.example/"), 1, "no record cites https://other.example/"),
        (("check", "nonsense"), 1, "'nonsense' is not an address of a source"),
        (("check", "--kind", "poems"), 1, "'poems' is not a kind of record"),
        (("check", "--due", "-1"), 2, "--due -1: write a number of days"),
        (("check", "--allow-network", "home"), 2, "--allow-network: 'home' does not appear to be"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    root: Path, words: tuple[str, ...], code: int, sentence: str
) -> None:
    done = citepress("sources", *words, "--content", str(root))
    assert done.returncode == code
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_that_cannot_be_read_is_told_of_its_faults(root: Path) -> None:
    (root / OBSERVATIONS_FILE).write_text('{"url": "https://a.example/", "status": "fine"}\nnot json\n')
    done = citepress("sources", "status", "--content", str(root))
    assert done.returncode == 1
    assert f"{OBSERVATIONS_FILE}:1:1 error CP014 status: Input should be" in done.stderr
    assert f"{OBSERVATIONS_FILE}:2:1 error CP014 Invalid JSON" in done.stderr


def test_copies_may_be_kept_in_an_object_store(root: Path, tmp_path: Path) -> None:
    (root / "site.toml").write_text(f'{SITE}[sources]\nstore = "file://{tmp_path}/bucket"\n')
    sources(root, "capture")
    assert len(list((tmp_path / "bucket" / "captures").iterdir())) == 2
    assert not (root / "state" / "sources" / "captures").exists()


def test_readers_see_what_a_check_found_as_soon_as_it_was_made(
    root: Path, site: ScriptedOrigin, tmp_path: Path
) -> None:
    with serving(root, tmp_path / "served", "--watch") as server:

        def ledger() -> dict[str, Any]:
            rows = server.ask("/source-ledger.json").json()["sources"]
            return {row["url"].rpartition("/")[2]: row for row in rows}

        assert {row["status"] for row in ledger().values()} == {"never_checked"}
        sources(root, "capture")
        until(lambda: ledger()["one"]["status"] == "unchanged")
        site.pages["/one"] = Reply(page(*STORY[:2]))
        sources(root, "check")
        until(lambda: ledger()["one"]["status"] == "changed")
        row = ledger()["one"]
        assert row["archive_url"] == f"https://web.archive.example/{site.port}"
        assert row["digest"].startswith("sha-256:")
        assert 0.3 < row["changed_share"] < 0.5
        (own, *_) = server.ask("/posts/a.json").json()["sources"]
        assert (own["status"], own["checked_at"]) == ("changed", row["checked_at"])
        share = f"{row['changed_share']:.0%}".replace("%", " %")
        assert own["changed_share"] == row["changed_share"]
        assert f"changed by {share} on <time" in server.ask("/posts/a/").text
        assert f"primary · changed by {share} on 20" in server.ask("/posts/a.md").text
        origin = server.ask("/sources/127.0.0.1.json").json()["evidence"]
        assert {item["url"].rpartition("/")[2]: item["status"] for item in origin} == {
            "one": "changed", "two": "unchanged", "shut": "blocked"
        }  # fmt: skip
        assert re.search(rf"Changed by {share} on <time[^>]*>\d", server.ask("/sources/127.0.0.1/").text)


def test_the_same_content_and_the_same_observations_give_the_same_edition(root: Path, tmp_path: Path) -> None:
    sources(root, "capture")
    copy = shutil.copytree(root, tmp_path / "copy", ignore=shutil.ignore_patterns("state"))
    trees = []
    for folder_ in (root, copy):
        done = citepress("build", str(folder_), "--output", str(tmp_path / folder_.name / "dist"))
        assert done.returncode == 0, done.stderr
        dist = tmp_path / folder_.name / "dist"
        files = {str(file.relative_to(dist)): file.read_bytes() for file in dist.rglob("*.json")}
        del files[".well-known/edition.json"]  # signed with the key of a state folder
        trees.append(files)
    assert trees[0] == trees[1]
    assert b'"status":"blocked"' in trees[0]["source-ledger.json"]
