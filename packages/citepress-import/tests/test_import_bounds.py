"""Hostile sources are refused in one sentence, or read within bounds; nothing outside is read or written."""

import json
import os
import zipfile
from collections import Counter
from pathlib import Path

import pytest

from citepress.cli import run
from citepress_notes.callouts import from_colons, from_indented
from citepress_notes.calls import ShortcodeMark, replace_shortcodes
from citepress_notes.hidden_code import HiddenCode
from citepress_notes.html_to_markdown import to_markdown
from citepress_notes.plain_html import harmless, without_comments
from support.former_sites import PNG, written

POST = "---\ntitle: One\ndate: 2020-01-01\n---\n"


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What the command says when it refuses."""
    assert run(["import", *words]) == 1
    return capsys.readouterr().err


@pytest.mark.parametrize("data", [b"PK\x03\x04 broken", b""])
def test_a_damaged_zip_file_is_called_damaged(tmp_path: Path, capsys: pytest.CaptureFixture[str], data: bytes) -> None:
    (tmp_path / "s.zip").write_bytes(data)
    assert "is a damaged ZIP file" in refused(capsys, "auto", str(tmp_path / "s.zip"), str(tmp_path / "out"))


@pytest.mark.parametrize("name", ["../out.md", "/etc/out.md", "a/../../out.md", "C:/out.md", "a\\..\\out.md"])
def test_a_zip_file_whose_names_lead_out_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    with zipfile.ZipFile(tmp_path / "s.zip", "w") as packed:
        packed.writestr("one.md", POST)
        packed.writestr(name, POST)
    assert "leads out of it" in refused(capsys, "markdown", str(tmp_path / "s.zip"), str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_a_link_in_a_zip_file_and_a_bomb_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    link = zipfile.ZipInfo("link.md")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "l.zip", "w") as packed:
        packed.writestr(link, "/etc/passwd")
    assert "leads out of it" in refused(capsys, "markdown", str(tmp_path / "l.zip"), str(tmp_path / "out"))
    with zipfile.ZipFile(tmp_path / "b.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("one.md", "a" * 50_000_000)
    assert "times its size" in refused(capsys, "markdown", str(tmp_path / "b.zip"), str(tmp_path / "out"))


def test_a_zip_file_is_read_as_the_folder_it_holds(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "s.zip", "w") as packed:
        packed.writestr("site/one.md", POST + "![p](p.png)")
        packed.writestr("site/p.png", PNG)
    assert run(["import", "auto", str(tmp_path / "s.zip"), str(tmp_path / "out")]) == 0
    assert (tmp_path / "out/static/img/one/p.png").read_bytes() == PNG


def test_a_name_that_is_no_utf_8_is_left_out_and_named(tmp_path: Path) -> None:
    odd = os.path.join(os.fsencode(tmp_path), b"site/\xff\xfe")  # noqa: PTH118  (bytes)
    os.makedirs(odd)  # noqa: PTH103
    for folder in (odd, os.fsencode(tmp_path / "site")):
        Path(os.fsdecode(folder), "one.md").write_text(POST, "utf-8")
    assert (
        run(["import", "auto", str(tmp_path / "site"), str(tmp_path / "out"), "--report", str(tmp_path / "r.md")]) == 0
    )
    assert "\\xff\\xfe/one.md`: left out: its name is not UTF-8" in (tmp_path / "r.md").read_text("utf-8")


def test_a_feed_beside_markdown_is_part_of_the_site(tmp_path: Path) -> None:
    (tmp_path / "site/_posts").mkdir(parents=True)
    (tmp_path / "site/_config.yml").write_text("title: A\n", "utf-8")
    (tmp_path / "site/feed.xml").write_text("---\n---\n<rss>{{ site.title }}</rss>\n", "utf-8")
    (tmp_path / "site/_posts/2020-01-01-a.markdown").write_text("---\ntitle: One\n---\nWords.\n", "utf-8")
    assert run(["import", "auto", str(tmp_path / "site"), str(tmp_path / "out")]) == 0
    assert (tmp_path / "out/content/posts/a.md").is_file()


def test_a_site_inside_a_repository_is_named_and_not_read_as_plain_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "repo/web/site/content").mkdir(parents=True)
    (tmp_path / "repo/README.md").write_text("# Code\n", "utf-8")
    (tmp_path / "repo/web/site/hugo.toml").write_text("title = 'Site'\n", "utf-8")
    (tmp_path / "repo/web/site/content/one.md").write_text(POST, "utf-8")
    reason = refused(capsys, "auto", str(tmp_path / "repo"), str(tmp_path / "out"))
    assert f"web/site/ in it is a site of hugo: import {tmp_path / 'repo/web/site'}" in reason
    assert run(["import", "markdown", str(tmp_path / "repo"), str(tmp_path / "out")]) == 0
    assert run(["import", "auto", str(tmp_path / "repo/web/site"), str(tmp_path / "site")]) == 0


def test_links_and_paths_that_lead_out_of_a_folder_copy_nothing(tmp_path: Path) -> None:
    secret = tmp_path / "secret.png"
    secret.write_bytes(PNG)
    source = written(tmp_path / "s", {"one.md": POST + "![p](../secret.png) ![q](link.png) ![r](/../secret.png)"})
    (source / "link.png").symlink_to(secret)
    assert run(["import", "markdown", str(source), str(tmp_path / "out")]) == 0
    assert not (tmp_path / "out/static").exists()


@pytest.mark.parametrize("name", ["wordpress", "feed"])
def test_xml_that_declares_entities_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    bomb = (
        '<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/passwd">]><rss><channel>&a;</channel></rss>'
    )
    (tmp_path / "x.xml").write_text(bomb)
    assert "document type" in refused(capsys, name, str(tmp_path / "x.xml"), str(tmp_path / "out"))


@pytest.mark.parametrize("text", ["{", "[1]", '{"db": 3}', '{"db": [{"data": {"posts": [1, null]}}]}', "\x00", ""])
@pytest.mark.parametrize("name", ["ghost", "feed", "wordpress", "hugo", "jekyll", "mkdocs", "zola"])
def test_a_source_without_posts_is_refused_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, text: str
) -> None:
    (tmp_path / "x.json").write_text(text)
    assert refused(capsys, name, str(tmp_path / "x.json"), str(tmp_path / "out")).startswith("citepress: ")
    assert not (tmp_path / "out").exists()


def test_the_folder_inside_its_source_and_a_source_that_is_not_there_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = written(tmp_path / "s", {"one.md": POST})
    assert "is inside" in refused(capsys, "auto", str(source), str(source / "out"))
    assert "does not exist" in refused(capsys, "auto", str(tmp_path / "none"), str(tmp_path / "out"))


def test_a_file_of_the_folder_that_no_import_wrote_stays(tmp_path: Path) -> None:
    source = written(tmp_path / "s", {"one.md": POST})
    out = written(tmp_path / "out", {"content/posts/one.md": "---\nmine: true\n---\n"})
    report = tmp_path / "r.json"
    assert run(["import", "auto", str(source), str(out), "--report", str(report)]) == 1
    assert (out / "content/posts/one.md").read_text() == "---\nmine: true\n---\n"
    members = json.loads(report.read_bytes())
    assert members["edited"] == ["content/posts/one.md"]
    assert members["errors"][0]["file"].startswith("content/posts/one.md")


def test_whatever_a_post_holds_the_result_passes_check(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.md": POST + "[x]({{< ref >}}) {{% a %}} [[ ]] ![](data:x) [j](javascript:x) <a href=//x>y</a> [u](http://[)",
        "b.md": "---\ntitle: '"
        + "t" * 300
        + "'\ndate: 3000-01-01\naliases: [/a b/, //x, '', /posts/, /a/../b, /%0a]\n---\nB",
        "c.md": "---\ntitle: [a]\ndate: never\nlang: '!!'\nexpiryDate: 2000-01-01\ntags: {a: b}\nslug: posts\n---\n",
        "d.md": b"\xff\xfe\x00",
        "e.md": "---\n- a list\n---\nText",
        "f.md": "---\nextra: {a: {b: [1, 2.5, true, null]}}\ntopics: [x]\nsources: [y]\nretrieval_nugget: 3\n---\n",
        "g/../h.md": POST,
    }
    source = written(tmp_path / "s", files)
    report = tmp_path / "r.json"
    assert run(["import", "hugo", str(source), str(tmp_path / "out"), "--report", str(report)]) == 0
    assert run(["check", str(tmp_path / "out")]) == 0
    members = json.loads(report.read_bytes())
    assert members["pages_read"] == 7
    assert members["posts_written"] + members["pages_written"] + len(members["set_aside"]) == 7


@pytest.mark.parametrize(
    "text",
    ["{{< a >}}" * 60_000, "`" * 200_000, "<b" * 150_000, "<script>" * 60_000, "<!--" * 100_000, ":::a\n" * 60_000,
     "!!! a\n" + "    !!! a\n" * 40_000, "```\n" * 60_000, "`a" * 120_000],
    ids=["shortcodes", "ticks", "tags", "scripts", "comments", "colons", "admonitions", "fences", "odd ticks"],
)  # fmt: skip
def test_hostile_texts_take_time_in_proportion_to_their_length(text: str) -> None:
    code = HiddenCode()
    hidden = code.spans(code.blocks(text))
    marks = [ShortcodeMark(at, at + 9, "a", "", closing=False) for at in range(0, hidden.count("{{< a >}}") * 9, 9)]
    shown = replace_shortcodes(hidden, marks, lambda call: call.name, str)
    shown = code.shown(harmless(without_comments(from_indented(from_colons(shown))), Counter()))
    assert len(shown) <= 40 * len(text) + 100
    assert len(to_markdown(text[:100_000], Counter())) <= 40 * len(text) + 100


def test_a_packed_file_that_is_damaged_is_set_aside_with_its_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = tmp_path / "s.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("a.md", "# A\n\nText.\n")
        packed.writestr("b.md", "".join(f"Sentence {number}.\n" for number in range(400)))
    data = bytearray(archive.read_bytes())
    start = data.rindex(b"b.md", 0, data.index(b"PK\x01\x02")) + 4
    data[start + 10 : start + 40] = b"\xff" * 30
    archive.write_bytes(data)
    assert run(["import", "markdown", str(archive), str(tmp_path / "out")]) == 0
    assert "cannot be unpacked" in "".join(capsys.readouterr())


def test_a_site_of_zola_has_the_title_of_its_front_page_where_the_configuration_has_none(tmp_path: Path) -> None:
    files = {"config.toml": 'base_url = "https://a.test"\n', "content/_index.md": '+++\ntitle = "Rust notes"\n+++\n'}
    files |= {
        "content/posts/_index.md": '+++\ntitle = "All"\n+++\n',
        "content/posts/one.md": POST,
        "templates/x.html": "",
    }
    for path, text in files.items():
        (tmp_path / "site" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "site" / path).write_text(text, "utf-8")
    assert run(["import", "zola", str(tmp_path / "site"), str(tmp_path / "out")]) == 0
    assert 'title = "Rust notes"' in (tmp_path / "out/site.toml").read_text("utf-8")


def test_aliases_beyond_those_of_a_record_are_redirects(tmp_path: Path) -> None:
    aliases = [f"/old/{number}/" for number in range(120)]
    (tmp_path / "site").mkdir()
    (tmp_path / "site/one.md").write_text(
        f"---\ntitle: One\ndate: 2020-01-01\naliases: {aliases}\n---\nWords.\n", "utf-8"
    )
    assert (
        run(["import", "markdown", str(tmp_path / "site"), str(tmp_path / "out"), "--report", str(tmp_path / "r.json")])
        == 0
    )
    record = (tmp_path / "out/content/posts/one.md").read_text("utf-8")
    redirects = (tmp_path / "out/redirects.txt").read_text("utf-8")
    assert (record.count("/old/"), redirects.count(" /posts/one/\n")) == (50, 70)
    assert json.loads((tmp_path / "r.json").read_text("utf-8"))["addresses_left_out"] == []


def test_files_about_the_project_are_named_as_set_aside(tmp_path: Path) -> None:
    source = written(tmp_path / "s", {"README.md": "# Read me\n", "CONTRIBUTING.md": "x", "security.md": POST})
    assert run(["import", "markdown", str(source), str(tmp_path / "out"), "--report", str(tmp_path / "r.json")]) == 0
    report = json.loads((tmp_path / "r.json").read_text())
    reason = "it is about the project, by its name"
    assert [(row["source"], row["reason"]) for row in report["set_aside"]] == [
        ("CONTRIBUTING.md", reason),
        ("README.md", reason),
    ]
    assert report["posts_written"] == 1
