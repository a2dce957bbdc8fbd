"""Rows of a dataset under a query (``?column=value``): JSON, HTML and Markdown.

What a request costs does not grow with the rows that fit: they are counted in the row index, and no row is read but
those of one page.
"""

import csv
import io
from collections.abc import Collection
from weakref import WeakKeyDictionary

from citepress.base import fast_json
from citepress.base.canonical import json_bytes
from citepress.base.file_part import StoredBody
from citepress.base.headers import Headers
from citepress.base.text import sentence_list
from citepress.content.table_file import typed_cells
from citepress.contract.form import Form
from citepress.contract.json_body import InvalidArgumentsError
from citepress.contract.problem import ProblemError
from citepress.edition.data.column_facets import RESERVED, RowIndex, index_path
from citepress.edition.data.dataset_rows import RowQuery, select_rows, selected_page
from citepress.edition.edition import Edition
from citepress.edition.forms import ALL as FORMS
from citepress.edition.page_context import Rendering
from citepress.edition.served import Served
from citepress.http.message import Request, Response
from citepress.http.query import members, page_number
from citepress.web.page_contexts import PageContexts
from citepress.web.queried_reply import queried_reply

DATASET_PAGE = "/datasets/{dataset}/"
FORM_OF = {form.path(DATASET_PAGE): form for form in FORMS if isinstance(form, Form)}
"""The form of a landing page by its path template."""
MAX_PART_DIGITS = 5
MAX_ROW_INDEXES = 4
"""Row indexes that a worker holds."""


class FilteredDatasets:
    """Makes the rows of datasets under a query, in every form."""

    def __init__(self, rendering: Rendering) -> None:
        """``rendering`` makes what pages are written with."""
        self._contexts = PageContexts(rendering)
        self._indexes: WeakKeyDictionary[Edition, dict[str, RowIndex | None]] = WeakKeyDictionary()

    def asked(self, edition: Edition, served: Served, query: bytes) -> bool:
        """Whether a query has a value for a column of few values; an empty one counts as absent, as in lists."""
        if served.leaf.route not in FORM_OF or (index := self._index(edition, served)) is None:
            return False
        try:
            given = members(query)
        except InvalidArgumentsError:
            return True
        return any(any(given.get(column, ())) for column in index.facets)

    def parameters(self, edition: Edition, served: Served) -> Collection[str]:
        """The names that a query of a dataset may have: its columns of few values."""
        index = self._index(edition, served) if served.leaf.route in FORM_OF else None
        return (*index.facets, *RESERVED) if index else ()

    def answer(
        self, request: Request, edition: Edition, served: Served, rate: Headers, *, negotiated: bool
    ) -> Response:
        """The rows in the form of a leaf, without validators. Raises ``InvalidArgumentsError``."""
        index, form = self._index(edition, served), FORM_OF[served.leaf.route]
        described = edition.find(f"/{served.leaf.canonical}.json")
        if index is None or described is None:
            raise LookupError(f"{served.leaf.path} lost its rows")
        query = row_query(request.query, index)
        document, places = select_rows(fast_json.loads(bytes(described.leaf.body)), index, query)
        cells = _cells(edition, f"/{served.leaf.canonical}/{index.version}.csv", places)
        columns = list(index.columns.items())
        document["selection"]["rows"] = [typed_cells(columns, row) for row in cells]
        base = edition.fields.base_url
        if form.needs_data:
            body = json_bytes(document)
            links = [*(link.encode() for link in served.leaf.links), edition.fields.policy]
            if document["selection"]["next"]:
                links.append(f'<{document["selection"]["next"]}>; rel="next"'.encode())
        else:
            body = form.write(selected_page(self._contexts.of(edition), document, cells), self._contexts.of(edition))
            links = [f'<{base}/{served.leaf.canonical}/>; rel="canonical"'.encode()]
        return queried_reply(request, edition, served, body, links, rate, negotiated=negotiated)

    def _index(self, edition: Edition, served: Served) -> RowIndex | None:
        """The row index of a dataset; ``None`` where no column has few values."""
        held = self._indexes.setdefault(edition, {})
        name = served.leaf.canonical.rpartition("/")[2]
        if name not in held:
            packed = edition.body(index_path(name))
            if len(held) >= MAX_ROW_INDEXES:
                held.pop(next(iter(held)))
            held[name] = RowIndex.read(packed) if packed else None
        return held[name]


def row_query(query: bytes, index: RowIndex) -> RowQuery:
    """The conditions of a query; members without a value, or that are no columns of few values, are passed over.

    Raises ``InvalidArgumentsError``.
    """
    given = members(query)
    conditions: dict[str, str] = {}
    faults: list[ProblemError] = []
    for column, sets in index.facets.items():
        values = [value for value in given.get(column, ()) if value]
        if len(values) > 1:
            faults.append(ProblemError(detail=f"{column} is given more than once.", parameter=column))
        elif values and values[0] not in sets:
            values_of = sentence_list([f'"{value}"' for value in sets], "or")
            faults.append(ProblemError(detail=f"{column} has to be {values_of}.", parameter=column))
        elif values:
            conditions[column] = values[0]
    if faults:
        raise InvalidArgumentsError(faults)
    (name,) = RESERVED
    return RowQuery(conditions, page_number(given.get(name, ()), MAX_PART_DIGITS))


def _cells(edition: Edition, path: str, places: list[tuple[int, int]]) -> list[list[str]]:
    """The cells of rows of a CSV file."""
    served = edition.find(path)
    if served is None:
        raise LookupError(f"{path} is not published")
    body: StoredBody = served.leaf.body
    lines = "".join(bytes(body[start:end]).decode() for start, end in places)
    return list(csv.reader(io.StringIO(lines, newline=""), strict=True))
