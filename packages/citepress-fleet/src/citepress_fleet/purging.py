"""Tells caches in front of the servers which units of an edition changed, and remembers what they have been told."""

import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import orjson

from citepress.base import fast_json
from citepress.base.canonical import sorted_bytes
from citepress.base.errors import CitepressError
from citepress.base.outgoing import OutgoingClient, Rules
from citepress.base.replaced_file import replace_file
from citepress.edition.cache_keys import EVERYTHING, unit_key
from citepress.edition.edition import Edition
from citepress_fleet.attempts import failure_of
from citepress_fleet.settings import Purge

PURGED_FILE = "purged.json"
"""File beside the publisher's edition: the sums of the units that the caches have been told of."""
MAX_PURGED_KEYS = 2_000
"""Keys beyond which everything is purged at once."""
MAX_BATCH_KEYS = {"fastly": 256, "cloudflare": 30, "varnish": 100, "http": 1_000}
"""Keys that one request may name."""
WAITS = (0.5, 1.0, 2.0, 4.0)
"""Seconds between the attempts of a request."""
PURGE_RULES = Rules("purge", total_s=15.0, most_bytes=65_536, connect_s=5.0, plain_http=True)
FASTLY, CLOUDFLARE = "https://api.fastly.com", "https://api.cloudflare.com/client/v4"


class PurgeError(CitepressError):
    """A cache was not told; the sentence says which, and why. The next run tries again."""


@dataclass(frozen=True, slots=True)
class PurgeRequest:
    """One request to a cache."""

    method: str
    url: str
    fields: Mapping[str, str]
    body: bytes | None = None


def units_of(edition: Edition) -> dict[str, str]:
    """The sum of every unit of an edition by its key; of equal sums the bytes and fields are equal."""
    sums: dict[str, int] = {}
    for path in edition.paths():
        if meta := edition.meta(path):
            key = unit_key(path, meta["canonical"])
            sums[key] = (sums.get(key, 0) + int(meta["sum"], 16)) % (1 << 128)
    return {key: f"{value:032x}" for key, value in sums.items()}


class CachePurger:
    """Purges the units that changed since the last purge that succeeded, from the caches of one target."""

    def __init__(
        self, settings: Purge, folder: Path, target: str, sleep: Callable[[float], object] = time.sleep
    ) -> None:
        """``folder`` keeps what the caches have been told. Raises ``PurgeError`` where the secret cannot be read."""
        self._settings = settings
        self._file = folder / PURGED_FILE
        self._target = target
        self._sleep = sleep
        self._client = OutgoingClient(PURGE_RULES)
        self._secret = _secret(settings)

    def purge(self, edition: Edition) -> list[str]:
        """Purge what changed, at once and again when every server has the edition; the keys. Raises ``PurgeError``."""
        units, common = units_of(edition), _digest(edition.fields)
        keys = self._changed(units, common)
        if not keys:
            return []
        self.send(keys)
        if self._settings.settle_s:
            # A server that had not swapped yet may have filled the cache with the former edition.
            self._sleep(self._settings.settle_s)
            self.send(keys)
        replace_file(self._file, orjson.dumps({"target": self._target, "common": common, "units": units}))
        return keys

    def purge_everything(self) -> None:
        """Purge every answer, and forget what the caches have been told. Raises ``PurgeError``."""
        self._file.unlink(missing_ok=True)
        self.send([EVERYTHING])

    def send(self, keys: Iterable[str]) -> None:
        """Name keys to the caches, each request several times until it succeeds. Raises ``PurgeError``."""
        for request in self.requests(keys):
            self._send(request)

    def requests(self, keys: Iterable[str]) -> Iterator[PurgeRequest]:
        """The requests that name these keys."""
        settings, remaining = self._settings, iter(keys)
        while batch := list(islice(remaining, MAX_BATCH_KEYS[settings.driver])):
            match settings.driver:
                case "fastly":
                    fields = {"Fastly-Key": self._secret, "Surrogate-Key": " ".join(batch)}
                    url = f"{settings.urls[0] if settings.urls else FASTLY}/service/{settings.zone}/purge"
                    yield PurgeRequest("POST", url, fields)
                case "cloudflare":
                    fields = {"Authorization": f"Bearer {self._secret}", "Content-Type": "application/json"}
                    url = f"{settings.urls[0] if settings.urls else CLOUDFLARE}/zones/{settings.zone}/purge_cache"
                    yield PurgeRequest("POST", url, fields, orjson.dumps({"tags": batch}))
                case "varnish":
                    for url in settings.urls:
                        fields = {"xkey-purge": " ".join(batch), **self._bearer()}
                        yield PurgeRequest("PURGE", url, fields)
                case "http":
                    for url in settings.urls:
                        fields = {"Content-Type": "application/json", **self._bearer()}
                        yield PurgeRequest("POST", url, fields, orjson.dumps({"keys": batch}))

    def _changed(self, units: Mapping[str, str], common: str) -> list[str]:
        """Keys of the units that differ from what the caches have been told; of all where that is not known."""
        try:
            former = fast_json.loads(self._file.read_bytes())
            before = former["units"] if former["target"] == self._target and former["common"] == common else None
        except (OSError, ValueError, KeyError, TypeError):
            before = None
        if before is None:
            return [EVERYTHING]
        keys = sorted(key for key in before.keys() | units.keys() if before.get(key) != units.get(key))
        return keys if len(keys) <= MAX_PURGED_KEYS else [EVERYTHING]

    def _send(self, request: PurgeRequest) -> None:
        sent = (request.method, request.url, request.body, request.fields)
        refusal = "the cache answers {} to a purge"
        if reason := failure_of(self._client, *sent, waits=WAITS, sleep=self._sleep, refusal=refusal):
            raise PurgeError(f"the caches were not purged: {reason}; publish again to try again")

    def _bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._secret}"} if self._secret else {}


def _secret(settings: Purge) -> str:
    """The secret of the cache's interface. Raises ``PurgeError``, which never holds it."""
    if settings.secret_env:
        secret = os.environ.get(settings.secret_env, "").strip()
        if not secret:
            raise PurgeError(f"[purge] secret_env: {settings.secret_env} is not set")
        return secret
    if not settings.secret_file:
        return ""
    file = Path(settings.secret_file)
    try:
        if stat.S_IMODE(file.stat().st_mode) & 0o077:
            raise PurgeError(f"[purge] secret_file: {file} can be read by others: chmod 600 {file}")
        secret = file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise PurgeError(f"[purge] secret_file: {file} cannot be read: {error}") from None
    if not secret or not secret.isprintable() or not secret.isascii():
        raise PurgeError(f"[purge] secret_file: {file} holds nothing that can stand in a header field")
    return secret


def _digest(fields: object) -> str:
    """Names the header fields that all answers share: where they differ, every answer changed."""
    return hashlib.sha256(sorted_bytes(repr(fields))).hexdigest()
