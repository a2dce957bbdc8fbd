"""Wheels of the packages, and environments of their own that see our requirements and not our tree."""

import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

from support.tree import ROOT


def build(place: Path, *folders: Path) -> list[Path]:
    """A wheel of each package folder that the pinned build backend made from a copy, which is gone, in ``place``."""
    copies = []
    for folder in folders:
        copies.append(place / "tree" / folder.name)
        shutil.copytree(folder, copies[-1], ignore=shutil.ignore_patterns("__pycache__"))
    pip("wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", place, *copies)
    shutil.rmtree(place / "tree")
    return sorted(place.glob("*.whl"))


def packages() -> list[Path]:
    """The folders of the packages of this tree."""
    return [path.parent for path in sorted(ROOT.glob("packages/*/pyproject.toml"))]


def environment(folder: Path, wheels: Iterable[Path]) -> Path:
    """The folder of the programs of a new virtual environment with these wheels, and with our requirements."""
    venv.create(folder, symlinks=True)
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder)}))
    requirements = folder / "requirements"
    requirements.mkdir()
    for path in chain.from_iterable(Path(name).iterdir() for name in sys.path if name.endswith("site-packages")):
        # Our own packages are installed in place there: their metadata would declare extensions that have no code here.
        own = path.name.lower().startswith(("citepress", "_editable", "__pycache__"))
        if not own and not (requirements / path.name).exists():
            (requirements / path.name).symlink_to(path)
    (site / "requirements.pth").write_text(str(requirements))
    install(folder / "bin", *wheels)
    return folder / "bin"


def install(programs: Path, *wheels: Path) -> None:
    """Install wheels into an environment."""
    pip("--python", programs / "python", "install", "--no-deps", "--no-index", "--no-compile", *wheels)


def uninstall(programs: Path, *names: str) -> None:
    """Remove distributions from an environment."""
    pip("--python", programs / "python", "uninstall", "--yes", *names)


def pip(*words: object) -> None:
    """Run pip."""
    output(sys.executable, "-m", "pip", *words)


def output(*words: object, code: int = 0, **where: Any) -> str:
    """What a program prints, to standard error where it has to fail with this code."""
    done = subprocess.run([*map(str, words)], check=False, capture_output=True, text=True, **where)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stderr if code else done.stdout
