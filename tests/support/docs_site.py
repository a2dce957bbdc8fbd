"""The documentation as an archive of citepress, for ``make docs``; run this file with the folder to write."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from os.path import relpath
from pathlib import Path

import orjson

from citepress.base import clock
from citepress.base.slugs import slugify
from support.tree import ROOT, files, name_of

PAGES = (
    "*.md",
    "docs/**/*.md",
    "packages/README.md",
    "packages/*/README.md",
    "bench/**/README.md",
    "release/README.md",
)
DECISIONS = "docs/decisions/"
TOPICS = {
    "guides": ("Guides", "How do I use citepress?", "Write, publish, serve and sell with citepress, task by task."),
    "reference": (
        "Reference",
        "What does each command, setting, key and fault mean?",
        "Every command, setting, key, fault and limit, and what clients may rely on.",
    ),
    "explanation": (
        "Explanation",
        "How is citepress built, and why?",
        "Architecture, words, and the design of each part.",
    ),
    "packages": ("Packages", "What does each package do?", "What each package of citepress adds, needs and costs."),
    "project": (
        "Project",
        "How is the project run?",
        "Contributing, testing, style, security, benchmarks and changes.",
    ),
    "decisions": (
        "Decisions",
        "What was decided, and why?",
        "Dated decisions: the choice, the reason, and what would change it.",
    ),
}
"""Title, question and answer of each topic, by slug."""
SLUGS = {"README.md": "citepress", "docs/README.md": "documentation", "docs/contributing.md": "contributing-code"}
SETTINGS = """\
title = "citepress documentation"
description = "How to publish an archive that people and AI agents can read, cite, correct and buy compute from."
owner = "The citepress project"
license = "Apache-2.0"

[kinds.posts]
label = "Pages"
singular = "Page"

