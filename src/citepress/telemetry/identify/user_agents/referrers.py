"""Who sent a reader: the operator behind a Referer or a ``utm_source``; the address itself is not kept."""

import re
import tomllib
from functools import lru_cache
from importlib.resources import files
from urllib.parse import unquote_plus

FILE = "referrers.toml"
LONGEST = 2_048
"""Characters of a Referer or query that are looked at."""
_HOST = re.compile(r"https?://(?:[^/?#@]*@)?([^/?#:@]+)", re.IGNORECASE)
_APP = re.compile(r"android-app://[\w.]+", re.IGNORECASE)
_UTM = re.compile(r"(?:^|&)utm_source=([^&]*)")


class ReferrersError(ValueError):
    """The file of referrers cannot be used."""


class Referrers:
    """Operators by host and by ``utm_source``."""

    __slots__ = ("_hosts", "_national", "_utm", "operators")

    def __init__(self, text: bytes) -> None:
        """Read a file's text. Raises ``ReferrersError``."""
        try:
            raw = tomllib.loads(text.decode("utf-8"))["operator"]
            self._hosts: dict[str, str] = {host: one["name"] for one in raw for host in one["hosts"]}
            self._utm: dict[str, str] = {source: one["name"] for one in raw for source in one["utm"]}
            self._national = tuple(
                (re.compile(rf"(?:.*\.)?{one['national']}\.(?:com?\.)?[a-z]{{2,3}}"), str(one["name"])) for one in raw if "national" in one
            )
            self.operators = frozenset(str(one["name"]) for one in raw)
            """Operators whose hosts are known, so that a page view can be told to come from them."""
        except (UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError, re.error) as error:
            raise ReferrersError(f"{FILE} cannot be read: {error!r}") from None

    def operator(self, referer: str | None, query: str) -> str | None:
        """The operator, or ``None``; the Referer goes before the query."""
        if referer and (found := self._sender(referer[:LONGEST])):
            return found
        if "utm_source=" not in query or not (said := _UTM.search(query[:LONGEST])):
            return None
        return self._utm.get(unquote_plus(said[1]).strip().lower())

    def _sender(self, referer: str) -> str | None:
        if app := _APP.match(referer):
            return self._hosts.get(app[0].lower())
        if not (found := _HOST.match(referer)):
            return None
        host = found[1].lower().rstrip(".")
        labels = host.split(".")
        for at in range(len(labels) - 1):
            if name := self._hosts.get(".".join(labels[at:])):
                return name
        return next((name for pattern, name in self._national if pattern.fullmatch(host)), None)


@lru_cache(1)
def shipped() -> Referrers:
    """The referrers that come with the package. Raises ``ReferrersError``."""
    return Referrers(files(__package__).joinpath(FILE).read_bytes())


def operator(referer: str | None, query: str) -> str | None:
    """The operator that sent a reader, by the shipped file, or ``None``."""
    return shipped().operator(referer, query)
