"""An author who edits a small archive at random, the same way for the same seed, and mostly without faults."""

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.folder import SITE, folder, markdown, pattern, post, signal, topic

BODIES = ("Some text.", "It was so.\n\n## Why\n\nNobody knows.", "A [whole address](https://far.example/page).")
ADDRESSES = (
    "https://spec.example/one",
    "https://spec.example/two",
    "https://other.example/a/b?c=d",
    "https://www.third.example/",
)
ELSEWHERE = (
    "https://mirror.example/one",
    "https://far.example/page",
    "https://far.example/other",
    "http://spec.example/one/",
)
DATES = ("2026-01-05", "2026-03-01", "2026-05-01", "2026-11-01", "2027-01-01")
UPDATED = "2026-06-01"
TEMPLATE = "{% extends 'theme/page.html' %}"


class Author:
    """Writes, changes, renames and deletes records and what lies beside them."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root, self.random = root, random.Random(seed)  # noqa: S311  (text, not secrets)
        self.records: dict[str, dict[str, Any]] = {}
        """Front matter by id."""
        self._count = 0
        folder(root, {}, SITE)
        for name in ("one", "two", "three"):
            self._put(f"topics/{name}", {"title": f"Topic {name}", "feed": name == "one"})
        for _ in range(12):
            self.add()

    def edit(self) -> str:
        """One edit; its name."""
        acts: list[tuple[int, Callable[[], object]]] = [
            (6, self.add), (12, self.text), (6, self.title), (6, self.link), (5, self.source), (5, self.about),
            (8, self.mention), (2, self.other_address), (5, self.tag),
            (5, self.date), (4, self.note_change), (4, self.draft), (4, self.delete), (4, self.rename),
            (2, self.withdraw), (2, self.alias), (2, self.template), (2, self.settings), (2, self.shared_sources),
            (2, self.page), (2, self.static), (2, self.redirect),
        ]  # fmt: skip
        (act,) = self.random.choices([act for _, act in acts], [weight for weight, _ in acts])
        act()
        return act.__name__

    def add(self) -> None:
        """A new record of any of four kinds, which may link to others."""
        self._count += 1
        kind = self.random.choice(("posts", "posts", "signals", "patterns"))
        front: dict[str, Any] = {"title": f"Record {self._count}", "date": self.random.choice(DATES[:3])}
        if self.random.random() < 0.7:
            front["topics"] = [self.random.choice(("one", "two", "three"))]
        self._put(f"{kind}/r{self._count}", front)
        if self.random.random() < 0.5:
            self.link()

    def text(self) -> None:
        """Another text."""
        id_ = self._any()
        self._put(id_, self.records[id_] | {"body": f"{self.random.choice(BODIES)} {self.random.random()}"})

    def title(self) -> None:
        """Another title or summary."""
        id_, member = self._any(), self.random.choice(("title", "summary"))
        self._put(id_, self.records[id_] | {member: f"Called {self.random.random()}"})

    def tag(self) -> None:
        """Other tags, of which two are one under two spellings."""
        tags = self.random.sample(("caches", "Caches", "写真", "web standards"), self.random.randrange(3))
        id_ = self._any()
        self._put(id_, self.records[id_] | {"tags": tags})

    def link(self) -> None:
        """Another related record, or a link in the text."""
        id_, other = self._any(), self._any()
        if other == id_ or "draft" in self.records[other]:
            return
        if self.random.random() < 0.5:
            self._put(id_, self.records[id_] | {"related": [other]})
        else:
            self._put(id_, self.records[id_] | {"body": f"See [it](/{other}/)."})

    def mention(self) -> None:
        """Links of the text to other sites, some of which other records cite."""
        id_ = self._any()
        urls = self.random.sample((*ADDRESSES, *ELSEWHERE), self.random.randint(0, 3))
        words = "".join(f" [Words {self.random.randint(1, 3)}]({url})" for url in urls)
        self._put(id_, self.records[id_] | {"body": f"A text{words}."})

    def other_address(self) -> None:
        """Another address of a source, to which texts may link."""
        id_ = self._any()
        source = {"url": self.random.choice(ADDRESSES), "aliases": [self.random.choice(ELSEWHERE)]}
        self._put(id_, self.records[id_] | {"sources": [source]})

    def source(self) -> None:
        """Other sources."""
        id_ = self._any()
        urls = self.random.sample(ADDRESSES, self.random.randint(0, 3))
        titled = [{"url": url, "title": f"Title {self.random.randint(1, 3)}"} for url in urls]
        self._put(id_, self.records[id_] | {"sources": self.random.choice([urls, titled])})

    def about(self) -> None:
        """Other topics."""
        id_ = self._any()
        if not id_.startswith("topics/"):
            self._put(id_, self.records[id_] | {"topics": self.random.sample(("one", "two", "three"), 2)})

    def date(self) -> None:
        """Another date of publication, which may lie ahead."""
        id_ = self._any()
        if not id_.startswith("topics/"):
            self._put(id_, self.records[id_] | {"date": self.random.choice(DATES)})

    def note_change(self) -> None:
        """A dated change with its note."""
        id_ = self._any()
        self._put(
            id_,
            self.records[id_] | {"updates": [{"date": UPDATED, "note": f"Read again {self.random.random()}."}]},
        )

    def draft(self) -> None:
        """Takes a record back into its drawer, or out of it."""
        id_ = self._any()
        front = dict(self.records[id_])
        if front.pop("draft", None) is None and not id_.startswith("topics/"):
            front["draft"] = True
        self._put(id_, front)

    def delete(self) -> None:
        """A record is gone, with the links to it."""
        id_ = self._any()
        if not id_.startswith("topics/"):
            self._unlink(id_)
            self._remove(id_)

    def rename(self) -> None:
        """A record has another slug, and its former address leads there."""
        id_ = self._any()
        if id_.startswith("topics/"):
            return
        self._count += 1
        front = self.records[id_] | {"aliases": [f"/{id_}/"]}
        self._unlink(id_)
        self._remove(id_)
        self._put(f"{id_.partition('/')[0]}/r{self._count}", front)

    def withdraw(self) -> None:
        """A record is taken back, and says so."""
        id_ = self._any()
        if not id_.startswith("topics/"):
            self._unlink(id_)
            self._remove(id_)
            front = {"title": "Gone", "date": "2026-05-01", "gone": {"date": "2026-06-01", "reason": "It was wrong."}}
            self._write(f"content/{id_}.md", markdown(front, ""))

    def alias(self) -> None:
        """Another former address."""
        id_ = self._any()
        self._count += 1
        self._put(id_, self.records[id_] | {"aliases": [f"/old/{self._count}/"]})

    def template(self) -> None:
        """A template of the archive's own, or the theme's again."""
        self._beside("templates/page.html", f"{TEMPLATE}<!-- {self.random.randint(1, 3)} -->")

    def settings(self) -> None:
        """Another description of the site."""
        self._write("site.toml", f'{SITE}description = "Words {self.random.randint(1, 3)}"\n')

    def shared_sources(self) -> None:
        """Names of origins."""
        title = f"The body {self.random.randint(1, 3)}"
        text = f"origins:\n- id: spec\n  title: {title}\n  url: https://spec.example/\n  match: [spec.example]\n"
        self._beside("content/sources.yaml", text)

    def page(self) -> None:
        """A page of the archive's own."""
        self._beside("content/pages/more.md", markdown({"title": f"More {self.random.randint(1, 3)}"}))

    def static(self) -> None:
        """A file to pass through."""
        self._beside("static/file.txt", f"bytes {self.random.random()}")

    def redirect(self) -> None:
        """A line that leads a former path somewhere."""
        self._beside("redirects.txt", f"/was/ /{self.random.choice(('posts', 'topics'))}/\n")

    def _any(self) -> str:
        return self.random.choice(sorted(self.records))

    def _beside(self, name: str, text: str) -> None:
        """Write a file, or remove it."""
        if self.random.random() < 0.3 and (self.root / name).exists():
            (self.root / name).unlink()
            if name.startswith(("templates", "static")):
                shutil.rmtree((self.root / name).parent)
        else:
            self._write(name, text)

    def _write(self, name: str, text: str) -> None:
        """Write a file now."""
        folder(self.root, {name: text}, None)
        os.utime(self.root / name)

    def _put(self, id_: str, front: dict[str, Any]) -> None:
        if front.get("date", "") > UPDATED:
            front = {key: value for key, value in front.items() if key != "updates"}
        self.records[id_] = front
        members = {"date": "2026-05-01"} | {key: value for key, value in front.items() if key != "body"}
        make = {"posts": post, "topics": topic, "signals": signal, "patterns": pattern}[id_.partition("/")[0]]
        written = make(**members).replace("Some text.", front.get("body", "Some text."))
        self._write(f"content/{id_}.md", written)

    def _remove(self, id_: str) -> None:
        (self.root / f"content/{id_}.md").unlink()
        del self.records[id_]

    def _unlink(self, id_: str) -> None:
        """Take away what refers to a record."""
        for other, front in list(self.records.items()):
            if id_ in front.get("related", ()) or f"/{id_}/" in front.get("body", ""):
                self._put(other, {key: value for key, value in front.items() if key not in ("related", "body")})
