"""An import publishes what the former tool published: nothing that it held back is in any file of a build."""

import json
from pathlib import Path

import pytest

from citepress.cli import run
from support.former_exports import item, wordpress_export
from support.former_sites import written
from support.private_sites import CONTROL, HUGO, SITES, PrivateSite
from support.whole_builds import built, leaked


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.name)
def test_an_import_publishes_what_the_former_tool_did_and_nothing_else(site: PrivateSite, tmp_path: Path) -> None:
    source, folder, report = written(tmp_path / "site", site.files()), tmp_path / "out", tmp_path / "r.json"
    assert run(["import", site.format, str(source), str(folder), "--report", str(report)]) == 0
    data = built(folder, tmp_path / "dist")
    secrets = {word: path for path, word in site.secrets.items()}
    assert [secrets[word] for word in leaked(secrets, data)] == []
    controls = {word: path for path, word in site.controls.items()}
    assert [controls[word] for word in controls.keys() - set(leaked(controls, data))] == []
    assert leaked(site.private_addresses(), data) == []


def test_an_export_of_wordpress_gives_what_the_public_could_read(tmp_path: Path) -> None:
    statuses = ["private", "draft", "pending", "future", "trash", "auto-draft", "inherit"]
    items = [item(1, "shown", "post", f"Text {CONTROL}.")]
    items += [
        item(2, f"zqwp-{status}", "post", f"zqwp {status} text", status=status, post_date_gmt="2999-01-01 00:00:00")
        for status in statuses
    ]
    items += [
        item(3, "zqwp-closed", "post", "zqwp closed text", protection="open"),
        item(4, "zqwp-page", "page", "zqwp page text", status="private", link="https://former.test/zqwp-page/"),
    ]
    source, folder = written(tmp_path / "site", {"export.xml": wordpress_export(items)}), tmp_path / "out"
    assert run(["import", "auto", str(source), str(folder)]) == 0
    data = built(folder, tmp_path / "dist")
    assert leaked(["zqwp"], data) == []
    assert leaked([CONTROL], data) == [CONTROL]


def test_an_export_of_ghost_gives_what_the_public_could_read(tmp_path: Path) -> None:
    row = {
        "html": "<p>Text.</p>",
        "status": "published",
        "visibility": "public",
        "published_at": "2020-01-02T03:04:05Z",
    }
    private: list[dict[str, str]] = [
        {"status": "draft"}, {"status": "sent"}, {"visibility": "paid"}, {"visibility": "members"},
        {"visibility": "tiers"}, {"status": "scheduled", "published_at": "2999-01-01T00:00:00Z"},
        {"status": "draft", "type": "page"},
    ]  # fmt: skip
    posts = [{**row, "id": "0", "slug": "shown", "title": CONTROL}]
    posts += [
        {**row, **about, "id": f"{place}9", "slug": f"zqghost-{place}", "title": f"zqghost {place}"}
        for place, about in enumerate(private)
    ]
    export = json.dumps({"db": [{"meta": {"exported_on": 1}, "data": {"posts": posts}}]})
    source, folder, report = written(tmp_path / "site", {"g.json": export}), tmp_path / "out", tmp_path / "r.json"
    assert run(["import", "auto", str(source), str(folder), "--report", str(report)]) == 0
    data = built(folder, tmp_path / "dist")
    assert leaked(["zqghost"], data) == []
    assert leaked([CONTROL], data) == [CONTROL]
    assert len(json.loads(report.read_bytes())["held_back"]) == len(private) - 1  # a schedule is a date, and no secret


def test_the_report_names_each_file_that_is_held_back_and_counts_them_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, report = written(tmp_path / "site", HUGO.files()), tmp_path / "r.md"
    assert run(["import", "hugo", str(source), str(tmp_path / "out"), "--report", str(report)]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if "held back" in line)
    assert "4 draft: true (handed down)" in line
    for path in ("content/team/deep/two.md", "content/secret-plans/x.md", "content/posts/over.md"):
        assert f"- `{path}`: " in report.read_text()
