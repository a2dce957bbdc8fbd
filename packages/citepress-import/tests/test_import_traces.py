"""What is held back leaves no trace in what an import writes: links to it are words, and its files stay behind."""

import json
from pathlib import Path

from citepress.cli import run
from support.former_sites import JEKYLL_WITH_DRAFT, PNG, written
from support.whole_builds import built, leaked

DATED = "date: 2024-05-06\n"
TRACES = ("zq-plan", "zq-old", "zq.png", "zqtitle", "zqtext", "zqlater")


def test_an_import_leaves_no_trace_of_drafts_in_links_files_and_redirects(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "hugo.toml": 'title = "T"\nbaseURL = "https://former.test/"\n',
        "content/posts/open.md": f"---\ntitle: Open\n{DATED}---\n"
        '[one word](zq-plan.md) [two]({{< ref "posts/zq-plan.md" >}}) [three][r] [four](https://former.test/posts/zq-plan/)\n'
        "\n[r]: /posts/zq-plan/\n",
        "content/posts/zq-plan.md": f"---\ntitle: zqtitle\naliases: [/zq-old/]\ndraft: true\n{DATED}---\n"
        "![p](zq.png) [o](open.md)\n",
        "content/posts/zq.png": PNG,
        "content/later.md": "---\ntitle: zqlater\npublishDate: 2999-01-01\ndate: 2024-01-01\n---\nzqtext\n",
        "static/_redirects": "/go/zq /posts/zq-plan/\n",
    }
    out, report = tmp_path / "out", tmp_path / "r.json"
    source = written(tmp_path / "site", files)
    assert run(["import", "hugo", str(source), str(out), "--report", str(report)]) == 0
    assert leaked(TRACES, built(out, tmp_path / "dist")) == []
    assert "[o](/posts/open/)" in (out / "content/posts/zq-plan.md").read_text()
    done = json.loads(report.read_bytes())
    reasons = {row["source"]: row["reason"] for row in done["held_back"]}
    assert reasons == {"content/posts/zq-plan.md": "draft: true", "content/later.md": "scheduled for 2999-01-01"}
    assert done["links"]["to what is held back, left as text"] == 4


def test_folders_of_assets_of_posts_of_hexo_that_are_held_back_stay_behind(tmp_path: Path) -> None:
    post = f"---\ntitle: T\n{DATED}{{}}---\nText ![p](p.png).\n"
    files: dict[str, str | bytes] = {
        "_config.yml": "title: T\npost_asset_folder: true\n",
        "scaffolds/post.md": "x",
        "source/_posts/open.md": post.format(""),
        "source/_posts/open/shown.png": PNG,
        "source/_posts/closed.md": post.format("published: false\n"),
        "source/_posts/closed/zq-closed.png": PNG,
        "source/_drafts/idea.md": post.format(""),
        "source/_drafts/idea/zq-idea.png": PNG,
    }
    out = tmp_path / "out"
    assert run(["import", "hexo", str(written(tmp_path / "site", files)), str(out)]) == 0
    assert {file.name for file in (out / "static").rglob("*.png")} == {"shown.png"}


def test_a_page_of_jekyll_that_only_leads_elsewhere_does_so_and_its_text_is_not_published(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "_config.yml": "title: T\n",
        "_posts/2024-05-06-open.md": "Text.\n",
        "moved.md": "---\ntitle: T\npermalink: /moved/\nredirect_to: https://elsewhere.test/x\n---\nText zqmoved.\n",
        "draft.md": "---\npermalink: /zqdraft/\ndraft: true\nredirect_to: https://elsewhere.test/y\n---\nText.\n",
    }
    out = tmp_path / "out"
    assert run(["import", "jekyll", str(written(tmp_path / "site", files)), str(out)]) == 0
    data = built(out, tmp_path / "dist")
    assert leaked(["zqmoved", "zqdraft"], data) == []
    assert "/moved/ https://elsewhere.test/x 308" in (tmp_path / "dist/_redirects").read_text()


def test_an_import_copies_no_file_that_only_drafts_use_and_links_bare_addresses(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert run(["import", "jekyll", str(written(tmp_path / "site", JEKYLL_WITH_DRAFT)), str(out)]) == 0
    names = {file.name for file in (out / "static").rglob("*.png")}
    assert names == {"shown.png", "unused.png"}
    assert "and [this page](/posts/other/)." in (out / "content/posts/open.md").read_text()