[home]
lead = "posts/tutorial"
parts = ["search", "lead", "topics", "collections"]
"""
OWNER = """\
---
name: The citepress project
type: Organization
headline: Publishes citepress
description: The people who write citepress and its documentation.
---
"""
HEADING = re.compile(r"^# (.+)\n", re.MULTILINE)
ENTRY = re.compile(r"^## (\d{4}-\d\d-\d\d) \u00b7 (.+)\n((?:(?!## ).*\n?)*)", re.MULTILINE)
CODE = re.compile(r"^(`{3,}|~{3,}).*?^\1|(`+)(?!`).+?(?<!`)\2(?!`)", re.MULTILINE | re.DOTALL)
TARGET = re.compile(r"(\]\()(?!https?:|mailto:|/)([^)#\s]*)(?:#([^)\s]+))?(?=\))")
COMMENT = re.compile(r"<!-- .*? -->\n*")
MAX_SUMMARY_CHARS = 280
MAX_SLUG_CHARS = 80
CUT = " \u2026"
"""The end of a summary whose sentence is longer."""


@dataclass(frozen=True, slots=True)
class Source:
    """A page of the repository."""

    name: str
    """Its path from the top of the repository."""
    title: str
    text: str

    @property
    def slug(self) -> str:
        """The last part of its address."""
        if self.name in SLUGS:
            return SLUGS[self.name]
        return self.name.removeprefix("docs/").removesuffix(".md").removesuffix("/README").replace("/", "-").lower()

    @property
    def topic(self) -> str:
        """The topic that lists it."""
        folder = self.name.removeprefix("docs/").partition("/")[0]
        if folder in {"guides", "reference", "packages", "decisions"}:
            return folder
        return {"tutorial.md": "guides", "extending.md": "guides"}.get(
            folder, "explanation" if folder in {"architecture.md", "glossary.md", "design"} else "project"
        )

    @property
    def has_entries(self) -> bool:
        """Whether each of its sections is a record."""
        return self.name.startswith(DECISIONS) and not self.name.endswith("README.md")

    @property
    def address(self) -> str:
        """Where it is published."""
        return f"/posts/{self.slug}/"

    @property
    def entries(self) -> list[tuple[str, str, str]]:
        """Day, title and text of each section of a page of decisions."""
        return ENTRY.findall(self.text) if self.has_entries else []


@cache
def page_sources() -> Mapping[str, Source]:
    """Every page, by its path."""
    paths = {path: None for pattern in PAGES for path in sorted(ROOT.glob(pattern)) if "node_modules" not in path.parts}
    pages_by_path = {}
    for path in paths:
        text = path.read_text("utf-8")
        heading = HEADING.search(text)
        title = heading[1].replace("`", "") if heading else path.stem
        pages_by_path[name_of(path)] = Source(name_of(path), title, text[heading.end() :] if heading else text)
    return pages_by_path


def write_site(folder: Path) -> None:
    """Write the archive into a folder, in place of what is there; its state stays."""
    for name in ("content", "static"):
        shutil.rmtree(folder / name, ignore_errors=True)
    content = {"site.toml": SETTINGS, "content/owner.md": OWNER, "content/posts/examples.md": _examples()}
    for slug, (title, question, answer) in TOPICS.items():
        content[f"content/topics/{slug}.md"] = _topic(title, question, answer)
    for source in page_sources().values():
        content[f"content/posts/{source.slug}.md"] = _page(source)
        for day, title, text in source.entries:
            content[f"content/posts/{_entry(title)}.md"] = _decision(source, day, title, text)
    for name, text in content.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    for path in (ROOT / "LICENSE", *(ROOT / "docs").glob("*.png"), *(ROOT / "bench").rglob("*.svg")):
        target = folder / _static(name_of(path))
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def _page(source: Source) -> str:
    """The record of a page; that of a page with entries lists them."""
    text = source.text
    if source.has_entries:
        listing = "".join(f"- {day} \u00b7 [{title}](/posts/{_entry(title)}/)\n" for day, title, _ in source.entries)
        text = f"{source.title}, newest last.\n\n{listing}"
    text = _linked(source, text)
    return _record(source.title, _summary(text), _days().get(source.name, _last_day()), [source.topic], text)


def _decision(source: Source, day: str, title: str, text: str) -> str:
    body = _linked(source, text)
    return _record(title, _summary(body), day, ["decisions"], f"{body}\n\nFrom [{source.title}]({source.address}).")


def _entry(title: str) -> str:
    return f"decision-{slugify(title)}"[:MAX_SLUG_CHARS].rstrip("-")


def _topic(title: str, question: str, answer: str) -> str:
    return _file({"title": title, "summary": answer, "question": question, "short_answer": answer}, _last_day(), "")


def _record(title: str, summary: str, day: str, topics: list[str], text: str) -> str:
    front: dict[str, object] = {"title": title.replace("`", ""), "summary": summary, "topics": topics}
    if not summary.endswith(CUT):
        front["retrieval_nugget"] = summary
    return _file(front, day, text)


def _file(front: Mapping[str, object], day: str, text: str) -> str:
    """A file of content; strings of JSON are strings of YAML."""
    lines = "".join(f"{key}: {orjson.dumps(value).decode()}\n" for key, value in front.items())
    return f"---\n{lines}date: {day}\n---\n\n{COMMENT.sub('', text).strip()}\n"


def _summary(text: str) -> str:
    """The first sentences as plain words."""
    paragraphs = re.findall(r"^(?![#|<!\-])[\w`\[](?:.*\n?)+?(?=\n|\Z)", COMMENT.sub("", text), re.MULTILINE)
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join((paragraphs or [text])[0].split()))
    plain = re.sub(r"[`*]", "", plain)
    if len(plain) <= MAX_SUMMARY_CHARS:
        return plain
    sentences = plain[:MAX_SUMMARY_CHARS].rpartition(". ")[0]
    return f"{sentences}." if sentences else plain[:MAX_SUMMARY_CHARS].rpartition(" ")[0] + CUT


def _linked(source: Source, text: str) -> str:
    """The text with its links to files of the repository as links of the site."""
    code = [(match.start(), match.end()) for match in CODE.finditer(text)]

    def led(match: re.Match[str]) -> str:
        if any(start <= match.start() < end for start, end in code):
            return match[0]
        return match[1] + _address(source, match[2], match[3] or "")

    return TARGET.sub(led, text)


def _address(source: Source, target: str, anchor: str) -> str:
    path = relpath(ROOT / source.name / ".." / target, ROOT) if target else source.name
    named = page_sources().get(path) or page_sources().get(f"{path}/README.md")
    if named is None:
        folder = path.removeprefix("examples").strip("/")
        return f"/posts/examples/#{slugify(folder)}" if (ROOT / path).is_dir() else f"/{_static(path)[7:]}"
    if named.has_entries and anchor:
        entries = {_anchor(f"{day} \u00b7 {title}"): title for day, title, _ in named.entries}
        return f"/posts/{_entry(entries[anchor])}/"
    return f"{named.address}#{anchor}" if anchor else named.address


def _anchor(heading: str) -> str:
    """The fragment of a heading, as code hosts make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _static(name: str) -> str:
    return f"static/{name}" if "." in name else f"static/{name}.txt"


def _examples() -> str:
    """A page with the files of each example, to which links to folders lead."""
    folders = sorted(path for path in (ROOT / "examples").iterdir() if path.is_dir())
    sections = (
        f"## {path.name}\n\n" + "".join(f"- `{name_of(file)}`\n" for file in files(name_of(path))) for path in folders
    )
    summary = "The files of each example in the repository."
    return _record("Examples", summary, _last_day(), ["project"], "\n".join(sections))


@cache
def _days() -> Mapping[str, str]:
    """The day of the last commit of each file; empty without a history."""
    command = ["git", "log", "--format=:%cs", "--name-only", "--no-renames", "--", *PAGES]
    try:
        log = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return {}
    return dict(reversed(list(_dated(log))))


def _dated(log: str) -> Iterator[tuple[str, str]]:
    day = ""
    for line in filter(None, log.splitlines()):
        if line.startswith(":"):
            day = line[1:]
        else:
            yield line, day


def _last_day() -> str:
    """The newest day of all pages, or today."""
    return max(_days().values(), default=clock.now().date().isoformat())


if __name__ == "__main__":
    write_site(Path(sys.argv[1]))
