"""The JSON Schema of every document that has a type."""

from collections.abc import Iterator

from citepress.base.canonical import json_bytes
from citepress.base.media import SCHEMA
from citepress.contract.document import Document, Output, Parameter, Section
from citepress.edition.render_context import RenderContext
from citepress.edition.schemas import schema_of

SCHEMA_NAME = Parameter(
    "name", "A schema name, as the routes of the contract give it.", r"[A-Z][A-Za-z0-9]+", "FieldNoteRecord"
)


def _schemas(context: RenderContext) -> Iterator[Output]:
    for name, model in sorted(context.models.items()):
        yield Output(json_bytes(schema_of(model, context.url(f"/schemas/{name}.json"))), {"name": name})


ALL = (
    Document[RenderContext](
        "json_schema",
        "/schemas/{name}.json",
        SCHEMA,
        Section.EXTRAS,
        "The JSON Schema of a document.",
        _schemas,
        "JsonSchemaDocument",
        parameters=(SCHEMA_NAME,),
        promised=False,
    ),
)
