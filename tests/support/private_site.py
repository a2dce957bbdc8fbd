"""A folder of a tool: files that it does not publish, each with a secret word, and files that it does.

The secret word of a file is in its text and title; its slug is secret too where nobody else has it.
"""

from dataclasses import dataclass, field

from citepress.base.slugs import slug_of_path

CONTROL = "publiccontrol"
"""A word of each file that has to be published."""


@dataclass(frozen=True)
class PrivateSite:
    """A folder of one tool."""

    name: str
    private: dict[str, str]
    """Path and front matter of each file that is held back; what follows a line ``===`` is its text."""
    public: dict[str, str]
    """The same of files that are published although they look alike."""
    settings: dict[str, str] = field(default_factory=dict)
    format: str = "auto"
    """The format that imports it; nothing where only a server reads it."""

    shows_files: bool = False
    """Whether the private files are published, all but the word."""

    @property
    def secrets(self) -> dict[str, str]:
        """The secret word of each private file."""
        return {path: f"zq{self.name}{place}secret" for place, path in enumerate(self.private)}

    @property
    def controls(self) -> dict[str, str]:
        """The word of each public file."""
        return {path: f"{CONTROL}{self.name}{place}" for place, path in enumerate(self.public)}

    def private_addresses(self) -> list[str]:
        """Paths that a plain folder or an import gives the private files, unless a public one has them."""
        if self.shows_files:
            return []
        taken = {slug for path in self.public for slug in _slugs(path)}
        slugs = {slug for path in self.private for slug in _slugs(path)} - taken - {"x", "index", "page"}
        return [f"/posts/{slug}{end}" for slug in slugs for end in ("/", ".md", ".json")]

    def files(self) -> dict[str, str | bytes]:
        """Every file."""
        words = self.secrets | self.controls
        texts = self.private | self.public
        return {**self.settings, **{path: _text(texts[path], words[path]) for path in texts}}


def _slugs(path: str) -> tuple[str, str]:
    stem = path.removesuffix(".md")
    return slug_of_path(stem), slug_of_path(stem.rpartition("/")[2])


def _text(source: str, word: str) -> str:
    """A file with its word: in the title and the text, or where the text given says."""
    front, _, body = source.partition("===\n")
    title = "Title" if body else f"Title {word}"
    text = (body or "Text WORD.\n").replace("WORD", word)
    if not front.strip():
        return text if body else f"# {title}\n\n{text}"
    if front.startswith("+++"):
        return f"+++\ntitle = '{title}'\n{front[4:]}\n+++\n{text}"
    return f"---\ntitle: {title}\n{front}\n---\n{text}"
