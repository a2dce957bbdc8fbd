"""The pages of revisions, histories and comparisons: declared like all others, and made when somebody asks for one."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter

from citepress.archive.edit import ArchiveEdit
from citepress.archive.model import Archive, Entry
from citepress.base.media import LINK_FORMAT
from citepress.contract.document import SLUG, Document, Hosting, Pages, Parameter, Section, nothing_stored
from citepress.contract.kind import Kind
from citepress.edition.render_context import RenderContext
from citepress.edition.revisions.models import RevisionComparison, RevisionDocument, RevisionHistory
from citepress.history.revisions import PublishedRevision

REVISION_NUMBER = r"[1-9][0-9]{0,6}"
_NUMBER = Parameter("revision", "A revision number from the history of the record.", REVISION_NUMBER, "1", number=True)
_LATER = Parameter("later", "A higher number from the history.", REVISION_NUMBER, "2", number=True)
REVISION, COMPARISON = "/{collection}/{slug}/@{revision}/", "/{collection}/{slug}/@{revision}..{later}/"
HISTORY, TIMEMAP = "/{collection}/{slug}/history/", "/{collection}/{slug}/history.link"
REVISION_NAMES = ("collection", "slug", "revision", "later")
BOTH = 2
"""Numbers in the path of a comparison."""
Values = Mapping[str, str]


def of_kinds(kinds: Sequence[Kind]) -> tuple[Document[RenderContext] | Pages[RenderContext], ...]:
    """The pages of revisions of every kind of record, and the TimeMap of each."""
    names = [kind.name for kind in kinds]
    collection = Parameter("collection", "The collection of a record.", f"(?:{'|'.join(names)})", names[0])
    return (
        _pages("revision", REVISION, "A record as it was published at one time.", collection, 1),
        _pages("revision_comparison", COMPARISON, "What changed in a record between two revisions.", collection, 2),
        _pages("revision_history", HISTORY, "The revisions of a record, the newest first.", collection, 0),
        Document[RenderContext](
            "revision_timemap",
            TIMEMAP,
            LINK_FORMAT,
            Section.RECORDS,
            "The revisions of a record as a TimeMap (RFC 7089).",
            nothing_stored,
            parameters=(collection, SLUG),
            promised=False,
            addresses=_addresses(0),
        ),
    )


def _pages(name: str, path: str, summary: str, collection: Parameter, numbers: int) -> Pages[RenderContext]:
    """The pages of one sort; ``numbers`` of revisions are in their paths."""
    model = (RevisionHistory, RevisionDocument, RevisionComparison)[numbers]
    return Pages[RenderContext](
        name,
        path,
        Section.RECORDS,
        summary,
        nothing_stored,
        model.__name__,
        model,
        (collection, SLUG, *(_NUMBER, _LATER)[:numbers]),
        only=Hosting.SERVICE if numbers == BOTH else None,
        addresses=_addresses(numbers),
    )


def _addresses(numbers: int) -> Callable[[RenderContext], Iterator[Values]]:
    """The values of paths with so many numbers, of the first record that has as many revisions: examples for guides."""

    def values(context: RenderContext) -> Iterator[Values]:
        fewest = max(numbers, 1)
        first = context.derivations.maintained(
            f"record of {fewest} revisions", partial(_first, context.archive, fewest), partial(_still_first, fewest)
        )
        if first:
            revisions = _revisions(context.archive.entries[first])[:numbers]
            shown = (*first.split("/"), *(str(revision.number) for revision in revisions))
            yield dict(zip(REVISION_NAMES, shown, strict=False))

    return values


def _first(archive: Archive, fewest: int) -> str:
    """The id of the first record with so many revisions; empty where none has."""
    return next((entry.head.id for entry in archive.entries.values() if len(_revisions(entry)) >= fewest), "")


def _still_first(fewest: int, first: str, edit: ArchiveEdit) -> str:
    """The same after an edit: the first of the records that it concerns and the one before it, unless that moved."""
    before, after = (archive.entries.get(first) for archive in (edit.before, edit.after))
    stands = before and after and before.order == after.order and len(_revisions(after)) >= fewest
    if first and not stands:
        return _first(edit.after, fewest)
    entries = (edit.after.entries.get(id_) for id_ in (first, *edit.records))
    able = (entry for entry in entries if entry and len(_revisions(entry)) >= fewest)
    earliest = min(able, key=attrgetter("order"), default=None)
    return earliest.head.id if earliest else ""


def _revisions(entry: Entry) -> Sequence[PublishedRevision]:
    return entry.revisions.published if entry.revisions else ()
