"""Revisions from Git: every byte that was published comes back, and nothing that was not."""

import hashlib
import os
import random
import re
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest

from citepress.admin.build import Builder
from citepress.app.registry import render_context
from citepress.base.canonical import canonical_bytes
from citepress.base.errors import CitepressError
from citepress.content import git_dates
from citepress.content.git_dates import GitError
from citepress.edition.edition import Edition, open_edition
from citepress.history.revision_numbers import HistoryError
from citepress.settings import Settings
from support.folder import SITE, folder, markdown, post, topic
from support.git_folder import Commit, at, extend, git, repository

MOMENT = datetime(2026, 11, 21, tzinfo=UTC)
HISTORY = 300


def built(root: Path, state: Path, builder: Builder | None = None) -> Edition:
    result = (builder or Builder(Settings(root, state))).build(MOMENT)
    return open_edition(result.pointer).render_with(render_context)


def document(edition: Edition, path: str) -> Any:
    """The JSON document at a path; ``None`` where nothing is published."""
    served = edition.find(path)
    return orjson.loads(bytes(served.leaf.body)) if served and served.leaf.status == 200 else None


def numbers(edition: Edition, page: str) -> list[int]:
    return [row.number for row in edition.revisions(page)]


def long_history(dice: random.Random) -> tuple[list[Commit], dict[str, list[str]]]:
    """Commits that edit and rename records, and the sources that each record had, oldest first, by its last path."""
    sources: dict[str, list[str]] = {f"content/posts/r{number}.md": [] for number in range(6)}
    words = {path: [f"word{dice.randrange(90)}" for _ in range(60)] for path in sources}
    commits = [Commit(at(0), {"site.toml": SITE, "content/topics/one.md": topic()})]
    for number in range(1, HISTORY):
        path = dice.choice(sorted(sources))
        renamed = {}
        if sources[path] and dice.random() < 0.2:
            other = f"content/posts/r{number}-{dice.randrange(9)}.md"
            renamed, sources[other], words[other] = {path: other}, sources.pop(path), words.pop(path)
            path = other
        if renamed and dice.random() < 0.5:
            commits.append(Commit(at(number), renamed=renamed))
            continue
        words[path][dice.randrange(60)] = f"changed{number}"
        sources[path].append(post("\n".join(words[path]), title=f"Title {number}", extra={"secret": "kept"}))
        commits.append(Commit(at(number), {path: sources[path][-1]}, renamed))
    return commits, {path: written for path, written in sources.items() if written}


def test_three_hundred_commits_with_renames_give_back_every_text(tmp_path: Path) -> None:
    commits, texts = long_history(random.Random(15))  # noqa: S311  (text, not secrets)
    assert len(commits) == HISTORY
    assert sum(bool(commit.renamed) for commit in commits) > 20
    edition = built(repository(tmp_path / "archive", commits), tmp_path / "state")
    for path, written in texts.items():
        page = path.removeprefix("content").removesuffix(".md")
        history = document(edition, f"{page}/history.json")
        bodies = [source.partition("---\n\n")[2].removesuffix("\n") for source in written]
        revisions = [document(edition, f"{page}/@{item['revision']}.json") for item in history["items"][::-1]]
        assert [said["written"]["body_markdown"].strip() for said in revisions] == bodies, page
        for said, source in zip(revisions, written, strict=True):
            assert f"title: {said['title']}\n" in source
            assert said["digest"] == f"sha-256:{hashlib.sha256(canonical_bytes(said['written'])).hexdigest()}"
            assert "secret" not in str(said)
            assert said["revision"] <= len(written)


