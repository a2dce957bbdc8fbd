"""From a content folder to the edition that workers map, and the search index beside it."""

import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from citepress.admin.anchors import anchor_faults
from citepress.admin.content import read_content
from citepress.admin.edition_origin import origin_of, published_origin
from citepress.admin.missing_extensions import with_missing_extensions
from citepress.admin.public_address import has_public_address
from citepress.admin.state_folders import EXPORT, prepare
from citepress.app.registry import catalogue, render_context, table
from citepress.archive.assemble import assembled
from citepress.archive.assembled import Assembled
from citepress.archive.edit import ArchiveEdit
from citepress.archive.model import Archive
from citepress.archive.observed import observed
from citepress.archive.revision import revise
from citepress.base.errors import CitepressError
from citepress.base.folder_lock import exclusive
from citepress.base.memory import give_back
from citepress.base.packed_values import FrameFile
from citepress.base.shortage import writing_below
from citepress.base.timestamps import rfc3339
from citepress.content.cache import ReadCache
from citepress.content.files import Survey, fingerprint, survey
from citepress.content.folder import Folder
from citepress.content.git_dates import GitError, history_state
from citepress.content.held_reasons import held_reasons, held_sentence
from citepress.content.reread import reread, reread_observations
from citepress.content.settings_file import site_of
from citepress.contract.fault import Fault, Faults, Level
from citepress.contract.site import StaticExport
from citepress.edition.announced import changes_of_edition
from citepress.edition.deprecations import faults as deprecation_faults
from citepress.edition.edition import needs_repair, open_edition, pointer
from citepress.edition.former import read_pointer
from citepress.edition.publisher import PublishResult
from citepress.edition.site_edition import Begun, SiteEditions, template_faults
from citepress.history.edition_journal import EditionJournal
from citepress.history.edition_log import EditionHistory
from citepress.history.history import History
from citepress.history.state_files import EDITIONS_LOG, EXPORT_LOG
from citepress.hooks import gathered
from citepress.kinds import ALL as KINDS
from citepress.kinds import REGISTRIES
from citepress.search.build import build as build_index
from citepress.search.meaning import vectors_of
from citepress.search.measuring import measure
from citepress.search.state import INDEX_FOLDER, indexed_edition, is_current
from citepress.search.storage import is_damaged
from citepress.settings import Settings, deployment_of, keep_deployment
from citepress.transparency.entries import EditionTree
from citepress.transparency.heads import MEMBER, LogHead

log = logging.getLogger(__name__)
BUILD_LOCK_WAIT_S = 300.0
"""How long a command waits for another one that builds into the same folder."""


@dataclass(frozen=True, slots=True)
class BuildResult:
    """A published edition, and the warnings about its content."""

    printed: PublishResult | None
    """What the run did; ``None`` when the edition was current already."""
    pointer: Path
    warnings: tuple[Fault, ...] = ()
    next_moment: datetime | None = None
    """When a scheduled record appears or expires next."""
    archive: Archive | None = None
    """What it was made from, where it was made now."""
    held_back: str = ""
    """A line on the files that are not public in the tool that they were written for."""
    edit: ArchiveEdit | None = None
    """What differs from the edition before; ``None`` where everything was compared."""


@dataclass(slots=True)
class _LastBuild:
    """What a builder holds of its last build, for the next one."""

    assembled: Assembled
    beside: tuple[Fault, ...]
    """Warnings about the site, beside those about its content."""
    fingerprint: str
    """Of the content folder."""


