"""``content/sources.yaml``: sources that several records share, and the origins that sources come from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Annotated

from pydantic import Field

from citepress.base.text import nearest, sentence_list
from citepress.base.urls import UrlError, normalise
from citepress.content.files import ContentFile
from citepress.content.front import front_of
from citepress.content.front_mapping import mapping
from citepress.content.open_text import open_text
from citepress.content.parsed import Parsed
from citepress.content.source_map import SourceFile
from citepress.content.validation_messages import MAX_ISSUES, dotted
from citepress.contract.document import ORIGIN_PARAMETER
from citepress.contract.fault import BAD_URL, BAD_VALUE, DUPLICATE_ID, Fault, FaultCode
from citepress.contract.model import Model, OneLine, Text
from citepress.contract.record import SourceInput, Url, Word
from citepress.contract.refs import Location

SOURCES_FILE = "content/sources.yaml"
SOURCES_BYTES = 8_388_608
NODES = 1_000_000
MAX_COMPARED_KEYS = 2_000


class OriginInput(Model):
    """A source origin that is more than a host: an organisation, a journal, a repository."""

    id: Annotated[str, Field(pattern=f"^{ORIGIN_PARAMETER.pattern}$", max_length=96)]
    """Its name in ``/sources/<origin>.json``."""
    title: OneLine
    """What it is called."""
    url: Url
    """Its home page."""
    match: list[OneLine] = Field(default_factory=list, max_length=100)
    """Hosts, or hosts and the beginning of a path, of its sources; by default the host of its home page."""
    description: Text | None = None
    """A sentence about it."""


class SourcesInput(Model):
    """The file as a whole."""

    origins: list[OriginInput] = Field(default_factory=list, max_length=10_000)
    """Origins."""
    sources: dict[Word, SourceInput] = Field(default_factory=dict, max_length=100_000)
    """Shared sources by their keys."""


@dataclass(frozen=True, slots=True, eq=False)
class SharedSources:
    """What the records of a folder share."""

    sources: Mapping[str, SourceInput] = field(default_factory=dict)
    origins: tuple[OriginInput, ...] = ()
    complete: bool = True
    """Whether these are all; otherwise the file is at fault, and what names another source is not."""

    def near(self, key: str) -> str:
        """What an author may write in place of a key that there is not. Which source is meant is for them to say."""
        close = sentence_list(nearest(key, islice(self.sources, MAX_COMPARED_KEYS)))
        if "." in key and not close:
            return f"write its whole address: https://{key[:80]}"
        return (
            f"content/sources.yaml has {close}; " if close else ""
        ) + "write its URL, or name it in content/sources.yaml"


NO_SOURCES, UNREAD_SOURCES = SharedSources(), SharedSources(complete=False)
"""The shared sources of a folder without the file, or with one at fault; one object each, because results are
remembered by its identity."""


def read_sources(root: Path, file: ContentFile) -> Parsed[SharedSources]:
    """The shared sources and origins. Raises ``Faults``."""
    source_file = SourceFile(root, file.path)
    raw = mapping(source_file, open_text(root, file, SOURCES_BYTES), nodes=NODES)
    read = front_of(SourcesInput, raw, source_file)
    slips = [*_url_slips(read), *_key_slips(read)][:MAX_ISSUES]
    faults = tuple(
        Fault.at(code, source_file.locate(location), f"{dotted(location)}: {message}", hint)
        for code, location, message, hint in slips
    )
    return Parsed(SharedSources(read.sources, tuple(read.origins)), faults)


def url_fault(url: str) -> str:
    """Why a URL can be no source, or nothing."""
    try:
        normalise(url)
    except UrlError as error:
        return f"{url[:80]!r} is {error}" if str(error).startswith(("not", "longer")) else f"{url[:80]!r} {error}"
    return ""


def url_hint(url: str) -> str:
    """How to write such a URL."""
    return "write %20 for the space" if " " in url.strip() else "write https://…"


def _url_slips(read: SourcesInput) -> list[tuple[FaultCode, Location, str, str]]:
    urls: list[tuple[Location, str]] = [(("origins", at, "url"), origin.url) for at, origin in enumerate(read.origins)]
    for key, source in read.sources.items():
        urls.append((("sources", key, "url"), source.url))
        urls += [(("sources", key, "aliases", at), url) for at, url in enumerate(source.aliases)]
    return [(BAD_URL, at, reason, url_hint(url)) for at, url in urls if (reason := url_fault(url))]


def _key_slips(read: SourcesInput) -> list[tuple[FaultCode, Location, str, str]]:
    issues: list[tuple[FaultCode, Location, str, str]] = []
    ids: set[str] = set()
    for at, origin in enumerate(read.origins):
        if origin.id in ids:
            issues.append((DUPLICATE_ID, ("origins", at, "id"), f"{origin.id!r} is the id of an origin above", ""))
        ids.add(origin.id)
    issues += [
        (BAD_VALUE, ("sources", key), "the key of a shared source is a word, not an address", "name it in a word")
        for key in read.sources
        if "://" in key
    ]
    return issues