def test_what_was_never_public_has_a_number_and_no_address(tmp_path: Path) -> None:
    hidden = "Not for anybody."
    states = [
        post("One."),
        post(hidden, draft=True),
        post(hidden, publishDate="2026-09-01"),
        post(hidden, date="2027-01-01"),
        post(hidden, unknown="member"),
        "---\ntitle: [\n---\n" + hidden,
        b"\xff\xfe" + hidden.encode(),
        markdown({"title": "Gone", "gone": True}, hidden),
        post("Two.", updates=[{"date": "2026-06-01", "note": "More."}, {"date": "2027-06-01", "note": hidden}]),
        post("Three.", updates=[{"date": "2026-06-01", "note": "More."}]),
    ]
    commits = [Commit(at(hour), {"content/posts/x.md": state}) for hour, state in enumerate(states)]
    root = repository(
        tmp_path / "archive", [Commit(at(0), {"site.toml": SITE, "content/posts/y.md": post()}), *commits]
    )
    edition = built(root, tmp_path / "state")
    assert numbers(edition, "/posts/x/") == [1, 9, 10]
    assert [edition.find(f"/posts/x/@{number}/") is None for number in range(1, 12)] == [
        number not in (1, 9, 10) for number in range(1, 12)
    ]
    assert document(edition, "/posts/x/@9.json")["notes"] == ["More."]
    every = b"".join(bytes(served.leaf.body) for path in edition.addresses() if (served := edition.find(path)))
    assert hidden.encode() not in every
    assert document(edition, "/posts/x.json")["revision"] == 10


def test_a_version_that_waited_for_its_day_is_shown_if_it_came(tmp_path: Path) -> None:
    waiting = post("It waited.", publishDate="2026-06-01T05:00:00Z")
    commits = [
        Commit(at(0), {"site.toml": SITE, "content/posts/x.md": waiting, "content/posts/y.md": waiting}),
        Commit(at(3), {"content/posts/x.md": post("Too late.")}),
        Commit(at(9), {"content/posts/y.md": post("In time.")}),
    ]
    edition = built(repository(tmp_path / "archive", commits), tmp_path / "state")
    assert (numbers(edition, "/posts/x/"), numbers(edition, "/posts/y/")) == ([2], [1, 2])
    assert document(edition, "/posts/y/@1.json")["since"] == "2026-06-01T05:00:00Z"


def test_files_outside_the_folder_and_of_other_records_stay_apart(tmp_path: Path) -> None:
    commits = [
        Commit(
            at(0), {"private/x.md": post("Private."), "site/site.toml": SITE, "site/content/posts/a.md": post("A.")}
        ),
        Commit(at(1), renamed={"private/x.md": "site/content/posts/x.md"}),
        Commit(
            at(2), {"site/content/posts/x.md": post("Public.")}, {"site/content/posts/a.md": "site/content/posts/b.md"}
        ),
        Commit(at(3), {"site/content/posts/a.md": post("Another A.")}),
    ]
    edition = built(repository(tmp_path / "repository", commits) / "site", tmp_path / "state")
    said = {
        page: [document(edition, f"{page}@{row.number}.json")["written"]["body_markdown"] for row in rows]
        for page in ("/posts/x/", "/posts/a/", "/posts/b/")
        if (rows := edition.revisions(page))
    }
    # What was moved into the folder was published when it came.
    assert said == {"/posts/x/": ["Private.", "Public."], "/posts/a/": ["Another A."], "/posts/b/": ["A."]}


def test_an_edit_that_is_not_committed_is_numbered_and_has_no_address_yet(tmp_path: Path) -> None:
    root = repository(tmp_path / "archive", [Commit(at(0), {"site.toml": SITE, "content/posts/x.md": post("One.")})])
    builder = Builder(Settings(root, tmp_path / "state"))
    assert (
        document(built(root, tmp_path, builder), "/posts/x.json")["revision_url"] == "https://archive.test/posts/x/@1/"
    )
    file = root / "content/posts/x.md"
    file.write_text(post("Two."))
    builder.build(MOMENT, [file])
    edition = built(root, tmp_path, builder)
    record = document(edition, "/posts/x.json")
    assert (record["revision"], record["revision_url"], numbers(edition, "/posts/x/")) == (2, None, [1])
    twin = bytes(edition.body("/posts/x.md") or b"")
    assert b"archive.test/posts/x/>" in twin, "it is cited by its page meanwhile"
    assert record["revised_at"] == "2026-06-01T00:00:00Z" > record["updated_at"], "not before the one that it follows"
    for form in (".md", "/", ".bib", ".ris", ".csl.json"):
        cited = edition.find(f"/posts/x{form}")
        said = bytes(cited.leaf.body).replace(b"\\", b"") if cited else b""
        assert b"Revision 2, uncommitted, 2026-06-01" in said, form
    file.write_text(post("Two.", updates=[{"date": "2026-06-03", "note": "More."}]))
    builder.build(MOMENT, [file])
    dated = document(built(root, tmp_path, builder), "/posts/x.json")
    assert dated["revised_at"] == dated["updated_at"] == "2026-06-03T00:00:00Z"
    extend(root, [Commit(at(5), {"content/posts/x.md": post("Two.")})])
    assert builder.standing(MOMENT) is None, "a commit is published though no file changed"
    edition = built(root, tmp_path, builder)
    assert document(edition, "/posts/x.json")["revision_url"].endswith("/posts/x/@2/")
    assert b"uncommitted" not in bytes(edition.body("/posts/x.md") or b"")
    assert edition.digest == built(root, tmp_path / "fresh").digest


