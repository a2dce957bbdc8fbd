"""What a static export tells its host of paths without a file."""

from pathlib import Path

from citepress.cli import run
from support.folder import folder, post


def test_a_former_page_is_led_on_with_its_closing_slash_and_without(tmp_path: Path) -> None:
    files = {
        "content/posts/a.md": post(aliases=["/notes/thrice/"]),
        "content/posts/b.md": "---\ngone: {reason: Wrong., date: 2026-05-02}\n---\n",
        "redirects.txt": "/from/a /posts/a\n/feed.php /rss.xml\n",
    }
    output = tmp_path / "dist"
    assert (
        run(
            [
                "build",
                str(folder(tmp_path / "site", files)),
                "--output",
                str(output),
                "--state",
                str(tmp_path / "state"),
            ]
        )
        == 0
    )
    rows = (output / "_redirects").read_text("utf-8").splitlines()
    assert len(rows) == len(set(rows))
    for former in ("/notes/thrice", "/from/a"):
        assert {f"{former} /posts/a/ 308", f"{former}/ /posts/a/ 308", f"{former}.md /posts/a.md 308"} <= set(rows)
    assert {"/posts/b/ /404.html 410", "/posts/b /404.html 410", "/feed.php /rss.xml 308"} <= set(rows)
    assert "/feed.php/ /rss.xml 308" not in rows
