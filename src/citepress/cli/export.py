"""The files of a static export: the served bytes, and the headers and redirects that a file host must add."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from citepress.edition.edition import Edition
from citepress.edition.served import PATH_SAFE, Served

HEADERS, REDIRECTS = "_headers", "_redirects"
KEPT = (b"content-type", b"link", b"cache-control", b"access-control-allow-origin")
"""Header fields that differ from path to path; those that are the same everywhere are written once, under ``/*``."""
OK, MOVED = 200, 308


def may_replace(output: Path) -> bool:
    """Whether nothing would be lost: the folder is new, empty, or an earlier export."""
    return not output.exists() or (output.is_dir() and (not any(output.iterdir()) or (output / HEADERS).is_file()))


def write(edition: Edition, paths: Iterable[str], folder: Path) -> int:
    """Write every path as a file; return the number of files."""
    published = list(paths)
    inner = {parent for path in published for parent in _parents(path)}
    headers, redirects, count = ["/*"], [], 0
    headers += [f"  {_words(name)}: {value}" for name, value in _everywhere(edition)]
    for path in published:
        served = edition.find(path)
        if served is None:
            continue
        if served.leaf.status != OK:
            redirects += _redirect(served, edition)
            continue
        file = _file(path, is_folder=path in inner)
        target = folder / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(served.coded["identity"].body)
        count += 1
        headers += [path, *(f"  {_words(name)}: {value}" for name, value in _own(served))]
        if path in inner:
            redirects.append(f"{path} /{file} {OK}")
    (folder / HEADERS).write_text("\n".join(headers) + "\n", "utf-8")
    (folder / REDIRECTS).write_text("".join(f"{row}\n" for row in redirects), "utf-8")
    if page_template := edition.page_template("404.html"):
        (folder / "404.html").write_bytes(page_template)
    return count


def _file(path: str, *, is_folder: bool) -> str:
    """The file of a path: a page is the index of its folder; a file with the name of a folder is put inside it."""
    name = path.lstrip("/")
    if path.endswith("/"):
        return f"{name}index.html"
    return f"{name}/index.json" if is_folder else name


def _parents(path: str) -> Iterator[str]:
    parts = path.rstrip("/").split("/")
    return ("/".join(parts[:count]) for count in range(2, len(parts)))


def _redirect(served: Served, edition: Edition) -> list[str]:
    """The rows of a path without a file; pages also without their trailing slash, as the server answers them."""
    leaf = served.leaf
    bare = leaf.path.rstrip("/")
    paths = [leaf.path] if bare == leaf.path or edition.find(bare) else [leaf.path, bare]
    end = f"{leaf.location} {MOVED}" if leaf.status == MOVED else f"/404.html {leaf.status}"
    return [f"{quote(path, safe=PATH_SAFE)} {end}" for path in paths]


def _own(served: Served) -> list[tuple[bytes, str]]:
    fields: list[Any] = [*served.coded["identity"].headers, *served.fields[0]]
    return [
        (name, value.decode("latin-1"))
        for name, value in fields
        if name in KEPT and name != b"access-control-allow-origin"
    ]


def _everywhere(edition: Edition) -> list[tuple[bytes, str]]:
    return [(name, value.decode("latin-1")) for name, value in edition.fields.common]


def _words(name: bytes) -> str:
    return "-".join(part.capitalize() for part in name.decode().split("-"))