def test_indentation_that_alone_changed_in_code_is_compared_in_every_form(tmp_path: Path) -> None:
    def code(indentation: str) -> str:
        return post(f"Before.\n\n```python\nif x:\n{indentation}y = 1 #{indentation} as it is\n    z()\n```\n")

    commits = [Commit(at(hour), {"content/posts/x.md": code(" " * hour)}) for hour in (2, 4)]
    root = repository(tmp_path / "archive", [Commit(at(0), {"site.toml": SITE}), *commits])
    edition = built(root, tmp_path / "state")
    spaces = ("<del>··</del> <ins>····</ins> y = 1 ", "<del>#···</del> <ins>#·····</ins> as it is")
    for path, indented in (("/posts/x/@1..2/", "&nbsp;" * 4 + "z()"), ("/posts/x/@1..2.md", "\u00a0" * 4 + "z()")):
        served = edition.find(path)
        assert served
        said = bytes(served.leaf.body).decode().replace("\\", "")
        assert [words for words in (*spaces, indented) if words not in said] == [], path
    (change,) = document(edition, "/posts/x/@1..2.json")["changes"]
    gone, come = (
        "".join(run["text"] for run in change["operations"] if run["op"] != op) for op in ("insert", "delete")
    )
    assert ("\n  y = 1 #   as" in gone, "\n    y = 1 #     as" in come) == (True, True)


def test_line_ends_of_another_system_are_the_same_revision(tmp_path: Path) -> None:
    root = repository(tmp_path / "archive", [Commit(at(0), {"site.toml": SITE, "content/posts/x.md": post("One.")})])
    file = root / "content/posts/x.md"
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert document(built(root, tmp_path / "state"), "/posts/x.json")["revision_url"].endswith("/@1/")


def test_the_numbers_go_on_from_those_that_the_author_gave(tmp_path: Path) -> None:
    noted = [{"date": "2026-05-02", "note": "More."}]
    states = [post(revision=4), post("Other."), post("Third.", updates=noted), post("Fourth.", revision=9)]
    commits = [Commit(at(hour), {"content/posts/x.md": state}) for hour, state in enumerate(states)]
    root = repository(tmp_path / "archive", [Commit(at(0), {"site.toml": SITE}), *commits])
    edition = built(root, tmp_path / "state")
    assert numbers(edition, "/posts/x/") == [4, 5, 6, 9]


@pytest.mark.parametrize("kind", ["shallow", "huge"])
def test_a_history_that_cannot_be_read_whole_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    states = [Commit(at(hour), {"site.toml": SITE, "content/posts/x.md": post(f"Text {hour}.")}) for hour in range(3)]
    root = repository(tmp_path / "whole", states)
    if kind == "shallow":
        git(tmp_path, "clone", "-q", "--depth", "1", f"file://{root}", "part")
        root = tmp_path / "part"
    else:
        monkeypatch.setattr(git_dates, "OUTPUT", 120)
    edition = built(root, tmp_path / "state")
    assert numbers(edition, "/posts/x/") == [1], "the state folder keeps revisions from now on"


