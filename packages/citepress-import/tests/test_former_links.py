"""Links of an imported site: what the source answers stays a link, the rest becomes words, and no post is lost."""

import json
import re
from pathlib import Path
from typing import Any

from citepress.cli import run
from support.former_sites import PNG, written

DATED = "date: 2024-05-06\n"


def post(title: str, text: str, more: str = "") -> str:
    return f"---\ntitle: {title}\n{DATED}{more}---\n{text}\n"


def imported(tmp_path: Path, files: dict[str, str | bytes], form: str = "auto") -> dict[str, Any]:
    """The report of an import that passes `check`."""
    source, report = written(tmp_path / "source", files), tmp_path / "r.json"
    assert run(["import", form, str(source), str(tmp_path / "out"), "--report", str(report)]) == 0
    assert run(["check", str(tmp_path / "out")]) == 0
    done: dict[str, Any] = json.loads(report.read_bytes())
    return done


def text_of(tmp_path: Path, slug: str) -> str:
    return (tmp_path / f"out/content/posts/{slug}.md").read_text("utf-8").partition("\n---\n\n")[2].strip()


def test_a_dead_link_to_the_former_host_is_words_and_its_post_is_published(tmp_path: Path) -> None:
    text = (
        "[app](https://www.former.test/app/?a=1) [post](https://former.test/posts/two/#end) [gone](/nothing/) "
        "<https://former.test/auto/> [by name][ref] [elsewhere](https://other.test/)\n\n[ref]: https://former.test/ref/"
    )
    files: dict[str, str | bytes] = {
        "hugo.toml": 'baseURL = "https://former.test/"\n',
        "content/posts/one.md": post("One", text),
        "content/posts/two.md": post("Two", "[one](one.md)"),
    }
    report = imported(tmp_path, files)
    assert text_of(tmp_path, "one") == (
        "app [post](/posts/two/#end) gone https://former.test/auto/ by name [elsewhere](https://other.test/)"
    )
    assert text_of(tmp_path, "two") == "[one](/posts/one/)"
    assert report["set_aside"] == report["former_host_links"] == []
    assert {row["address"] for row in report["dead_links"]} == {
        "https://www.former.test/app/?a=1",
        "/nothing/",
        "https://former.test/auto/",
        "https://former.test/ref/",
    }


def test_links_to_another_site_below_the_same_host_stay(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "hugo.toml": 'baseURL = "https://former.test/blog/"\n',
        "content/posts/one.md": post("One", "[tool](https://former.test/tool/x) [dead](https://former.test/blog/x/)"),
    }
    imported(tmp_path, files)
    assert text_of(tmp_path, "one") == "[tool](https://former.test/tool/x) dead"
    assert 'elsewhere = ["/tool/"]' in (tmp_path / "out/site.toml").read_text()


def test_what_check_refuses_is_set_aside_alone_and_links_to_it_become_words(tmp_path: Path) -> None:
    chain = 30
    files: dict[str, str | bytes] = {"hugo.toml": 'baseURL = "https://former.test/"\n'}
    files["content/posts/p0.md"] = post("Deep", "> " * 200 + "deep", "aliases: [/old/]\n")
    for number in range(1, chain):
        files[f"content/posts/p{number}.md"] = post(f"P{number}", f"[before](p{number - 1}.md)")
    report = imported(tmp_path, files)
    assert [row["source"] for row in report["set_aside"]] == ["content/posts/p0.md"]
    assert report["posts_written"] == chain - 1
    assert text_of(tmp_path, "p1") == "before"
    assert text_of(tmp_path, "p2") == "[before](/posts/p1/)"
    assert "/old/" not in (tmp_path / "out/redirects.txt").read_text()


def test_whatever_the_source_answers_stays_a_link(tmp_path: Path) -> None:
    alive = [
        *("two.md", "../posts/two.md", "/posts/two/", "/posts/two", "https://former.test/posts/two/", "../two/"),
        *("/old/", "/moved", "/posts/", "/index.xml", "/tags/sea/", "/tags/", "/", "https://former.test/", "/about/"),
        *("paper.pdf", "/files/paper.pdf"),
    ]
    dead = ["/posts/none/", "none.md", "/tags/land/", "https://former.test/none/", "../../../x.md"]
    links = " ".join(f"[{place}]({href})" for place, href in enumerate((*alive, *dead)))
    files: dict[str, str | bytes] = {
        "hugo.toml": 'baseURL = "https://former.test/"\n',
        "content/posts/one.md": post("One", links),
        "content/posts/two.md": post("Two", "Text.", "aliases: [/old/]\ntags: [sea]\n"),
        "content/about.md": "---\ntitle: About\n---\nText.",
        "content/posts/paper.pdf": b"%PDF-1.4",
        "static/files/paper.pdf": b"%PDF-1.4",
        "static/_redirects": "/moved /posts/two/ 301\n",
    }
    report = imported(tmp_path, files)
    text = text_of(tmp_path, "one")
    linked = [int(place) for place in re.findall(r"\[(\d+)\]\(", text)]
    assert linked == list(range(len(alive))), [alive[place] for place in range(len(alive)) if place not in linked]
    assert {row["address"] for row in report["dead_links"]} == set(dead)
    assert "to a list" in report["links"]


def test_links_and_images_of_a_vault_may_begin_at_its_top_or_name_the_note_alone(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        ".obsidian/app.json": "{}",
        "A.md": post("A", "Text."),
        "other/B b.md": post("B", "Text."),
        "pic.png": PNG,
        "attachments/shot.png": PNG,
        "dir/Sub.md": post("Sub", "[x](A.md) ![i](pic.png) [y](B%20b.md) [z](other/B%20b.md) ![s](shot.png) [[A]]"),
    }
    report = imported(tmp_path, files)
    assert report["dead_links"] == report["missing_images"] == []
    assert text_of(tmp_path, "sub") == (
        "[x](/posts/a/) ![i](/img/sub/pic.png) [y](/posts/b-b/) [z](/posts/b-b/) ![s](/img/sub/shot.png) [A](/posts/a/)"
    )


def test_a_note_beside_comes_before_one_at_the_top(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "A.md": post("A", "Text."),
        "dir/A.md": post("Inner", "Text."),
        "dir/Sub.md": post("Sub", "[x](A.md) [y](../A.md)"),
    }
    imported(tmp_path, files, "markdown")
    assert text_of(tmp_path, "sub") == "[x](/posts/dir-a/) [y](/posts/a/)"


def test_an_address_between_angle_brackets_is_no_element_whatever_its_first_word(tmp_path: Path) -> None:
    text = (
        "[a](<First Note.md>) [b](<my-note two.md> 'T') [c](<script three.md>) [d][r] <em>e</em> <odd thing>\n\n"
        "[r]: <First Note.md>\n"
    )
    files: dict[str, str | bytes] = {"index.md": "# Index\n\nText.\n", "x.md": text}
    files |= {f"{name}.md": "Text.\n" for name in ("First Note", "my-note two", "script three")}
    imported(tmp_path, files)
    words = (tmp_path / "out/content/posts/x.md").read_text()
    assert '[a](/posts/first-note/) [b](/posts/my-note-two/ "T") [c](/posts/script-three/)' in words
    assert "[d](/posts/first-note/) <em>e</em> &lt;odd thing&gt;" in words
