"""What became of every file of a source: each is named once, with one outcome and its reason."""

import posixpath
import re
from collections.abc import Iterator, Mapping

from citepress.content.files import MARKDOWN_ENDINGS
from citepress_import.conversion import Converted
from citepress_import.former_site import FormerSite
from citepress_import.report import Rows

KINDS: Mapping[str, tuple[str, ...]] = {
    "a template, a style or code of the former site": (
        *(".html", ".htm", ".css", ".scss", ".sass", ".less", ".js", ".mjs", ".cjs", ".ts", ".mts", ".tsx", ".jsx"),
        *(".astro", ".njk", ".liquid", ".ejs", ".pug", ".swig", ".hbs", ".vue", ".svelte", ".tera", ".php", ".py"),
    ),
    "settings or data of the former site": (
        *(".toml", ".yml", ".yaml", ".json", ".edn", ".lock", ".csv", ".tsv", ".ini", ".cfg", ".code-workspace"),
        *(".xml", ".webmanifest", ".gemspec"),
    ),
}
_SETTINGS = re.compile(r"(?:^|/)(?:Gemfile|Rakefile|Makefile|Dockerfile|CNAME|_redirects|_headers|robots\.txt)$")


def outcomes(site: FormerSite, converted: Converted) -> Rows:
    """Every file with its outcome, in the order of paths."""
    decided = dict(_decided(site, converted))
    copies = {file: name.removeprefix("static") for name, file in sorted(converted.copies.items(), reverse=True)}
    rows = {file: f"published as {path}" for file, path in copies.items()} | decided
    for file in site.tree.sizes:
        if file not in rows:
            rows[file] = f"passed over: {_reason(site, file)}"
    return sorted((rows | {file: f"passed over: {why}" for file, why in site.tree.skipped.items()}).items())


def _decided(site: FormerSite, converted: Converted) -> Iterator[tuple[str, str]]:
    """The outcome of each page, the one that counts last."""
    report = site.report
    yield from ((file, f"passed over: {reason}") for file, reason in report.passed_over)
    yield from ((file, f"set aside: {reason}") for file, reason in report.set_aside)
    held = dict(report.held_back)
    yield from ((file, f"held back: {reason}") for file, reason in held.items())
    for plan in converted.plans.values():
        source = plan.page.source
        if source not in held:
            yield source, f"held back: it is a draft, at {plan.public}" if plan.draft else f"published at {plan.public}"


def _reason(site: FormerSite, file: str) -> str:
    """Why a file that is no page was not taken."""
    if site.tree.alone:
        return "the export itself, whose posts are named by their own names"
    held = site.rules.of_path(file) if site.rules else None
    if held:
        return held.reason
    if file.lower().endswith((*MARKDOWN_ENDINGS, ".rst")):
        return "a text outside the folders of content"
    for reason, endings in KINDS.items():
        if file.lower().endswith(endings) or (reason.startswith("settings") and _SETTINGS.search(file)):
            return reason
    return "no text that is shown uses it" if "." in posixpath.basename(file) else "a file that no text uses"