FAILURES = {
    "slow": (
        'for word; do [ "$word" = log ] && exec sleep 9; done\nexec "$REAL" "$@"',
        "Git does not answer in {root} within 1 seconds",
    ),
    "failing": (
        'for word; do [ "$word" = cat-file ] && echo "fatal: no memory" >&2 && exit 128; done\nexec "$REAL" "$@"',
        "Git fails in {root}: fatal: no memory",
    ),
}
"""A Git that does not answer: what it does, and what is said of it."""


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("first", [True, False], ids=["first edition", "later edition"])
def test_a_git_that_does_not_answer_stops_the_edition(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: str, *, first: bool
) -> None:
    states = [Commit(at(hour), {"site.toml": SITE, "content/posts/x.md": post(f"Text {hour}.")}) for hour in range(3)]
    root, state = repository(tmp_path / "archive", states), tmp_path / "state"
    builder = Builder(Settings(root, state))
    if not first:
        built(root, state, builder)
        extend(root, [Commit(at(hour), {"content/posts/x.md": post(f"Text {hour}.")}) for hour in (5, 6)])
    script, said = FAILURES[failure]
    program = tmp_path / "bin/git"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    with monkeypatch.context() as patched:
        patched.setenv("REAL", str(shutil.which("git")))
        patched.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
        patched.setattr(git_dates, "GIT_TIMEOUT_S", 1.0)
        for ask in (builder.check, builder.build):
            with pytest.raises(CitepressError, match=re.escape(said.format(root=root))):
                ask(MOMENT)
    last = builder.last()
    assert (last is None) == first
    if last:
        assert numbers(open_edition(last.pointer).render_with(render_context), "/posts/x/") == [1, 2, 3]
    assert numbers(built(root, state, builder), "/posts/x/") == [1, 2, 3, 4, 5][: 3 if first else 5]


def test_a_repository_that_git_refuses_is_read_without_its_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    root = repository(tmp_path / "archive", [Commit(at(0), {"site.toml": SITE, "content/posts/x.md": post("One.")})])
    program = tmp_path / "bin/git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho \"fatal: detected dubious ownership in repository at '$PWD'\" >&2\nexit 128\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    assert numbers(built(root, tmp_path / "state"), "/posts/x/") == [1], "the state folder keeps revisions from now on"
    said = f"fatal: detected dubious ownership in repository at '{root}'"
    assert [record.getMessage() for record in caplog.records if "refuses" in record.getMessage()] == [
        f"{root} is read without its history, because Git refuses it: {said}"
    ]


@pytest.mark.parametrize("loss", ["gone", "damaged", "no program", "shallow", "ignored"])
def test_numbers_of_commits_are_given_up_by_the_publisher_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loss: str
) -> None:
    states = [Commit(at(hour), {"site.toml": SITE, "content/posts/x.md": post(f"Text {hour}.")}) for hour in range(3)]
    root, state = repository(tmp_path / "archive", states), tmp_path / "state"
    builder = Builder(Settings(root, state))
    built(root, state, builder)
    if loss == "damaged":
        (root / ".git/HEAD").write_bytes(bytes(300_000))
    elif loss == "no program":
        monkeypatch.setenv("PATH", str(tmp_path))
    elif loss == "ignored":
        (root / ".git").rename(tmp_path / "git")
        repository(root / "other", [Commit(at(0), {"a": "b"})])
        (root / "other/.git").rename(root / ".git")
    else:
        (root / ".git").rename(tmp_path / "git")
    if loss == "shallow":
        git(tmp_path, "clone", "-q", "--depth", "1", f"file://{tmp_path / 'git'}", "part")
        (tmp_path / "part/.git").rename(root / ".git")
    (root / "content/posts/x.md").write_text(post("Other words."))
    for ask in (builder.check, builder.build, Builder(Settings(root, state)).build):
        with pytest.raises((HistoryError, GitError)) as raised:
            ask(MOMENT)
    file = state / "revisions/numbers.json"
    assert f'set "git" to false in {file} to number them in the state folder, from 4 on' in str(raised.value)
    file.write_text(file.read_text().replace("true", "false"))
    edition = built(root, state, builder)
    assert numbers(edition, "/posts/x/") == [4]
    (root / "content/posts/x.md").write_text(post("More words."))
    assert numbers(built(root, state), "/posts/x/") == [4, 5]


