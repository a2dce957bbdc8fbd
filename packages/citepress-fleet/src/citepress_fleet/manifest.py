"""The manifest of a published edition: its number, its files by digest, the edition before it, and a signature."""

import base64
from typing import Annotated, Any

from pydantic import ConfigDict, Field, ValidationError

from citepress.base import fast_json
from citepress.base.canonical import canonical_bytes, digest, plain
from citepress.base.errors import CitepressError
from citepress.contract.model import Model, Moment
from citepress.transparency.signing import SigningKey, is_signed_by

FORMAT = 1
"""Version of what an edition is made of: packs, index, manifest. Raise it when older servers cannot read a new one."""
POINTER = "current"
"""Object that names the edition to be served."""
EDITIONS, PACKS, INDEX, REPORTS, LOGS = "editions", "packs", "index", "reports", "logs"
"""Folders of the store."""
MANIFEST_BYTES, POINTER_BYTES = 4 * 1024 * 1024, 4096
HEX = r"^[0-9a-f]{64}$"
FILE_PATH = r"^\.?[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}(/\.?[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}){0,7}$"
"""A relative path; no part of it is ``.`` or ``..``."""


class ManifestError(CitepressError, ValueError):
    """The bytes are no manifest or pointer that this version reads; the sentence names the object."""


class SignatureError(ManifestError):
    """The manifest is not signed by the key that it has to be signed by."""


class _StoreDocument(Model):
    """A document of the store; a later version may add members, which the signature covers all the same."""

    model_config = ConfigDict(extra="ignore")


class StoredFile(_StoreDocument):
    """A file of an edition, which is stored under its digest."""

    sha256: Annotated[str, Field(pattern=HEX)]
    size: Annotated[int, Field(ge=0)]


class IndexFile(StoredFile):
    """A file of the search index."""

    path: Annotated[str, Field(pattern=FILE_PATH)]
    """Where it lies in the folder of the index."""


class ReportsFile(StoredFile):
    """A pack of reports on readers."""

    generation: Annotated[int, Field(ge=0)]
    as_of: Annotated[int, Field(ge=0)]
    """The hour after the last one counted, since 1970."""


class StoredTree(_StoreDocument):
    """What the tree over the files of an edition comes to."""

    digest: Annotated[str, Field(pattern=HEX)]
    entries: Annotated[int, Field(ge=0)]
    shards: Annotated[int, Field(ge=1)]


class StoredLog(_StoreDocument):
    """The log of editions up to this one, and its signed head."""

    entry: str
    audit_path: list[str]
    root: Annotated[str, Field(pattern=HEX)]
    checkpoint: str
    keys: list[str]
    files: Annotated[list[StoredFile], Field(max_length=65_536)]
    """Its entries, a line each, in files that do not change once they are full."""


class EditionManifest(_StoreDocument):
    """What an edition is made of."""

    number: Annotated[int, Field(ge=1)]
    previous: Annotated[str, Field(pattern=HEX)] | None
    """SHA-256 of the manifest before; ``None`` for the first."""
    created: Moment
    reader: Annotated[int, Field(ge=1)]
    """The least edition format that a server has to know."""
    base_url: str
    digest: str
    """What the packs call the edition."""
    layers: Annotated[list[StoredFile], Field(min_length=1, max_length=64)]
    """Its packs, the newest first."""
    index: Annotated[list[IndexFile], Field(max_length=10_000)]
    reports: ReportsFile | None = None
    tree: StoredTree | None = None
    """``None`` in an edition of an earlier version."""
    log: StoredLog | None = None
    """``None`` where the edition has no tree."""
    rollback_to: int | None = None
    """The number of the edition whose content it repeats."""

    @property
    def name(self) -> str:
        """The object that holds it."""
        return manifest_name(self.number)

    def objects(self) -> dict[str, int]:
        """The objects that it needs, with their sizes."""
        logs = self.log.files if self.log else []
        return {**self.content(), **{f"{LOGS}/{file.sha256}": file.size for file in logs}}

    def content(self) -> dict[str, int]:
        """The objects that it is made of, without those of the log, with their sizes."""
        files = [
            *((PACKS, file) for file in self.layers),
            *((INDEX, file) for file in self.index),
            *([(REPORTS, self.reports)] if self.reports else []),
        ]
        return {f"{folder}/{file.sha256}": file.size for folder, file in files}

    def same_content(self, other: "EditionManifest") -> bool:
        """Whether two editions are made of the same files."""
        return self.content() == other.content() and [f.sha256 for f in self.layers] == [f.sha256 for f in other.layers]


class EditionPointer(_StoreDocument):
    """The object ``current``."""

    number: Annotated[int, Field(ge=1)]
    digest: Annotated[str, Field(pattern=HEX)]
    """SHA-256 of the manifest."""


def manifest_name(number: int) -> str:
    """The object of an edition's manifest."""
    return f"{EDITIONS}/{number}.json"


def write_manifest(manifest: EditionManifest, key: SigningKey) -> bytes:
    """The signed manifest as it is stored: canonical JSON (RFC 8785), whose signature covers every other member."""
    document = {**plain(manifest), "key": key.public}
    signature = base64.b64encode(key.sign(canonical_bytes(document))).decode()
    return canonical_bytes({**document, "signature": signature})


def pointer_to(manifest: EditionManifest, data: bytes) -> bytes:
    """The pointer to a manifest whose bytes these are."""
    return canonical_bytes(plain(EditionPointer(number=manifest.number, digest=digest(data))))


def read_pointer(data: bytes) -> EditionPointer:
    """The pointer. Raises ``ManifestError``."""
    try:
        return EditionPointer.model_validate(_document(POINTER, data))
    except ValidationError as error:
        raise ManifestError(f"{POINTER} is not a pointer to an edition: {_first(error)}") from None


def read_manifest(name: str, data: bytes) -> tuple[EditionManifest, dict[str, Any]]:
    """A manifest and the document as it was signed, which is still to be verified. Raises ``ManifestError``."""
    document = _document(name, data)
    reader = document.get("reader")
    if isinstance(reader, int) and reader > FORMAT:
        raise ManifestError(
            f"{name} needs a newer version of citepress: its format is {reader}, and this version reads {FORMAT}"
        )
    try:
        return EditionManifest.model_validate(document), document
    except ValidationError as error:
        raise ManifestError(f"{name} is not the manifest of an edition: {_first(error)}") from None


def signer(name: str, document: dict[str, Any]) -> str | None:
    """The public key that signed a manifest, as it says; ``None`` where it is not signed at all.

    Raises ``SignatureError`` where the signature does not fit: somebody has changed the document.
    """
    key, signature = document.get("key"), document.get("signature")
    if not isinstance(key, str) or not isinstance(signature, str):
        return None
    signed = canonical_bytes({member: value for member, value in document.items() if member != "signature"})
    try:
        genuine = is_signed_by(key, base64.b64decode(signature, validate=True), signed)
    except ValueError:
        genuine = False
    if not genuine:
        raise SignatureError(f"the signature of {name} does not fit: it was changed after it was signed")
    return key


def _document(name: str, data: bytes) -> dict[str, Any]:
    try:
        document = fast_json.loads(data)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise ManifestError(f"{name} is damaged: it is not a JSON object")
    return document


def _first(error: ValidationError) -> str:
    fault = error.errors()[0]
    return f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}"
