"""Composes the aggregator, which closes hours and renders reports, over the stores of a state folder."""

import logging
import threading
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from citepress.admin.build import separate_output
from citepress.app.registry import render_context
from citepress.base import clock
from citepress.base.companion_process import CompanionProcess
from citepress.contract.settings_table import settings_of
from citepress.contract.site import Deployment
from citepress.contract.store import StoreUnavailable
from citepress.edition.early_pack import rendered_units
from citepress.edition.edition import Edition, open_edition, pointer
from citepress.edition.pack import PackError
from citepress.settings import Settings, deployment_of
from citepress.stores.local.election import FileElection
from citepress.stores.local.overlay import LocalOverlay
from citepress.stores.sql.database import Database
from citepress_telemetry.identify.user_agents.verdict import UserAgentClassifier
from citepress_telemetry.identify.verify.directories import DIRECTORIES_FILE as DIRECTORIES
from citepress_telemetry.identify.verify.directories import Directory, read_directories
from citepress_telemetry.identify.verify.signatures import required
from citepress_telemetry.ports import Election, Overlay
from citepress_telemetry.reports.publication import ReportPublisher, classifier_info
from citepress_telemetry.rollup.aggregator import Aggregator, AggregatorRules, Refine, unchanged
from citepress_telemetry.rollup.closing import Signatures
from citepress_telemetry.settings import TelemetryCapture, TelemetryRules
from citepress_telemetry.sql.dimensions import SqlDimensions
from citepress_telemetry.sql.election import SqlElection
from citepress_telemetry.sql.overlay import SqlOverlay
from citepress_telemetry.sql.rollups import SqlRollups
from citepress_telemetry.sql.spool import open_spool
from citepress_telemetry.stores import open_rollup_store

log = logging.getLogger(__name__)
BESIDE = "telemetry"
"""Folder in the state folder for an edition that nobody is shown, where no server has built one."""
NICENESS = 10
AGAIN_S = 5.0
"""Seconds after which stores are opened again that could not be."""


def aggregator_process(settings: Settings, pointed: Path) -> CompanionProcess | None:
    """The process beside the workers; ``None`` where ``[telemetry]`` leaves the work to another.

    Raises ``SignaturesUnavailable`` where signatures are to be verified and the library is not installed.
    """
    capture = settings_of(deployment_of(pointed), TelemetryCapture)
    rules = settings_of(open_edition(pointed).config.publication, TelemetryRules)
    if capture.enabled and rules.signatures:
        required()
    if not (capture.enabled and capture.aggregator):
        return None
    return CompanionProcess("aggregator", partial(aggregate, settings), NICENESS)


def renders_reports(settings: Settings, deployment: Deployment) -> bool:
    """Whether reports come from this installation, or from another one with the same database."""
    capture = settings_of(deployment, TelemetryCapture)
    return bool(settings.database_url) or (capture.enabled and capture.aggregator)


COMPANIONS, OVERLAYS = (aggregator_process,), (renders_reports,)


def aggregate(settings: Settings, stop: threading.Event) -> None:
    """Close due hours and render reports until ``stop`` is set. Raises ``DatabaseError``."""
    while rendered_units(settings.state) is not None and not stop.is_set():
        stop.wait(AGAIN_S)  # for the first edition
    while not stop.is_set():
        try:
            aggregator, election = create_aggregator(settings, stop)
            aggregator.run(election, clock.now)
        except StoreUnavailable:  # the store has logged why
            stop.wait(AGAIN_S)
        except PackError as error:  # a damaged edition is being made anew
            log.warning("no reports for now: %s", error)
            stop.wait(AGAIN_S)
        else:
            return


def close_now(settings: Settings) -> int | None:
    """Close due hours and render reports once; the hours closed, or ``None`` where another process aggregates.

    Raises ``DatabaseError``, ``PackError`` and ``StoreUnavailable``.
    """
    aggregator, election = create_aggregator(settings, threading.Event())
    if not election.won():
        return None
    try:
        return aggregator.close_due(clock.now())
    finally:
        election.resign()


def create_aggregator(settings: Settings, stop: threading.Event) -> tuple[Aggregator, Election]:
    """The aggregator of a state folder over its stores, and what elects it. Raises as ``close_now`` does."""
    classifier, rules = UserAgentClassifier(), current_rules(settings)
    capture = current_capture(settings)
    database = open_rollup_store(settings.state, settings.database_url)
    overlay, election = overlay_and_election(settings, database)
    publisher = report_publisher(settings, database, classifier)
    spool = open_spool(settings.state, settings.database_url)
    refine: Refine = unchanged
    if rules.signatures:
        keys = {row.family.name: row.family.signature for row in classifier.table.rows}
        refine = Signatures(spool, publisher.dimensions, keys, partial(_directories, settings.state))
    aggregator = Aggregator(
        spool,
        publisher.rollups,
        publisher.dimensions,
        AggregatorRules(classifier.version, rules.retention_hours, capture.spool_max_mb),
        stop,
        lambda: publisher.publish(overlay, clock.now()),
        refine,
        edition=partial(_pointer_bytes, pointer(settings.state)),
    )
    return aggregator, election


def report_publisher(
    settings: Settings, database: Database, classifier: UserAgentClassifier | None = None
) -> ReportPublisher:
    """The publisher of a state folder's reports over a rollup store."""
    info = classifier_info(classifier or UserAgentClassifier())
    return ReportPublisher(
        settings.state,
        partial(current_edition, settings),
        SqlRollups(database),
        SqlDimensions(database),
        render_context,
        info,
    )


def current_edition(settings: Settings) -> Edition:
    """The edition that servers follow; where there is none, the one that a telemetry command built beside it.

    Raises ``PackError``.
    """
    return open_edition(_current_pointer(settings))


def current_rules(settings: Settings) -> TelemetryRules:
    """What the current edition says of its counts. Raises ``PackError``."""
    return settings_of(current_edition(settings).config.publication, TelemetryRules)


def current_capture(settings: Settings) -> TelemetryCapture:
    """How this installation counts the requests for the current edition. Raises ``SettingsError``."""
    return settings_of(deployment_of(_current_pointer(settings)), TelemetryCapture)


def _current_pointer(settings: Settings) -> Path:
    """The pointer that servers follow if it names an edition, or else that of the telemetry commands."""
    try:
        open_edition(pointer(settings.state))
    except PackError:
        return pointer(separate_output(settings, BESIDE))
    return pointer(settings.state)


def overlay_and_election(settings: Settings, database: Database) -> tuple[Overlay, Election]:
    """Where reports are published and what elects: the database for several nodes, the state folder for one host."""
    if settings.database_url:
        return SqlOverlay(database), SqlElection(database)
    return LocalOverlay(settings.state), FileElection(settings.state)


def _pointer_bytes(pointed: Path) -> bytes | None:
    """The bytes of the pointer to the edition; ``None`` where there is none."""
    try:
        return pointed.read_bytes()
    except OSError:
        return None


def _directories(state: Path) -> Iterable[Directory]:
    """The pinned directories of signing keys. Raises ``DirectoriesError``."""
    return read_directories(state / DIRECTORIES).values()
