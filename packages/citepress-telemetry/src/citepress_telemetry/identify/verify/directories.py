"""Pinned directories of signing keys (JWK sets, RFC 7517), fetched by command into a file, and no other addresses."""

import base64
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import orjson

from citepress.base import fast_json
from citepress.base.errors import CitepressError
from citepress_telemetry.identify.verify.files import FORMAT, read_entries, write_entries
from citepress_telemetry.identify.verify.refresh import Fetch, FetchError

DIRECTORIES_FILE = "directories.json"
"""The pinned directories of signing keys, in the state folder."""
FILE_BYTES = 8_388_608
MAX_DIRECTORY_KEYS = 100
KEY_BYTES = 32


class DirectoriesError(CitepressError, ValueError):
    """The file of directories cannot be used; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Key:
    """An Ed25519 key of a directory (RFC 8037)."""

    x: bytes
    """The public key, 32 bytes."""
    not_before: int | None
    """Seconds since 1970; ``None``: unbounded."""
    expires: int | None

    @property
    def thumbprint(self) -> str:
        """Its JWK thumbprint (RFC 7638), the ``keyid`` of its signatures."""
        jwk = orjson.dumps({"crv": "Ed25519", "kty": "OKP", "x": _b64(self.x)})
        return _b64(hashlib.sha256(jwk).digest())

    def good(self, at: int) -> bool:
        """Whether it is valid at a moment, according to the directory."""
        return (self.not_before is None or self.not_before <= at) and (self.expires is None or at <= self.expires)


@dataclass(frozen=True, slots=True)
class Directory:
    """A directory as it was fetched."""

    url: str
    fetched_at: datetime
    keys: Mapping[str, Key]
    """By thumbprint."""

    @property
    def origin(self) -> str:
        """Scheme and host, as a ``Signature-Agent`` names it."""
        return origin(self.url)


@dataclass(frozen=True, slots=True)
class Pinned:
    """The outcome of refreshing one directory."""

    url: str
    outcome: Literal["fetched", "refused"]
    keys: int
    reason: str = ""


def origin(url: str) -> str:
    """Scheme and host of a URL in lower case; empty for anything but https with a host."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "") + (f":{parts.port}" if parts.port not in {None, 443} else "")
    except ValueError:
        return ""
    return f"https://{host}" if parts.scheme == "https" and parts.hostname else ""


def keys_of(document: bytes) -> dict[str, Key]:
    """The Ed25519 keys of a directory by thumbprint; other keys are skipped. Raises ``FetchError``."""
    try:
        raw = fast_json.loads(document)["keys"]
        keys = [key for raw_key in raw[:MAX_DIRECTORY_KEYS] if (key := _key(raw_key)) is not None]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise FetchError("the document is not a set of keys") from None
    if not keys:
        raise FetchError("the directory has no Ed25519 key")
    return {key.thumbprint: key for key in keys}


def refresh(path: Path, urls: Iterable[str], fetch: Fetch, now: datetime) -> tuple[Pinned, ...]:
    """Fetch the pinned directories into the file, and return the outcome of each.

    A refused directory keeps its previous keys; one that is no longer pinned is removed.

    Raises ``DirectoriesError`` when the file cannot be read or written.
    """
    wanted = sorted(set(urls))
    standing = {url: directory for url, directory in read_directories(path).items() if url in wanted}
    outcomes = []
    for url in wanted:
        try:
            standing[url] = Directory(url, now, keys_of(fetch(url)))
            outcomes.append(Pinned(url, "fetched", len(standing[url].keys)))
        except FetchError as error:
            outcomes.append(Pinned(url, "refused", len(standing[url].keys) if url in standing else 0, str(error)))
    _write(path, standing)
    return tuple(outcomes)


def read_directories(path: Path) -> dict[str, Directory]:
    """The directories of the file by URL; empty without the file. Raises ``DirectoriesError``."""
    return read_entries(path, "directories", _directory, DirectoriesError, FILE_BYTES)


def _directory(url: str, raw_directory: Mapping[str, object]) -> Directory:
    keys = raw_directory["keys"]
    if not isinstance(keys, list):
        raise TypeError("keys must be a list")
    held = [key for raw in keys if (key := _key(raw)) is not None]
    return Directory(
        url, datetime.fromisoformat(str(raw_directory["fetched_at"])), {key.thumbprint: key for key in held}
    )


def _write(path: Path, directories: Mapping[str, Directory]) -> None:
    documents = {
        directory.url: {
            "fetched_at": directory.fetched_at.isoformat(),
            "keys": [_jwk(key) for key in directory.keys.values()],
        }
        for directory in directories.values()
    }
    document = {"format": FORMAT, "directories": documents}
    write_entries(path, orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS), DirectoriesError)


def _jwk(key: Key) -> dict[str, object]:
    bounds = {"nbf": key.not_before, "exp": key.expires}
    return {"kty": "OKP", "crv": "Ed25519", "x": _b64(key.x)} | {
        name: at for name, at in bounds.items() if at is not None
    }


def _key(raw_key: Mapping[str, object]) -> Key | None:
    """A key of a set, if it is a usable Ed25519 key."""
    x = raw_key.get("x")
    if raw_key.get("kty") != "OKP" or raw_key.get("crv") != "Ed25519" or not isinstance(x, str):
        return None
    try:
        raw = base64.b64decode(x.replace("-", "+").replace("_", "/") + "=" * (-len(x) % 4), validate=True)
    except ValueError:
        return None
    return Key(raw, _moment(raw_key.get("nbf")), _moment(raw_key.get("exp"))) if len(raw) == KEY_BYTES else None


def _moment(value: object) -> int | None:
    """Seconds since 1970; some directories have milliseconds."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return int(value / 1000) if value > 100_000_000_000 else int(value)  # noqa: PLR2004  (the year 5138 in seconds)


def _b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")
