#!/usr/bin/env python3
"""Installs the distributions of a release into empty environments, and serves a first page from each.

    python release/build.py dist && python release/install.py dist

Prints one line of JSON for each version of Python on the PATH (3.11 to 3.14), and one for ``uvx`` where uv is
installed: seconds from the start of the installation to the first page, and the size of the installation in MB. Our
packages come from the folder, and what they need from the index that pip is configured for. Exit code 1: a page was
not answered.
"""

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from build import PYTHONS

MAX_START_S = 120
"""Seconds after which an installation counts as failed."""
MB = 1_000_000


def main() -> int:
    """Install into each environment that this machine can make."""
    parser = argparse.ArgumentParser(prog="release/install.py", description="Try the distributions of a release.")
    parser.add_argument("distributions", type=Path, help="folder that release/build.py wrote")
    folder = parser.parse_args().distributions.resolve()
    runs = [(f"python{version}", install_with_pip) for version in PYTHONS] + [("uv", start_with_uvx)]
    answered = [run(program, folder) for name, run in runs if (program := shutil.which(name)) and _runs(program)]
    return 0 if answered and all(answered) else 1


def _runs(program: str) -> bool:
    """Whether a program that is on the PATH can be used: version managers leave names there that cannot."""
    return subprocess.run((program, "--version"), capture_output=True, check=False).returncode == 0


def install_with_pip(python: str, distributions: Path) -> bool:
    """Install citepress into an empty environment of this interpreter, make an archive and ask for its front page."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run((python, "-m", "venv", folder / "environment"), check=True)
        programs = folder / "environment" / "bin"
        before = _size(folder / "environment")
        start = time.monotonic()
        pip = (programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        subprocess.run((*pip, "--find-links", distributions, "citepress"), check=True)
        seconds = _serve((programs / "citepress",), folder, start)
        size = (_size(folder / "environment") - before) / MB
    return _print(Path(python).name, seconds, size)


def start_with_uvx(uv: str, distributions: Path) -> bool:
    """Start citepress by ``uvx`` twice, the second time with a warm cache."""
    command = (uv, "tool", "run", "--find-links", str(distributions), "citepress")
    with tempfile.TemporaryDirectory() as name:
        subprocess.run((*command, "version"), check=True, capture_output=True)
        seconds = _serve(command, Path(name), time.monotonic())
    return _print("uvx, warm cache", seconds, None)


def _serve(command: tuple[str | Path, ...], folder: Path, start: float) -> float | None:
    """Seconds from the start until a folder with one Markdown file answers its first page; nothing if it does not."""
    (folder / "notes").mkdir()
    (folder / "notes" / "otters.md").write_text("# Otters\n\nThey hold hands.\n")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    words = (*command, "serve", ".", "--port", str(port))
    with subprocess.Popen(words, cwd=folder / "notes", stdout=subprocess.DEVNULL) as server:
        try:
            while server.poll() is None and time.monotonic() - start < MAX_START_S:
                if _answers(port):
                    return time.monotonic() - start
                time.sleep(0.05)
        finally:
            server.terminate()
    return None


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as page:
            return b"Otters" in page.read()
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def _size(folder: Path) -> int:
    """Bytes of the files in a folder, without what Python compiled."""
    files = (Path(parent) / name for parent, _, names in os.walk(folder) for name in names)
    return sum(path.stat().st_size for path in files if path.suffix != ".pyc" and not path.is_symlink())


def _print(name: str, seconds: float | None, size: float | None) -> bool:
    shown = {"environment": name, "first_page_s": seconds and round(seconds, 1), "size_mb": size and round(size)}
    print(json.dumps(shown), flush=True)
    return seconds is not None


if __name__ == "__main__":
    sys.exit(main())
