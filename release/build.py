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
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
"""Versions of Python that a release is tested with (.github/workflows/release.yml)."""

LEFT_OUT = ("__pycache__", "dist", "*.egg-info")
"""Folders that no distribution holds."""


def main() -> int:
    """Build what the command line asks for."""
    parser = argparse.ArgumentParser(prog="release/build.py", description="Build the distributions of every package.")
    parser.add_argument("output", type=Path, help="folder of the distributions; those of an earlier run are replaced")
    parser.add_argument("--repository", default="", help="address of the repository, for the metadata")
    parser.add_argument("--allow-dirty", action="store_true", help="build files that are not committed, too")
    asked = parser.parse_args()
    try:
        if not asked.allow_dirty:
            refuse_dirty()
        empty(asked.output)
        moment = _commit_time()
    except (OSError, subprocess.CalledProcessError) as error:
        parser.exit(1, f"{parser.prog}: {getattr(error, 'stderr', None) or error}\n")
    with tempfile.TemporaryDirectory() as folder:
        for package in sorted(ROOT.glob("packages/*/pyproject.toml")):
            staged = stage(package.parent, Path(folder) / package.parent.name, asked.repository)
            command = (sys.executable, "-m", "hatchling", "build", "--directory", str(asked.output.resolve()))
            subprocess.run(command, cwd=staged, env=os.environ | {"SOURCE_DATE_EPOCH": moment}, check=True)
    files = sorted(path for path in asked.output.iterdir() if path.name.endswith((".whl", ".tar.gz")))
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (asked.output / "SHA256SUMS").write_text("".join(sums))
    return 0


def refuse_dirty() -> None:
    """Raise ``OSError`` where a package has files that are not in the commit: nobody else could build the same."""
    command = ("git", "status", "--porcelain", "--ignored=matching", "--", "packages", "LICENSE")
    lines = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    changed = [line for line in lines if not any(fnmatch(Path(line).name, left) for left in LEFT_OUT)]
    if changed:
        names = ", ".join(line[3:] for line in changed[:3])
        raise OSError(f"not committed: {names}{' and more' if changed[3:] else ''}. Commit, or pass --allow-dirty")


def empty(output: Path) -> None:
    """Make a folder, or remove the distributions in it. Raises ``OSError`` where it has anything else."""
    output.mkdir(parents=True, exist_ok=True)
    files = list(output.iterdir())
    if other := [path.name for path in files if not path.name.endswith((".whl", ".tar.gz", "SHA256SUMS"))]:
        raise OSError(f"{output} has other files, such as {other[0]}: name a new folder")
    for path in files:
        path.unlink()


def _commit_time() -> str:
    """Seconds of the commit that is built, which date the files in the archives."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return given
    command = ("git", "log", "-1", "--format=%ct")
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def stage(package: Path, copy: Path, repository: str) -> Path:
    """Copy a package with its licence and the metadata that all packages share."""
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns(*LEFT_OUT))
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
