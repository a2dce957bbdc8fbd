"""Texts of a former site keep what its tool showed: values of data, one branch of a condition, ids of headings."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from citepress.cli import run
from support.former_sites import written
from support.shapes import committed, git

DATED = "date: 2024-05-06\n"


def imported(tmp_path: Path, files: dict[str, str | bytes], form: str = "auto") -> dict[str, Any]:
    """The report of an import that passes `check`."""
    source, report = written(tmp_path / "source", files), tmp_path / "r.json"
    assert run(["import", form, str(source), str(tmp_path / "out"), "--report", str(report)]) == 0
    assert run(["check", str(tmp_path / "out")]) == 0
    done: dict[str, Any] = json.loads(report.read_bytes())
    return done


def text_of(tmp_path: Path, name: str) -> str:
    return (tmp_path / f"out/content/{name}.md").read_text("utf-8").partition("\n---\n\n")[2].strip()


def jekyll(text: str) -> dict[str, str | bytes]:
    return {
        "_config.yml": "title: Site\nplace: Oslo\n",
        "_data/keys.yml": "linux: {sha: abc123}\npeople:\n- {name: Ada, here: true}\n- {name: Bo}\n",
        "_data/more/rows.csv": "name,count\nfox,3\n",
        "_posts/2024-05-06-one.md": f"---\ntitle: One\nmood: calm\n---\n{text}\n",
    }


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("SHA256: {{ site.data.keys.linux.sha }}", "SHA256: abc123"),
        ("{{ site.data.more.rows[0].name | upcase }}", "FOX"),
        (
            "{% for p in site.data.keys.people %}{{ p.name }}{% if p.here %}!{% else %}?{% endif %} {% endfor %}",
            "Ada! Bo?",
        ),
        ("{% if site.place == 'Oslo' %}north{% else %}south{% endif %}", "north"),
        ("{% if page.nothing %}A{% else %}B{% endif %}", "B"),
        ("{% if include.odd %}A{% else %}B{% endif %}", "A"),
        ("{% unless page.mood %}A{% else %}B{% endunless %}", "B"),
        ("{% case page.mood %}{% when 'wild' %}A{% when 'calm' %}B{% else %}C{% endcase %}", "B"),
        ("{% assign x = site.place %}{{ x }}{% capture y %}!{% endcapture %}{{ y }}", "Oslo!"),
        ("{% if jekyll.environment == 'development' %}A{% else %}B{% endif %}", "B"),
        ("{{ site.data.gone.sha }}", "*(“site.data.gone.sha” of the former site is not shown here.)*"),
        ("{% for p in site.posts %}{{ p.title }}{% endfor %}", "*(“for” of the former site is not shown here.)*"),
        ("`{{ site.place }}` {% raw %}{{ x }}{% endraw %}", "`{{ site.place }}` {{ x }}"),
    ],
)
def test_liquid_writes_what_the_source_says_and_a_note_for_the_rest(tmp_path: Path, text: str, shown: str) -> None:
    imported(tmp_path, jekyll(text))
    assert text_of(tmp_path, "posts/one") == shown


def test_what_eleventy_shows_only_while_its_author_works_is_left_out(tmp_path: Path) -> None:
    text = (
        "{% macro part(name) %}A{{ name }}{% endmacro %}B"
        "{% if eleventy.env.runMode == 'serve' %}C{% else %}D{% endif %}"
    )
    imported(tmp_path, {"eleventy.config.js": "", "posts/one.md": f"---\ntitle: One\n{DATED}---\n{text}\n"})
    assert text_of(tmp_path, "posts/one") == "BD"


def test_pages_of_jekyll_without_front_matter_are_published_at_their_addresses(tmp_path: Path) -> None:
    files = jekyll("[a](/plain.html) [b](/guide/) [c](/guide/part.html)") | {
        "index.md": "# Welcome\n\nThe front page.\n",
        "plain.md": "# Plain page\n\nNo front matter.\n",
        "guide/README.md": "# The guide\n\nWords.\n",
        "guide/part.md": "# A part\n\nWords.\n",
        "404.md": "# Gone\n",
    }
    report = imported(tmp_path, files)
    assert "The front page." in text_of(tmp_path, "pages/index")
    assert text_of(tmp_path, "posts/one") == "[a](/pages/plain/) [b](/pages/guide/) [c](/pages/part/)"
    redirects = (tmp_path / "out/redirects.txt").read_text()
    assert "/guide/part.html /pages/part/" in redirects
    assert [row["source"] for row in report["passed_over"]].count("404.md") == 1


TITLED = f"---\ntitle: One\n{DATED}---\nT.\n\n"
HUGO = {"hugo.toml": "title='x'", "content/posts/one.md": TITLED}
JEKYLL = {"_config.yml": "title: x", "_posts/2024-01-01-one.md": TITLED}
MKDOCS = {"mkdocs.yml": "site_name: x", "docs/one.md": TITLED}


@pytest.mark.parametrize(
    ("files", "heading", "written_as"),
    [
        (HUGO, "The cargo's a - b", "the-cargos-a---b"),
        (JEKYLL, "1. Cargo's", "cargos"),
        (MKDOCS, "It's Ärger", "its-arger"),
    ],
)
def test_headings_keep_the_ids_of_their_tool(
    tmp_path: Path, files: dict[str, str], heading: str, written_as: str
) -> None:
    path = next(path for path in files if path.endswith(".md"))
    texts: dict[str, str | bytes] = {**files, path: f"{files[path]}## {heading} ##\n\n## Plain\n\n## Own {{#mine}}\n"}
    imported(tmp_path, texts)
    text = next((tmp_path / "out/content").glob("*/one.md")).read_text("utf-8")
    assert f"## {heading} {{#{written_as}}}\n" in text
    assert "## Plain\n" in text
    assert "## Own {#mine}" in text


def test_equal_headings_keep_their_numbers(tmp_path: Path) -> None:
    imported(
        tmp_path, {"hugo.toml": "title='x'", "content/posts/one.md": f"---\n{DATED}---\n## A\n\n## A\n\n[x](#a-1)\n"}
    )
    assert text_of(tmp_path, "posts/one").endswith("## A {#a-1}\n\n[x](#a-1)")


def test_a_player_inside_html_becomes_a_link_with_its_title(tmp_path: Path) -> None:
    video = '<iframe src="https://www.youtube.com/embed/abc" title="The talk"></iframe>'
    text = f"<p>{video}</p>\n\n{video}\n\nWords {video.replace('title', 'data-x')}.\n"
    imported(tmp_path, {"hugo.toml": "title='x'", "content/posts/one.md": f"---\n{DATED}---\n{text}"})
    address = "https://www.youtube.com/watch?v=abc"
    assert text_of(tmp_path, "posts/one") == (
        f'<p><a href="{address}">The talk</a></p>\n\n[The talk]({address})\n\nWords [Video]({address}).'
    )


def test_mounts_of_hugo_give_pages_their_addresses_and_hold_back_what_is_outside(tmp_path: Path) -> None:
    mounts = '[[module.mounts]]\nsource = "{}"\ntarget = "{}"\n{}'
    page = "---\ntitle: {}\n" + DATED + "aliases: [/old-{}/]\n---\n{}\n"
    files: dict[str, str | bytes] = {
        "hugo.toml": 'baseURL = "https://former.test/"\n'
        + mounts.format("content/en", "content", "lang = 'en'\n")
        + mounts.format("handbook", "content/guide", "")
        + mounts.format("files", "static", ""),
        "content/en/posts/one.md": page.format("One", "one", "[two](/guide/two/) [two]({{< ref two >}}) [p](/p.pdf)"),
        "content/zq/posts/zqhidden.md": page.format("zqhidden", "zqhidden", "zqhidden"),
        "handbook/two.md": page.format("Two", "two", "[one](/posts/one/)"),
        "files/p.pdf": b"%PDF-1.4",
    }
    report = imported(tmp_path, files)
    assert text_of(tmp_path, "posts/one") == "[two](/posts/two/) [two](/posts/two/) [p](/p.pdf)"
    assert "- /guide/two/\n- /old-two/\n" in (tmp_path / "out/content/posts/two.md").read_text()
    assert report["dead_links"] == []
    assert not list((tmp_path / "out").rglob("*zq*"))


def test_settings_of_zola_without_templates_are_not_taken_for_those_of_hugo(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "config.toml": 'base_url = "https://former.test"\ntitle = "T"\n',
        "content/blog/2021-01-02-two.md": "+++\ntitle = 'Two'\n+++\nText.\n",
    }
    assert imported(tmp_path, files)["format"] == "zola"


def test_an_unreadable_object_of_git_costs_the_dates_of_commits_alone(tmp_path: Path) -> None:
    source = tmp_path / "source"
    written(source, {"a.md": "# A\n\nText.\n"})
    committed(source, ("2018-01-02T00:00:00Z", lambda: written(source, {"b.md": "# B\n\nText.\n"})))
    git(source, "commit", "--allow-empty", "-m", "more", at="2019-01-01T00:00:00Z")
    for item in (source / ".git/objects").rglob("*"):
        if item.is_file() and len(item.parent.name) == 2:
            os.chmod(item, 0o644)  # noqa: PTH101
            item.write_bytes(b"broken")
    report = imported(tmp_path, {"c.md": f"---\n{DATED}---\n# C\n\nText.\n"})
    assert report["posts_written"] == 3
    assert any("no date is that of a commit: Git fails" in note for note in report["notes"])
