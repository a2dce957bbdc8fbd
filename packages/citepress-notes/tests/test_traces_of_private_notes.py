"""What is held back leaves no trace: links to it are words, its files stay behind, and no client reads its name."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from citepress.cli import run
from support.folder import SVG, checked, folder, post
from support.former_sites import JEKYLL_WITH_DRAFT, PNG, written
from support.running_server import forked, free_port, serving
from support.whole_builds import built, leaked

DATED = "date: 2024-05-06\n"
LINKS = """\
# Open

See [one word](zq-plan.md), [another word](<zq-plan.md#part> "Title"), [a third word][ref], [ref],
<a href="zq-plan.md">a fourth word</a>, ![a fifth word](zq-plan.md) and [a sixth word](/posts/zq-plan/).
The [former word](/zq-former/) and [the page](https://notes.test/posts/zq-plan/).
Then [[zq-plan|a seventh word]], [[zq-plan#Part|an eighth word]], ![[zq-plan]] and [[Folder/zq-plan|a ninth word]].
A [later word](zq-later.md), a [past word](zq-past.md), ![shared](img/shared.png) and `[[qq-code]]`.

[ref]: zq-plan.md
[unused]: zq-plan.md
"""
WORDS = ("one", "another", "a third", "a fourth", "a sixth", "former", "a seventh", "an eighth", "a ninth", "later")
TRACES = (
    *(
        "zq-plan",
        "zq-former",
        "zq-own",
        "zq-idea",
        "zq-later",
        "zq-past",
        "zq-beside",
        "zq-embedded",
        "zq-old",
        "zq.png",
    ),
    *("zqtitle", "zqtag", "zqtext", "zqlater", "zqpast"),
)
NOTES: dict[str, str | bytes] = {
    "site.toml": 'title = "Notes"\nbase_url = "https://notes.test"\n',
    "redirects.txt": "/go/ /posts/zq-plan/\n",
    "open.md": f"---\n{DATED}---\n{LINKS}",
    "README.md": "# Home\n\nSee [the plan](zq-plan.md) and [[zq-plan|a plan]].\n",
    "zq-plan.md": f"---\ntitle: zqtitle\ntags: [zqtag]\naliases: [/zq-former/]\nprivate: true\n{DATED}---\n"
    "zqtext ![p](img/zq-own.png) ![s](img/shared.png) ![[zq-embedded.png]] [open](open.md)\n",
    "zq-later.md": "---\ntitle: zqlater\ndate: 2999-01-01\n---\nzqtext [o](open.md)\n",
    "zq-past.md": f"---\ntitle: zqpast\nexpiryDate: 2024-06-01\n{DATED}---\nzqtext\n",
    "_drafts/zq-idea.md": "zqtext",
    "_drafts/zq-beside.png": PNG,
    "img/zq-own.png": PNG,
    "img/zq-embedded.png": PNG,
    "img/shared.png": PNG,
    "img/unused.svg": SVG,
}


def test_links_to_private_notes_become_words_and_their_files_stay_behind(tmp_path: Path) -> None:
    data = built(written(tmp_path / "notes", NOTES), tmp_path / "dist")
    assert leaked(TRACES, data) == []
    assert [word for word in WORDS if f"{word} word".encode() not in data] == []
    assert not {"img/shared.png", "img/unused.svg"} - set(leaked(["img/shared.png", "img/unused.svg"], data))


def test_each_link_that_becomes_words_is_a_warning_at_its_place(tmp_path: Path) -> None:
    _, faults = checked(written(tmp_path, NOTES))
    places = [fault.place.line for fault in faults if fault.code.id == "CP043" and fault.place.file == "open.md"]
    assert places == [6, 6, 6, 6, 7, 7, 7, 8, 8, 10, 10]


def test_a_note_that_is_no_longer_private_is_linked_again(tmp_path: Path) -> None:
    root = folder(
        tmp_path, {"a.md": f"---\n{DATED}---\n[b](b.md)", "b.md": f"---\n{DATED}draft: true\n---\nB"}, site=None
    )
    archive, _ = checked(root)
    assert archive is not None
    assert archive.entries["posts/a"].record.body_markdown == "b"
    (root / "b.md").write_text(f"---\n{DATED}---\nB")
    archive, _ = checked(root)
    assert archive is not None
    assert archive.entries["posts/a"].record.body_markdown == "[b](/posts/b/)"


def test_drafts_are_shown_where_they_are_asked_for(tmp_path: Path) -> None:
    archive, faults = checked(folder(tmp_path, NOTES, site=None), drafts=True)
    assert archive is not None
    assert {"posts/open", "posts/zq-plan", "posts/drafts-zq-idea"} == archive.entries.keys()
    assert not [fault for fault in faults if fault.place.file == "zq-plan.md" and fault.code.id in ("CP067", "CP068")]


@pytest.mark.parametrize("hidden", [post(draft=True), post(date="2999-01-01", publishDate="2999-01-01")])
def test_links_of_an_archive_to_records_that_are_not_shown_become_words(tmp_path: Path, hidden: str) -> None:
    files = {
        "content/posts/open.md": post(
            "[a word](/posts/zq-plan/), [b](../zq-plan/) and [c](https://archive.test/posts/zq-plan)"
        ),
        "content/posts/zq-plan.md": hidden,
        "content/pages/about.md": "---\ntitle: About\n---\n\n[a plan](/posts/zq-plan/)\n",
    }
    archive, faults = checked(folder(tmp_path, files))
    assert archive is not None
    assert archive.entries["posts/open"].record.body_markdown == "a word, b and c"
    assert archive.pages["about"].body == "a plan"
    assert {fault.code.id for fault in faults} >= {"CP043"}


def test_no_client_of_a_server_is_told_of_a_private_note(tmp_path: Path) -> None:
    root = written(tmp_path / "notes", NOTES)
    call: dict[str, Any] = {"name": "search_archive", "arguments": {"query": "plan word"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    with serving(root, tmp_path / "state") as server:
        fields = {"content_type": "application/json", "accept": "application/json, text/event-stream"}
        answers = {
            "mcp": server.ask("/mcp", "POST", json.dumps(message).encode(), **fields),
            **{
                path: server.ask(path)
                for path in ("/", "/posts/", "/posts/open/", "/posts/open.md", "/posts/open.json", "/posts.json")
            },
            **{
                path: server.ask(path)
                for path in ("/rss.xml", "/sitemap.xml", "/llms.txt", "/search.json?query=plan+word")
            },
        }
        total = server.ask("/search.json?query=zqtext").json()["total"]
        gone = [
            server.ask(f"/{path}").status
            for path in ("posts/zq-plan/", "posts/zq-past/", "img/zq-own.png", "zq-former/")
        ]
    assert {name: answer.status for name, answer in answers.items()} == dict.fromkeys(answers, 200)
    assert "posts/open" in answers["mcp"].text
    assert total == 0
    texts = {name: answer.text for name, answer in answers.items()}
    assert [name for name, text in texts.items() if leaked(TRACES, text.encode())] == []
    assert gone == [404, 404, 404, 404]


FRONT_FILES: dict[str, str | bytes] = {
    "draft.md": f"---\ndraft: true\ncover: /img/zq-cover.png\n{DATED}---\nx",
    "left.md": f"---\nheadless: true\nimage: {{src: 'img/zq-left.png'}}\n{DATED}---\nx",
    "open.md": f"---\nimage: img/shown.png\n{DATED}---\nOpen.",
    "also-draft.md": f"---\ndraft: true\nimage: img/shown.png\n{DATED}---\nx",
    **{f"img/{name}.png": PNG for name in ("zq-cover", "zq-left", "shown", "unused")},
}
HUGO_FILES: dict[str, str | bytes] = {
    "hugo.toml": 'title = "T"\n',
    "content/team/_index.md": "---\ncascade: {draft: true}\n---\n",
    "content/team/one.md": f"---\n{DATED}---\nx",
    "content/team/zq-beside.png": PNG,
    "content/team/shown.png": PNG,
    "content/posts/open.md": f"---\n{DATED}---\n![s](../team/shown.png)\n"
    '[a word]({{< ref "zq-draft.md" >}}) {{% relref "/posts/zq-draft.md#x" %}} {{< ref "other.md" >}}',
    "content/posts/other.md": f"---\n{DATED}---\nx",
    "content/posts/zq-draft.md": f"---\ndraft: true\n{DATED}---\nx",
    "assets/zq-source.png": PNG,
    "static/unused.png": PNG,
}


@pytest.mark.parametrize("files", [FRONT_FILES, HUGO_FILES, JEKYLL_WITH_DRAFT])
def test_files_and_names_of_private_notes_stay_behind(tmp_path: Path, files: dict[str, str | bytes]) -> None:
    data = built(written(tmp_path / "notes", files), tmp_path / "dist")
    assert [
        data[match.start() - 60 : match.end() + 30]
        for match in re.finditer(b"zq-(?:cover|left|beside|draft|source|own)|zqtitle", data)
    ] == []
    assert leaked(["shown.png", "unused.png"], data) == ["shown.png", "unused.png"]


def test_check_and_serve_name_what_is_held_back_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {f"note-{n}.md": f"---\ndraft: true\n{DATED}---\nx" for n in range(5)} | {
        "_drafts/a.md": "x",
        "b.md": f"---\n{DATED}---\nx",
    }
    root = folder(tmp_path / "notes", files, site=None)
    assert run(["check", str(root)]) == 0
    line = "6 files held back: 5 draft: true, 1 _drafts/; `citepress check --all` names each"
    assert capsys.readouterr().out.splitlines() == [f"note {line}", "1 record, no faults"]
    assert run(["check", str(root), "--all"]) == 0
    assert "_drafts/a.md note CP068 held back: _drafts/\n" in capsys.readouterr().out
    log = tmp_path / "log"
    for _ in range(2):  # the second server finds the edition of the first one
        port = free_port()
        options = ["serve", str(root), "--port", str(port), "--state", str(tmp_path / "state"), "--workers", "1"]
        with forked("citepress.cli:main", options, port, log=log):
            pass
    assert log.read_text().count(line) == 2


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("_config.yml", "title: [\n"),
        ("hugo.toml", "title = \n"),
        ("mkdocs.yml", "a: b: c\n"),
        ("hugo.toml", "ignoreFiles = ['(']\n"),
    ],
)
def test_settings_that_cannot_be_read_hold_everything_back(tmp_path: Path, name: str, text: str) -> None:
    note = f"---\n{DATED}---\nzqtext"
    files = {name: text, "docs/a.md": note, "content/a.md": note, "_posts/2024-01-01-a.md": note}
    archive, faults = checked(written(tmp_path, files))
    assert archive is not None
    assert not archive.entries
    assert [fault.place.file for fault in faults if fault.code.id == "CP069"] == [name]
