#!/usr/bin/env python3
"""Prints the Homebrew formula of a release, for the tap of whoever publishes it.

    python release/formula.py https://host/owner/project v0.1.0.tar.gz > Formula/citepress.rb

The archive is the file of the tag that the repository's host serves; its digest goes into the formula.
"""

import argparse
import hashlib
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TEMPLATE = ROOT / "release" / "citepress.rb.in"


def main() -> int:
    """Print the formula."""
    parser = argparse.ArgumentParser(prog="release/formula.py", description="Print the Homebrew formula of a release.")
    parser.add_argument("repository", help="address of the repository")
    parser.add_argument("archive", type=Path, help="the source archive of the tag")
    asked = parser.parse_args()
    project = tomllib.loads((ROOT / "packages/citepress/pyproject.toml").read_text("utf-8"))["project"]
    values = {
        "REPOSITORY": asked.repository,
        "VERSION": project["version"],
        "SHA256": hashlib.sha256(asked.archive.read_bytes()).hexdigest(),
        "PACKAGES": " ".join(f"./packages/{name}" for name in ("citepress", *default_packages(project))),
    }
    text = TEMPLATE.read_text("utf-8")
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    sys.stdout.write(text)
    return 0


def default_packages(project: dict[str, Any]) -> list[str]:
    """Our packages that everybody gets: what the package ``citepress`` requires."""
    return [name.partition("==")[0].partition("[")[0] for name in project["dependencies"]]


if __name__ == "__main__":
    sys.exit(main())
