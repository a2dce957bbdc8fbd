"""A synthetic archive of any size: linked records of about 8 KB each, the same for the same numbers.

A text has sections with a link to another site in each, a list and a code block, and one link to another record.
"""

import argparse
import random
from pathlib import Path

WORDS = [
    "agent",
    "archive",
    "record",
    "source",
    "claim",
    "evidence",
    "protocol",
    "server",
    "client",
    "request",
    "answer",
    "token",
    "budget",
    "cache",
    "header",
    "representation",
    "markdown",
    "index",
    "graph",
    "edge",
    "node",
    "topic",
    "pattern",
    "signal",
    "forecast",
    "revision",
    "release",
    "transport",
    "session",
    "stateless",
    "sandbox",
    "memory",
    "tool",
    "description",
    "injection",
    "benchmark",
    "retrieval",
    "citation",
    "licence",
    "publisher",
    "crawler",
    "signature",
    "payment",
    "settlement",
    "quote",
    "ledger",
    "inbox",
]


def sentence(rng: random.Random) -> str:
    """Ten to twenty words."""
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(10, 20))).capitalize() + "."


def body(rng: random.Random, size: int) -> str:
    """Sections of paragraphs, a list and a code block, about ``size`` characters."""
    parts: list[str] = []
    while sum(map(len, parts)) < size:
        parts.append(f"\n## {' '.join(rng.choice(WORDS) for _ in range(4)).capitalize()}\n")
        parts += [" ".join(sentence(rng) for _ in range(5)) + "\n" for _ in range(2)]
        parts[-1] = (
            f"See [{rng.choice(WORDS)}"
            f" {rng.choice(WORDS)}](https://site{rng.randrange(500)}.example/{rng.choice(WORDS)}). {parts[-1]}"
        )
        parts.append("".join(f"- {sentence(rng)}\n" for _ in range(3)))
        parts.append("```python\nanswer = request.get('/posts.json')\n```\n")
    return "\n".join(parts)


def record(number: int, count: int, size: int) -> str:
    """One field note with two sources, three claims and two related records."""
    rng = random.Random(number)  # noqa: S311  (text, not secrets)
    others = sorted({rng.randrange(count) for _ in range(2)} - {number})
    sources = "".join(
        f"  - id: s{k}\n    url: https://source{rng.randrange(2000)}.example/{rng.randrange(100_000)}\n    title:"
        f" {sentence(rng)}\n    publisher: Publisher {rng.randrange(500)}\n    accessed_at: 2026-05-01\n    role:"
        " primary\n"
        for k in (1, 2)
    )
    claims = "".join(f"  - text: {sentence(rng)}\n    source_refs: [s{rng.choice((1, 2))}]\n" for _ in range(3))
    related = ", ".join(f"posts/note-{other}" for other in others)
    return (
        f"---\ntitle: Note {number} on {rng.choice(WORDS)} and {rng.choice(WORDS)}\nsummary: {sentence(rng)}\ndate:"
        f" 2026-{number % 9 + 1:02d}-{number % 28 + 1:02d}\ntopics: [topic-{number % 20}]\ntags:"
        f" [{rng.choice(WORDS)}]\nsources:\n{sources}related: [{related}]\nretrieval_nugget:"
        f" {sentence(rng)}\nclaims:\n{claims}---\n{body(rng, size)}\nSee also [another"
        f" note](/posts/note-{rng.randrange(count)}/).\n"
    )


def topic(number: int) -> str:
    """One topic hub."""
    return (
        f"---\ntitle: Topic {number}\nsummary: A topic of the synthetic archive.\ndate: 2026-01-01\nquestion: What is"
        f" topic {number}?\nshort_answer: A group of records.\nevidence:\n  - text: It exists.\n    date:"
        " 2026-01-01\nopen_questions: [Why?]\n---\n\nA hub.\n"
    )


def write(folder: Path, count: int, size: int = 8000) -> None:
    """Write the archive."""
    posts, topics = folder / "content/posts", folder / "content/topics"
    for kind in (posts, topics):
        kind.mkdir(parents=True, exist_ok=True)
    (folder / "site.toml").write_text(
        'title = "Synthetic archive"\nlicense = "CC0-1.0"\nbase_url = "https://archive.example"\n', "utf-8"
    )
    for number in range(20):
        (topics / f"topic-{number}.md").write_text(topic(number), "utf-8")
    for number in range(count):
        (posts / f"note-{number}.md").write_text(record(number, count, size), "utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("count", type=int)
    parser.add_argument("--size", type=int, default=8000)
    options = parser.parse_args()
    write(options.folder, options.count, options.size)
