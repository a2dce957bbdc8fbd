"""What ``citepress verify`` does: where the documents of an edition come from, and which heads a reader remembers."""

import hashlib
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from http import HTTPStatus
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import unquote, urlsplit

import orjson

from citepress.base import clock, fast_json
from citepress.base.canonical import json_bytes
from citepress.base.outgoing import OutgoingClient, OutgoingError, Rules
from citepress.edition.verification.declared import EDITION_HEAD_PATH, LOG, SHARD
from citepress.transparency.entries import EditionLogError
from citepress.transparency.heads import origin_of
from citepress.transparency.shards import shard_of
from citepress.transparency.tiles import WIDTH, tile_hashes, tile_name
from citepress_verify.proofs import (
    DifferentBytesError,
    VerificationError,
    VerifiedHead,
    check_consistency,
    check_file,
    verified_head,
    verified_shard,
)

MAX_LOG_ENTRIES = 1_000_000
"""Editions of a log that are compared with what is remembered: one every ten minutes for nineteen years."""
FILE_BYTES, DOCUMENT_BYTES = 512 * 1024 * 1024, 16 * 1024 * 1024
MAX_FOLDER_DEPTH = 8
"""Folders of an address, or above a file, in which the documents of an edition are looked for."""
MAX_REPEATED_CHECKS = 1
"""How often an archive is asked again, because an edition that is published meanwhile explains a difference."""
KNOWN_LOGS = Path(".local/state/citepress/known-logs.json")
"""Below the home folder: the heads that the user of this machine has seen."""
REQUEST_S, TOTAL_S = 60.0, 300.0
"""Seconds for one answer, and for all of them unless the reader says otherwise."""
Read: TypeAlias = Callable[[str], bytes | None]
"""Reads a path of an archive; ``None`` where there is nothing."""


@dataclass(frozen=True, slots=True)
class KnownLog:
    """What is remembered of a log."""

    key: str
    """The publisher's public key."""
    size: int
    root: str


