"""The files of a static export: the served bytes, and the headers and redirects that a file host must add."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from citepress.base.forked_processes import done_by_processes
from citepress.base.gc_pause import rare_gc
from citepress.base.steps import step
from citepress.contract.problem import NOT_FOUND
from citepress.edition.edition import Edition
from citepress.edition.leaf import Leaf
from citepress.edition.pages.recovery import fill
from citepress.edition.pages.search_files import SCRIPT_PATH
from citepress.edition.served import PATH_SAFE

HEADERS, REDIRECTS_FILE = "_headers", "_redirects"
NO_JEKYLL = ".nojekyll"
"""Tells GitHub Pages to publish folders whose names begin with a dot."""
WILDCARD = re.compile(r"\*|/:")
THEME = "/theme/"
"""Files whose names change with their content."""
OK, REDIRECT_STATUS = 200, 308
MAX_HOST_FILES = {"Azure Static Web Apps": 15_000, "Cloudflare Pages on its free plan": 20_000}
"""Files that a host takes of one site, by its own documentation of November 2026."""
RUN = 16
"""Paths that a process writes together: the forms of a page, which share its parts, follow each other."""
CACHE_BYTES = 8 * 1024 * 1024
"""Bytes of pages that each process holds, from which others are made."""


def may_replace(output: Path) -> bool:
    """Whether nothing would be lost: the folder is new, empty, or an earlier export."""
    return not output.exists() or (output.is_dir() and (not any(output.iterdir()) or (output / HEADERS).is_file()))


def write(edition: Edition, paths: Sequence[str], folder: Path) -> int:
    """Write every path as a file; return the number of files. Raises ``OSError``."""
    edition.limit_cache(CACHE_BYTES)
    inner = frozenset(parent for path in paths for parent in _parents(path))
    types: dict[str, str] = {}
    redirects: list[str] = []

    def write_run(run: Sequence[str]) -> list[tuple[str, list[str]]]:
        return [_write(edition, path, folder, is_folder=path in inner) for path in run]

    def try_run(run: Sequence[str]) -> list[tuple[str, list[str]]] | None:
        with suppress(OSError):  # this process meets it too, and raises it
            return write_run(run)
        return None

    runs = [paths[start : start + RUN] for start in range(0, len(paths), RUN)]
    with rare_gc(), closing(done_by_processes(runs, try_run, 1)) as sent:
        for run, done in zip(runs, sent, strict=True):
            for path, (media, rows) in zip(run, done or write_run(run), strict=True):
                redirects += rows
                if media:
                    types[path] = media
                step("writing", path)
    (folder / HEADERS).write_text("\n".join(_header_rules(edition, types)) + "\n", "utf-8")
    (folder / REDIRECTS_FILE).write_text("".join(f"{row}\n" for row in redirects), "utf-8")
    (folder / NO_JEKYLL).write_bytes(b"")
    if page_template := edition.page_template("404.html"):
        (folder / "404.html").write_bytes(fill(page_template, "html", NOT_FOUND.title, NOT_FOUND.about, ()))
    return len(types)


def _write(edition: Edition, path: str, folder: Path, *, is_folder: bool) -> tuple[str, list[str]]:
    """Write the file of a path; return its media type, empty where it has none, and its rows in ``_redirects``."""
    leaf, prefix = edition.leaf(path), edition.fields.prefix
    if leaf is None or leaf.status != OK:
        return "", _redirect(leaf, edition) if leaf else []
    file = _file(path, is_folder=is_folder)
    target = folder / file
    try:
        target.write_bytes(bytes(leaf.body))
    except FileNotFoundError:  # the first file of its folder
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(bytes(leaf.body))
    return leaf.type, [f"{prefix}{path} {prefix}/{file} {OK}"] if is_folder else []


def exceeded_hosts(files: int) -> str:
    """The hosts that do not take so many files, with their limits; empty where all do."""
    return " and ".join(f"{host} ({limit:,})" for host, limit in MAX_HOST_FILES.items() if files > limit)


def _header_rules(edition: Edition, types: Mapping[str, str]) -> Iterator[str]:
    """The lines of ``_headers``, a few patterns for any number of files: hosts take no more than a hundred rules.

    Hosts read them at the root of a site; where the address of the archive has a path, so has every pattern.

    No two rules that fit a path set the same field, because hosts join their values. What a page says of itself (its
    address, its other forms) is in its head and in the front matter of Markdown.
    """
    prefix, scripted = edition.fields.prefix, SCRIPT_PATH in types
    yield f"{prefix}/*"
    yield from (f"  {_words(name)}: {value}" for name, value in _everywhere(edition, scripted=scripted))
    if any(path.startswith(THEME) for path in types):
        yield from (f"{prefix}{THEME}*", "  Cache-Control: max-age=31536000, immutable")
    for pattern, media in _type_rules(types):
        yield from (f"{prefix}{pattern}", f"  Content-Type: {media}")


def _type_rules(types: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """A pattern for each suffix of one media type; otherwise for what is not of the usual type of its suffix."""
    files = {path: media for path, media in types.items() if not path.endswith("/")}
    for suffix, inside in _grouped(files, lambda path: path.suffix):
        counted = Counter(inside.values()).most_common()
        if suffix and len(counted) == 1:
            yield f"/*{suffix}", counted[0][0]
            continue
        # Hosts know the type of a suffix by themselves, and cannot know that of a file without one.
        usual = counted[0][0] if suffix else ""
        for double, alike in _grouped(inside, lambda path: "".join(path.suffixes[-2:])):
            kinds = set(alike.values())
            if double != suffix and len(kinds) == 1 and usual not in kinds:
                yield f"/*{double}", kinds.pop()
            else:
                yield from _name_rules({path: media for path, media in alike.items() if media != usual}, files)


def _name_rules(unusual: Mapping[str, str], files: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """A pattern for a name that files of one type have in several folders, and no file of another; else the paths."""
    for name, alike in _grouped(unusual, lambda path: path.name):
        kinds = {media for path, media in files.items() if path.endswith(f"/{name}")}
        inner = {path for path in alike if path.count("/") > 1}
        shared = len(inner) > 1 and len(kinds) == 1
        if shared:
            yield f"/*/{name}", kinds.pop()
        yield from sorted((path, media) for path, media in alike.items() if not shared or path not in inner)


def _grouped(
    files: Mapping[str, str], ending: Callable[[PurePosixPath], str]
) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The files by the ending of their names, sorted."""
    groups: dict[str, dict[str, str]] = {}
    for path, media in files.items():
        groups.setdefault(ending(PurePosixPath(path)), {})[path] = media
    yield from sorted(groups.items())


