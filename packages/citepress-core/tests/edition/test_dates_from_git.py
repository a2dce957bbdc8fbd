"""What else Git tells of a folder: which published records it lost."""

from datetime import UTC, datetime
from pathlib import Path

from citepress.admin.build import Builder
from citepress.contract.fault import VANISHED
from citepress.edition.edition import Edition, open_edition
from citepress.settings import Settings
from support.folder import SITE, markdown, post
from support.git_folder import Commit, at, extend, repository

MOMENT = datetime(2026, 11, 21, tzinfo=UTC)


def built(root: Path, state: Path, builder: Builder | None = None) -> Edition:
    return open_edition((builder or Builder(Settings(root, state))).build(MOMENT).pointer)


def test_a_published_record_that_vanished_from_git_is_warned_of_until_something_stands_for_it(tmp_path: Path) -> None:
    never = {"content/posts/never.md": post("Removed before it was published.")}
    files = {f"content/posts/{name}.md": post(f"Text of {name}.") for name in ("x", "y", "z")}
    commits = [Commit(at(0), {"site.toml": SITE} | files | never), Commit(at(1), deleted=never)]
    root, state = repository(tmp_path / "archive", commits), tmp_path / "state"
    builder = Builder(Settings(root, state))
    builder.build(MOMENT)
    (root / "content/posts/new.md").write_text(post("New."))
    builder.build(MOMENT, [root / "content/posts/new.md"])
    extend(root, [Commit(at(2), renamed={"content/posts/x.md": "content/posts/w.md"}, deleted=["content/posts/y.md"])])
    (root / "content/posts/new.md").unlink()
    messages = [f"/posts/{name}/ was published and leads nowhere any more, nor do its revisions" for name in "xy"]
    new = messages[0].replace("/x/", "/new/")
    assert vanished(root, state) == [new, f"{messages[0]}; posts/w has its text", messages[1]]
    built(root, state)
    assert len(vanished(root, state)) == 3, "it says so as long as it is so"
    assert vanished(root, tmp_path / "fresh") == [], "nothing is known to have been published"
    standing = {
        "content/posts/w.md": post("Text of x.", aliases=["/posts/x/"]),
        "redirects.txt": "/posts/new/ /posts/\n",
    }
    extend(root, [Commit(at(3), standing | {"content/posts/y.md": markdown({"title": "Gone", "gone": True})})])
    assert vanished(root, state) == []


def vanished(root: Path, state: Path) -> list[str]:
    """What is said of each published address that leads nowhere."""
    faults = Builder(Settings(root, state)).check(MOMENT)[1]
    return sorted(fault.message for fault in faults if fault.code is VANISHED)
