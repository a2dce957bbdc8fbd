"""``citepress routes`` and ``schema``: what the service declares, printed."""

import sys
from typing import Annotated

import orjson
from cyclopts import Parameter

from citepress.app.registry import models, table
from citepress.base.text import did_you_mean
from citepress.cli.console import complain, write
from citepress.cli.new import capitalised
from citepress.content.front import front_model
from citepress.edition.schemas import schema_of
from citepress.extension import install_hint
from citepress.kinds import ALL as KINDS

Json = bool


def routes(*, json: Json = False) -> None:
    """Print the route table: method, path, type, schema and name of every route.

    Parameters
    ----------
    json
        Print JSON.
    """
    if not json:
        sys.stdout.write(table().text())
        return
    rows = [
        {
            "method": r.method,
            "path": r.path,
            "type": r.media.type,
            "schema": r.shape or None,
            "name": r.name,
            "section": r.section.value,
            "negotiates": r.negotiates,
            "promised": r.promised,
            "summary": r.summary,
        }
        for r in table()
    ]
    write(orjson.dumps(rows, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def _schemas(_typed: object) -> list[str]:
    return [*(kind.name for kind in KINDS), *models()]


def schema(kind: Annotated[str, Parameter(completer=_schemas)], /, *, front: bool = False) -> int:
    """Print the JSON Schema of a kind's published record, or of any published document.

    Parameters
    ----------
    kind
        A collection (posts) or a schema name (FieldNoteRecord, SourceOriginIndex).
    front
        Print the schema of the front matter that an author writes, not of the published record.
    """
    kinds = {declared.name: declared for declared in KINDS} | {declared.schema: declared for declared in KINDS}
    model = (
        front_model(kinds[kind])
        if front and kind in kinds
        else kinds[kind].record
        if kind in kinds
        else models().get(kind)
    )
    if model is None or (front and kind not in kinds):
        names = [*(declared.name for declared in KINDS), *models()]
        hint = install_hint(f"content/{kind}/") or did_you_mean(kind, names)
        complain(f"no kind or document is called {kind!r}. {capitalised(hint)}".rstrip())
        return 2
    written = schema_of(model, f"urn:citepress:{kind}", "validation" if front else "serialization")
    write(orjson.dumps(written, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    return 0
