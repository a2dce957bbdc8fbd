"""Pinned directories of signing keys (JWK sets, RFC 7517), fetched by command into a file; no other address is ever asked."""

import base64
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import orjson

from citepress.base.errors import CitepressError
from citepress.telemetry.identify.verify.files import put
from citepress.telemetry.identify.verify.refresh import Fetch, FetchError

WELL_KNOWN = "/.well-known/http-message-signatures-directory"
FORMAT = 1
FILE_BYTES = 8_388_608
MOST_KEYS = 100
KEY_BYTES = 32


class DirectoriesError(CitepressError, ValueError):
    """The file of directories cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class Key:
    """An Ed25519 key of a directory (RFC 8037)."""

    x: bytes
    """The public key, 32 bytes."""
    not_before: int | None
    """Seconds since 1970; ``None`` for no bound."""
    expires: int | None

    @property
    def thumbprint(self) -> str:
        """Its JWK thumbprint (RFC 7638), the ``keyid`` of its signatures."""
        told = orjson.dumps({"crv": "Ed25519", "kty": "OKP", "x": _b64(self.x)})
        return _b64(hashlib.sha256(told).digest())

    def good(self, at: int) -> bool:
        """Whether the directory lets it sign at a moment."""
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
    """What became of one directory at a refresh."""

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
    """The Ed25519 keys of a directory's document by thumbprint; others are passed over. Raises ``FetchError``."""
    try:
        raw = orjson.loads(document)["keys"]
        found = [key for one in raw[:MOST_KEYS] if (key := _key(one)) is not None]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise FetchError("the document is no set of keys") from None
    if not found:
        raise FetchError("the directory has no Ed25519 key")
    return {key.thumbprint: key for key in found}


def refresh(path: Path, urls: Iterable[str], fetch: Fetch, now: datetime) -> tuple[Pinned, ...]:
    """Fetch the pinned directories into the file and tell of each; a refused one leaves what stood before, an unpinned one goes.

    Raises ``DirectoriesError`` when the file cannot be read or written.
    """
    wanted = sorted(set(urls))
    standing = {url: one for url, one in read(path).items() if url in wanted}
    told = []
    for url in wanted:
        try:
            standing[url] = Directory(url, now, keys_of(fetch(url)))
            told.append(Pinned(url, "fetched", len(standing[url].keys)))
        except FetchError as error:
            told.append(Pinned(url, "refused", len(standing[url].keys) if url in standing else 0, str(error)))
    _write(path, standing)
    return tuple(told)


def read(path: Path) -> dict[str, Directory]:
    """The directories of the file by URL; empty without the file. Raises ``DirectoriesError``."""
    try:
        with path.open("rb") as file:
            data = file.read(FILE_BYTES + 1)
        if len(data) > FILE_BYTES:
            raise DirectoriesError(f"{path.name} is larger than {FILE_BYTES} bytes")
        raw = orjson.loads(data)
        if raw["format"] != FORMAT:
            raise DirectoriesError(f"{path.name} is of another format; fetch the directories again")
        return {url: _directory(url, one) for url, one in raw["directories"].items()}
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise DirectoriesError(f"{path.name} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        if isinstance(error, DirectoriesError):
            raise
        raise DirectoriesError(f"{path.name} cannot be read: {error!r}; fetch the directories again") from None


def _directory(url: str, one: Mapping[str, object]) -> Directory:
    keys = one["keys"]
    if not isinstance(keys, list):
        raise TypeError("keys is a list")
    held = [key for raw in keys if (key := _key(raw)) is not None]
    return Directory(url, datetime.fromisoformat(str(one["fetched_at"])), {key.thumbprint: key for key in held})


def _write(path: Path, directories: Mapping[str, Directory]) -> None:
    told = {
        one.url: {"fetched_at": one.fetched_at.isoformat(), "keys": [_told(key) for key in one.keys.values()]}
        for one in directories.values()
    }
    try:
        put(path, orjson.dumps({"format": FORMAT, "directories": told}, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS))
    except OSError as error:
        raise DirectoriesError(f"{path.name} cannot be written: {error.strerror}") from None


def _told(key: Key) -> dict[str, object]:
    bounds = {"nbf": key.not_before, "exp": key.expires}
    return {"kty": "OKP", "crv": "Ed25519", "x": _b64(key.x)} | {name: at for name, at in bounds.items() if at is not None}


def _key(one: Mapping[str, object]) -> Key | None:
    """A key of a set, if it is one that can be used."""
    x = one.get("x")
    if one.get("kty") != "OKP" or one.get("crv") != "Ed25519" or not isinstance(x, str):
        return None
    try:
        raw = base64.b64decode(x.replace("-", "+").replace("_", "/") + "=" * (-len(x) % 4), validate=True)
    except ValueError:
        return None
    return Key(raw, _moment(one.get("nbf")), _moment(one.get("exp"))) if len(raw) == KEY_BYTES else None


def _moment(value: object) -> int | None:
    """Seconds since 1970; some directories tell milliseconds."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return int(value / 1000) if value > 100_000_000_000 else int(value)  # noqa: PLR2004  (the year 5138 in seconds)


def _b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")