def test_a_repository_without_a_commit_has_no_history_yet(tmp_path: Path) -> None:
    root = folder(tmp_path / "archive", {"content/posts/x.md": post("One.")}, SITE)
    git(root, "init", "-q", "-b", "main")
    assert numbers(built(root, tmp_path / "state"), "/posts/x/") == [1]
    (root / ".git/refs/heads/main").write_text("broken\n")
    assert numbers(built(root, tmp_path / "state"), "/posts/x/") == [1]


def test_an_edition_is_current_by_the_history_that_was_read(tmp_path: Path) -> None:
    root = repository(tmp_path / "archive", [Commit(at(0), {"site.toml": SITE, "content/posts/x.md": post("One.")})])
    builder = Builder(Settings(root, tmp_path / "state"))
    builder.build(MOMENT)
    assert builder.standing(MOMENT)
    head = root / ".git/HEAD"
    said = head.read_bytes()
    head.write_bytes(bytes(300_000))
    assert builder.standing(MOMENT) is None
    head.write_bytes(said)
    assert builder.standing(MOMENT)


def test_an_edit_renders_the_revisions_of_no_other_record(tmp_path: Path) -> None:
    files = {f"content/posts/p{number}.md": post(f"Text {number}.") for number in range(5)}
    more = [Commit(at(hour), {"content/posts/p0.md": post(f"Hour {hour}.")}) for hour in range(1, 40)]
    root = repository(tmp_path / "archive", [Commit(at(0), {"site.toml": SITE, **files}), *more])
    builder = Builder(Settings(root, tmp_path / "state"))
    first = builder.build(MOMENT).printed
    extend(root, [Commit(at(50), {"content/posts/p0.md": post("The last one.")})])
    second = builder.build(MOMENT)
    assert first
    assert second.printed
    assert second.edit
    assert second.edit.records == {"posts/p0"}
    layer = open_edition(second.pointer).layers[0]
    stored = [path for path in layer.paths() if path.startswith("\0revisions/posts")]
    assert stored == ["\0revisions/posts/p0/", "\0revisions/posts/p0/2"]


def test_what_was_removed_stays_away_when_its_name_is_used_again(tmp_path: Path) -> None:
    file = "content/posts/x.md"
    root = repository(
        tmp_path / "archive",
        [
            Commit(at(0), {"site.toml": SITE, file: post("Taken down.")}),
            Commit(at(1), deleted=[file]),
            Commit(at(2), {file: post("Another text.")}),
            Commit(at(3), {file: post("Another text, edited.")}),
        ],
    )
    edition = built(root, tmp_path / "state")
    assert numbers(edition, "/posts/x/") == [2, 3], "the numbers stay, and the first has no address"
    assert document(edition, "/posts/x/@1.json") is None
    assert document(edition, "/posts/x/@2.json")["written"]["body_markdown"].strip() == "Another text."


def test_odd_names_and_impossible_clocks_in_a_history_do_no_harm(tmp_path: Path) -> None:
    file, ahead = "content/posts/x.md", datetime(2100, 1, 1, tzinfo=UTC)
    odd = {'"notes/a\\001b.txt"': "x", '"notes/a\\nb.txt"': "x", '":100644 x"': "x"}
    root = repository(
        tmp_path / "archive",
        [
            Commit(at(0), {"site.toml": SITE, file: post("One."), **odd}),
            Commit(ahead, {file: post("Two.")}),
            Commit(at(2), {file: post("Three.")}),
        ],
    )
    environment = {"GIT_COMMITTER_DATE": "@999999999999 +0000"}
    (root / "notes/later.txt").write_text("x")
    git(root, "add", "notes")
    git(root, "commit", "-q", "-m", ".", environment=environment)
    edition = built(root, tmp_path / "state")
    assert numbers(edition, "/posts/x/") == [1, 2, 3]
    assert [row.moment for row in edition.revisions("/posts/x/")] == [at(0), at(0) + timedelta(seconds=1), at(2)]
