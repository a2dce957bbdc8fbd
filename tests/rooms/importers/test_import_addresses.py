"""Links and addresses of a former site lead to the records and pages that an import makes of them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from citepress.cli import run
from support.former_sites import written

TITLED = "---\ntitle: My Great Title\ndate: 2020-01-01\n---\nText."


def imported(form: str, root: Path, files: dict[str, str | bytes]) -> dict[str, Any]:
    """Import the files into ``out`` below the root; the report."""
    source = written(root / "source", files)
    assert run(["import", form, str(source), str(root / "out"), "--report", str(root / "r.json")]) == 0
    report: dict[str, Any] = json.loads((root / "r.json").read_bytes())
    return report


@pytest.mark.parametrize("form", ["obsidian", "markdown"])
def test_wiki_links_lead_to_their_records_and_count_once(tmp_path: Path, form: str) -> None:
    report = imported(
        form,
        tmp_path,
        {
            "Alpha.md": "See [[Beta]], [[Is 5% odd?|the odd one]], [[Nobody]] and [[paper 5%.pdf]].",
            "Beta.md": "Back to [[Alpha#A part|its part]].",
            "deep/Is 5% odd?.md": "---\ntitle: Odd\n---\nText of [[deep/Is 5% odd?]].",
            "paper 5%.pdf": b"%PDF-1.4",
        },
    )
    posts = tmp_path / "out/content/posts"
    text = "".join(path.read_text("utf-8") for path in posts.iterdir())
    assert "[Beta](/posts/beta/)" in text
    assert "[its part](/posts/alpha/#a-part)" in text
    assert "[the odd one](/posts/is-5-odd/)" in text
    assert "[paper 5%.pdf](/files/alpha/paper-5.pdf)" in text
    assert report["links"] == {"to a record": 4, "to a file": 1, "dead, left as text": 1}
    assert report["dead_links"] == [{"source": "Alpha.md", "address": "[[Nobody]]"}]


@pytest.mark.parametrize(
    ("rule", "former"),
    [
        (":slug", "/2020/my-great-title/"),
        (":slugorfilename", "/2020/short/"),
        (":slugorcontentbasename", "/2020/short/"),
        (":contentbasename", "/2020/short/"),
        (":filename", "/2020/short/"),
    ],
)
def test_a_permalink_of_hugo_takes_the_title_only_for_a_slug(tmp_path: Path, rule: str, former: str) -> None:
    site = f'baseURL = "https://former.test/"\n[permalinks]\nposts = "/:year/{rule}/"\n'
    imported("hugo", tmp_path, {"hugo.toml": site, "content/posts/short.md": TITLED})
    post = (tmp_path / "out/content/posts/short.md").read_text("utf-8")
    assert f"aliases:\n- {former}\n" in post


def test_a_slug_in_the_front_matter_comes_before_the_title(tmp_path: Path) -> None:
    site = '[permalinks]\nposts = "/:year/:slug/"\n'
    text = TITLED.replace("date:", "slug: own\ndate:")
    imported("hugo", tmp_path, {"hugo.toml": site, "content/posts/short.md": text})
    assert "aliases:\n- /2020/own/\n" in (tmp_path / "out/content/posts/own.md").read_text("utf-8")


@pytest.mark.parametrize("file", ["about.md", "about/index.md"])
def test_a_dated_page_at_an_address_of_the_archive_itself_stays_there(tmp_path: Path, file: str) -> None:
    dated = "---\ntitle: About\ndate: 2020-01-01\n---\nAbout **us**."
    site: dict[str, str | bytes] = {
        "hugo.toml": "title = 'Site'",
        f"content/{file}": dated,
        "content/talk.md": dated,
        "content/posts/about.md": dated,
    }
    report = imported("hugo", tmp_path, site)
    assert "About **us**" in (tmp_path / "out/content/pages/about.md").read_text("utf-8")
    assert {path.name for path in (tmp_path / "out/content/posts").iterdir()} == {"talk.md", "about.md"}
    assert report["addresses_left_out"] == []


def test_a_name_that_no_address_can_hold_is_a_day_and_a_digest_whatever_its_folder(tmp_path: Path) -> None:
    words = ("\u65e5\u672c\u8a9e", "\u043f\u0440")
    files = {f"articles/{word}.md": TITLED.replace("My Great Title", word) for word in words}
    imported("markdown", tmp_path, files)
    names = [path.stem for path in (tmp_path / "out/content/posts").iterdir()]
    assert len(names) == 2
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d-[0-9a-f]{6}", name) for name in names), names


def test_the_words_of_a_lost_image_are_no_summary(tmp_path: Path) -> None:
    text = f"{TITLED}\n"[: TITLED.index("---", 3) + 4] + "![A screenshot](gone.png)\n\nThe first words."
    imported("markdown", tmp_path, {"one.md": text})
    assert "summary: The first words.\n" in (tmp_path / "out/content/posts/one.md").read_text("utf-8")


def test_an_import_that_deletes_files_says_how_many(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    imported("markdown", tmp_path, {"one.md": TITLED, "two.md": TITLED})
    assert "0 removed" in capsys.readouterr().out
    (tmp_path / "source/two.md").unlink()
    imported("markdown", tmp_path, {})
    assert "1 removed" in capsys.readouterr().out
    assert not (tmp_path / "out/content/posts/two.md").exists()


def test_redirects_to_other_sites_stay_and_those_to_nothing_are_reported(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "hugo.toml": 'baseURL = "https://former.test/"\n',
        "content/posts/short.md": TITLED,
        "static/_redirects": "/away https://b.example/x#part 301\n/mail mailto:a@b.example\n/far ftp://b.example/\n",
    }
    report = imported("hugo", tmp_path, files)
    assert "\n/away https://b.example/x#part\n" in (tmp_path / "out/redirects.txt").read_text("utf-8")
    assert {row["path"] for row in report["addresses_left_out"]} >= {"/mail", "/far"}
    assert run(["check", str(tmp_path / "out")]) == 0
