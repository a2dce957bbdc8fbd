"""``citepress import``: the site of another tool as a content folder that passes ``check``."""

import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from citepress.base import clock
from citepress.base.canonical import json_bytes
from citepress.cli.console import complain, say
from citepress.cli.progress import working
from citepress.content.held_reasons import held_sentence
from citepress_import.errors import ImportRefusedError
from citepress_import.report import ImportReport
from citepress_import.site_import import import_site as run

FormatName = Literal[
    "hugo", "zola", "jekyll", "hexo", "eleventy", "astro", "docusaurus", "mkdocs", "pelican", "obsidian", "quartz",
    "logseq", "foam", "dendron", "wordpress", "ghost", "feed", "markdown", "auto",
]  # fmt: skip


def import_site(
    format: FormatName,  # noqa: A002
    source: Path,
    folder: Path,
    /,
    *,
    dry_run: bool = False,
    report: Annotated[Path | None, Parameter(alias="-r")] = None,
    json: bool = False,
) -> int:
    """Import the site of another tool as a content folder that passes check.

    Parameters
    ----------
    format
        hugo, zola, jekyll, hexo, eleventy, astro (Starlight too), docusaurus, mkdocs, pelican, obsidian, quartz,
        logseq, foam, dendron, wordpress, ghost, feed, markdown, or auto to recognise it.
    source
        The folder of the former site, a ZIP file of it, or an export.
    folder
        The content folder to write; a second run leaves files that you edited.
    dry_run
        Write nothing but the report.
    report
        File for the report: .json for JSON, else Markdown.
    json
        Print JSON.
    """
    with working("Importing"):
        try:
            done = run(format, source, folder, clock.now(), dry_run=dry_run)
        except ImportRefusedError as error:
            complain(str(error))
            return 1
    if report and not _written(done, report):
        return 1
    if json:
        sys.stdout.write(json_bytes(done.as_json()).decode() + "\n")
    else:
        _say(done, folder, dry_run=dry_run)
    for file, message in done.errors[:10]:
        complain(f"{file}: {message}")
    return 1 if done.errors else 0


def _written(done: ImportReport, path: Path) -> bool:
    """Write the whole report into a file; whether that was possible."""
    whole = json_bytes(done.as_json()) if path.suffix == ".json" else done.as_markdown().encode()
    try:
        path.write_bytes(whole)
    except OSError as error:
        complain(f"{path} cannot be written: {error.strerror}")
        return False
    return True


def _say(done: ImportReport, folder: Path, *, dry_run: bool) -> None:
    """The counts, the first pages that were set aside, and what to do next."""
    for line in done.summary().split("; "):
        say(f"  {line}")
    if held := held_sentence(reason for _, reason in done.held_back):
        say(f"  {held}")
    for source, reason in done.set_aside[:10]:
        say(f"  set aside: {source}: {reason}")
    if not dry_run:
        say(f"{folder} is ready. Next:\n  citepress check {folder}\n  citepress serve {folder} --watch")
