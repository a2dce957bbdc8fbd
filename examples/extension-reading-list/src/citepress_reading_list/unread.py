"""The books that are not read yet: a document, and a tool that names the next one."""

from collections.abc import Iterable

from citepress.base.media import JSON
from citepress.contract.document import Document, Output, Section
from citepress.contract.model import Model
from citepress.contract.operation import Answer, Get, Operation, Tool
from citepress.contract.settings_table import settings_of
from citepress.edition.render_context import RenderContext
from citepress.operations.context import OperationContext
from citepress_reading_list.books import BOOKS, BookRecord
from citepress_reading_list.settings import ReadingListSettings

PATH, SUMMARY = "/reading-list.json", "The books that are not read yet."


class UnreadBooks(Model):
    """The books that are not read yet, newest first."""

    titles: list[str]


class NextBookAsk(Model):
    """Nothing is asked."""


class NextBook(Answer):
    """The book to read next."""

    title: str | None = None


def _unread(context: RenderContext) -> Iterable[Output]:
    records = (entry.record for entry in context.archive.collections[BOOKS.name])
    titles = [record.title for record in records if isinstance(record, BookRecord) and record.status != "read"]
    yield Output(UnreadBooks(titles=titles[: settings_of(context.site, ReadingListSettings).shown]))


def _next_book(_ask: NextBookAsk, context: OperationContext) -> NextBook:
    return NextBook(as_of=context.as_of, title=next(iter(context.document(PATH)["titles"]), None))


DOCUMENTS = (
    Document("unread_books", PATH, JSON, Section.EXTRAS, SUMMARY, _unread, "UnreadBooks", UnreadBooks, promised=False),
)
OPERATIONS = (
    Operation(
        "next_book", "Next book", "Name the book to read next.", NextBookAsk, NextBook, _next_book,
        Section.ACTIONS, Get("/agent-actions/next-book.json", promised=False), tool=Tool(),
    ),
)  # fmt: skip
