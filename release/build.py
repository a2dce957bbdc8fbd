#!/usr/bin/env python3
"""Builds the source and binary distributions of every package: the same commit gives the same bytes.

    python release/build.py dist
    python release/build.py dist --repository https://host/owner/project

The packages share a licence and the address of their repository. Both are added to a copy of each package, so that
the tree states them once.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
"""Versions of Python that a release is tested with (.github/workflows/release.yml)."""


def main() -> int:
    """Build what the command line asks for."""
    parser = argparse.ArgumentParser(prog="release/build.py", description="Build the distributions of every package.")
    parser.add_argument("output", type=Path, help="folder of the distributions; made anew")
    parser.add_argument("--repository", default="", help="address of the repository, for the metadata")
    asked = parser.parse_args()
    shutil.rmtree(asked.output, ignore_errors=True)
    asked.output.mkdir(parents=True)
    moment = _commit_time()
    with tempfile.TemporaryDirectory() as folder:
        for package in sorted(ROOT.glob("packages/*/pyproject.toml")):
            staged = stage(package.parent, Path(folder) / package.parent.name, asked.repository)
            command = (sys.executable, "-m", "hatchling", "build", "--directory", str(asked.output.resolve()))
            subprocess.run(command, cwd=staged, env=os.environ | {"SOURCE_DATE_EPOCH": moment}, check=True)
    files = sorted(path for path in asked.output.iterdir() if path.name.endswith((".whl", ".tar.gz")))
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (asked.output / "SHA256SUMS").write_text("".join(sums))
    return 0


def _commit_time() -> str:
    """Seconds of the commit that is built, which date the files in the archives."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return given
    command = ("git", "log", "-1", "--format=%ct")
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def stage(package: Path, copy: Path, repository: str) -> Path:
    """Copy a package with its licence and the metadata that all packages share."""
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__", "dist"))
    shutil.copy(ROOT / "LICENSE", copy / "LICENSE")
    settings, page = copy / "pyproject.toml", copy / "README.md"
    text = settings.read_text("utf-8")
    listed = {*tomllib.loads(text)["project"]["classifiers"]}
    listed |= {f"Programming Language :: Python :: {version}" for version in PYTHONS}
    begin = text.index("classifiers = [")
    end = text.index("]\n", begin) + 2
    classifiers = "".join(f'  "{name}",\n' for name in sorted(listed))
    text = f"{text[:begin]}classifiers = [\n{classifiers}]\n{text[end:]}"
    if repository:
        files = f"{repository}/blob/main/"
        text += f'\n[project.urls]\nRepository = "{repository}"\nChangelog = "{files}CHANGELOG.md"\n'
        page.write_text(page.read_text("utf-8").replace("](../../", f"]({files}"), "utf-8")
    settings.write_text(text, "utf-8")
    return copy


if __name__ == "__main__":
    sys.exit(main())
