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
    held = [row["reason"] for row in json.loads(report.read_bytes())["held_back"]]
    assert len(held) == len(private)
    assert "scheduled for 2999-01-01" in held


def test_the_report_names_each_file_that_is_held_back_and_counts_them_in_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, report = written(tmp_path / "site", HUGO.files()), tmp_path / "r.md"
    assert run(["import", "hugo", str(source), str(tmp_path / "out"), "--report", str(report)]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if "held back" in line)
    assert "5 draft: true (handed down)" in line
    for path in ("content/team/deep/two.md", "content/secret-plans/x.md", "content/posts/over.md"):
        assert f"- `{path}`: " in report.read_text()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "cp1252"])
def test_front_matter_of_a_file_in_any_encoding_decides_what_is_public(encoding: str, tmp_path: Path) -> None:
    text = "---\ntitle: {0}\ndraft: {1}\ndate: 2024-01-02\n---\nText {0}, a café.\n"
    files = {
        "a.md": text.format("zqwide", "true").encode(encoding),
        "b.md": text.format(CONTROL, "false").encode(encoding),
    }
    source, folder = written(tmp_path / "site", dict(files)), tmp_path / "out"
    assert run(["import", "auto", str(source), str(folder)]) == 0
    data = built(folder, tmp_path / "dist")
    assert leaked(["zqwide"], data) == []
    assert leaked([CONTROL, "café"], data) == [CONTROL, "café"]


def test_of_a_doubled_key_the_last_value_counts_and_one_that_is_private_always(tmp_path: Path) -> None:
    shown = f"---\ntitle: Old\ntitle: {CONTROL}\ndate: 2024-01-02\n---\nText.\n"
    hidden = "---\ntitle: zqdoubled\ndraft: true\ndraft: false\n---\nText.\n"
    source, folder = written(tmp_path / "site", {"a.md": shown, "b.md": hidden}), tmp_path / "out"
    assert run(["import", "auto", str(source), str(folder)]) == 0
    assert leaked(["zqdoubled"], built(folder, tmp_path / "dist")) == []
    front = (folder / "content/posts/a.md").read_text().split("---\n")[1]
    keys = [line.partition(":")[0] for line in front.splitlines() if not line.startswith((" ", "-"))]
    assert len(keys) == len(set(keys))
    assert f"title: {CONTROL}" in front


PELICAN_TEXT = "Title: A\nDate: 2024-01-01\n\nText zqcode.\n"


@pytest.mark.parametrize(
    ("name", "settings", "text", "named"),
    [
        ("pelicanconf.py", "import glob\nARTICLE_EXCLUDES = glob.glob('*')\n", "content/a.md", "ARTICLE_EXCLUDES"),
        ("pelicanconf.py", "DEFAULT_METADATA = {'x': f()}\n", "content/a.md", "DEFAULT_METADATA"),
        ("mkdocs.yml", "plugins: [search, mkdocs-private-pages]\n", "docs/a.md", "the plugin mkdocs-private-pages"),
        ("mkdocs.yml", "plugins: [encryptcontent: {global_password: x}]\n", "docs/a.md", "the plugin encryptcontent"),
        ("mkdocs.yml", "INHERIT: ../base.yml\n", "docs/a.md", "../base.yml"),
        ("mkdocs.yml", "plugins: [\n", "docs/a.md", "line 2"),
    ],
)
def test_settings_that_cannot_be_read_hold_everything_back_and_are_named(
    name: str, settings: str, text: str, named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = written(tmp_path / "site", {name: settings, text: PELICAN_TEXT})
    assert run(["import", "auto", str(source), str(tmp_path / "out")]) == 1
    refused = capsys.readouterr().err
    assert "settings cannot be read" in refused
    assert name.partition(".")[0] in refused or named.startswith("..")
    assert named in refused
    assert leaked(["zqcode"], built(source, tmp_path / "dist")) == []
    said = capsys.readouterr().err
    assert "1 file held back: 1" in said
    assert named in said


@pytest.mark.parametrize("front", ["date: 2999-01-02", "date: 2024-01-02\npublishDate: 2999-01-02"])
def test_a_post_of_the_future_is_named_as_held_back_until_its_day(front: str, tmp_path: Path) -> None:
    files = {"hugo.toml": "title = 'T'\n", "content/posts/f.md": f"---\ntitle: F\n{front}\n---\nText.\n"}
    source, folder, report = written(tmp_path / "site", dict(files)), tmp_path / "out", tmp_path / "r.json"
    assert run(["import", "auto", str(source), str(folder), "--report", str(report)]) == 0
    whole = json.loads(report.read_bytes())
    assert whole["held_back"] == [{"source": "content/posts/f.md", "reason": "scheduled for 2999-01-02"}]
    outcome = {row["source"]: row["outcome"] for row in whole["sources"]}
    assert outcome["content/posts/f.md"] == "held back: scheduled for 2999-01-02"
