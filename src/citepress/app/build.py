"""From a content folder to the edition that workers map, and to the search index beside it."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import orjson

from citepress import search
from citepress.app.code import code_digest
from citepress.app.deprecations import deprecated_paths
from citepress.app.deprecations import faults as deprecation_faults
from citepress.app.rails import faults as payment_faults
from citepress.app.registry import built_in, catalogue, render_context
from citepress.archive.assemble import check
from citepress.archive.model import Archive
from citepress.base.canonical import plain, sorted_bytes
from citepress.base.timestamps import rfc3339
from citepress.content.folder import Folder, ReadCache, Survey, fingerprint, is_plain, read, survey
from citepress.content.git_dates import history
from citepress.contract.fault import CLOSED_RAIL, Fault, Faults, Level
from citepress.edition import recovery, search_page
from citepress.edition.compiler import render_units, shared_inputs
from citepress.edition.edition import open_edition, pointer
from citepress.edition.page_catalog import page_entries
from citepress.edition.passthrough import passthrough_leaves
from citepress.edition.private_index import lookup
from citepress.edition.publisher import PublishResult, publish
from citepress.edition.render_context import RenderContext
from citepress.kinds import ALL as KINDS
from citepress.kinds import REGISTRIES
from citepress.settings import Settings

INDEX = "search"
"""Folder of the search index, in the state folder."""
MADE_OF = "edition"
"""File in it that names the edition it was made from."""
EXPORT, STDIO = "export", "mcp"
"""Folders in the state folder for what is compiled beside a server: for ``citepress build``, and for ``citepress mcp``."""


@dataclass(frozen=True, slots=True)
class BuildResult:
    """An edition that stands, and what its content was warned of."""

    printed: PublishResult | None
    """What the run did; ``None`` when the edition was current already."""
    pointer: Path
    warnings: tuple[Fault, ...] = ()
    next_moment: datetime | None = None
    """When a scheduled record appears or expires next."""
    archive: Archive | None = None
    """What it was made from, where it was made now."""


class Builder:
    """Builds the edition of one content folder again and again, reading and rendering only what changed.

    ``output`` holds the edition and its index: the state folder, which workers follow, or else a ``separate_output``.
    """

    def __init__(self, settings: Settings, output: Path | None = None) -> None:
        self.settings = settings
        self.output = output or settings.state
        self._cache = ReadCache()

    def folder(self, moment: datetime, surveyed: Survey | None = None) -> Folder:
        """The content folder as it is now (or as a look at it found it), under the settings of this run."""
        told = self.settings
        found = read(told.root, KINDS, REGISTRIES, moment=moment, drafts=told.drafts, cache=self._cache, surveyed=surveyed)
        return replace(found, site=self.settings.applied(found.site))

    def check(self, moment: datetime, surveyed: Survey | None = None) -> tuple[Archive | None, tuple[Fault, ...]]:
        """The archive, if nothing forbids it, and every fault and warning of the content."""
        folder = self.folder(moment, surveyed)
        archive, found = check(folder, KINDS, REGISTRIES, built_in)
        wrong = (*payment_faults(self.settings.root, folder.site), *deprecation_faults(self.settings.root, folder, moment))
        broken = any(fault.code.level is Level.ERROR and fault.code is not CLOSED_RAIL for fault in wrong)
        return (None if broken else archive), (*found, *wrong)

    def archive(self, moment: datetime, surveyed: Survey | None = None) -> tuple[Archive, tuple[Fault, ...]]:
        """The archive and the warnings. Raises ``Faults`` when there is none."""
        archive, found = self.check(moment, surveyed)
        if archive is None:
            raise Faults(found)
        return archive, found

    def proof(self, archive: Archive) -> tuple[Fault, ...]:
        """Faults that only rendering tells: those of the archive's own templates, each place once.

        The theme's templates cannot be at fault by the author's hand: without overrides nothing is rendered here.
        """
        if not archive.templates:
            return ()
        at = render_context(archive)
        found: dict[tuple[str, int, int, str], Fault] = {}
        for render in _renderings(at):
            try:
                render()
            except Faults as faults:
                found |= {fault.key: fault for fault in faults.faults}
        return tuple(found.values())

    def build(self, moment: datetime) -> BuildResult:
        """Read, check, compile and publish. Raises ``Faults``; the former edition then stays."""
        surveyed = survey(self.settings.root)
        archive, warnings = self.archive(moment, surveyed)
        target = pointer(self.output)
        origin = {
            **self._origin(),
            "source": surveyed.fingerprint,
            "next_moment": rfc3339(archive.next_moment) if archive.next_moment else None,
        }
        printed = _publish(archive, target.parent, origin, drafts=self.settings.drafts)
        return BuildResult(printed, target, warnings, archive.next_moment, archive)

    def ensure(self, moment: datetime) -> BuildResult:
        """The edition that stands if nothing it was made from has changed since, a new one otherwise."""
        target = pointer(self.output)
        try:
            known = orjson.loads(target.read_bytes())
            open_edition(target)
        except (OSError, ValueError):
            return self.build(moment)
        due = datetime.fromisoformat(known["next_moment"]) if known.get("next_moment") else None
        wanted = {**self._origin(), "source": fingerprint(self.settings.root)}
        if any(known.get(name) != value for name, value in wanted.items()) or (due and due <= moment):
            return self.build(moment)
        return BuildResult(None, target, next_moment=due)

    def follows(self) -> bool:
        """Whether the edition that stands was made from the content as it is now."""
        try:
            known = orjson.loads(pointer(self.output).read_bytes())
        except (OSError, ValueError):
            return False
        return bool(known.get("source") == fingerprint(self.settings.root))

    def last(self) -> BuildResult | None:
        """The last good edition, whatever the content says now."""
        target = pointer(self.output)
        try:
            open_edition(target)
        except ValueError:
            return None
        return BuildResult(None, target)

    def index(self, built: BuildResult, moment: datetime) -> None:
        """Make the search index of an edition unless it stands already; readers change over when it is whole."""
        folder, digest = self.output / INDEX, open_edition(built.pointer).digest
        made_of = folder / MADE_OF
        if made_of.is_file() and made_of.read_text("utf-8") == digest and search.stands(folder):
            return
        search.build(built.archive or self.archive(moment)[0], folder)
        made_of.write_text(digest, "utf-8")

    def _origin(self) -> dict[str, Any]:
        """What an edition was made by and under, beside its content."""
        told = self.settings
        proxies = [told.trusted_proxies, told.forwarded_field]
        stated = [told.drafts, told.base_url, told.host, told.port, proxies, dict(told.limits), str(told.root.resolve())]
        dated = history(told.root) if is_plain(told.root, KINDS, REGISTRIES) else ""  # commits date plain notes
        return {"code": code_digest().hex(), "settings": hashlib.sha256(sorted_bytes([*stated, dated])).hexdigest()}


def separate_output(settings: Settings, name: str) -> Path:
    """A folder in the state folder that no server follows; one with drafts and one without, so that neither replaces the other."""
    return settings.state / (f"{name}-drafts" if settings.drafts else name)


def _publish(archive: Archive, folder: Path, origin: Mapping[str, Any], *, drafts: bool) -> PublishResult:
    at = render_context(archive)
    around = shared_inputs(at, code_digest())
    units = chain(render_units(at, catalogue(), around), passthrough_leaves(at), lookup(at, around), page_entries(at))
    return publish(units, folder, facts(archive, drafts=drafts), _shells(at), origin)


def _renderings(at: RenderContext) -> Iterator[Callable[[], object]]:
    """Everything that a template may take part in."""
    for work in render_units(at, catalogue(), b""):
        yield work.render
    yield partial(_shells, at)


def _shells(at: RenderContext) -> Mapping[str, bytes]:
    """The pages that workers fill in, before anything was asked."""
    return {**recovery.recovery_templates(at), **search_page.search_page_templates(at)}


def facts(archive: Archive, *, drafts: bool = False) -> dict[str, Any]:
    """What the doors have to know of the site, and whoever writes a page for it without its archive (``frame``)."""
    told: dict[str, Any] = plain(archive.site)
    frame = {"owner": archive.owner.name, "templates": dict(archive.templates)}
    further = {"deprecated_paths": deprecated_paths(archive.site), "drafts": drafts}
    return {**told, "as_of": rfc3339(archive.as_of), "frame": frame, **further}
