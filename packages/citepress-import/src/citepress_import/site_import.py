"""Imports a site of another tool into a content folder, so that the folder passes ``check``."""

from collections.abc import Mapping
from datetime import datetime
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from citepress.app.registry import table
from citepress.archive.assemble import check
from citepress.base.gc_pause import paused_gc
from citepress.content.cache import ReadCache
from citepress.content.folder import read
from citepress.content.git_dates import Committed, GitDates, GitError
from citepress.contract.fault import Fault, Level
from citepress.edition.machine.guides import built_in
from citepress.kinds import ALL as KINDS
from citepress.kinds import REGISTRIES
from citepress_import.conversion import Conversion, Converted
from citepress_import.errors import ImportRefusedError
from citepress_import.folder_writer import ImportManifest, read_manifest, stage, stage_again, write_changes
from citepress_import.formats import ALL
from citepress_import.former_site import FormerSite, ImportFormat
from citepress_import.outcomes import outcomes
from citepress_import.refusals import Refusals
from citepress_import.report import ImportReport
from citepress_import.source_tree import SourceTree, open_tree

AUTO = "auto"
RECORD_FOLDERS = frozenset({*(kind.name for kind in KINDS), "pages", "datasets"})
PLAIN_FORMAT = ALL[-1]
SITE_DEPTH, SITE_FOLDERS = 2, 200
"""How deep a site is looked for in a plain folder, and in how many folders."""
MAX_REPAIRS = 8
"""How often what ``check`` refuses is taken out; the second check mostly finds nothing."""


def import_site(name: str, source: Path, folder: Path, moment: datetime, *, dry_run: bool = False) -> ImportReport:
    """Import a site, and report what was mapped, left and dropped. Raises ``ImportRefusedError``."""
    if source.is_dir() and _inside(folder, source):
        raise ImportRefusedError(f"{folder} is inside {source}; choose a folder outside the source")
    tree = open_tree(source)
    form = format_of(name, tree, source)
    manifest = read_manifest(folder)
    with paused_gc():
        return _import(form, source, tree, folder, moment, manifest, dry_run=dry_run)


def _import(
    form: ImportFormat,
    source: Path,
    tree: SourceTree,
    folder: Path,
    moment: datetime,
    manifest: ImportManifest,
    *,
    dry_run: bool,
) -> ImportReport:
    site = form.read(tree)
    site.report.format, site.report.source = form.name, source.name or str(source)
    if not site.pages:
        unread = "; ".join(f"{name}: {why}" for name, why in (site.rules.problems if site.rules else ()))
        why = f": settings cannot be read, so nothing is published ({unread}). Correct them and import again"
        nothing = f"{source} holds nothing that the format {form.name} reads as a post"
        raise ImportRefusedError(nothing + (why if unread else ""))
    committed: dict[str, Committed] = {}
    try:
        committed = GitDates().of(tree.root) if tree.is_folder else {}
    except GitError as error:
        site.report.notes.append(f"no date is that of a commit: {error}")
    converted, report = _checked(site, moment, committed, manifest.import_days), site.report
    if not dry_run:
        write_changes(converted, tree, folder, manifest, report)
        if report.edited:
            report.errors = [(_place(fault), fault.message) for fault in _faults(folder, moment) if _is_error(fault)]
    return report


def format_of(name: str, tree: SourceTree, source: Path) -> ImportFormat:
    """The format of that name, or the one that recognises the source. Raises ``ImportRefusedError``."""
    if name != AUTO:
        return next(form for form in ALL if form.name == name)
    form = next((form for form in ALL if form.detect(tree)), None)
    if form is None:
        names = ", ".join(form.name for form in ALL)
        raise ImportRefusedError(f"{source} is not recognised; name its format: {names}")
    if form is PLAIN_FORMAT and (inner := _site_inside(tree)):
        folder, tool = inner
        raise ImportRefusedError(
            f"{source} is a plain folder, but {folder}/ in it is a site of {tool}: import {source / folder}, "
            f"or name the format {PLAIN_FORMAT.name} to read every Markdown file"
        )
    return form


def _site_inside(tree: SourceTree) -> tuple[str, str] | None:
    """The first folder of a plain one that is the site of a tool, and the name of the tool."""
    for folder, inner in islice(tree.folders(SITE_DEPTH), SITE_FOLDERS):
        form = next((form for form in ALL if form.detect(inner)), PLAIN_FORMAT)
        if form.in_repository:
            return folder, form.name
    return None


def _checked(
    site: FormerSite, moment: datetime, committed: Mapping[str, Committed], import_days: Mapping[str, str]
) -> Converted:
    """The conversion that passes ``check``: what that refuses is taken out, and nothing is converted twice."""
    report = site.report
    converted = Conversion(site, moment, _occupied, built_in() - {"index"}, committed, import_days).run()
    refusals, cache = Refusals(converted, report), ReadCache()
    with TemporaryDirectory(prefix="citepress-import-") as folder:
        stage(converted, site.tree, Path(folder))
        for _ in range(MAX_REPAIRS):
            faults = _faults(Path(folder), moment, cache)
            errors = [fault for fault in faults if _is_error(fault)]
            if not errors:
                report.warnings.update(f"{fault.code.id} {fault.code.name}" for fault in faults)
                converted.count(report)
                report.sources = outcomes(site, converted)
                return converted
            stage_again(converted, refusals.mend(errors), Path(folder))
    raise ImportRefusedError(f"the result does not pass check: {_place(errors[0])}: {errors[0].message}")


def _occupied(path: str) -> bool:
    """Whether the service answers at a path, or may once the archive grows: a redirect must never stand in its way.

    Records and pages are known to the conversion, which decides on their paths itself.
    """
    answered = table().built_in(path)
    folder, _, rest = path.strip("/").partition("/")
    return (folder not in RECORD_FOLDERS or "/" in rest) if answered is None else answered


def _faults(folder: Path, moment: datetime, cache: ReadCache | None = None) -> tuple[Fault, ...]:
    _, faults = check(read(folder, KINDS, REGISTRIES, moment=moment, cache=cache), KINDS, REGISTRIES, table().built_in)
    return faults


def _is_error(fault: Fault) -> bool:
    return fault.code.level is Level.ERROR


def _place(fault: Fault) -> str:
    return f"{fault.place.file}:{fault.place.line}"


def _inside(folder: Path, source: Path) -> bool:
    return folder.resolve().is_relative_to(source.resolve())
