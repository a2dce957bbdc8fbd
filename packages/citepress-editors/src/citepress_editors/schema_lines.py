"""The lines that lead a language server to the schema of a file, in what ``init`` and ``new`` write."""

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from citepress.content.settings_file import SETTINGS_FILE
from citepress_editors.archive_schemas import AuthorFile, author_files, schema_bytes, schemas

SCHEMAS_FOLDER = ".citepress/schemas"
"""See "Schemas lie in the archive" in docs/decisions/editors.md."""
FENCE = b"---\n"


def file_of(path: str) -> AuthorFile | None:
    """The file that is at a path of an archive; none where no schema is for it."""
    return next((file for file in author_files() if PurePosixPath(path).match(file.path)), None)


def schema_line(path: str, name: str) -> bytes:
    """The comment that names the schema of a file to language servers, by its path relative to the file."""
    schema = f"{'../' * path.count('/')}{SCHEMAS_FOLDER}/{name}.json"
    directive = f"#:schema {schema}" if path.endswith(".toml") else f"# yaml-language-server: $schema={schema}"
    return f"{directive}\n".encode()


def with_line(path: str, data: bytes, name: str) -> bytes:
    """A file with the line at the top: of the front matter, where it has one."""
    fence = FENCE if path.endswith(".md") else b""
    return fence + schema_line(path, name) + data[len(fence) :] if data.startswith(fence) else data


def complete(folder: Path, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """New files with their lines, and the schemas that they name and the folder does not have.

    Nothing for plain folders, and for archives without the folder of schemas.
    """
    if SETTINGS_FILE not in files and not (folder / SCHEMAS_FOLDER).is_dir():
        return {}
    named = {path: file.name for path in files if (file := file_of(path))}
    lacking = {name: path for name in named.values() if not (folder / (path := schema_path(name))).exists()}
    documents = schemas() if lacking else {}
    return {path: with_line(path, files[path], name) for path, name in named.items()} | {
        path: schema_bytes(documents[name]) for name, path in lacking.items()
    }


def schema_path(name: str) -> str:
    """Where an archive has a schema."""
    return f"{SCHEMAS_FOLDER}/{name}.json"


SCAFFOLDS = (complete,)
