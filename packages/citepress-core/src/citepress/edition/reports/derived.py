"""Leaves of the pages on which errors in records are reported: made of what is stored, when they are asked for."""

from citepress.base import fast_json
from citepress.base.ids import REPORT_BELOW, twin
from citepress.edition.compiler import page_leaf
from citepress.edition.leaf import Leaf
from citepress.edition.pages.owner import OWNER_PATH
from citepress.edition.render_context import RenderContext
from citepress.edition.reports.declared import of_kinds, report_page
from citepress.edition.revisions.record import Stored

OK = 200
_ENDINGS = (f"/{REPORT_BELOW}", "/report.md")


def landing_of(path: str) -> str:
    """Path of the record's page below which a path may be its report; empty for any other path."""
    ending = next((ending for ending in _ENDINGS if path.endswith(ending)), "")
    return path.removesuffix(ending) + "/" if ending else ""


def report_leaf(landing: Leaf, path: str, stored: Stored, context: RenderContext) -> Leaf | None:
    """The leaf of the report of a record; ``None`` below other pages, and where nobody takes reports."""
    records = {f"/{kind.name}/{{slug}}/" for kind in context.archive.kinds}
    record = stored(twin(landing.path, ".json")) if landing.route in records and not landing.location else None
    if not record or landing.status != OK or context.reporting is None:
        return None
    profile = stored(twin(OWNER_PATH, ".json"))
    contact = (fast_json.loads(profile) if profile else {}).get("contact") or {}
    page = report_page(landing.path, fast_json.loads(record), contact, context)
    return page_leaf(context, of_kinds(context.archive.kinds), page, path)
