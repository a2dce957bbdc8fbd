"""The cards that stand for the front page, records and datasets where these are shared; drawn where a site asks."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from citepress.archive.model import Dataset, Entry
from citepress.base.ids import canonical_path
from citepress.base.media import Media
from citepress.base.timestamps import day
from citepress.contract.document import CANONICAL_PATH, Document, Output, Section
from citepress.contract.record import Author
from citepress.contract.settings_table import settings_of
from citepress.contract.site import Site
from citepress.edition.render_context import RenderContext
from citepress.edition.theme import has_serifs, tokens
from citepress_cards.renderer import CARDS_FOLDER, CardWords, card, drawn_with, is_drawable
from citepress_cards.settings import CardChoice

HOME = "home"
NAMED = 2
"""Authors that a card names."""


def _all(context: RenderContext) -> Iterator[Output]:
    archive = context.archive
    pages = {
        HOME: _front(context),
        **{canonical_path(dataset.path): _dataset(context, dataset) for dataset in archive.datasets},
        **{canonical_path(entry.path): _record(context, entry) for entry in archive.entries.values()},
    }
    return (output for page, words in pages.items() for output in _outputs(context, page, words))


def _touched(context: RenderContext) -> Iterator[tuple[Mapping[str, str], Output | None]]:
    """The cards that an edit may have changed: of its records, and of all datasets."""
    archive, edit = context.archive, context.edit
    if edit is None:
        return
    pages: dict[str, CardWords | None] = {HOME: _front(context)}
    pages |= {canonical_path(dataset.path): None for dataset in edit.before.datasets}
    pages |= {canonical_path(dataset.path): _dataset(context, dataset) for dataset in archive.datasets}
    for id_ in edit.records:
        for version in edit.versions(id_):
            pages[canonical_path(version.path)] = None
        if entry := archive.entries.get(id_):
            pages[canonical_path(entry.path)] = _record(context, entry)
    for page, words in pages.items():
        output = next(_outputs(context, page, words), None) if words else None
        yield {CANONICAL_PATH.name: page}, output


def _outputs(context: RenderContext, page: str, words: CardWords) -> Iterator[Output]:
    """The card of a page; none where there is no face for its title."""
    theme = context.site.theme.name
    serif, colours = has_serifs(theme), tokens(theme)
    if is_drawable(words.title, serif=serif):
        inputs = [words, serif, colours, drawn_with()]
        yield Output(partial(card, words, colours, serif=serif), {CANONICAL_PATH.name: page}, inputs=inputs)


def _front(context: RenderContext) -> CardWords:
    site, owner = context.site, context.archive.owner.name
    return CardWords("", site.title, site.description, "", "", owner if owner != site.title else "", site.language)


def _record(context: RenderContext, entry: Entry) -> CardWords:
    record = entry.record
    label, by, date = entry.kind.singular, _names(record.authors), day(record.published_at)
    return CardWords(label, record.title, record.summary, by, date, context.site.title, record.language)


def _dataset(context: RenderContext, dataset: Dataset) -> CardWords:
    site, by, date = context.site, _names(dataset.authors), day(dataset.published)
    return CardWords("Dataset", dataset.title, dataset.summary, by, date, site.title, site.language)


def _names(authors: Iterable[Author]) -> str:
    names = [author.name for author in authors if author.role == "author"]
    return ", ".join(names[:NAMED]) + (f" + {len(names) - NAMED}" if len(names) > NAMED else "")


def _enabled(site: Site) -> bool:
    return settings_of(site, CardChoice).cards


ALL = (
    Document[RenderContext](
        "card",
        f"{CARDS_FOLDER}{{{CANONICAL_PATH.name}}}.png",
        Media("asset", "image/png"),
        Section.EXTRAS,
        "The picture of the front page, a record or a dataset where it is shared.",
        _all,
        parameters=(CANONICAL_PATH,),
        promised=False,
        enabled=_enabled,
        touched=_touched,
        alone=True,
    ),
)
