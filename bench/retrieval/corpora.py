"""Read a test collection from a folder: BEIR, SMART (Cranfield, CISI, CACM, NPL) or a tree of Markdown."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

MARKED = re.compile(r"^\.([A-Z])\s*", re.MULTILINE)
HEADING = re.compile(r"^#{1,4}\s+(.+?)\s*#*$", re.MULTILINE)
FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
SECTION = (200, 20_000)
"""Characters of a section that is a document."""


@dataclass(frozen=True)
class Collection:
    """Documents, questions and judgements."""

    name: str
    documents: dict[str, tuple[str, str]]
    """(title, text) by id."""
    questions: dict[str, str]
    judged: dict[str, dict[str, int]]
    """Gain of each judged document by question."""
    authors: dict[str, str] = field(default_factory=dict)
    """The authors of each document that names any, in a line."""
    language: str = "en"
    """Primary language subtag of its documents."""


def load(folder: Path) -> Collection:
    """The collection in a folder. Raises ``ValueError`` when nothing in it is known."""
    if (folder / "corpus.jsonl").exists():
        return _beir(folder)
    files = {file.name.lower(): file for file in folder.iterdir() if file.is_file()}
    for names in SMART:
        if all(name in files for name in names):
            return _smart(folder.name, *(files[name] for name in names))
    if all(name in files for name in NPL):
        return _npl(folder.name, *(files[name] for name in NPL))
    if any(folder.rglob("*.md")):
        return _headings(folder)
    raise ValueError(f"{folder} holds no collection that is known here (see README.md)")


NPL = ("doc-text", "query-text", "rlv-ass")
SMART = (
    ("cran.all.1400", "cran.qry", "cranqrel"),
    ("cisi.all", "cisi.qry", "cisi.rel"),
    ("cacm.all", "query.text", "qrels.text"),
)


def _beir(folder: Path) -> Collection:
    read = list(_lines(folder / "corpus.jsonl"))
    documents = {document["_id"]: (document.get("title", ""), document["text"]) for document in read}
    questions = {question["_id"]: question["text"] for question in _lines(folder / "queries.jsonl")}
    judged: dict[str, dict[str, int]] = defaultdict(dict)
    for line in (folder / "qrels" / "test.tsv").read_text().splitlines()[1:]:
        question, document, gain = line.split("\t")
        judged[question][document] = int(gain)
    language = read[0].get("language", "en") if read else "en"
    return replace(_collection(folder.name, documents, questions, judged), language=language)


def _lines(file: Path) -> Iterator[dict[str, str]]:
    with file.open() as lines:
        yield from (json.loads(line) for line in lines)


def _smart(name: str, documents: Path, questions: Path, judgements: Path) -> Collection:
    """SMART files: ``.I`` begins an entry, ``.T`` its title, ``.W`` its text; judgements are binary."""
    judged: dict[str, dict[str, int]] = defaultdict(dict)
    for line in judgements.read_text(errors="replace").splitlines():
        fields = line.split()
        if len(fields) >= 2 and not (len(fields) == 3 and int(fields[2]) < 1):  # noqa: PLR2004  (Cranfield marks the irrelevant)
            judged[str(int(fields[0]))][str(int(fields[1]))] = 1
    entries = list(_entries(questions))
    by_place = documents.name.startswith("cran")  # its judgements count the questions and do not name them
    texts = {
        str(place + 1) if by_place else id_: " ".join(parts.get("W", "").split())
        for place, (id_, parts) in enumerate(entries)
    }
    described = dict(_entries(documents))
    titled = {id_: (parts.get("T", ""), parts.get("W", "")) for id_, parts in described.items()}
    authors = {id_: " ".join(line.split()) for id_, parts in described.items() if (line := parts.get("A", "").strip())}
    return replace(_collection(name, titled, texts, judged), authors=authors)


def _npl(name: str, documents: Path, questions: Path, judgements: Path) -> Collection:
    """Files of NPL: a number on a line, what belongs to it, and a slash; documents have no titles."""
    texts = {id_: ("", text) for id_, text in _numbered(documents)}
    judged = {id_: dict.fromkeys(answers.split(), 1) for id_, answers in _numbered(judgements)}
    return _collection(name, texts, dict(_numbered(questions)), judged)


def _numbered(file: Path) -> Iterator[tuple[str, str]]:
    for entry in re.split(r"^\s*/\s*$", file.read_text(errors="replace"), flags=re.MULTILINE):
        number, _, rest = entry.strip().partition("\n")
        if number.strip().isdecimal():
            yield number.strip(), " ".join(rest.split())


def _entries(file: Path) -> Iterator[tuple[str, dict[str, str]]]:
    text = file.read_text(errors="replace")
    for entry in re.split(r"^\.I\s+", text, flags=re.MULTILINE)[1:]:
        id_, _, rest = entry.partition("\n")
        parts: dict[str, str] = {}
        pieces = MARKED.split(rest)
        for mark, body in zip(pieces[1::2], pieces[2::2], strict=True):
            parts[mark] = f"{parts.get(mark, '')} {body}".strip()
        yield str(int(id_.split()[0])), parts


def _headings(folder: Path) -> Collection:
    """Sections of documentation: the heading is the question, the text of its section the one answer."""
    documents, questions, judged = {}, {}, {}
    headings: dict[str, int] = defaultdict(int)
    for file in sorted(folder.rglob("*.md")):
        text = FENCE.sub("", file.read_text(errors="replace"))
        pieces = HEADING.split(text)
        for place, (heading, body) in enumerate(zip(pieces[1::2], pieces[2::2], strict=True)):
            if SECTION[0] <= len(body) <= SECTION[1]:
                id_ = f"{file.relative_to(folder)}#{place}"
                documents[id_] = ("", body)
                headings[heading.lower()] += 1
                if len(heading.split()) > 1:
                    questions[id_], judged[id_] = heading, {id_: 1}
    once = {id_: heading for id_, heading in questions.items() if headings[heading.lower()] == 1}
    return _collection(f"headings of {folder.name}", documents, once, judged)


def _collection(
    name: str, documents: dict[str, tuple[str, str]], questions: dict[str, str], judged: dict[str, dict[str, int]]
) -> Collection:
    judged_questions = {
        id_: text for id_, text in questions.items() if any(gain > 0 for gain in judged.get(id_, {}).values())
    }
    return Collection(name, documents, judged_questions, {id_: dict(judged[id_]) for id_ in judged_questions})
