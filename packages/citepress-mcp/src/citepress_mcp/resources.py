"""Reading published documents by their public URLs, as the website sends them."""

import base64
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from citepress.base.timestamps import rfc3339
from citepress.edition.edition import Edition
from citepress.edition.served import Served
from citepress_mcp.jsonrpc import RESOURCE_NOT_FOUND, RpcError
from citepress_mcp.prompt import Skill

TEXT_BYTES = 1024 * 1024
"""The largest text that is read as a resource."""
BLOB_BYTES = 256 * 1024
LARGE_BYTES = 100_000
"""From which a resource fills much of a model's context."""
_LARGE = "Large ({size:,} KB): call search_archive, get_record or get_topic_brief for the part you need."
HOPS = 5
"""Redirects that are followed."""
OK, MOVED_STATUS = 200, 308
_TEXTUAL = re.compile(r"text/.*|application/(?:.+\+)?(?:json|xml)|image/svg\+xml")
HIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
"""Invisible characters that could be used to deceive a model; line ends of tables are kept."""
_AGE = re.compile(r"(?:^|,)\s*max-age=([0-9]+)")


class ResourceContent(NamedTuple):
    """A resource ready to be sent."""

    content: dict[str, Any]
    """One member of ``contents``."""
    ttl: int
    """Milliseconds for which it may be cached, as over HTTP."""


class ResourceStore:
    """The resources of one edition."""

    def __init__(self, edition: Edition, skills: tuple[Skill, ...], vendor: str) -> None:
        """``vendor`` is the prefix of vendor-specific metadata keys."""
        self._edition = edition
        self._base = edition.config.base_url
        self._site = urlsplit(self._base)
        self._skills = {skill.uri: skill.path for skill in skills}
        self._etag = f"{vendor}/etag"

    def url(self, path: str) -> str:
        """The public URL of a path."""
        return self._base + path

    def read(self, uri: str) -> ResourceContent:
        """The document of a URI. Raises ``RpcError`` where it cannot be read."""
        plain = uri.partition("#")[0]
        place = self.find(plain)
        if place is None:
            raise RpcError(RESOURCE_NOT_FOUND, "There is no such resource", {"uri": uri})
        path, served = place
        kind = served.leaf.type.partition(";")[0]
        coded = served.coded["identity"]
        textual = _TEXTUAL.fullmatch(kind) is not None
        if (size := len(coded.body)) > (TEXT_BYTES if textual else BLOB_BYTES):
            raise RpcError(
                RESOURCE_NOT_FOUND, "The resource is too large; fetch it over HTTP", {"uri": uri, "size": size}
            )
        content: dict[str, Any] = {"mimeType": kind, **_body(bytes(coded.body), textual=textual)}
        about = (
            {"uri": plain}
            if plain in self._skills
            else {"uri": self.url(path), "_meta": {self._etag: coded.etag.decode()}}
        )
        return ResourceContent({**about, **content}, _milliseconds(served.leaf.cache))

    def find(self, uri: str) -> tuple[str, Served] | None:
        """The canonical path of what a URI means, and what is read there: redirects followed, a page in Markdown."""
        edition = self._edition
        path = self._skills.get(uri) or self._path(uri)
        served = edition.find(path) or (edition.find(path + "/") if path and not path.endswith("/") else None)
        for _ in range(HOPS):
            if served is None or served.leaf.status != MOVED_STATUS:
                break
            served = edition.find(served.leaf.location)
        if served is None or served.leaf.status != OK:
            return None
        twin = next((variant.path for variant in served.leaf.variants if variant.form == "markdown"), "")
        return served.leaf.path, (edition.find(twin) if twin else None) or served

    def _path(self, uri: str) -> str:
        """The path that a URI of this publication means; empty for any other."""
        site = self._site
        try:
            parts = urlsplit(uri)
            same = (parts.scheme, parts.hostname, parts.port) == (site.scheme, site.hostname, site.port)
            path = unquote(parts.path, errors="strict")
        except ValueError:  # no port, no UTF-8
            return ""
        if (
            not same
            or "?" in uri
            or parts.username is not None
            or not path.startswith(f"{site.path}/")
            or not path.isprintable()
        ):
            return ""
        return path.removeprefix(site.path)


def listed(entry: Mapping[str, Any], served: Served) -> dict[str, Any]:
    """A listed resource with its size and age."""
    annotations = {**entry["annotations"], "lastModified": rfc3339(datetime.fromtimestamp(served.modified, UTC))}
    size = len(served.coded["identity"].body)
    members = {**entry, "size": size, "annotations": annotations}
    if size > LARGE_BYTES:
        members["description"] = f"{entry['description']} {_LARGE.format(size=size // 1000)}"
    return members


def _body(body: bytes, *, textual: bool) -> dict[str, str]:
    if textual:
        return {"text": HIDDEN.sub("", body.decode())}
    return {"blob": base64.b64encode(body).decode()}


def _milliseconds(cache: str) -> int:
    match = _AGE.search(cache)
    return int(match[1]) * 1000 if match else 0
