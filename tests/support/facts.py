"""Every fact that several documents of an edition state, taken from each of them, so that a test can compare."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson
from lxml import etree

from citepress.app.registry import render_context
from citepress.base.timestamps import rfc3339
from citepress.edition.edition import open_edition
from citepress.kinds import ALL as KINDS

LINK = re.compile(r'^<([^>]*)>; rel="([^"]*)"')
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
ATOM = "{http://www.w3.org/2005/Atom}"


class Facts:
    """The documents of one edition."""

    def __init__(self, pointer: Path) -> None:
        self.edition = open_edition(pointer).render_with(render_context)
        self.base = self.edition.fields.base_url
        self.paths = list(self.edition.paths())
        self.paths_named = {path for path in self.paths if (self.edition.meta(path) or {})["status"] == 200}

    def body(self, path: str) -> bytes:
        """What is sent at a path."""
        body = self.edition.body(path)
        assert body is not None, f"nothing is published at {path}"
        return bytes(body)

    def json(self, path: str) -> Any:
        """The JSON document at a path."""
        return orjson.loads(self.body(path))

    def text(self, path: str) -> str:
        """The text at a path."""
        return self.body(path).decode()

    def meta(self, path: str) -> Mapping[str, Any]:
        """What the edition keeps of a path."""
        leaf = self.edition.meta(path)
        assert leaf is not None, path
        return leaf

    def path(self, url: str) -> str:
        """The path of one of the edition's own addresses."""
        assert url.startswith(self.base + "/"), url
        return url.removeprefix(self.base)

    def links(self, path: str) -> dict[str, str]:
        """The targets of a path's ``Link`` fields by relation."""
        return {match[2]: match[1] for value in self.meta(path)["links"] if (match := LINK.match(value))}

    def chain(self, path: str) -> Iterator[tuple[str, Any]]:
        """A document and those that follow it, by what its body says."""
        while path:
            document = self.json(path)
            yield path, document
            path = self.path(document["next"]) if document["next"] else ""

    @cached_property
    def records(self) -> dict[str, Any]:
        """Every record as JSON, by id, as the indexes lead to them."""
        return {
            item["id"]: self.json(self.path(item["json_url"]))
            for kind in KINDS
            for item in self.items(f"/{kind.name}.json")
        }

    def items(self, path: str) -> list[Any]:
        """The items of an index over all its parts."""
        return [item for _, document in self.chain(path) for item in document["items"]]

    @cached_property
    def sitemap(self) -> dict[str, str]:
        """Every path of the sitemap with its ``lastmod``, empty where it has none."""
        dates: dict[str, str] = {}
        for shard in etree.fromstring(self.body("/sitemap.xml")).iter(f"{SITEMAP}loc"):
            for row in etree.fromstring(self.body(self.path(shard.text or ""))).iter(f"{SITEMAP}url"):
                path = self.path(row.findtext(f"{SITEMAP}loc", ""))
                assert path not in dates, f"{path} stands twice in the sitemap"
                dates[path] = row.findtext(f"{SITEMAP}lastmod", "")
        return dates

    def modified(self, path: str) -> str:
        """``Last-Modified`` of a path, as the sitemap would write it."""
        served = self.edition.find(path)
        assert served is not None, path
        return rfc3339(datetime.fromtimestamp(served.modified, UTC))

    def documents(self) -> Iterator[tuple[str, Any]]:
        """Every JSON document of ours with its path."""
        return (
            (path, self.json(path))
            for path in self.paths
            if self.meta(path)["kind"] == "json" and path in self.paths_named
        )

    def addresses(self, path: str) -> set[str]:
        """Paths of this site that a document names as whole addresses."""
        pattern = re.compile(re.escape(self.base) + r"(/[^\s\"'<>()\\`{}?#]*)({)?")
        return {url.rstrip(".,;:") for url, template in pattern.findall(self.text(path)) if not template}
