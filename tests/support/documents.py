"""What the whole catalogue makes of an archive: its leaves by path, each rendered as the edition would."""

from collections.abc import Iterable, Mapping
from typing import Any

import jsonschema_rs
import orjson
from pydantic import BaseModel

from citepress.archive.model import Archive, Entry, SourceEntry
from citepress.contract.table import derive
from citepress.edition.compiler import render_units
from citepress.edition.documents import declared
from citepress.edition.forms import ALL as FORMS
from citepress.edition.leaf import Leaf
from citepress.edition.render_context import RenderContext
from citepress.edition.theme import paths
from citepress.kinds import ALL as KINDS
from support.archive import SOURCE, archive_of

LEDGER = {
    SOURCE.url: SourceEntry(
        SOURCE.url, SOURCE.url, SOURCE.title, SOURCE.publisher, SOURCE.origin, SOURCE.published_at, SOURCE.role, (), ()
    ),
}


def whole(*entries: Entry, **parts: Any) -> Archive:
    """An archive of these records that every document can be written from."""
    return archive_of(*entries, **{"ledger": LEDGER, **parts})


def desk(archive: Archive) -> RenderContext:
    """A desk that knows every route and every type."""
    catalogue = declared(KINDS)
    models: Mapping[str, type[BaseModel]] = {item.shape: item.model for item in catalogue if item.shape and item.model}
    return RenderContext(archive, derive(catalogue, FORMS), FORMS, models, paths())


def leaves(archive: Archive, families: Iterable[Any] = ()) -> dict[str, Leaf]:
    """The leaves of these declarations, all of them when none are named, by path."""
    chosen = tuple(families) or declared(KINDS)
    return {leaf.path: leaf for work in render_units(desk(archive), chosen, b"") for leaf in work.render()}


def json_of(leaf: Leaf) -> Any:
    """The JSON that a leaf sends."""
    return orjson.loads(leaf.body)


def faults(schema: Mapping[str, Any], value: object) -> list[str]:
    """What a JSON Schema (2020-12) has against a value, formats included. Raises when it is no schema itself."""
    jsonschema_rs.meta.validate(dict(schema))
    judge = jsonschema_rs.Draft202012Validator(dict(schema), validate_formats=True)
    return [f"{list(error.instance_path)}: {error.message}" for error in judge.iter_errors(value)]


def closed(model: type[BaseModel]) -> dict[str, Any]:
    """The schema of a type that allows no member beyond its own."""
    return model.model_json_schema(mode="serialization")
