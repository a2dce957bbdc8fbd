"""Notes that somebody changes at random, for indexes that follow."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import blake2b

from citepress.archive.model import Archive, Entry
from support.archive import archive_of
from support.search import AS_OF, note

DAY = datetime(2026, 5, 1, tzinfo=UTC)
VOCABULARY = [
    f"{letter}{ending}" for letter in "bdfgklmnprstvz" for ending in ("alo", "emi", "ine", "oru", "una", "ist", "ard")
]


class Writer:
    """An author who adds, changes, copies and removes notes at random."""

    def __init__(self, seed: int, count: int) -> None:
        self.chance = random.Random(seed)  # noqa: S311  (the same edits in every run)
        self.notes: dict[str, Entry] = {}
        self.texts: dict[str, list[str]] = {}
        for _ in range(count):
            self.add()

    def words(self, count: int) -> list[str]:
        weights = [1 / (rank + 2) for rank in range(len(VOCABULARY))]
        common = self.chance.choices(VOCABULARY, weights, k=count)
        return [f"{word}{self.chance.randrange(30)}" if self.chance.random() < 0.4 else word for word in common]

    def add(self) -> None:
        self.put(f"n{len(self.texts)}-{self.chance.randrange(10**6)}", self.words(self.chance.randint(5, 60)))

    def put(self, slug: str, words: list[str]) -> None:
        self.texts[slug] = words
        sentences = [" ".join(words[at : at + 9]).capitalize() + "." for at in range(0, len(words), 9)]
        draft = note(
            slug,
            " ".join(sentences),
            title=" ".join(words[:3]).capitalize(),
            updated_at=DAY + timedelta(self.chance.randrange(6)),
            published_at=DAY - timedelta(self.chance.randrange(6)),
        )
        digest = blake2b(draft.record.model_dump_json().encode(), digest_size=16).digest()
        self.notes[slug] = replace(draft, digest=digest)

    def edit(self) -> None:
        """One change of a kind that happens: a new note, a near copy, a changed sentence, another text, a removal."""
        slug = self.chance.choice(sorted(self.notes))
        words = self.texts[slug]
        kind = self.chance.random()
        if kind < 0.2:
            self.add()
        elif kind < 0.4:
            self.put(f"{slug.partition('-')[0]}-{self.chance.randrange(10**6)}", [*words[:-2], *self.words(2)])
        elif kind < 0.6:
            self.put(slug, [*words, *self.words(4)])
        elif kind < 0.8:
            self.put(slug, self.words(40))
        elif len(self.notes) > 20:
            del self.notes[slug]

    def archive(self) -> Archive:
        return archive_of(*self.notes.values(), as_of=AS_OF)

    def questions(self, count: int) -> list[str]:
        picked = [self.texts[self.chance.choice(sorted(self.notes))] for _ in range(count)]
        return [" ".join(self.chance.sample(words, min(len(words), self.chance.randint(1, 6)))) for words in picked]
