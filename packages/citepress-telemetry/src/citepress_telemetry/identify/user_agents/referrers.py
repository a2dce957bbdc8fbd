"""The operator behind a Referer or a ``utm_source``; the address itself is not stored."""

import re
import tomllib
from functools import lru_cache
from importlib.resources import files
from urllib.parse import unquote_plus

from citepress.base.errors import CitepressError

REFERRERS_FILE = "referrers.toml"
MAX_REFERRER_CHARS = 2_048
"""Characters of a Referer or query that are examined."""
_HOST = re.compile(r"https?://(?:[^/?#@]*@)?([^/?#:@]+)", re.IGNORECASE)
_APP = re.compile(r"android-app://[\w.]+", re.IGNORECASE)
_UTM = re.compile(r"(?:^|&)utm_source=([^&]*)")


class ReferrersError(CitepressError, ValueError):
    """The file of referrers cannot be used."""


class Referrers:
    """Operators by host and by ``utm_source``."""

    __slots__ = ("_hosts", "_national", "_utm", "operators")

    def __init__(self, text: bytes) -> None:
        """Parse a file's text. Raises ``ReferrersError``."""
        try:
            raw = tomllib.loads(text.decode("utf-8"))["operator"]
            self._hosts: dict[str, str] = {host: row["name"] for row in raw for host in row["hosts"]}
            self._utm: dict[str, str] = {source: row["name"] for row in raw for source in row["utm"]}
            self._national = tuple(
                (re.compile(rf"(?:.*\.)?{row['national']}\.(?:com?\.)?[a-z]{{2,3}}"), str(row["name"]))
                for row in raw
                if "national" in row
            )
            self.operators = frozenset(str(row["name"]) for row in raw)
            """Operators whose hosts are known, so that page views can be attributed to them."""
        except (ValueError, RecursionError, KeyError, TypeError, re.error) as error:
            raise ReferrersError(f"{REFERRERS_FILE} cannot be read: {error!r}") from None

    def operator(self, referer: str | None, query: str) -> str | None:
        """The operator, or ``None``; the Referer takes precedence over the query."""
        if referer and (sender := self._sender(referer[:MAX_REFERRER_CHARS])):
            return sender
        if "utm_source=" not in query or not (source := _UTM.search(query[:MAX_REFERRER_CHARS])):
            return None
        return self._utm.get(unquote_plus(source[1]).strip().lower())

    def _sender(self, referer: str) -> str | None:
        if app := _APP.match(referer):
            return self._hosts.get(app[0].lower())
        if not (match := _HOST.match(referer)):
            return None
        host = match[1].lower().rstrip(".")
        labels = host.split(".")
        for at in range(len(labels) - 1):
            if name := self._hosts.get(".".join(labels[at:])):
                return name
        return next((name for pattern, name in self._national if pattern.fullmatch(host)), None)


@lru_cache(1)
def shipped() -> Referrers:
    """The referrers that come with the package. Raises ``ReferrersError``."""
    return Referrers(files(__package__).joinpath(REFERRERS_FILE).read_bytes())


def operator(referer: str | None, query: str) -> str | None:
    """The operator that sent a reader, by the shipped file, or ``None``."""
    return shipped().operator(referer, query)
