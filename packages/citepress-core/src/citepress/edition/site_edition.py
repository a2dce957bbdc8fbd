"""A whole edition from an archive: every unit, the recovery pages, and the configuration that workers read."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from citepress.archive.edit import ArchiveEdit, edit_between
from citepress.archive.model import Archive
from citepress.base.canonical import short_digest
from citepress.base.gc_pause import rare_gc
from citepress.base.package_digest import digest_of
from citepress.contract.document import Declared
from citepress.contract.fault import Fault, Faults
from citepress.contract.table import RouteTable
from citepress.edition.code_digest import code_digest, rendering_extensions
from citepress.edition.compiler import RenderUnit, UnitChanges, changed_units, render_units, shared_inputs
from citepress.edition.data.column_facets import row_indexes
from citepress.edition.deprecations import deprecated_paths
from citepress.edition.derivations import Derivations
from citepress.edition.early_pack import EarlyPack
from citepress.edition.former import FormerEdition, open_former
from citepress.edition.pack import PackError
from citepress.edition.page_catalog import page_entries
from citepress.edition.pages.index_counts import index_counts
from citepress.edition.pages.recovery import recovery_templates
from citepress.edition.pages.search_page import search_page_templates
from citepress.edition.passthrough import changed_passthrough, passthrough_leaves
from citepress.edition.private_index import lookup
from citepress.edition.publisher import Notes, OriginMembers, PublishResult, publish
from citepress.edition.render_context import RenderContext
from citepress.edition.revisions.stored import changed_revisions, revision_units
from citepress.edition.site_config import EditionExtension, SiteConfig
from citepress.hooks import merged

Begun: TypeAlias = Callable[[EarlyPack], int]
"""Called with an edition before it is written; returns the date of its leaves in seconds."""


class SiteEditions:
    """The editions of one content folder, one after the other; each is compared with the one before.

    What is held of the one before is forgotten where a build fails, so that the next one compares everything.
    """

    def __init__(
        self,
        declared: Iterable[Declared],
        context_of: Callable[[Archive, Derivations], RenderContext],
        folder: Path,
        *,
        drafts: bool,
        lasting: bool = True,
        begun: Begun | None = None,
    ) -> None:
        """``lasting``: whether an edit may follow, for which what documents read of the archive is noted.

        ``begun`` is called as soon as a whole edition can be read.
        """
        self._declared, self._context_of, self._folder, self._drafts = tuple(declared), context_of, folder, drafts
        self._lasting, self._begun = lasting, begun
        self._last: _Published | None = None
        self.edit: ArchiveEdit | None = None
        """What the last edition was compared by; ``None`` where everything was."""

    @property
    def archive(self) -> Archive | None:
        """The archive of the edition before; ``None`` where nothing is held of it."""
        return self._last.archive if self._last else None

    def publish(self, archive: Archive, origin: OriginMembers, edit: ArchiveEdit | None = None) -> PublishResult:
        """Render what changed and publish the edition. Raises ``Faults`` where a template fails.

        ``origin`` gives what the pointer carries; ``edit`` is what differs from the archive of the edition before,
        where that is known.
        """
        last, self._last = self._last, None
        self.edit = None
        if last is not None:
            if edit is None or edit.before is not last.archive:
                archive, edit = edit_between(last.archive, archive)
            if edit is not None and edit.before.filled != edit.after.filled:
                edit = None  # the first record of a kind, or the last one, changes the navigation of every page
            self.edit = edit
            if edit is not None:
                with suppress(PackError):  # somebody else published, or a file is damaged: everything is compared
                    return self._publish_edit(last, archive, edit, origin)
        return self._publish_whole(archive, origin)

    @rare_gc()
    def _publish_edit(
        self, last: "_Published", archive: Archive, edit: ArchiveEdit, origin: OriginMembers
    ) -> PublishResult:
        context, shared = last.context, last.shared
        context.derivations.turn_to(archive, edit)
        changes = changed_units(context, self._declared, shared)
        private = tuple(_private_units(context, shared))
        groups = frozenset([unit.group for unit in private])
        further = UnitChanges({*last.private, *groups}, [*private])
        for more in (changed_passthrough(context), changed_revisions(context), further):
            changes.groups.update(more.groups)
            changes.units.extend(more.units)
        result = publish(
            changes.units, self._folder, self._notes(context), origin, former=last.former, touched=changes.groups
        )
        return self._published(archive, last.context, shared, groups, result)

    def _publish_whole(self, archive: Archive, origin: OriginMembers) -> PublishResult:
        derivations = Derivations()
        if self._lasting:
            derivations.turn_to(archive, None)
        context = self._context_of(derivations.observed if self._lasting else archive, derivations)
        shared = shared_inputs(context, code_digest())
        notes, since = self._notes(context), None
        if self._begun:
            since = self._begin(self._begun, context, shared, notes)
        private = _private_units(context, shared)  # where no edition follows, made when all others are written
        private = tuple(private) if self._lasting else private
        units = chain(
            render_units(context, self._declared, shared), passthrough_leaves(context), revision_units(context), private
        )
        result = publish(units, self._folder, notes, origin, since=since)
        groups = frozenset([unit.group for unit in private])
        return self._published(archive, context, shared, groups, result)

    def _begin(self, begun: "Begun", context: RenderContext, shared: bytes, notes: Notes) -> int:
        """Hand out the edition while it is rendered. Returns the date of its leaves in seconds.

        Until it is complete, the digest of its inputs names it.
        """
        digest = short_digest(shared + b"".join(entry.digest for entry in context.archive.entries.values()))
        early = {"digest": digest, "removed": [], **notes.members()}
        private = partial(revision_units, context), partial(_private_units, context, shared)
        return begun(EarlyPack(context, self._declared, shared, private, early))

    def _published(
        self, archive: Archive, context: RenderContext, shared: bytes, private: frozenset[str], result: PublishResult
    ) -> PublishResult:
        if not self._lasting:
            return replace(result, published=None)  # which names every unit
        if former := result.published or open_former(self._folder):
            self._last = _Published(archive, context, shared, private, former)
        return result

    def _notes(self, context: RenderContext) -> Notes:
        config = site_config(context.archive, context.table, drafts=self._drafts)
        return Notes(config, context.derivations.of("shells", partial(_page_templates, context)))


def _private_units(context: RenderContext, shared: bytes) -> Iterable[RenderUnit]:
    for units in (lookup(context, shared), page_entries(context), row_indexes(context), index_counts(context)):
        yield from units


@dataclass(frozen=True, slots=True)
class _Published:
    """What is held of the edition before."""

    archive: Archive
    context: RenderContext
    shared: bytes
    private: frozenset[str]
    """Groups of its private leaves."""
    former: FormerEdition


def template_faults(context: RenderContext, declared: Iterable[Declared]) -> tuple[Fault, ...]:
    """Faults that appear only when the archive's own templates are rendered, each place once."""
    faults: dict[tuple[str, int, int, str], Fault] = {}
    for render in _renderings(context, declared):
        try:
            render()
        except Faults as raised:
            faults |= {fault.key: fault for fault in raised.faults}
    return tuple(faults.values())


def site_config(archive: Archive, table: RouteTable, *, drafts: bool = False) -> SiteConfig:
    """The configuration that is packed with the edition of an archive."""
    return SiteConfig(
        publication=archive.site.publication,
        facts=merged("facts", archive.site, written=True),
        as_of=archive.as_of,
        owner=archive.owner.name,
        filled=sorted(archive.filled),
        templates=dict(archive.templates),
        deprecated_paths=deprecated_paths(archive.site, table),
        extensions=_extensions(),
        drafts=drafts,
    )


@cache
def _extensions() -> dict[str, EditionExtension]:
    return {
        source.extension.name: EditionExtension(
            distribution=source.distribution, version=source.version, digest=digest_of(source.package).hex()
        )
        for source in rendering_extensions()
        if source.extension.needed_to_serve
    }


def _renderings(context: RenderContext, declared: Iterable[Declared]) -> Iterator[Callable[[], object]]:
    """Every rendering that may use a template."""
    for unit in render_units(context, declared, b""):
        yield unit.render
    yield partial(_page_templates, context)


def _page_templates(context: RenderContext) -> Mapping[str, bytes]:
    """The pages whose gaps the workers fill in on each request."""
    return {**recovery_templates(context), **search_page_templates(context)}