def _file(path: str, *, is_folder: bool) -> str:
    """The file of a path: a page is the index of its folder; a file with the name of a folder is put inside it."""
    name = path.lstrip("/")
    if path.endswith("/"):
        return f"{name}index.html"
    return f"{name}/index.json" if is_folder else name


def _parents(path: str) -> Iterator[str]:
    parts = path.rstrip("/").split("/")
    return ("/".join(parts[:count]) for count in range(2, len(parts)))


def _redirect(leaf: Leaf, edition: Edition) -> list[str]:
    """The rows of a path without a file; pages also without their trailing slash, as the server answers them.

    None for a path with a wildcard or a placeholder of the hosts, which would lead other pages away.
    """
    bare = leaf.path.rstrip("/")
    paths = [leaf.path] if bare == leaf.path or edition.leaf(bare) else [leaf.path, bare]
    target, prefix = edition.fields.target, edition.fields.prefix
    end = (
        f"{target(leaf.location)} {REDIRECT_STATUS}"
        if leaf.status == REDIRECT_STATUS
        else f"{target('/404.html')} {leaf.status}"
    )
    if WILDCARD.search(leaf.path):
        return []
    return [f"{prefix}{quote(path, safe=PATH_SAFE)} {end}" for path in paths]


SENT_FIELDS = frozenset({"ETag", "Link", "Location", "Deprecation", "Sunset"})
"""Fields for pages of other sites to read that a host of files may send."""


def _everywhere(edition: Edition, *, scripted: bool) -> Iterator[tuple[bytes, str]]:
    """The fields of every path; ``scripted`` lets pages run the archive's own script, which a service never sends."""
    for name, value in edition.fields.common:
        text = value.decode("latin-1")
        if scripted and name == b"content-security-policy":
            text += "; script-src 'self'"
        if name == b"access-control-expose-headers":
            text = ", ".join(field for field in text.split(", ") if field in SENT_FIELDS)
        yield name, text


def _words(name: bytes) -> str:
    return "-".join(part.capitalize() for part in name.decode().split("-"))
