"""The table of packages in ``packages/README.md``, from what each package declares."""

import re
from collections.abc import Iterator

from packaging.requirements import Requirement

from support.tree import PACKAGES, ROOT, project, sources

README = "packages/README.md"
ROUNDED = 100
MIN_TOLERANCE = 300
TOLERANCE = 0.01
"""How far the stated lines of a package may be off before they are written anew: the page is no daily business."""


def lines(package: str) -> int:
    """Lines of Python in the sources of a package."""
    return sum(len(path.read_text("utf-8").splitlines()) for path in sources(f"packages/{package}/src"))


def table() -> str:
    """A row for each package, with its lines."""
    rows = [f"| [{name}]({name}) | {about} | {_stated(name)} | {needs} |\n" for name, about, needs in _packages()]
    return "| package | purpose | lines of Python | depends on |\n| --- | --- | --: | --- |\n" + "".join(rows)


def _packages() -> Iterator[tuple[str, str, str]]:
    for package in PACKAGES:
        declared = project(package)
        needs = [name for text in declared["dependencies"] if (name := Requirement(text).name) in PACKAGES]
        yield package, declared["description"].rstrip("."), ", ".join(f"`{name}`" for name in needs)


def about_right(stated: int, count: int) -> bool:
    """Whether a stated number of lines can stay beside the one that there is."""
    return abs(stated - count) <= max(MIN_TOLERANCE, TOLERANCE * count)


def _stated(package: str) -> str:
    """The lines that the page states if they are about right, otherwise those that there are."""
    count = lines(package)
    row = re.search(rf"^\| \[{package}\].*\| (\d[\d,]*) \|", (ROOT / README).read_text("utf-8"), re.MULTILINE)
    stated = int(row[1].replace(",", "")) if row else None
    if stated is not None and about_right(stated, count):
        return f"{stated:,}"
    return f"{round(count / ROUNDED) * ROUNDED:,}"