class Builder:
    """Builds the edition of one content folder again and again, reading and rendering only what changed.

    ``output`` holds the edition and its index: the state folder, which workers follow, or else a ``separate_output``.
    """

    def __init__(
        self,
        settings: Settings,
        output: Path | None = None,
        *,
        exported: bool = False,
        searched: bool | None = None,
        lasting: bool = True,
        trial: bool = False,
        logged: bool = False,
        begun: Begun | None = None,
    ) -> None:
        """``begun`` is called with an edition that is written whole, as soon as it can be read.

        ``logged``: whether its editions are entered into a log although they are not those of the state folder.

        ``exported`` makes an edition for a host of files, without what only a running service answers.
        ``searched``: whether it can be searched in the browser, instead of what ``site.toml`` says. ``lasting``:
        whether edits follow, for which much is held of each build; of 100,000 records that is gigabytes. ``trial``:
        nobody will read what is built, so neither revisions nor changes of it are remembered.
        """
        self._lasting, self._trial = lasting, trial
        self.settings = settings
        self.output = output or settings.state
        # What a publisher looks at before it is published is nothing to be remembered.
        logged = (logged or output is None) and not settings.drafts
        file = EXPORT_LOG if exported else EDITIONS_LOG
        self._edition_log = (
            EditionHistory(settings.state, file, pointer(self.output), may_break=settings.break_history)
            if logged
            else None
        )
        self._cache = ReadCache()
        self._last: _LastBuild | None = None
        self._exported, self._searched = exported, searched
        self._history_read = ""
        """Of the folder in Git, before it was read."""
        self._history = None if settings.drafts else History(settings.root, settings.state, KINDS)
        declared = catalogue(exported=exported)
        folder = pointer(self.output).parent
        drafts = settings.drafts
        self._editions = SiteEditions(declared, render_context, folder, drafts=drafts, lasting=lasting, begun=begun)

    def folder(self, moment: datetime, surveyed: Survey | None = None) -> Folder:
        """The content folder as it is, or as it was surveyed, under the settings of this run. Raises ``GitError``."""
        self._history_read = history_state(self.settings.root)
        # Where Git has no history, revisions are kept in the state folder, with what they said.
        also = partial(self._history.work_out, moment=moment) if self._history and not self._history_read else id
        return read_content(self.settings, moment, self._cache, surveyed, also)

    def check(self, moment: datetime, surveyed: Survey | None = None) -> tuple[Archive | None, tuple[Fault, ...]]:
        """The archive, if nothing forbids it, and every fault and warning of the content."""
        state, faults = self._assembled(moment, surveyed)
        return (state.archive if state else None), faults

    def _assembled(self, moment: datetime, surveyed: Survey | None) -> tuple[Assembled | None, tuple[Fault, ...]]:
        """What ``check`` tells, with what the archive was assembled from. Raises ``GitError`` and ``HistoryError``."""
        if not self._lasting:
            self._cache = ReadCache(FrameFile(self.output))
        folder = self.folder(moment, surveyed)
        revisions = self._history.revisions(folder, moment) if self._history else {}
        routes = table().built_in
        archive, content_faults = assembled(folder, KINDS, REGISTRIES, routes, revisions, frames=self._cache.frames)
        if archive and self._exported:
            site = archive.archive.site
            if self._searched is not None:
                site = site.model_copy(update={"export": StaticExport(search=self._searched)})
            archive.archive = replace(archive.archive, site=site, exported=True)
        site_faults = (
            *deprecation_faults(self.settings.root, folder, table(), moment),
            *gathered("site_checks", Fault, self.settings.root, folder.site),
            *(self._history.faults(folder) if self._history else ()),
        )
        broken = any(fault.code.level is Level.ERROR and fault.code.blocks for fault in site_faults)
        outputs = (self.settings.state, separate_output(self.settings, EXPORT))
        faults = with_missing_extensions((*content_faults, *site_faults), outputs)
        return (None if broken else archive), faults

    def archive(self, moment: datetime, surveyed: Survey | None = None) -> tuple[Archive, tuple[Fault, ...]]:
        """The archive and the warnings. Raises ``Faults`` when there is none."""
        with writing_below(self.output):
            archive, faults = self.check(moment, surveyed)
        if archive is None:
            raise Faults(faults)
        return archive, faults

    def checked(self, moment: datetime) -> tuple[Archive | None, tuple[Fault, ...]]:
        """What ``check`` tells, and what shows only on rendered pages: faults of templates, links to lost anchors."""
        state, faults = self._assembled(moment, None)
        if state is None:
            return None, faults
        context = render_context(state.archive)
        # The theme's templates cannot fail because of the author, so without overrides none is tried here.
        broken = template_faults(context, catalogue()) if state.archive.templates else ()
        return state.archive, (*faults, *(broken or anchor_faults(state, context)))

    def build(self, moment: datetime, changed: Collection[Path] = ()) -> BuildResult:
        """Read, check, compile and publish. Raises ``Faults``; the former edition then stays.

        It stays too where the log of editions does not go on from it: raises ``BrokenHistoryError``.

        ``changed`` are the files that have changed since the last build, where whoever asks knows all of them.
        """
        if not self._trial:
            prepare(self.settings.state)
        if self._edition_log:
            self._edition_log.go_on_from(self._head())
        former = read_pointer(pointer(self.output).parent)
        with writing_below(self.output):
            result = self._built(moment, changed)
        if result.printed and not self._trial:
            self._note(result.printed, former, moment)
        return result

    def _built(self, moment: datetime, changed: Collection[Path]) -> BuildResult:
        """What ``build`` does, but for the journal."""
        last, self._last = self._last, None
        if last and changed and (result := self._revised(last, moment, changed)):
            return result
        surveyed = survey(self.settings.root)
        state, faults = self._assembled(moment, surveyed)
        if state is None:
            raise Faults(faults)
        if self._lasting:
            return self._published_lasting(_LastBuild(state, faults[len(state.faults) :], surveyed.fingerprint))
        self._keep_revisions()
        # What the archive was made from is let go of before it is rendered, which takes memory too.
        archive, self._cache, state = state.archive, ReadCache(), None
        give_back()
        return self._published(archive, faults, surveyed.fingerprint)

    def _revised(self, last: "_LastBuild", moment: datetime, changed: Collection[Path]) -> BuildResult | None:
        """The edition with the one file that changed, came or went; ``None`` where more has to be read."""
        due = last.assembled.archive.next_moment
        if due and due <= moment:
            return None
        if self._history and not self._history.stands():
            return None
        if checks := reread_observations(last.assembled.folder.root, changed, self._cache, last.fingerprint):
            last.fingerprint = checks.fingerprint
            return self._published_lasting(last, observed(last.assembled, checks.observations.by_url)[1])
        change = reread(last.assembled.folder.root, changed, KINDS, self._cache, last.fingerprint)
        if change and change.record and self._history:
            last.assembled.revisions.update(self._history.of([change.record], moment))
        count = len(last.assembled.records)
        revision = change and revise(last.assembled, change, moment)
        if not change or not revision:
            return None
        last.fingerprint = change.fingerprint
        if self._history and (more := len(last.assembled.records) - count):
            last.beside = self._history.revised(last.beside, last.assembled.current_folder, came=more > 0)
        return self._published_lasting(last, revision[1])

    def _keep_revisions(self) -> None:
        """Keep the revisions that are about to be published, before what they are read from is let go of."""
        if self._history and not self._trial:
            self._history.keep(public=has_public_address(self.settings))

    def _published_lasting(self, now: "_LastBuild", edit: ArchiveEdit | None = None) -> BuildResult:
        """Publish, and hold what the next build is compared with."""
        self._keep_revisions()
        faults = (*now.assembled.faults, *now.beside)
        result = self._published(now.assembled.archive, faults, now.fingerprint, edit)
        if self._editions.archive and not now.assembled.folder.plain:
            now.assembled.archive, self._last = self._editions.archive, now
        return result

    def _published(
        self, archive: Archive, warnings: tuple[Fault, ...], source: str, edit: ArchiveEdit | None = None
    ) -> BuildResult:
        """Publish the edition of an archive; ``source`` is the fingerprint of its folder."""
        target = pointer(self.output)
        held_back = held_sentence(held_reasons(warnings))
        origin = {
            **origin_of(self.settings, self._history_read, searched=self._searched),
            "source": source,
            "next_moment": rfc3339(archive.next_moment) if archive.next_moment else None,
            "held_back": held_back,
        }
        keep_deployment(self.output, archive.site.deployment)
        base_url = archive.site.base_url

        def members(tree: EditionTree) -> Mapping[str, Any]:
            return {**origin, MEMBER: self._edition_log.head(tree, base_url)} if self._edition_log else origin

        printed = self._editions.publish(archive, members, edit)
        if self._history:
            self._history.forget_documents()
        edit = self._editions.edit
        return BuildResult(printed, target, warnings, archive.next_moment, archive, held_back, edit)

    def ensure(self, moment: datetime, content: Callable[[], str | None] | None = None) -> BuildResult:
        """The published edition if nothing it was made from has changed since, a new one otherwise.

        ``content`` gives the fingerprint of the content folder where another process works it out.
        """
        standing = self.standing(moment)
        return standing if standing and self.follows(content() if content else None) else self.build(moment)

    def standing(self, moment: datetime) -> BuildResult | None:
        """The published edition if it is whole and this code made it of this folder, which may have changed since.

        ``None`` too where a record was to appear or to expire since, or a reader met damage. From now on it is served
        as the settings say now.
        """
        target, origin = pointer(self.output), published_origin(self.output)
        try:
            open_edition(target)
            deployment_of(target)
            wanted = origin_of(self.settings, history_state(self.settings.root), searched=self._searched)
        except (ValueError, GitError):
            return None
        due = datetime.fromisoformat(origin["next_moment"]) if origin.get("next_moment") else None
        if any(origin.get(name) != value for name, value in wanted.items()) or (due and due <= moment):
            return None
        if needs_repair(target) or (self._edition_log and not self._edition_log.ends_with(self._head())):
            return None
        with suppress(Faults):  # settings that are at fault are told with the rest of the content
            keep_deployment(self.output, self.settings.applied(site_of(self.settings.root)).deployment)
        return BuildResult(None, target, next_moment=due, held_back=str(origin.get("held_back", "")))

    def follows(self, content: str | None = None) -> bool:
        """Whether the published edition was made from the content of this fingerprint, by default that of now."""
        source = published_origin(self.output).get("source")
        return source is not None and source == (content or fingerprint(self.settings.root))

    def is_damaged(self) -> bool:
        """Whether a reader met damage in the published edition or its search index."""
        return needs_repair(pointer(self.output)) or is_damaged(self.output / INDEX_FOLDER)

    def digest(self) -> str:
        """The digest of the published edition; empty where there is none."""
        return str(published_origin(self.output).get("digest", ""))

    def last(self) -> BuildResult | None:
        """The last good edition, whatever the content says now."""
        target = pointer(self.output)
        try:
            open_edition(target)
        except ValueError:
            return None
        return BuildResult(None, target)

    def index(self, built: BuildResult, moment: datetime, *, measured: bool = True) -> None:
        """Bring the search index up to an edition; readers change over when it is complete.

        Unless it is to be ``measured``, vectors and what extensions measure are left to ``measure_index``.
        """
        folder, digest = self.output / INDEX_FOLDER, open_edition(built.pointer).digest
        if not is_current(folder, digest, vectors_of(deployment_of(built.pointer))):
            archive = built.archive or self.archive(moment)[0]
            with writing_below(folder):
                build_index(archive, folder, digest, vectors_of(archive.site), measured=measured)

    def is_searched(self) -> bool:
        """Whether there is a search index, of this edition or of one before."""
        return indexed_edition(self.output / INDEX_FOLDER) is not None

    def measure_index(self, built: BuildResult, moment: datetime) -> bool:
        """Bring vectors and what extensions measure up to the index; whether anything had changed."""
        archive = built.archive or self.archive(moment)[0]
        return measure(archive, self.output / INDEX_FOLDER, vectors_of(archive.site))

    def _note(self, printed: PublishResult, former: Mapping[str, Any], moment: datetime) -> None:
        """Remember what an edition changed. A build goes on where that fails, and says so."""
        if printed.digest == former.get("digest") and EditionJournal(self.output).exists():
            return
        try:
            EditionJournal(self.output).note(changes_of_edition(printed, former, moment))
        except (CitepressError, OSError) as error:
            log.warning("what this edition changed is not remembered: %s", error)

    def _head(self) -> LogHead | None:
        """The head of the log that the published edition carries."""
        return LogHead.of(published_origin(self.output).get(MEMBER))


@contextmanager
def separate_builder(
    settings: Settings,
    name: str,
    waiting: Callable[[str], object],
    *,
    exported: bool = False,
    searched: bool | None = None,
) -> Iterator[Builder]:
    """A builder into a ``separate_output``, where no other process builds meanwhile.

    ``waiting`` is called with the holder where another one does. Raises ``FolderLockError`` after ``BUILD_LOCK_WAIT_S``
    seconds.
    """
    output = separate_output(settings, name)
    with exclusive(output, BUILD_LOCK_WAIT_S, waiting):
        yield Builder(settings, output, exported=exported, searched=searched, lasting=False, logged=exported)


def separate_output(settings: Settings, name: str) -> Path:
    """A folder in the state folder that no server follows: one with drafts and one without."""
    return settings.state / (f"{name}-drafts" if settings.drafts else name)
