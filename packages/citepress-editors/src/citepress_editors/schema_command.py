"""``citepress schema``: the schemas of what authors write and of what is published."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from citepress.app.registry import models
from citepress.base.text import did_you_mean
from citepress.cli.console import Folder, answer, complain, is_content
from citepress.cli.json_output import write_json
from citepress.cli.scaffold import write_files
from citepress.content.settings_file import SETTINGS_FILE
from citepress.edition.schemas import schema_of
from citepress.extension import install_hint
from citepress.kinds import ALL as KINDS
from citepress_editors.archive_schemas import FRONT_MATTER, author_files, names_of, schema_bytes, schemas
from citepress_editors.schema_lines import SCHEMAS_FOLDER


def _names(_typed: object) -> list[str]:
    return [*_author_names(), *models()]


def _author_names() -> list[str]:
    return [*(file.name for file in author_files()), FRONT_MATTER]


def schema(
    name: Annotated[str, Parameter(completer=_names)] = "",
    content: Folder = Path(),
    *,
    published: bool = False,
    out: Path | None = None,
    refresh: Annotated[bool, Parameter(name="--write")] = False,
    json: bool = False,
) -> int:
    """Print the JSON Schema of what authors write, or of a published document.

    Parameters
    ----------
    name
        site, sources, owner, a folder of content/ (posts), front-matter (a record of any kind) or a published document
        (FieldNoteRecord); without it the names are listed.
    content
        The archive whose topics, records and sources the schema offers.
    published
        Print the schema of a kind's published record, not of what its author writes.
    out
        Write all schemas of what authors write into this folder.
    refresh
        Write the schemas of the archive's files into its .citepress/schemas/ anew.
    json
        List the names, or the files that were written, as JSON.
    """
    if not is_content(content):
        return 2
    if refresh or out:
        return _write_files(content, out, as_json=json)
    if not name:
        return _list(as_json=json)
    is_written = name in _author_names() and not published
    document = schemas(_names_in(content))[name] if is_written else _published(name)
    if document is None:
        names = [kind.name for kind in KINDS] if published else _names("")
        hint = install_hint(f"content/{name}/") or did_you_mean(name, names) or "`citepress schema` lists the names"
        complain(f"no schema is called {name!r}. {hint[:1].upper()}{hint[1:]}")
        return 2
    write_json(document)
    return 0


def _published(name: str) -> dict[str, Any] | None:
    kinds = {kind.name: kind.record for kind in KINDS}
    model = kinds.get(name) or models().get(name)
    return schema_of(model, f"urn:citepress:{name}") if model else None


def _list(*, as_json: bool) -> int:
    rows = {file.name: file.path for file in author_files()} | {FRONT_MATTER: "content/*/*.md"}
    width = max(map(len, rows))
    lines = [f"{name:{width}}  {path}" for name, path in rows.items()]
    answer("\n".join(lines), rows, as_json=as_json)
    return 0


def _names_in(content: Path) -> Mapping[str, tuple[str, ...]]:
    """What can be referred to in a folder; nothing of one that is no archive, which may be anything."""
    return names_of(content) if (content / SETTINGS_FILE).exists() else {}


def _write_files(content: Path, out: Path | None, *, as_json: bool) -> int:
    documents = schemas(_names_in(content))
    if out is None and not (content / SETTINGS_FILE).exists():
        complain(
            f"{content.resolve()} is not an archive: it has no {SETTINGS_FILE}. Name the archive: --content FOLDER"
        )
        return 2
    names = documents if out else _in_use(content, documents)
    below = "" if out else f"{SCHEMAS_FOLDER}/"
    files = {f"{below}{name}.json": schema_bytes(documents[name]) for name in names}
    paths = write_files(out or content, files)
    answer("\n".join(map(str, paths)), {"files": [*map(str, paths)]}, as_json=as_json)
    return 0


def _in_use(content: Path, every: Iterable[str]) -> list[str]:
    """The schemas of files that an archive has, and those that it had before."""
    patterns = {file.name: file.path for file in author_files()}
    return [
        name
        for name in every
        if (content / SCHEMAS_FOLDER / f"{name}.json").exists() or next(content.glob(patterns.get(name, "\0")), None)
    ]
