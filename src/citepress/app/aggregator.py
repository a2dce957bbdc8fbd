"""The aggregator joined: a quiet process beside the workers that closes hours and renders reports."""

import logging
import os
import signal
import threading
from collections.abc import Iterable
from functools import partial
from multiprocessing import get_context
from multiprocessing.context import SpawnProcess
from pathlib import Path

from citepress.app.reports import ClassifierInfo, render
from citepress.app.telemetry import settings_of, standing
from citepress.base import clock
from citepress.contract.reports.head import Classifier, ClassifierSource
from citepress.contract.store import StoreUnavailable
from citepress.edition.edition import open_edition, pointer
from citepress.settings import Settings
from citepress.stores.local.election import FileElection
from citepress.stores.local.overlay import LocalOverlay
from citepress.stores.sql.database import Database
from citepress.stores.sql.migrate import open_rollup_store
from citepress.stores.sql.telemetry.dimensions import SqlDimensions
from citepress.stores.sql.telemetry.election import SqlElection
from citepress.stores.sql.telemetry.overlay import SqlOverlay
from citepress.stores.sql.telemetry.rollups import SqlRollups
from citepress.stores.sql.telemetry.spool import open_spool
from citepress.telemetry.identify.user_agents.verdict import UserAgentClassifier
from citepress.telemetry.identify.verify.closing import Signatures
from citepress.telemetry.identify.verify.directories import Directory, read
from citepress.telemetry.identify.verify.signatures import required
from citepress.telemetry.ports import Election, Overlay
from citepress.telemetry.rollup.aggregator import Aggregator, AggregatorRules, unchanged

NICENESS = 10
DIRECTORIES = "directories.json"
"""Pinned directories of signing keys, in the state folder."""
STOP_SECONDS = 5.0
"""A process that has not ended by then is killed; an hour that it was closing is closed by the next."""
AGAIN_S = 5.0
"""Seconds after which stores are opened again that could not be, or a process is started again that died."""
LOOK_S = 1.0
"""Seconds between two looks whether the parent still lives."""
log = logging.getLogger(__name__)


class AggregatorProcess:
    """Keeps an aggregator process running for as long as this process serves."""

    def __init__(self, settings: Settings, pointed: Path) -> None:
        """``pointed`` names the edition whose ``[telemetry]`` says whether there is anything to do.

        Raises ``SignaturesUnavailable`` where signatures shall be checked and the library is not there.
        """
        own = settings_of(open_edition(pointed).facts)
        if own.enabled and own.signatures:
            required()
        self._wanted = own.enabled and own.aggregator
        self._settings = settings
        self._stop = threading.Event()
        self._process: SpawnProcess | None = None
        self._thread = threading.Thread(target=self._keep, name="aggregator", daemon=True)

    def start(self) -> None:
        """Begin, unless the settings leave it to another; before workers are forked, who must not copy a thread that is starting one."""
        if self._wanted:
            self._process = self._started()
            self._thread.start()

    def stop(self) -> None:
        """End the process, within five seconds."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _started(self) -> SpawnProcess:
        """Spawned: a fork would copy open connections and the locks of other threads."""
        process = get_context("spawn").Process(
            target=_process, args=(self._settings, os.getpid()), name="citepress-aggregator", daemon=True
        )  # fmt: skip
        process.start()
        return process

    def _keep(self) -> None:
        """Start it again when it dies."""
        while self._process is not None:
            while self._process.is_alive() and not self._stop.wait(LOOK_S):
                pass
            if self._stop.is_set():
                _end(self._process)
                return
            log.error("the aggregator ended with code %s and is started again", self._process.exitcode)
            if self._stop.wait(AGAIN_S):
                return
            self._process = self._started()


def aggregate(settings: Settings, stop: threading.Event) -> None:
    """Close what is due and render reports, again and again, until told to stop. Raises ``DatabaseError`` and ``PackError``."""
    while not stop.is_set():
        try:
            aggregator, election = create_aggregator(settings, stop)
        except StoreUnavailable:  # the store has logged why
            stop.wait(AGAIN_S)
        else:
            aggregator.run(election, clock.now)
            return


def close_now(settings: Settings) -> int | None:
    """Close what is due and render reports once; give the hours closed, or ``None`` where another process is the aggregator.

    Raises ``DatabaseError``, ``PackError`` and ``StoreUnavailable``.
    """
    aggregator, election = create_aggregator(settings, threading.Event())
    if not election.won():
        return None
    try:
        return aggregator.close_due(clock.now())
    finally:
        election.resign()


def classifier_info(judge: UserAgentClassifier) -> ClassifierInfo:
    """What reports say of the classifier."""
    sources = [ClassifierSource(name=source.name, version=source.version, license=source.license) for source in judge.sources]
    return ClassifierInfo(Classifier(version=judge.version, sources=sources))


def create_aggregator(settings: Settings, stop: threading.Event) -> tuple[Aggregator, Election]:
    """The aggregator of a state folder over its stores, and what elects it. Raises as ``aggregate`` does, and ``StoreUnavailable``."""
    own, judge = standing(settings), UserAgentClassifier()
    database = open_rollup_store(settings.state, settings.database_url)
    rollups, dimensions = SqlRollups(database), SqlDimensions(database)
    overlay, election = shared(settings, database)

    def rendered() -> None:
        render(settings, rollups, dimensions, overlay, classifier_info(judge), clock.now())

    rules = AggregatorRules(judge.version, own.retention_hours, own.spool_max_mb)
    spool = open_spool(settings.state, settings.database_url)
    signers = {row.family.name: row.family.signature for row in judge.table.rows}
    refine = Signatures(spool, dimensions, signers, partial(_directories, settings.state)) if own.signatures else unchanged
    return Aggregator(
        spool, rollups, dimensions, rules, stop, rendered, refine, edition=partial(_edition, pointer(settings.state))
    ), election


def _edition(pointed: Path) -> bytes | None:
    """What the pointer to the edition says; ``None`` while it says nothing."""
    try:
        return pointed.read_bytes()
    except OSError:
        return None


def _directories(state: Path) -> Iterable[Directory]:
    """The pinned directories of signing keys. Raises ``DirectoriesError``."""
    return read(state / DIRECTORIES).values()


def shared(settings: Settings, database: Database) -> tuple[Overlay, Election]:
    """Where reports are published and who elects: the database for several nodes, the state folder for one host."""
    if settings.database_url:
        return SqlOverlay(database), SqlElection(database)
    return LocalOverlay(settings.state), FileElection(settings.state)


def _end(process: SpawnProcess) -> None:
    process.terminate()
    process.join(STOP_SECONDS)
    if process.is_alive():
        process.kill()
        process.join()


def _process(settings: Settings, parent: int) -> None:
    """What the process does; it ends with its parent, however that ended."""
    stop = threading.Event()
    for sign in (signal.SIGTERM, signal.SIGINT):
        signal.signal(sign, lambda *_: stop.set())
    os.nice(NICENESS)
    threading.Thread(target=_follow, args=(parent, stop), name="parent", daemon=True).start()
    aggregate(settings, stop)


def _follow(parent: int, stop: threading.Event) -> None:
    while not stop.wait(LOOK_S):
        if os.getppid() != parent:
            stop.set()
