"""What telemetry reads of an edition: its address, its pages and the questions of its recall probes."""

from collections.abc import Collection, Iterator

from citepress.base import fast_json
from citepress.contract.store import StoreUnavailable
from citepress.edition.edition import Edition
from citepress.edition.pack import DamagedPackError
from citepress.edition.page_catalog import PageEntry, find_page_entries, read_page_entries
from citepress.edition.site_config import SiteConfig
from citepress_telemetry.ports import MaterialRow


def referer_prefix(config: SiteConfig) -> bytes:
    """The site's own address, as a Referer would begin with it."""
    return f"{config.base_url}/".encode()


def material_rows(edition: Edition) -> Iterator[MaterialRow]:
    """The pages of an edition as the stores name them; the stores assign the ids."""
    return map(_row, read_page_entries(edition))


def rows_of(edition: Edition, canonicals: Collection[str]) -> list[MaterialRow]:
    """Those of the pages with these canonical paths.

    Raises ``StoreUnavailable`` where the edition is damaged: it is being made anew.
    """
    try:
        return [_row(entry) for entry in find_page_entries(edition, canonicals)]
    except DamagedPackError as error:
        raise StoreUnavailable(str(error)) from error


def recall_questions(edition: Edition) -> Iterator[str]:
    """Every question of every set of recall probes that an edition publishes."""
    report = fast_json.loads(edition.body("/recall-probes.json") or b"{}")
    for probe_set in report.get("probe_sets", ()):
        yield from (probe["question"] for probe in probe_set["probes"])


def _row(entry: PageEntry) -> MaterialRow:
    html, markdown, json = (form in entry.forms for form in ("html", "markdown", "json"))
    return MaterialRow(0, entry.canonical, entry.kind, entry.published, html, markdown, json, current=True)
