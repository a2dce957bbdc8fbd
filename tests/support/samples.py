"""Files of other projects that tests read and that no package carries: where they come from, and where they lie.

``.venv/bin/python tests/support/samples.py`` downloads 3 MB into ``.samples/``, once. Tests that miss theirs are
skipped and say so.
"""

import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote
from urllib.request import urlopen

ROOT = Path(__file__).parents[2]
HOW = "run .venv/bin/python tests/support/samples.py"
GITHUB = "https://raw.githubusercontent.com/"
TIMEOUT_S, MOST_BYTES = 60, 5_000_000


@dataclass(frozen=True)
class Sample:
    """A file of a public repository at one commit, with its SHA-256 in hexadecimal."""

    name: str
    """Its path below ``.samples/``, and below a folder ``shared/`` beside the checkout or above it."""
    source: str
    """Owner, repository, commit and path."""
    digest: str

    @property
    def path(self) -> Path:
        """Where it lies, or would lie after a download."""
        places = [ROOT / ".samples", *(folder / "shared" for folder in ROOT.parents)]
        return next((place / self.name for place in places if (place / self.name).is_file()), places[0] / self.name)

    def download(self, base: str = GITHUB) -> None:
        """Fetch it, unless it is there. Raises ``OSError``, and ``ValueError`` for content of another digest."""
        if self.path.is_file():
            return
        with urlopen(base + quote(self.source), timeout=TIMEOUT_S) as answer:
            content = answer.read(MOST_BYTES)
        if hashlib.sha256(content).hexdigest() != self.digest:
            raise ValueError(f"{base}{self.source} is not the file that the tests know")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(content)


ACCESS_LOG = Sample(
    "data/apache_logs",
    "elastic/examples/6d86454ebb7a850bcd7e80abe86fe683370018a6/Common Data Formats/apache_logs/apache_logs",
    "f15c31e905f86c7b4b6ab44aee74d0a2086dce89f010187d983edea7ef0364ef",
)
"""10,000 lines of an Apache server in combined format, May 2015 (Apache-2.0)."""
MCP_SCHEMAS = {
    revision: Sample(
        f"schemas/mcp/{revision}.json",
        "modelcontextprotocol/modelcontextprotocol/b0f60ba5409db7a6582440a7b473cc0398890f15/"
        f"schema/{revision}/schema.json",
        digest,
    )
    for revision, digest in {
        "2024-11-05": "61cea2392d4f284092d09bc84b9ac488c0d5618ac2b38a56942fc5b99fd960ce",
        "2025-03-26": "e720669548c8100a4282c49e580efd6ddf7f28899ea786fc8db251dbdb356131",
        "2025-06-18": "af845e7e5b9d27107d1690f0936022546177a1403e63ffb11470135b296a2e01",
        "2025-11-25": "268a5f82ba70fd7e4b6dc4aa1e64f116f74b4d0edcb69dc046829c79dd4e97e7",
        "2026-07-28": "ef70b61f99b6d2e5e3b46863822eab08dff6a45bedc7a08914e0e5b133f40203",
    }.items()
}
"""The official JSON Schema of each revision of MCP (MIT)."""


def main() -> int:
    """Download what is missing; the exit code."""
    failed = 0
    for sample in (ACCESS_LOG, *MCP_SCHEMAS.values()):
        try:
            sample.download()
        except (OSError, ValueError) as fault:
            failed = 1
            sys.stderr.write(f"{sample.name}: {fault}\n")
        else:
            sys.stdout.write(f"{sample.path}\n")
    return failed


if __name__ == "__main__":
    sys.exit(main())
