"""Keeps the edition current beside the workers: it follows the files and the schedule, and survives invalid content."""

import logging
import os
import threading
import traceback
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from watchfiles import DefaultFilter
from watchfiles import watch as changes

from citepress.admin.announcers import announcers
from citepress.admin.build import Builder, BuildResult
from citepress.app.binding import after_publication
from citepress.app.worker import check_start
from citepress.base import clock
from citepress.base.errors import CitepressError
from citepress.base.memory import give_back
from citepress.base.shortage import about_shortage
from citepress.base.text import counted
from citepress.cli.console import note, report, warn
from citepress.cli.faults import brief, refusal
from citepress.cli.progress import building
from citepress.content.git_dates import GitError
from citepress.content.git_watch import HistoryWatch
from citepress.contract.fault import SET_ASIDE, Faults, Level
from citepress.contract.store import StoreUnavailable
from citepress.edition.site_edition import Begun
from citepress.history.revision_numbers import HistoryError
from citepress.settings import Settings
from citepress.stores.sql.database import Database
from citepress.transparency.continuity import BrokenHistoryError

MAX_SCHEDULE_WAIT_S = 3600.0
"""Longest wait, in seconds, before the schedule is checked again, even if the clock was changed."""
MIN_RETRY_S, MAX_RETRY_S = 1.0, 30.0
"""Seconds before a failed build is retried, and the maximum to which this delay grows."""
LOOK_AT_LEAST = 10.0
"""Seconds between two scans for changes without a file-system event."""
SCAN_PAUSE_FACTOR = 50
"""Further wait before the next scan, as a multiple of the duration of the last one."""
MEASURING_PAUSE_S = 30.0
"""Seconds between a change of the search index and the next measurement of its thresholds."""
REPAIR_PAUSE = 60.0
"""Seconds between two attempts to make a damaged edition anew: a failing disk may damage each."""
MAX_NAMED_FILES = 5
"""Files that one report names as set aside, beside those that were when it reported last."""
TRACEBACK = "build-error.txt"
"""File in the state folder with the traceback of an internal error, which no author can fix."""
log = logging.getLogger(__name__)


