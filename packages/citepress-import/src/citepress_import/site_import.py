"""Imports a site of another tool into a content folder, so that the folder passes ``check``."""

from collections.abc import Mapping
from copy import deepcopy
from datetime import datetime
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from citepress.app.registry import table
from citepress.archive.assemble import check
from citepress.content.folder import read
from citepress.content.git_dates import Committed, GitDates
from citepress.contract.fault import Fault, Level
from citepress.edition.machine.guides import built_in
from citepress.kinds import ALL as KINDS
from citepress.kinds import REGISTRIES
from citepress_import.conversion import Conversion, Converted
from citepress_import.errors import ImportRefusedError
from citepress_import.folder_writer import read_manifest, write_all, write_changes
from citepress_import.formats import ALL
from citepress_import.former_site import FormerSite, ImportFormat
from citepress_import.report import ImportReport
from citepress_import.source_tree import SourceTree, open_tree

AUTO = "auto"
RECORD_FOLDERS = frozenset({*(kind.name for kind in KINDS), "pages", "datasets"})
PLAIN_FORMAT = ALL[-1]
SITE_DEPTH, SITE_FOLDERS = 2, 200
"""How deep a site is looked for in a plain folder, and in how many folders."""
MAX_CONVERSIONS = 8
"""How often a conversion is repeated without the pages that ``check`` refuses."""


def import_site(name: str, source: Path, folder: Path, moment: datetime, *, dry_run: bool = False) -> ImportReport:
    """Import a site, and report what was mapped, left and dropped. Raises ``ImportRefusedError``."""
    if source.is_dir() and _inside(folder, source):
        raise ImportRefusedError(f"{folder} is inside {source}; choose a folder outside the source")
    tree = open_tree(source)
    form = format_of(name, tree, source)
    manifest = read_manifest(folder)
    site = form.read(tree)
    site.report.format, site.report.source = form.name, source.name or str(source)
    if not site.pages:
        raise ImportRefusedError(f"{source} holds nothing that the format {form.name} reads as a post")
    committed = GitDates().of(tree.root) if tree.is_folder else {}
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
    """The conversion that passes ``check``, with the report of it: what is refused is set aside with the reason."""
    excluded: dict[str, str] = {}
    as_posts: frozenset[str] = frozenset()
    refused: set[str] = set()
    baseline, report = deepcopy(site.report), site.report
    for _ in range(MAX_CONVERSIONS):
        converted = _converted(site, baseline, moment, committed, import_days, excluded, as_posts)
        for name in refused:
            converted.files.pop(name, None)
            converted.copies.pop(name, None)
        with TemporaryDirectory(prefix="citepress-import-") as stage:
            write_all(converted, site.tree, Path(stage))
            faults = _faults(Path(stage), moment)
        errors = [fault for fault in faults if _is_error(fault)]
        if not errors:
            for fault in faults:
                report.warnings[f"{fault.code.id} {fault.code.name}"] += 1
            report.set_aside += [(name, "`check` refuses it") for name in sorted(refused)]
            return converted
        for fault in errors:
            file = fault.place.file
            page = converted.sources.get(file)
            if page and file.startswith("content/pages/") and page not in as_posts:
                as_posts |= {page}
            elif page:
                excluded.setdefault(page, f"{fault.message} ({fault.code.id})")
            else:
                refused.add(file)
    raise ImportRefusedError(f"the result does not pass check: {_place(errors[0])}: {errors[0].message}")


def _converted(
    site: FormerSite,
    baseline: ImportReport,
    moment: datetime,
    committed: Mapping[str, Committed],
    import_days: Mapping[str, str],
    excluded: Mapping[str, str],
    as_posts: frozenset[str],
) -> Converted:
    """One conversion. The report begins anew each time, since its counts are those of the last one only."""
    site.report.__dict__.update(deepcopy(baseline).__dict__)
    conversion = Conversion(site, moment, _occupied, built_in() - {"index"}, committed, import_days)
    return conversion.run(excluded, as_posts)


def _occupied(path: str) -> bool:
    """Whether the service answers at a path, or may once the archive grows: a redirect must never stand in its way.

    Records and pages are known to the conversion, which decides on their paths itself.
    """
    answered = table().built_in(path)
    folder, _, rest = path.strip("/").partition("/")
    return (folder not in RECORD_FOLDERS or "/" in rest) if answered is None else answered


def _faults(folder: Path, moment: datetime) -> tuple[Fault, ...]:
    _, faults = check(read(folder, KINDS, REGISTRIES, moment=moment), KINDS, REGISTRIES, table().built_in)
    return faults


def _is_error(fault: Fault) -> bool:
    return fault.code.level is Level.ERROR


def _place(fault: Fault) -> str:
    return f"{fault.place.file}:{fault.place.line}"


def _inside(folder: Path, source: Path) -> bool:
    return folder.resolve().is_relative_to(source.resolve())
