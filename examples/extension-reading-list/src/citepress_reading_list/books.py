"""The kind of record."""

from typing import Literal

from citepress.contract.kind import Kind
from citepress.contract.model import OneLine
from citepress.contract.page import Facts
from citepress.contract.record import Fields, Record
from citepress.kinds.parts import fact


class BookFields(Fields):
    """What a book adds to a record."""

    author: OneLine
    """Who wrote it."""
    status: Literal["unread", "reading", "read"] = "unread"
    """How far it is read."""


class BookRecord(BookFields, Record):
    """A book, and what the archive thinks of it."""


BOOKS = Kind(
    name="books",
    schema="BookRecord",
    index="BookIndex",
    singular="Book",
    plural="Books",
    about="Books that were read for the archive, or will be.",
    fields=BookFields,
    record=BookRecord,
    blocks=lambda book, _: (Facts("book", "Book", (fact("Author", book.author), fact("Status", book.status))),),
    deciding=("author", "status"),
    promised_index=False,
)
KINDS = (BOOKS,)
