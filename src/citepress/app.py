"""The composition root: the only file that opens every catalogue and picks the stores."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import chain
from pathlib import Path
from typing import Any

import orjson
from pydantic import BaseModel

from citepress.archive.assemble import check
from citepress.archive.model import Archive
from citepress.base.canonical import plain, sorted_bytes
from citepress.base.moments import rfc3339
from citepress.content.folder import Folder, ReadCache, fingerprint, read
from citepress.contract.fault import Fault, Faults
from citepress.contract.limits import Limit
from citepress.contract.table import Table, derive
from citepress.edition.compiler import surroundings, works
from citepress.edition.desk import Desk
from citepress.edition.documents import declared
from citepress.edition.edition import open_edition, pointer
from citepress.edition.fields import SiteFields
from citepress.edition.forms import ALL as FORMS
from citepress.edition.press import Printed, publish
from citepress.edition.recovery import shells
from citepress.edition.residue import residue
from citepress.edition.theme import paths as theme_paths
from citepress.kinds import ALL as KINDS
from citepress.kinds import REGISTRIES
from citepress.settings import Settings
from citepress.stores.local.counters import LocalCounters
from citepress.web.asgi import Asgi
from citepress.web.door import Door
from citepress.web.worker import Follower

MINUTE = 60


@cache
def catalogue() -> tuple[Any, ...]:
    """Everything that is declared to be published."""
    return declared(KINDS)


@cache
def table() -> Table:
    """The route table of the service."""
    return derive(catalogue(), FORMS)


@cache
def models() -> Mapping[str, type[BaseModel]]:
    """The type behind each schema name."""
    found = {item.shape: item.model for item in catalogue() if item.shape and item.model}
    return dict(sorted(found.items()))


def built_in(path: str) -> bool | None:
    """Whether the service answers at a path; ``None`` where that depends on the content."""
    route = table().match(path)
    return route is not None if route is None or not route.parameters else None


def desk(archive: Archive) -> Desk:
    """What documents read while they are written."""
    return Desk(archive, table(), FORMS, models(), theme_paths())


@dataclass(frozen=True, slots=True)
class Built:
    """An edition that stands, and what its content was warned of."""

    printed: Printed | None
    """What the run did; ``None`` when the edition was current already."""
    pointer: Path
    warnings: tuple[Fault, ...] = ()
    next_moment: datetime | None = None
    """When a scheduled record appears or expires next."""


class Builder:
    """Builds the edition of one content folder again and again, reading and rendering only what changed."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._cache = ReadCache()

    def folder(self, moment: datetime) -> Folder:
        """The content folder as it is now, under the settings of this run."""
        found = read(self.settings.root, KINDS, REGISTRIES, moment=moment, drafts=self.settings.drafts, cache=self._cache)
        return replace(found, site=self.settings.applied(found.site))

    def check(self, moment: datetime) -> tuple[Archive | None, tuple[Fault, ...]]:
        """The archive, if nothing forbids it, and every fault and warning of the content."""
        return check(self.folder(moment), KINDS, REGISTRIES, built_in)

    def archive(self, moment: datetime) -> tuple[Archive, tuple[Fault, ...]]:
        """The archive and the warnings. Raises ``Faults`` when there is none."""
        archive, found = self.check(moment)
        if archive is None:
            raise Faults(found)
        return archive, found

    def build(self, moment: datetime) -> Built:
        """Read, check, compile and publish. Raises ``Faults``; the former edition then stays."""
        source = fingerprint(self.settings.root)
        archive, warnings = self.archive(moment)
        target = pointer(self.settings.state)
        origin = {**self._origin(), "source": source, "next_moment": rfc3339(archive.next_moment) if archive.next_moment else None}
        printed = self._publish(archive, target.parent, origin)
        return Built(printed, target, warnings, archive.next_moment)

    def ensure(self, moment: datetime) -> Built:
        """The edition that stands if nothing it was made from has changed since, a new one otherwise."""
        target = pointer(self.settings.state)
        try:
            known = orjson.loads(target.read_bytes())
            open_edition(target)
        except (OSError, ValueError):
            return self.build(moment)
        due = datetime.fromisoformat(known["next_moment"]) if known.get("next_moment") else None
        wanted = {**self._origin(), "source": fingerprint(self.settings.root)}
        if any(known.get(name) != value for name, value in wanted.items()) or (due and due <= moment):
            return self.build(moment)
        return Built(None, target, next_moment=due)

    def last(self) -> Built | None:
        """The last good edition, whatever the content says now."""
        target = pointer(self.settings.state)
        try:
            open_edition(target)
        except ValueError:
            return None
        return Built(None, target)

    def _publish(self, archive: Archive, folder: Path, origin: Mapping[str, Any]) -> Printed:
        at = desk(archive)
        around = surroundings(at, code_digest())
        return publish(chain(works(at, catalogue(), around), residue(at)), folder, facts(archive), shells(at), origin)

    def _origin(self) -> dict[str, Any]:
        """What an edition was made by and under, beside its content."""
        told = self.settings
        stated = [told.drafts, told.base_url, told.host, told.port, told.trusted_proxies, dict(told.limits), str(told.root.resolve())]
        return {"code": code_digest().hex(), "settings": hashlib.sha256(sorted_bytes(stated)).hexdigest()}


def facts(archive: Archive) -> dict[str, Any]:
    """What the door has to know of the site."""
    told: dict[str, Any] = plain(archive.site)
    return {**told, "as_of": rfc3339(archive.as_of)}


@cache
def code_digest() -> bytes:
    """A digest of our own code and templates: an edition of other code is rendered anew."""
    state = hashlib.blake2b(digest_size=16)
    for name, data in sorted(_own_files(files("citepress"), "")):
        state.update(name.encode() + b"\0" + data)
    return state.digest()


def _own_files(folder: Traversable, prefix: str) -> list[tuple[str, bytes]]:
    found: list[tuple[str, bytes]] = []
    for item in folder.iterdir():
        name = f"{prefix}/{item.name}"
        if item.is_dir():
            found += _own_files(item, name) if item.name != "__pycache__" else []
        else:
            found.append((name, item.read_bytes()))
    return found


def worker(pointed: Path) -> Asgi:
    """The application of one worker process, over the edition that a pointer file names."""
    edition = open_edition(pointed)
    told = edition.facts
    door = Door(
        edition, LocalCounters(), SiteFields.of(told), limit=Limit("rest", told["limits"]["rest"], MINUTE), proxies=told["trusted_proxies"]
    )
    follower = Follower(door, pointed, open_edition)
    follower.look()
    return Asgi(door, [follower.run])


def load(pointed: Path) -> "partial[Asgi]":
    """A picklable maker of the application, for worker processes."""
    return partial(worker, pointed)
