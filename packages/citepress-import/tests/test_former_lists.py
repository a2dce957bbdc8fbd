"""Lists and feeds that a tool made without a file lead to those of the archive, or are named in the report."""

import json
from pathlib import Path

from citepress.cli import run
from support.former_exports import feed
from support.former_sites import written
from support.running_server import serving


def test_lists_and_feeds_answer_over_http_and_the_report_names_the_rest(tmp_path: Path) -> None:
    post = "---\ntitle: Post {0}\ndate: 2020-01-{0:02}\ntags: [Big Words]\nseries: [Walks]\n---\nText {0}.\n"
    files: dict[str, str | bytes] = {f"content/posts/p{number}.md": post.format(number) for number in range(1, 13)}
    files["hugo.toml"] = "title = 'S'\n[taxonomies]\ntag = 'tags'\nseries = 'series'\n"
    files["content/feed.md"] = "---\ntitle: Feed\naliases: [/index.xml]\n---\nHow to follow.\n"
    files["content/posts/later.md"] = post.format(13).replace("---\n", "---\ndraft: true\n", 1).replace("Big", "Draft")
    source, out = written(tmp_path / "s", files), tmp_path / "out"
    assert run(["import", "hugo", str(source), str(out), "--report", str(tmp_path / "r.json")]) == 0
    assert run(["check", str(out)]) == 0
    assert {
        (row["path"], row["reason"]) for row in json.loads((tmp_path / "r.json").read_bytes())["addresses_left_out"]
    } == {
        ("/posts/page/2/", "the archive's own list has fewer pages"),
        ("/series/walks/", "the archive has no such tag"),
        ("/series/walks/page/1/", "the archive has no such tag"),
        ("/series/walks/page/2/", "the archive has no such tag"),
    }
    with serving(out, tmp_path / "state") as server:
        for former, present in {
            "/index.xml": "/pages/feed/",
            "/posts/index.xml": "/rss.xml",
            "/tags/big-words/index.xml": "/rss.xml",
            "/page/2/": "/posts/",
            "/series/": "/tags/",
        }.items():
            answer = server.ask(former)
            assert (answer.status, answer.fields.get("location")) == (308, present), former
            assert server.ask(present).status == 200
        for path in ("/page/3/", "/tags/draft-words/", "/series/walks/"):
            assert server.ask(path).status == 404, path
        assert server.ask("/tags/big-words/").status == 200


def test_the_address_of_an_imported_feed_leads_to_the_feed_of_the_archive(tmp_path: Path) -> None:
    blog = feed(tmp_path / "s")
    text = blog.source.read_text("utf-8")
    blog.source.write_text(
        text.replace("<title>A", "<link rel='self' href='https://former.test/all.atom'/><title>A", 1)
    )
    assert run(["import", "feed", str(blog.source), str(tmp_path / "out")]) == 0
    assert "\n/all.atom /rss.xml\n" in (tmp_path / "out/redirects.txt").read_text("utf-8")
    assert run(["check", str(tmp_path / "out")]) == 0


def test_no_redirect_stands_where_the_archive_may_put_a_list_once_it_grows(tmp_path: Path) -> None:
    post = "---\ntitle: One\ndate: 2020-01-01\naliases: [/tags/x/, /posts/page/3/, /posts/other/]\n---\nText.\n"
    source, out = written(tmp_path / "s", {"one.md": post}), tmp_path / "out"
    assert run(["import", "markdown", str(source), str(out), "--report", str(tmp_path / "r.json")]) == 0
    assert "aliases:\n- /posts/other/\n" in (out / "content/posts/one.md").read_text("utf-8")
    report = json.loads((tmp_path / "r.json").read_bytes())
    assert [row["path"] for row in report["addresses_left_out"]] == ["/tags/x/", "/posts/page/3/"]
