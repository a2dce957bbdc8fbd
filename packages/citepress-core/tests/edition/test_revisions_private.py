"""What an author hid is in no published text: comments, and links to records that are not shown."""

import sqlite3
from contextlib import closing
from pathlib import Path

from support.folder import folder, post
from support.running_server import serving
from support.whole_builds import built, leaked

COMMENTED = """\
First <!-- zqinline --> words.
<!-- zqblock
zqsecond -->
More words.

| a <!-- zqcell --> | b <!-- zq|pipe --> |
|---|---|
| 1 | 2 |

- item
- <!-- zqlist -->
  last words
- item

  <!-- zqlate

Below the list.

[//]: # (zqdefinition)

`<!-- shown code -->` and \\<!-- shown text -->

> <!-- zqopen
> zqquote

End.

<!-- zqunclosed

zqrest
"""
SECRETS = ("zqinline", "zqblock", "zqsecond", "zqcell", "zq|pipe", "zqlist", "zqdefinition", "zqopen", "zqquote")
LATE = ("zqlate", "zqunclosed", "zqrest", "zq-plan")
TRACES = (*SECRETS, *LATE)
LINK = "A [plan](/posts/zq-plan/), [twin](../zq-plan/), [other](/posts/other/), [list](/posts/).\n\n"
FILES = {
    "content/posts/x.md": post(LINK + COMMENTED),
    "content/posts/zq-plan.md": post(draft=True),
    "content/posts/other.md": post("Other."),
    "content/pages/news.md": "---\ntitle: About\n---\n\nAbout. <!-- zqblock -->\n",
    "content/owner.md": "---\nname: Ann\nheadline: Writes.\ndescription: She.\n---\n\nAbout. <!-- zqblock -->\n",
}
PATHS = (
    "/posts/x/@1.json",
    "/posts/x/@1.md",
    "/posts/x/@1/",
    "/posts/x/@1..2.json",
    "/posts/x/@1..2/",
    "/posts/x.json",
)


def test_no_answer_about_a_revision_holds_a_comment_or_names_a_draft(tmp_path: Path) -> None:
    root, state = folder(tmp_path / "archive", FILES), tmp_path / "state"
    with serving(root, state) as server:
        first = server.ask("/posts/x/@1.json").json()
    folder(root, {"content/posts/x.md": post(LINK + "New words.\n\n" + COMMENTED.replace("zqinline", "zqblock"))})
    with serving(root, state) as server:
        answers = {path: server.ask(path) for path in (*PATHS, "/search.json?query=zqblock")}
        both = [server.ask(f"/posts/x/@{number}.json") for number in (1, 2)]
    assert {path: answer.status for path, answer in answers.items()} == dict.fromkeys(answers, 200)
    assert answers.pop("/search.json?query=zqblock").json()["total"] == 0
    traces = {path: leaked(TRACES, answer.text.lower().encode()) for path, answer in answers.items()}
    assert traces == {path: [] for path in answers}
    said = [answer.json() for answer in both]
    assert said[0]["digest"] == first["digest"] != said[1]["digest"], "a number belongs to what its author wrote"
    text = said[1]["written"]["body_markdown"]
    assert text.startswith("A plan, twin, [other](/posts/other/), [list](/posts/).")
    assert [
        word
        for word in ("words.\n\nMore", "last words", "shown code", "shown text", "Below the list.", "End.")
        if word not in text
    ] == []
    assert "immutable" not in both[1].fields["cache-control"], "the record that it names may be published"


def test_an_edit_of_a_comment_is_a_revision_with_a_number_of_its_own(tmp_path: Path) -> None:
    root, state = folder(tmp_path / "archive", {"content/posts/x.md": post("A. <!-- one -->")}), tmp_path / "state"
    with serving(root, state):
        pass
    folder(root, {"content/posts/x.md": post("A. <!-- number two -->")})
    with serving(root, state) as server:
        history = server.ask("/posts/x/history.json").json()
    assert [item["revision"] for item in history["items"]] == [2, 1]


def test_exports_hold_no_comment(tmp_path: Path) -> None:
    data = built(folder(tmp_path / "archive", FILES), tmp_path / "dist")
    assert leaked(TRACES, data) == []
    with closing(sqlite3.connect(tmp_path / "dist/archive.db")) as database:
        traces = [
            database.execute("SELECT count(*) FROM search WHERE search MATCH ?", (word,)).fetchone()[0]
            for word in ("zqinline", "zqcell", "words")
        ]
    assert traces == [0, 0, 1]