class Publisher:
    """Keeps the edition current beside the workers: on every save when watching, and when a schedule is due.

    Every failure of a build is reported in one sentence, the last good edition stays, and the build is tried again: at
    the next save, and after a while even without one, because a full disk or a lost permission announces no change.
    """

    def __init__(
        self,
        settings: Settings,
        database: Database,
        *,
        watching: bool,
        output: Path | None = None,
        published: Callable[[Builder, BuildResult], None] | None = None,
        content: Callable[[], str | None] | None = None,
        begun: Begun | None = None,
    ) -> None:
        """``output`` is where to build, if not into the state folder.

        ``published`` is called with each edition when its index is made too; its failures are treated as those of a
        build. Where it is given, the editions are served elsewhere, and no payment rail is opened here.
        ``content`` is for ``Builder.ensure``. ``begun`` is called with an edition as soon as it can be read. It is
        given in a child process that only builds: the parent checks, announces and serves the edition.
        """
        self._settings, self._output = settings, output
        self._published, self._content = published, content
        self._lasting = watching or published is not None
        self._builder = Builder(settings, output, lasting=self._lasting, begun=begun)
        self._database, self._helping = database, begun is not None
        self._announcers = () if begun else announcers(settings)
        self._newest: BuildResult | None = None
        self._indexing: threading.Thread | None = None
        self._measuring: threading.Thread | None = None
        self._root = settings.root.resolve()  # events carry the watched path, and are compared with ignored paths
        ignored = settings.state, settings.root / "dist", settings.root / "state"
        self._ignored = tuple(path.resolve() for path in ignored)
        self._watching = watching
        self._commits = HistoryWatch(self._root)
        self._threads: list[threading.Thread] = []
        self._stopped = threading.Event()
        self._turn = threading.Lock()
        self._next = clock.now() + timedelta(seconds=MAX_SCHEDULE_WAIT_S)
        self._failure = ""
        """What was reported of the last build; empty when it succeeded."""
        self._held_back = ""
        """The line of the last report on the files held back."""
        self._left_out: frozenset[str] = frozenset()
        """What the last report said is set aside."""
        self._pause = MIN_RETRY_S
        self._compared = True
        """Whether the content was compared with the edition that is served, since the start."""

    def first(self) -> BuildResult | None:
        """The edition to begin with, which extensions can serve; a watcher may begin with the last good one."""
        if (built := self._standing() or self._first()) and self._published is None and not self._helping:
            check_start(built.pointer, self._database, warn)
        return built

    def _standing(self) -> BuildResult | None:
        """The edition of the run before, where the content is compared with it as soon as it is served."""
        if not self._watching or self._published or not self._builder.is_searched():
            return None
        if built := self._builder.standing(clock.now()):
            self._compared = False
            self._report(built)
        return built

    def _first(self) -> BuildResult | None:
        done: BuildResult | None = None
        unlogged = False
        with self._surviving(forgiving=self._watching or self._helping):
            try:
                with building("Reading, rendering and indexing"):
                    built = (
                        self._builder.build(clock.now())
                        if self._watching
                        else self._builder.ensure(clock.now(), self._content)
                    )
                    self._builder.index(built, clock.now())
            except (BrokenHistoryError, HistoryError, GitError) as error:
                # Readers of what stands are not concerned by a log or by revisions that cannot go on.
                self._failed(f"citepress: {error}")
                unlogged = self._published is None
            else:
                done = built
                self._hand_over(built)
                self._report(built)
        if done:
            # Each worker is forked from this process, so it keeps nothing that nobody goes back to.
            return done if self._lasting else replace(done, archive=None, edit=None)
        if not (self._watching or unlogged) or (last := self._builder.last()) is None:
            return None
        warn("Serving the last good edition until this is fixed.")
        return last

    def description(self) -> str:
        """The folder whose content is published."""
        return str(self._settings.root)

    def follow(self) -> None:
        """Start the watching threads: always for the schedule, for the files if requested."""
        self._threads = [threading.Thread(target=self._keep_schedule, name="schedule", daemon=True)]
        if self._watching:
            self._threads.append(threading.Thread(target=self._keep_watch, name="watch", daemon=True))
        for thread in self._threads:
            thread.start()
        for announcer in self._announcers:
            announcer.follow()

    def stop(self, seconds: float = 0.0) -> None:
        """Stop the threads, and wait up to this long for a running build."""
        self._stopped.set()
        for announcer in self._announcers:
            announcer.stop()
        for thread in (*self._threads, *filter(None, (self._indexing, self._measuring))):
            thread.join(seconds)

    def _keep_schedule(self) -> None:
        repaired = float("-inf")
        while not self._stopped.wait(MIN_RETRY_S):
            damaged = clock.seconds() - repaired >= REPAIR_PAUSE and self._builder.is_damaged()
            if damaged:
                warn("The edition or its search index is damaged on this disk and is made anew.")
            if damaged or self._next <= clock.now():
                self.reload()
            if damaged:
                repaired = clock.seconds()

    def _keep_watch(self) -> None:
        """Follow the files; where the watch ends, because the folder went or the system lost it, it is begun anew."""
        there, fresh, polling = True, not self._compared, False
        while not self._stopped.is_set():
            with self._surviving(), _held(self._root) as held:
                there = held is not None
                if held:
                    self._watch(held, fresh=fresh, polling=polling)
                    polling = polling or held.is_the_same()  # no events arrive: too many watches, or a network disk
            if there and not self._root.is_dir():
                self.reload()
            fresh = True
            self._stopped.wait(MIN_RETRY_S)

    def _watch(self, held: "_Held", *, fresh: bool, polling: bool) -> None:
        """Publish each change until the folder is another one; a ``fresh`` watch publishes what came before it too.

        A folder that was taken away and came back is another one to the system, which would tell nothing of it.
        """
        tried, looked = clock.seconds(), float("-inf")  # at once: the folder may have changed before it was watched
        for changed in changes(
            self._root,
            watch_filter=DefaultFilter(ignore_paths=self._ignored),
            stop_event=self._stopped,
            debounce=200,
            step=50,
            rust_timeout=500,
            yield_on_timeout=True,
            ignore_permission_denied=True,
            force_polling=polling or None,
        ):
            if not held.is_the_same():
                return
            now = clock.seconds()
            overdue = self._failure and now - tried >= self._pause
            if not (changed or fresh or overdue) and now - looked >= LOOK_AT_LEAST:
                overdue = self._missed()
                looked = clock.seconds() + SCAN_PAUSE_FACTOR * (clock.seconds() - now)
            # A commit gives records dates and revisions, and changes no file of the content.
            committed = self._commits.has_changed()
            if changed or fresh or overdue or committed:
                everything = fresh or overdue or committed or self._failure
                self.reload([Path(path) for _, path in changed] if not everything else (), silent=committed)
                tried, fresh = clock.seconds(), False

    def _missed(self) -> bool:
        """Whether the folder changed without an event from the system, as on network disks."""
        inside = (
            self._settings.state.resolve().is_relative_to(self._root)
            and self._settings.state.resolve() not in self._ignored[2:]
        )
        return not self._failure and not inside and not self._builder.follows()

    def reload(self, changed: Collection[Path] = (), *, silent: bool = False) -> None:
        """Build the next edition; while the content has faults, the last good one is served.

        ``changed`` as for ``Builder.build``. With ``silent`` nothing is said of an edition that is the one before.
        """
        with self._turn:
            began, before = clock.seconds(), self._failure
            with self._surviving():
                standing = self._builder.digest()
                built = self._builder.build(clock.now(), changed)
                self._failure = ""
                self._index_later(built)
                self._report(built)
                silent, self._compared = silent or not self._compared, True
                if built.printed and not (silent and built.printed.digest == standing):
                    note(f"Published: {built.printed.rendered} units rendered in {clock.seconds() - began:.2f} s.")
            if self._failure and self._failure == before:
                self._pause = min(MAX_RETRY_S, self._pause * 2)
                return
            self._pause = MIN_RETRY_S
            if self._failure:
                warn("The last good edition stays.")

    @contextmanager
    def _surviving(self, *, forgiving: bool = True) -> Iterator[None]:
        """The one place that catches what a build raises: reported in one sentence, once.

        Where it is not ``forgiving`` only faults of the content are caught: the command then ends with what else
        there is.
        """
        try:
            yield
        except Faults as faults:
            self._failed(refusal(faults.faults).rstrip())
        except BaseException as error:
            if not forgiving or isinstance(error, KeyboardInterrupt | SystemExit | GeneratorExit):
                raise
            log.debug("the edition could not be made", exc_info=True)
            said = about_shortage(error) or (_line(error) if isinstance(error, OSError | CitepressError) else "")
            if not isinstance(error, OSError | CitepressError):
                # What it has kept may be at fault too, or take the memory that is wanting.
                self._builder = Builder(self._settings, self._output, lasting=self._lasting)
            if said:
                self._failed(f"citepress: the edition cannot be made: {said}")
                return
            self._failed(
                f"citepress: an unexpected error, {type(error).__name__}: {_line(error)}{self._keep_traceback(error)}"
            )

    def _failed(self, sentence: str) -> None:
        if sentence != self._failure:
            report(sentence, logging.WARNING)
        self._failure = sentence

    def _keep_traceback(self, error: BaseException) -> str:
        """The path of the traceback, as the end of a sentence."""
        with suppress(OSError):
            file = self._settings.state / TRACEBACK
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("".join(traceback.format_exception(error)), "utf-8", "backslashreplace")
            return f". Its traceback is in {file}"
        return ""

    def _index_later(self, built: BuildResult) -> None:
        """The index of many records takes seconds, and a page must not wait for it.

        One is made at a time, the newest last.
        """

        def make(before: threading.Thread | None) -> None:
            if before:
                before.join()
            if self._newest is built:
                with self._surviving():
                    self._builder.index(built, clock.now(), measured=self._published is not None)
                    self._hand_over(built)
                    if self._published is None:
                        self._measure_later()
                give_back()  # with each edit the heap would go on to hold the free pages of the one before

        self._newest = built
        self._indexing = threading.Thread(target=make, args=(self._indexing,), name="index", daemon=True)
        self._indexing.start()

    def _measure_later(self) -> None:
        """What extensions measure takes seconds, so it waits until several changes have come."""

        def measure() -> None:
            while not self._stopped.wait(MEASURING_PAUSE_S) and self._newest:
                with self._surviving():
                    if not self._builder.measure_index(self._newest, clock.now()):
                        return

        if not (self._measuring and self._measuring.is_alive()):
            self._measuring = threading.Thread(target=measure, name="measure", daemon=True)
            self._measuring.start()

    def _hand_over(self, built: BuildResult) -> None:
        if self._published:
            self._published(self._builder, built)

    def _report(self, built: BuildResult) -> None:
        """Announce and record what is published now, schedule the next build, and show the number of warnings."""
        for announcer in self._announcers if self._published is None else ():
            announcer.announce_later(built.pointer)
        later = clock.now() + timedelta(seconds=self._follow_up(built))
        self._next = min(built.next_moment, later) if built.next_moment else later
        left_out = [brief(fault) for fault in built.warnings if fault.code is SET_ASIDE]
        for text in [text for text in left_out if text not in self._left_out][:MAX_NAMED_FILES]:
            note(text)
        self._left_out = frozenset(left_out)
        if built.held_back not in ("", self._held_back):
            note(f"{built.held_back}; `citepress check --all` names each.")
        self._held_back = built.held_back
        if warnings := [fault for fault in built.warnings if fault.code.level is not Level.NOTE]:
            note(f"{counted(len(warnings), 'warning')}; `citepress check` shows them.")

    def _follow_up(self, built: BuildResult) -> float:
        """Let extensions record what was published; return the seconds after which to try again."""
        if built.archive is None:
            return MAX_SCHEDULE_WAIT_S
        try:
            after_publication(self._settings, self._database, built.archive, clock.now())
        except StoreUnavailable as away:
            note("What was published is recorded as soon as the store answers.")
            return away.retry_after
        finally:
            self._database.close()  # a worker may be replaced at any time
        return MAX_SCHEDULE_WAIT_S


class _Held:
    """A folder that is held open, so that no other can take its number in the meantime."""

    def __init__(self, folder: Path, opened: int) -> None:
        self._folder, self._opened = folder, opened

    def is_the_same(self) -> bool:
        """Whether the path still leads to this folder."""
        try:
            return os.path.samestat(os.stat(self._folder), os.fstat(self._opened))  # noqa: PTH116  (looked at twice a second)
        except OSError:
            return False


@contextmanager
def _held(folder: Path) -> Iterator[_Held | None]:
    """A folder that is held open for a while, or ``None`` if it does not exist."""
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        yield None
        return
    try:
        yield _Held(folder, opened)
    finally:
        os.close(opened)


def _line(error: BaseException) -> str:
    """An error's own words on one line."""
    return " ".join(str(error).split())[:300]
