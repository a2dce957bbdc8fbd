"""The schemas of an archive by their names: of settings, of front matter, of each file that authors write."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import orjson
from pydantic import BaseModel

from citepress.admin.content import read_content
from citepress.base import clock
from citepress.content.datasets import DatasetFront
from citepress.content.front import PageFront, Withdrawal, front_model
from citepress.content.owner_file import OWNER_FILE, OwnerInput
from citepress.content.settings_file import SETTINGS_FILE
from citepress.content.sources_file import SOURCES_FILE, SourcesInput
from citepress.contract.fault import Faults
from citepress.contract.kind import Kind, Registry
from citepress.contract.site import Site
from citepress.edition.schemas import DIALECT
from citepress.kinds import ALL as KINDS
from citepress.kinds import REGISTRIES
from citepress.settings import from_environment
from citepress_editors.author_schema import ANY, SOURCES, Json, Names, author_schemas

FRONT_MATTER = "front-matter"
STILL_THERE: Json = {"enum": [None, False, "", 0, {}, []]}
"""Values of ``gone`` that take nothing back."""


@dataclass(frozen=True, slots=True)
class AuthorFile:
    """A file that authors write, and the schema of it."""

    name: str
    """Name of the schema."""
    path: str
    """Where the files are: a path with ``*`` for any name."""
    about: str
    models: Mapping[str, type[BaseModel]]
    """The models that read it, by what they are called in ``shape``."""

    def shape(self, parts: Mapping[str, Json], definitions: Mapping[str, Json]) -> Json:  # noqa: ARG002
        """What the file holds, made of the schemas of its models, which refer to the definitions."""
        return parts[self.name]


@dataclass(frozen=True, slots=True)
class RecordFile(AuthorFile):
    """A record: once it is taken back, little of it is still read."""

    def shape(self, parts: Mapping[str, Json], definitions: Mapping[str, Json]) -> Json:  # noqa: ARG002
        """Its front matter, or that of its withdrawal."""
        gone = {"required": ["gone"], "properties": {"gone": {"not": STILL_THERE}}}
        return {"type": "object", "if": gone, "then": parts[f"{self.name} gone"], "else": parts[self.name]}


@dataclass(frozen=True, slots=True)
class RegistryFile(AuthorFile):
    """One entry or a list of them, of the model that its ``type`` names."""

    def shape(self, parts: Mapping[str, Json], definitions: Mapping[str, Json]) -> Json:
        """An entry, or a list of entries."""
        entries = [parts[label] for label in self.models]
        for label, entry in zip(self.models, entries, strict=True):
            if word := label.removeprefix(f"{self.name} "):
                model = definitions[entry["$ref"].rpartition("/")[2]]
                model["properties"] |= {"type": {"const": word, "description": "Which entry it is."}}
                model["required"] = ["type", *model.get("required", ())]
        entry = {"anyOf": entries} if entries[1:] else entries[0]
        return {"anyOf": [entry, {"type": "array", "items": entry}]}


@cache
def author_files() -> tuple[AuthorFile, ...]:
    """Every file that authors write in an archive with the kinds and the registries that are installed."""
    return (
        AuthorFile("site", SETTINGS_FILE, "The settings of the archive.", {"site": Site}),
        AuthorFile("sources", SOURCES_FILE, "Sources that records share.", {"sources": SourcesInput}),
        AuthorFile("owner", OWNER_FILE, "Who publishes the archive.", {"owner": OwnerInput}),
        AuthorFile("pages", "content/pages/*.md", "Pages that are not records, such as /about/.", {"pages": PageFront}),
        AuthorFile("datasets", "datasets/*/README.md", "Datasets.", {"datasets": DatasetFront}),
        *map(_record_file, KINDS),
        *map(_registry_file, REGISTRIES),
    )


def _record_file(kind: Kind) -> AuthorFile:
    models: dict[str, type[BaseModel]] = {kind.name: front_model(kind), f"{kind.name} gone": Withdrawal}
    return RecordFile(kind.name, f"content/{kind.name}/*.md", kind.about, models)


def _registry_file(registry: Registry) -> AuthorFile:
    typed = {f"{registry.name} {word}": model for word, model in registry.models.items()}
    return RegistryFile(registry.name, f"content/{registry.name}/*.yaml", registry.about, typed)


def schemas(names: Names | None = None) -> dict[str, Json]:
    """Every schema by its name. ``names`` are those of an archive, which are offered where a member refers to one."""
    files = {file.name: file for file in author_files()}
    documents = {name: _document(name, file.about, [file], names) for name, file in files.items()}
    records = [file for file in files.values() if isinstance(file, RecordFile)]
    documents[FRONT_MATTER] = _document(FRONT_MATTER, "A record of any kind.", records, names)
    return documents


def _document(title: str, about: str, files: Sequence[AuthorFile], names: Names | None) -> Json:
    models = {label: model for file in files for label, model in file.models.items()}
    parts, definitions = author_schemas(models, names)
    shapes = [file.shape(parts, definitions) for file in files]
    shape = shapes[0] if len(shapes) == 1 else {"anyOf": shapes}
    document = {"$schema": DIALECT, "title": title, "description": about, **shape, "$defs": definitions}
    return _at_keys(document) if files[0].path.endswith(".toml") else document


def _at_keys(schema: Any) -> Any:  # noqa: ANN401  (JSON is any shape)
    """A schema that refuses unknown keys one by one: language servers for TOML show ``false`` at the whole table."""
    if isinstance(schema, list):
        return [_at_keys(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {"not": {}} if (key, value) == ("additionalProperties", False) else _at_keys(value)
        for key, value in schema.items()
    }


def names_of(folder: Path) -> Names:
    """What the records of a folder may refer to, as far as the folder can be read."""
    try:
        read = read_content(from_environment(folder, drafts=True), clock.now())
    except Faults:
        return {}
    ids = sorted(draft.id for draft in read.drafts)
    by_kind: dict[str, list[str]] = {}
    for kind, _, slug in (id_.partition("/") for id_ in ids):
        by_kind.setdefault(kind, []).append(slug)
    named = {kind: tuple(slugs) for kind, slugs in by_kind.items()}
    return {**named, ANY: tuple(ids), SOURCES: tuple(sorted(read.shared.sources))}


def schema_bytes(schema: Json) -> bytes:
    """A schema as a file, in one line: nobody reads it but programs, and an archive has several."""
    return orjson.dumps(schema, option=orjson.OPT_APPEND_NEWLINE)


def schema_files(names: Names | None = None) -> Iterator[tuple[str, bytes]]:
    """The name of each file with a schema, and what it holds."""
    return ((f"{name}.json", schema_bytes(schema)) for name, schema in schemas(names).items())
