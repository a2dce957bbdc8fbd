"""Records that come, go and are dated anew one at a time: the edition equals a fresh one, and nothing is read twice."""

import os
import random
from collections.abc import Collection
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from citepress.admin import build
from citepress.admin.build import Builder
from citepress.archive.model import Archive
from citepress.base.quotation import quote_digest
from citepress.content import observations_file
from citepress.contract.fault import Faults
from citepress.contract.observation import Observation, QuoteObservation
from citepress.edition.data import source_ledger
from citepress.edition.edition import open_edition
from citepress.edition.pages import sources as pages_of_sources
from citepress.settings import Settings
from citepress_sources.observations_writing import write_observations
from support.compared_editions import MOMENT, assert_same, with_history
from support.folder import folder, post, signal, topic

ROUNDS, EVERY = 40, 8
LISTS = ("/posts.md", "/posts/page/2.md", "/posts/page/3.md")
QUOTE, QUOTED = "Words of it.", ("verified", "drifted", "not_found")
ADDRESSES = [f"https://source{number}.example/page" for number in range(4)]


class Posts:
    """Records of an archive, each changed by itself."""

    def __init__(self, root: Path, dice: random.Random) -> None:
        self.root, self.dice, self.names = root, dice, list[str]()
        files = {f"content/topics/{name}.md": topic(title=f"About {name}") for name in ("one", "two")}
        folder(root, files, 'title = "A"\nlicense = "CC0-1.0"\npage_size = 5\n')
        for _ in range(12):
            self.add()

    def add(self) -> Path:
        """A new record, which nothing names yet."""
        name = f"{self.dice.choice(('posts', 'signals'))}/r{self.dice.randrange(10**9)}"
        self.names.append(name)
        return self.write(name)

    def change(self) -> Path:
        """Another date, other sources, topics and links."""
        return self.write(self.dice.choice(self.names))

    def delete(self) -> Path:
        """A record that nothing names is gone."""
        named = "".join(path.read_text() for path in self.root.rglob("content/*/*.md"))
        free = [name for name in self.names if f"/{name}/" not in named and f"- {name}\n" not in named]
        if not free:
            return self.change()
        self.names.remove(name := self.dice.choice(free))
        (file := self.root / f"content/{name}.md").unlink()
        return file

    def observe(self) -> Path:
        """Some sources were checked."""
        checked = self.dice.sample(ADDRESSES, self.dice.randint(0, 4))
        states = ("unchanged", "changed", "gone", "blocked")
        write_observations(
            self.root,
            (
                Observation(
                    url=url,
                    status=self.dice.choice(states),
                    checked_at=MOMENT - timedelta(self.dice.randint(1, 9)),
                    captured_at=MOMENT,
                    changed_share=self.dice.choice((None, 0.1, 0.5)),
                    quotes={quote_digest(QUOTE): QuoteObservation(state=self.dice.choice(QUOTED))},
                )
                for url in checked
            ),
        )
        return self.root / observations_file.OBSERVATIONS_FILE

    def write(self, name: str) -> Path:
        """A record as chance wants it."""
        dice, others = self.dice, [other for other in self.names if other != name]
        urls = dice.sample(ADDRESSES, dice.randint(0, 2))
        members: dict[str, Any] = {
            "title": f"Record {dice.randint(1, 9)}",
            "date": f"2026-0{dice.randint(1, 9)}-1{dice.randint(0, 9)}",
            "topics": dice.sample(("one", "two"), dice.randint(0, 2)),
        }
        if name.startswith("posts") or urls:
            members["sources"] = [{"url": url, "title": f"Title {dice.randint(1, 2)}"} for url in urls]
        if name.startswith("posts") and urls:
            members["claims"] = [{"text": "It is said.", "quote": QUOTE, "source_refs": urls}]
        if others and dice.random() < 0.4:
            members["related"] = [dice.choice(others)]
        body = (
            f"See [{dice.randint(1, 2)}](/{dice.choice(others)}/), {dice.randint(1, 2)}."
            if others and dice.random() < 0.4
            else f"At {dice.random()}."
        )
        body += f" [Words]({dice.choice(ADDRESSES)})." if dice.random() < 0.3 else ""
        make = post if name.startswith("posts") else signal
        folder(self.root, {f"content/{name}.md": make(**members).replace("Some text.", body)}, None)
        os.utime(file := self.root / f"content/{name}.md")
        return file


def published(builder: Builder, changed: Collection[Path]) -> bool:
    """Whether the folder could be published."""
    try:
        builder.build(MOMENT, changed)
    except Faults:
        return False
    return True


@pytest.mark.parametrize("seed", [3, 4])
def test_records_that_come_and_go_one_at_a_time_are_published_by_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(source_ledger, "PART_SOURCES", 2)
    monkeypatch.setattr(pages_of_sources, "MAX_SHOWN_EVIDENCE", 2)
    dice = random.Random(seed)  # noqa: S311  (text, not secrets)
    posts = Posts(tmp_path / "archive", dice)
    builder, assembled = Builder(Settings(posts.root, tmp_path / "state")), list[object]()
    assert published(builder, ())
    assemble = build.assembled

    def counted(*args: Any, **named: Any) -> Any:
        assembled.append(args)
        return assemble(*args, **named)

    monkeypatch.setattr(build, "assembled", counted)
    for number in range(1, ROUNDS + 1):
        act = dice.choices((posts.add, posts.change, posts.delete, posts.observe), (4, 5, 3, 3))[0]
        assert published(builder, [act()])
        if number % EVERY == 0:
            grown = (archive_of(builder), open_edition(tmp_path / "state/edition/current.json"))
            before = len(assembled)
            fresh = Builder(Settings(posts.root, with_history(tmp_path / "state", tmp_path / f"fresh-{number}")))
            whole = fresh.build(MOMENT)
            assert grown[1].body("/source-ledger/2.json"), "a further part, whose sources are held"
            assert list(grown[0].entries) == list(archive_of(fresh).entries)
            assert_same(grown[1], open_edition(whole.pointer))
            last = builder._last  # noqa: SLF001
            assert last
            assert (*last.assembled.faults, *last.beside) == whole.warnings
            del assembled[before:]
    assert len(assembled) < ROUNDS / 4, "most of them concern nothing but the records around them"


def archive_of(builder: Builder) -> Archive:
    """The archive that a builder published last."""
    archive = builder._last and builder._last.assembled.archive  # noqa: SLF001
    assert archive
    return archive


def test_a_new_record_changes_the_first_page_of_a_list_alone(tmp_path: Path) -> None:
    files = {f"content/posts/p{number:02}.md": post(date=f"2026-03-{number:02}") for number in range(1, 14)}
    settings = Settings(
        folder(tmp_path / "site", files, 'title = "A"\nlicense = "CC0-1.0"\npage_size = 5\n'), tmp_path / "state"
    )
    builder = Builder(settings)
    before = open_edition(builder.build(MOMENT).pointer)
    assert [str(before.body(path)).count("/posts/p") >= 5 for path in ("/posts.md", "/posts/page/2.md")]
    assert before.body("/posts/page/3.md") is None
    folder(settings.root, {"content/posts/new.md": post(date="2026-04-01")}, None)
    after = open_edition(builder.build(MOMENT).pointer)
    assert [after.body(path) == before.body(path) for path in LISTS] == [False, True, True]
