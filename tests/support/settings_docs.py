"""The tables of ``docs/reference/settings.md`` and ``environment.md``, from the types that read ``site.toml``."""

from types import UnionType
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from citepress import settings
from citepress.contract.site import Site
from citepress.settings import ENV_PREFIX
from support import content_docs
from support.key_tables import KeyTables

CONTENT_MODEL = "content-model.md"


def tables() -> dict[str, str]:
    """The keys at the top of ``site.toml``, then each of its tables with the tables inside it."""
    keys = KeyTables([Site], dict.fromkeys(content_docs.parts(), CONTENT_MODEL))
    tables = {name: model for name, field in Site.model_fields.items() if (model := _model(field.annotation))}
    sections = {"publication": keys.table(Site, left_out=frozenset(tables))}
    for name, model in sorted(tables.items()):
        parts = [keys.table(model), keys.parts()]
        sections[name] = "\n".join(part for part in parts if part)
    return sections


def _model(annotation: Any) -> type[BaseModel] | None:
    """The type of a table of ``site.toml``; nothing for a key that stands at its top."""
    options = get_args(annotation) if get_origin(annotation) in {UnionType, dict, list} else (annotation,)
    models = [each for each in options if isinstance(each, type) and issubclass(each, BaseModel)]
    return models[0] if models and models[0].__name__ not in content_docs.parts() else None


def variables() -> str:
    """A row for each environment variable."""
    rows = (f"| `{ENV_PREFIX}{variable.name}` | {variable.about} |\n" for variable in settings.variables())
    return "| variable | what it sets |\n|---|---|\n" + "".join(rows)
