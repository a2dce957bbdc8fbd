"""Reports that were rendered while serving: they answer in place of the live leaves of an edition, and of no others."""

import logging
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from citepress.base import fast_json
from citepress.edition.edition import POINTER, Edition, open_edition
from citepress.edition.leaf import Leaf
from citepress.edition.pack import DamagedPackError, Pack, PackError
from citepress.edition.pack_writer import PackWriter
from citepress.edition.page_context import Rendering
from citepress.edition.served import Served

OVERLAY_FOLDER = "overlay"
HTML = "html"
log = logging.getLogger(__name__)


def overlay_pointer(state: Path) -> Path:
    """The file that names the newest overlay under a state folder."""
    return state / OVERLAY_FOLDER / POINTER


def pack_name(generation: int) -> str:
    """The file of a generation, beside the pointer."""
    return f"{generation}.pack"


def generations(pointed: Path) -> list[int]:
    """The generations that a pointer names, the newest first; none where there is no pointer, or a damaged one."""
    try:
        return [int(generation) for generation in fast_json.loads(pointed.read_bytes())["generations"]]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError) as error:
        log.warning("the reports at %s cannot be read: %s", pointed.name, error)
        return []


class Overlaid(Edition):
    """An edition with one generation of reports over it: a request that holds it sees no other."""

    def __init__(self, edition: Edition, reports: Pack) -> None:
        """``reports`` were rendered for this site."""
        super().__init__(edition.layers, edition.log)
        self._reports = reports
        self._whole = True
        self._dressed: bool = super().meta(reports.notes["style"]) is not None
        """Whether the style sheet of its pages is published; if not, they belong to another theme."""

    @property
    def generation(self) -> int:
        """Which reports these are."""
        return int(self._reports.notes["generation"])

    def _locate(self, path: str) -> tuple[Pack | None, dict[str, Any] | None]:
        """A live leaf is looked up in the reports first.

        What the edition does not have, or has withdrawn, is none of theirs.
        """
        pack, meta = super()._locate(path)
        if self._whole and meta is not None and meta["live"] and (self._dressed or meta["kind"] != HTML):
            report = self._reports.meta(path)
            if report is not None:
                return self._reports, report
        return pack, meta

    def _load(self, path: str) -> Served | None:
        """What the edition itself has, from the first damage in the reports until there are others."""
        try:
            return super()._load(path)
        except DamagedPackError as error:
            if error.path != self._reports.path:
                raise
            self._whole = False
            return super()._load(path)


def overlaid(edition: Edition, pointed: Path) -> Edition:
    """The edition under the newest overlay that is whole and was rendered for its address.

    The edition alone where there is none.
    """
    for generation in generations(pointed):
        try:
            pack = Pack(pointed.parent / pack_name(generation))
            pack.written = 0  # each report has the date of its figures, on every server
        except PackError as error:
            log.warning("a generation of reports is left out: %s", error)
            continue
        return Overlaid(edition, pack) if pack.notes["base_url"] == edition.config.base_url else edition
    return edition


def open_overlaid(pointed: Path, reports: Path, rendering: Rendering | None = None) -> Edition:
    """The edition that ``pointed`` names under the newest reports that ``reports`` names.

    With a ``rendering`` it answers at the paths of revisions too. Raises ``PackError`` when the edition is not whole.
    """
    edition = overlaid(open_edition(pointed), reports)
    return edition.render_with(rendering) if rendering else edition


@dataclass(frozen=True, slots=True)
class Stamp:
    """What an overlay tells of itself."""

    generation: int
    base_url: str
    """The site that it was rendered for."""
    style: str
    """Path of the style sheet of its pages."""
    edition: str = ""
    """Digest of the edition that it was rendered over."""
    as_of: int = 0
    """The hour after the last one counted, since 1970."""
    whole: int = 0
    """The same, when every report was rendered last."""


def print_overlay(
    path: Path, leaves: Iterable[Leaf], stamp: Stamp, unchanged: Iterable[tuple[Pack, dict[str, Any]]] = ()
) -> int:
    """Write leaves as an overlay, and beside them those of another pack that stay as they are; give their number."""
    writer = PackWriter(path)
    try:
        for leaf in leaves:
            writer.add(leaf)
        for pack, meta in unchanged:
            writer.copy(pack, meta)
        writer.finish(asdict(stamp))
    except BaseException:
        writer.discard()
        raise
    return len(writer.written.sums)