class KnownLogs:
    """The logs that a reader remembers, by origin, in a file of the reader."""

    def __init__(self, file: Path | None) -> None:
        """``file`` is in the home folder unless another one is named."""
        self._file = file or Path.home() / KNOWN_LOGS

    def of(self, origin: str) -> KnownLog | None:
        """What is remembered of a log. Raises ``VerificationError`` where the file cannot be read."""
        row = self._rows().get(origin)
        try:
            return KnownLog(**row) if row is not None else None
        except TypeError:
            raise self._damaged() from None

    def remember(self, origin: str, log: KnownLog) -> None:
        """Keep the newest head. Raises ``VerificationError``."""
        rows = {**self._rows(), origin: asdict(log)}
        part = self._file.with_name(f"{self._file.name}.{os.getpid()}.part")
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            part.write_bytes(orjson.dumps(rows, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
            part.replace(self._file)
        except OSError as error:
            raise VerificationError(f"{self._file} cannot be written: {error.strerror}") from None

    def _rows(self) -> dict[str, Any]:
        try:
            rows = fast_json.loads(self._file.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError):
            raise self._damaged() from None
        if not isinstance(rows, dict):
            raise self._damaged()
        return rows

    def _damaged(self) -> VerificationError:
        # To go on as if nothing were known would trust whoever answers now.
        return VerificationError(
            f"{self._file} cannot be read, so what was seen before is not known: restore or delete it"
        )


@dataclass(frozen=True, slots=True)
class FileEvidence:
    """The documents that a file is checked by."""

    paths: tuple[str, ...]
    """The path of the file in the archive, or those that it may have."""
    edition: object
    shard: object
    read: Read
    """Reads further documents of the same edition."""
    site: str = ""
    """Address of the archive, where it was asked itself."""

    def proof(self) -> bytes:
        """As one file, by which a copy can be checked later without the archive."""
        return json_bytes({"path": self.paths[0], "edition": self.edition, "shard": self.shard})


@dataclass(frozen=True, slots=True)
class VerifiedFile:
    """What was found of a file."""

    path: str
    sha256: str
    head: VerifiedHead
    trust: str
    """Why its key is trusted: ``named``, ``remembered``, or ``first`` where it was seen for the first time."""
    since: int | None
    """Entries of the head that was remembered and that the log was compared with; ``None`` where it was with none."""
    evidence: FileEvidence


class _TimeLimit:
    """How long an archive has for all its answers."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.until = clock.seconds() + seconds

    def check(self) -> None:
        """Raise ``VerificationError`` when it has passed."""
        if clock.seconds() >= self.until:
            raise VerificationError(f"it took more than {self._seconds:g} seconds: allow more with --timeout")


def verify(
    target: str, *, key: str | None, logs: KnownLogs, proof: Path | None = None, seconds: float = TOTAL_S
) -> VerifiedFile:
    """Check what is at an address, or a file. Raises ``VerificationError``.

    ``key`` is the publisher's public key as base64; without it the one that is remembered is trusted, and the first
    one that an archive shows under its own address. ``proof`` has what a file is checked by.
    An archive has so many ``seconds`` for all its answers.
    """
    limit = _TimeLimit(seconds)
    for _ in range(MAX_REPEATED_CHECKS):
        data, evidence = _asked(target, proof, limit)
        try:
            return _verified(data, evidence, key, logs)
        except VerificationError:
            if not evidence.site:
                raise
    return _verified(*_asked(target, proof, limit), key, logs)


def _verified(data: bytes, evidence: FileEvidence, key: str | None, logs: KnownLogs) -> VerifiedFile:
    claimed = verified_head(evidence.edition, None)
    origin = claimed.checkpoint.origin
    former = logs.of(origin)
    trust = "named" if key else "remembered" if former else "first"
    if trust == "first" and origin != origin_of(evidence.site):
        raise VerificationError(
            f"nothing is known of the log {origin} that these bytes belong to: name its key with --key, or verify an"
            f" address of {origin} first"
        )
    trusted = key or (former.key if former else claimed.signers[0])
    head = verified_head(evidence.edition, [trusted])
    since = _compared(head, former, evidence.read, served=bool(evidence.site))
    digest = hashlib.sha256(data).hexdigest()
    path, shard = _checked(head, evidence, digest)
    if since is not None or former is None:
        # Whoever shows a head can sign it too and name a key first, so that another key is taken from --key alone.
        logs.remember(origin, KnownLog(trusted, head.checkpoint.size, head.checkpoint.root.hex()))
    return VerifiedFile(path, digest, head, trust, since, replace(evidence, paths=(path,), shard=shard))


def _checked(head: VerifiedHead, evidence: FileEvidence, digest: str) -> tuple[str, object]:
    """The path under which the edition has these bytes, and the shard that says so."""
    failure = VerificationError("the file has no path in the archive")
    for path in evidence.paths:
        name = shard_of(path, head.digits)
        document = evidence.shard if evidence.shard is not None else _document(evidence.read, SHARD.format(shard=name))
        try:
            check_file(verified_shard(document, head, name), path, digest)
        except VerificationError as error:
            # A path that the edition has says more than the other spellings of a file's path.
            failure = failure if isinstance(failure, DifferentBytesError) else error
        else:
            return path, document
    raise failure


def _compared(head: VerifiedHead, former: KnownLog | None, read: Read, *, served: bool) -> int | None:
    """Compare a log with what is remembered of it; the size of that. ``None`` where that cannot be done.

    ``served``: whether a server showed the head as its newest one.
    """
    if former is None:
        return None
    size, root = head.checkpoint.size, bytes.fromhex(former.root)
    if former.size == size:
        if root != head.checkpoint.root:
            raise VerificationError(
                f"the log shows other entries than before, and still has {size}: history was rewritten"
            )
        return size
    if former.size > size and not served:
        return None  # a copy of an earlier edition
    if former.size > size:
        check_consistency((former.size, root), head.checkpoint, ())
    leaves = _leaves(size, read)
    if leaves is None:
        return None
    check_consistency((former.size, root), head.checkpoint, leaves)
    return former.size


def _leaves(size: int, read: Read) -> list[bytes] | None:
    """The hashes of every entry of a log, from its tiles; ``None`` where they are not at hand."""
    if size > MAX_LOG_ENTRIES:
        raise VerificationError(f"the log claims {size:,} entries, more than {MAX_LOG_ENTRIES:,}")
    leaves: list[bytes] = []
    for number in range(-(-size // WIDTH)):
        width = min(WIDTH, size - number * WIDTH)
        data = read(f"{LOG}/tile/{tile_name(0, number, width)}")
        if data is None:
            return None
        try:
            leaves += tile_hashes(data, width)
        except EditionLogError as error:
            raise VerificationError(str(error)) from None
    return leaves


def _asked(target: str, proof: Path | None, limit: _TimeLimit) -> tuple[bytes, FileEvidence]:
    if target.startswith(("http://", "https://")):
        return _from_address(target, limit)
    file = Path(target)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise VerificationError(f"{file} cannot be read: {error.strerror}") from None
    return data, _from_proof(proof) if proof else _from_folder(file.resolve())


def _from_proof(proof: Path) -> FileEvidence:
    try:
        bundle = _parsed(str(proof), proof.read_bytes())
    except OSError as error:
        raise VerificationError(f"{proof} cannot be read: {error.strerror}") from None
    if not isinstance(bundle, dict) or not isinstance(bundle.get("path"), str):
        raise VerificationError(f"{proof} is not a proof that citepress verify --save wrote")
    return FileEvidence((bundle["path"],), bundle.get("edition"), bundle.get("shard", {}), lambda _path: None)


def _from_folder(file: Path) -> FileEvidence:
    """What a file of a static export is checked by: the documents in the same export."""
    for root in file.parents[:MAX_FOLDER_DEPTH]:
        if (root / EDITION_HEAD_PATH.lstrip("/")).is_file():
            read = _file_reader(root)
            return FileEvidence(tuple(_paths(file, root)), _document(read, EDITION_HEAD_PATH), None, read)
    raise VerificationError(
        f"no folder above {file} is a static export with {EDITION_HEAD_PATH}: name a proof with --proof"
    )


def _paths(file: Path, root: Path) -> Iterator[str]:
    """The paths that a file of an export may have."""
    relative = "/" + file.relative_to(root).as_posix()
    if file.name == "index.html":
        yield relative.removesuffix("index.html")
    yield relative
    if file.name == "index.json":
        yield relative.removesuffix("/index.json")


def _file_reader(root: Path) -> Read:
    def read(path: str) -> bytes | None:
        try:
            return (root / path.lstrip("/")).read_bytes()
        except OSError:
            return None

    return read


def _from_address(url: str, limit: _TimeLimit) -> tuple[bytes, FileEvidence]:
    """What is at an address, and the documents of the archive that it belongs to."""
    client = OutgoingClient(Rules("verify", REQUEST_S, FILE_BYTES, plain_http=True, keep=True))
    documents = OutgoingClient(Rules("verify", REQUEST_S, DOCUMENT_BYTES, plain_http=True, keep=True))
    data = _got(client, url, limit)
    if data is None:
        raise VerificationError(f"nothing is published at {url}")
    parts = urlsplit(url)
    folders = parts.path.strip("/").split("/")[:MAX_FOLDER_DEPTH] if parts.path.strip("/") else []
    for depth in range(len(folders) + 1):
        prefix = "".join(f"/{folder}" for folder in folders[:depth])
        site = f"{parts.scheme}://{parts.netloc}{prefix}"

        def read(path: str, site: str = site) -> bytes | None:
            return _got(documents, site + path, limit)

        if (head := read(EDITION_HEAD_PATH)) is not None:
            path = unquote(parts.path.removeprefix(prefix)) or "/"
            return data, FileEvidence((path,), _parsed(EDITION_HEAD_PATH, head), None, read, site)
    raise VerificationError(f"{parts.netloc} publishes no {EDITION_HEAD_PATH}, by which {url} could be checked")


def _got(client: OutgoingClient, url: str, limit: _TimeLimit) -> bytes | None:
    """The body at an address; ``None`` where nothing is published. Raises ``VerificationError``."""
    try:
        answer = client.get(url, {"Cache-Control": "no-cache", "Accept-Encoding": "identity"}, until=limit.until)
    except (OutgoingError, ValueError) as error:
        limit.check()
        raise VerificationError(str(error)) from None
    limit.check()
    if answer.status in {HTTPStatus.NOT_FOUND, HTTPStatus.GONE}:
        return None
    if answer.status != HTTPStatus.OK:
        leads = f", which leads to {answer.fields['location']}" if "location" in answer.fields else ""
        raise VerificationError(f"{url} answers {answer.status}{leads}")
    return answer.body


def _document(read: Read, path: str) -> object:
    data = read(path)
    if data is None:
        raise VerificationError(f"{path} is not there")
    return _parsed(path, data)


def _parsed(name: str, data: bytes) -> object:
    try:
        return fast_json.loads(data)
    except ValueError:
        raise VerificationError(f"{name} is no JSON") from None
