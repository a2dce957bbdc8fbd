"""What else Git tells of a folder: when files without revisions were committed, and which records it lost."""

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


def test_pages_and_datasets_are_modified_when_their_files_were_committed(tmp_path: Path) -> None:
    dated = {"title": "Weights", "summary": "Of otters.", "date": "2026-05-01"}
    schema = '{"type": "object", "properties": {"kg": {"type": "number"}}}'
    rows = {"datasets/weights/schema.json": schema, "datasets/weights/v1.csv": "kg\n7.5\n"}
    pages = {f"content/pages/{name}.md": markdown({"title": "A page"}) for name in ("about", "index", "own", "still")}
    first = {"site.toml": SITE, "content/posts/x.md": post(), "datasets/weights/README.md": markdown(dated)}
    root = repository(tmp_path / "archive", [Commit(at(0), first | rows | pages)])
    builder = Builder(Settings(root, tmp_path / "state"))
    before = built(root, tmp_path, builder)
    changed = {f"content/pages/{name}.md": markdown({"title": "A page"}, "Other words.") for name in ("about", "index")}
    changed["content/pages/own.md"] = markdown({"title": "Another", "lastmod": "2026-05-02"})
    changed |= {"datasets/weights/README.md": markdown(dated, "Weighed anew."), "datasets/weights/v2.csv": "kg\n8\n"}
    extend(root, [Commit(at(5), changed)])
    after = built(root, tmp_path, builder)
    assert after.digest == built(root, tmp_path / "fresh").digest
    weights = ("/datasets/weights/", "/datasets/weights.json", "/datasets/weights/v1.csv", "/datasets/weights/v2.json")
    for path in ("/", "/about/", "/pages/own/", "/pages/own.md", "/datasets/", *weights):
        assert modified(after, path) == at(5).timestamp(), path
        assert modified(before, path) in (at(0).timestamp(), None), path
    assert modified(after, "/pages/still/") == at(0).timestamp()


def modified(edition: Edition, path: str) -> int | None:
    served = edition.find(path)
    return served.leaf.modified if served and served.leaf.status == 200 else None


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
