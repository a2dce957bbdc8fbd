"""Tells the WebSub hub of the feeds and IndexNow which addresses changed, and remembers what they have been told."""

import math
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

import orjson

from citepress.base import clock, fast_json
from citepress.base.errors import CitepressError
from citepress.base.outgoing import OutgoingClient, Rules
from citepress.base.public_urls import refuse_private
from citepress.base.replaced_file import replace_file
from citepress.base.urls import UrlError
from citepress.edition.announced import announced_pages
from citepress.edition.edition import Edition
from citepress.edition.feeds.derived import feed_paths
from citepress.edition.served import PATH_SAFE
from citepress_fleet.attempts import failure_of

ANNOUNCED_FILE = "announced.json"
"""File beside the publisher's edition: the digests of the addresses that each service has been told of."""
KEY_FILE = "/indexnow.txt"
"""Where IndexNow finds the key of the site."""
INDEXNOW = "https://api.indexnow.org/indexnow"
MAX_BATCH_ADDRESSES = {"hub": 1, "indexnow": 10_000}
"""Addresses that one request names."""
WAITS = (0.5, 1.0, 2.0)
"""Seconds between the attempts of a request."""
PING_RULES = Rules("ping", total_s=20.0, most_bytes=65_536, connect_s=5.0, plain_http=True)


class AnnouncementError(CitepressError):
    """A service was not told; the sentence says which, and why. The next run tells it what is left."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """What one request tells one service."""

    service: str
    """``hub`` or ``indexnow``."""
    url: str
    fields: Mapping[str, str]
    body: bytes
    digests: Mapping[str, str]
    """The paths that it names, with their digests; empty for a path where nothing is published any more."""


class ChangeAnnouncer:
    """Tells services what changed in an edition since they were told last."""

    def __init__(
        self,
        folder: Path,
        edition: Edition,
        endpoint: str = INDEXNOW,
        sleep: Callable[[float], object] = time.sleep,
        *,
        hub_only: bool = False,
    ) -> None:
        """``folder`` keeps what was told. Raises ``AnnouncementError`` unless the address of the edition is public."""
        self._file, self._edition, self._endpoint, self._sleep = folder / ANNOUNCED_FILE, edition, endpoint, sleep
        self._hub_only = hub_only
        self._base = edition.config.base_url
        try:
            refuse_private(self._base)
        except UrlError as error:
            raise AnnouncementError(f"{self._base} {error}: nobody was notified") from None
        self._client = OutgoingClient(PING_RULES)
        self._memory = self._read()

    def announcements(self) -> Iterator[Announcement]:
        """What is left to tell, service by service."""
        publication = self._edition.config.publication
        addresses = {"hub": announced_feeds, "indexnow": announced_pages}
        indexed = publication.indexnow_key and not self._hub_only
        targets = {"hub": publication.hub, "indexnow": self._endpoint if indexed else None}
        for service, url in targets.items():
            if not url:
                continue
            changed = iter(_changed(self._memory.get(service, {}), addresses[service](self._edition)))
            while digests := dict(islice(changed, MAX_BATCH_ADDRESSES[service])):
                yield self._announcement(service, url, digests)

    def announce(self) -> dict[str, int]:
        """Tell every service what is left, and note each answer as it comes; the addresses told by service.

        Raises ``AnnouncementError`` when all others have been told.
        """
        counts, failures = self.tell()
        if failures:
            reasons = "; ".join(f"{service}: {reason}" for service, reason in failures.items())
            raise AnnouncementError(f"not every service was notified ({reasons}); ping again to tell the rest")
        return counts

    def tell(self, within_s: float = math.inf) -> tuple[dict[str, int], dict[str, str]]:
        """As ``announce``: the addresses told by service, and why a service was not told of the rest.

        No request begins after ``within_s`` seconds.
        """
        counts, failures = dict[str, int](), dict[str, str]()
        end = clock.seconds() + within_s
        for announcement in self.announcements():
            service = announcement.service
            if service in failures:
                continue
            reason = self._send(announcement) if clock.seconds() < end else "it takes too long"
            if reason:
                failures[service] = reason
                continue
            self._note(announcement)
            counts[service] = counts.get(service, 0) + len(announcement.digests)
        return counts, failures

    def _announcement(self, service: str, url: str, digests: Mapping[str, str]) -> Announcement:
        urls = [self._base + quote(path, safe=PATH_SAFE) for path in digests]
        if service == "hub":
            body = urlencode([("hub.mode", "publish"), *(("hub.url", each) for each in urls)]).encode()
            return Announcement(service, url, {"Content-Type": "application/x-www-form-urlencoded"}, body, digests)
        document = {
            "host": urlsplit(self._base).netloc,
            "key": self._edition.config.publication.indexnow_key,
            "keyLocation": self._base + KEY_FILE,
            "urlList": urls,
        }
        fields = {"Content-Type": "application/json; charset=utf-8"}
        return Announcement(service, url, fields, orjson.dumps(document), digests)

    def _send(self, announcement: Announcement) -> str:
        """Why a service could not be told; empty where it was."""
        sent = ("POST", announcement.url, announcement.body, announcement.fields)
        return failure_of(self._client, *sent, waits=WAITS, sleep=self._sleep)

    def _note(self, announcement: Announcement) -> None:
        """Remember what a service was told, so that a process that is killed later does not tell it again."""
        memory = self._memory.setdefault(announcement.service, {})
        for path, digest in announcement.digests.items():
            if digest:
                memory[path] = digest
            else:
                memory.pop(path, None)
        replace_file(self._file, orjson.dumps({"base_url": self._base, "services": self._memory}), durable=True)

    def _read(self) -> dict[str, dict[str, str]]:
        """What each service was told of this site; nothing where that cannot be read."""
        try:
            document = fast_json.loads(self._file.read_bytes())
            services = document["services"] if document["base_url"] == self._base else {}
            return {name: dict(digests) for name, digests in services.items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return {}


def _changed(before: Mapping[str, str], now: Mapping[str, str]) -> list[tuple[str, str]]:
    """The paths that differ, with their digests now; an empty one where a path is gone."""
    paths = sorted(before.keys() | now.keys())
    return [(path, now.get(path, "")) for path in paths if before.get(path) != now.get(path)]


def announced_feeds(edition: Edition) -> dict[str, str]:
    """The digest of every feed that names the hub, by path; further formats have that of what they are made of."""
    metas = ((path, edition.meta(path) or {}) for path in edition.paths())
    return {
        feed: meta["etag"]
        for path, meta in metas
        if any(link.endswith('rel="hub"') for link in meta.get("links", ()))
        for feed in (path, *feed_paths(path))
    }
