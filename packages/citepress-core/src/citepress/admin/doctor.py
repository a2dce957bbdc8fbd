"""Examines an installation: what would keep it from serving well, and what to do about each."""

import os
import shlex
import shutil
import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import sqlalchemy as sa

from citepress.admin.build import Builder
from citepress.admin.restore_drill import last_drill
from citepress.app.worker import check_counters
from citepress.base import clock
from citepress.base.errors import CitepressError
from citepress.base.folder_lock import WATCHING, lock_purpose
from citepress.base.text import counted
from citepress.contract.fault import Faults, Level
from citepress.contract.site import NAME_PROXIES, Site, is_wide
from citepress.edition.edition import open_edition, pointer
from citepress.extension import joined
from citepress.history.state_files import EDITIONS_LOG
from citepress.hooks import Guard, shaped
from citepress.search.meaning import vectors_of
from citepress.search.state import INDEX_FOLDER, indexed_edition, vectors_state
from citepress.settings import Settings, deployment_of
from citepress.stores.sql.database import STATE_FILE
from citepress.stores.sql.migrate import open_store, open_tables
from citepress.stores.sql.store_tables import declared_stores
from citepress.transparency.continuity import BrokenHistoryError, check_keys
from citepress.transparency.signing import KEY_FILE
from citepress.web.serve import CannotListenError, listening_address

CheckStatus = Literal["ok", "warning", "failure"]
LOW_BYTES, MIN_FREE_BYTES = 1 << 30, 100 << 20
"""Free bytes on the disk of the state below which it is a warning, and a failure."""
EARLIEST = datetime(2026, 9, 1, tzinfo=UTC)
"""No clock is right that says less: the contract is of that day."""
DRIFT_S = 5.0
"""Seconds that the clocks of this machine and of the database may differ."""
ASK_S = 10
MAX_DRILL_AGE_DAYS = 92
"""Days after which a restore drill is due again: once a quarter."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check."""

    check: str
    status: CheckStatus
    detail: str
    todo: str = ""
    """What to do, where it is not ``ok``."""


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """A check of an extension."""

    name: str
    command: str
    """The words after ``citepress`` that say more where the check itself fails; the command takes ``--content``."""
    findings: Callable[[Settings, Site], Iterable[Finding]]


def examine(settings: Settings) -> Iterator[Finding]:
    """Run every check; a check that fails in a way of its own is a failure with the sentence of its error."""
    builder = Builder(settings)
    checks: tuple[tuple[str, str, Callable[[], Iterable[Finding]]], ...] = (
        ("settings", "correct the setting that it names", lambda: _settings(builder)),
        ("clock", "synchronize the clock (systemd-timesyncd or chrony)", lambda: _clock(settings)),
        ("disk", "make the state folder writable for the user of the service", lambda: _disk(settings)),
        ("stores", "start the store, or correct its address and password", lambda: _stores(settings)),
        ("backups", "restore a backup on trial", lambda: _backups(settings)),
        (
            "edition",
            f"run {command(settings, 'check')}, then {command(settings, 'serve')}",
            lambda: _edition(settings, builder),
        ),
        *(
            (check.name, f"run {command(settings, check.command)}", partial(_extended, check, settings, builder))
            for check in joined("doctor", DoctorCheck)
        ),
        ("proxies", "correct trusted_proxies", lambda: _proxies(settings, builder)),
        ("ports", "choose another address with --host and --port", lambda: _ports(settings)),
    )
    for name, todo, check in checks:
        try:
            yield from check()
        except Faults as faults:
            yield Finding(name, "failure", f"the content has {faults}", f"run {command(settings, 'check')}")
        except (CitepressError, OSError) as error:
            yield Finding(name, "failure", " ".join(str(error).split()), todo)


def command(settings: Settings, name: str) -> str:
    """A command for this installation, ready for a shell."""
    usual = settings.root / "state" == settings.state
    state = [] if usual or name == "check" else ["--state", str(settings.state)]
    folder = [] if settings.root == Path() else [str(settings.root)]
    option = ["--content"] if folder and name not in {"check", "serve"} else []
    return shlex.join(["citepress", *name.split(), *option, *folder, *state])


def _extended(check: DoctorCheck, settings: Settings, builder: Builder) -> Iterator[Finding]:
    site = _site(builder)
    with Guard("doctor", check):
        yield from (shaped(finding, Finding) for finding in check.findings(settings, site))


def _settings(builder: Builder) -> Iterator[Finding]:
    _, faults = builder.check(clock.now())
    errors = sum(fault.code.level is Level.ERROR for fault in faults)
    if errors:
        yield Finding(
            "settings",
            "failure",
            f"site.toml and the content have {counted(errors, 'error')}",
            f"run {command(builder.settings, 'check')}",
        )
    else:
        yield Finding(
            "settings", "ok", f"site.toml and the content have no errors, and {counted(len(faults), 'warning')}"
        )
    address = builder.settings.applied(_site(builder)).base_url
    if urlsplit(address).scheme != "https":
        todo = "set base_url, or CITEPRESS_BASE_URL, to the public https address before you publish"
        yield Finding("settings", "warning", f"the public address is {address}, which is not https", todo)


def _clock(settings: Settings) -> Iterator[Finding]:
    todo = "synchronize the clock (systemd-timesyncd or chrony)"
    now = clock.now()
    if now < EARLIEST:
        yield Finding("clock", "failure", f"the clock says {now:%Y-%m-%d}, which is in the past", todo)
        return
    if settings.database_url:
        with closing(open_store(settings.state, settings.database_url)) as database, database.reading() as connection:
            there = connection.scalar(sa.select(sa.func.extract("epoch", sa.func.clock_timestamp())))
        drift = abs(float(there or 0) - clock.now().timestamp())
        if drift > DRIFT_S:
            yield Finding("clock", "failure", f"the clock of the database differs by {drift:.0f} s", todo)
            return
    published = pointer(settings.state)
    if published.is_file() and published.stat().st_mtime > now.timestamp() + DRIFT_S:
        yield Finding("clock", "warning", "the edition was published in the future: the clock was set back", todo)
        return
    yield Finding("clock", "ok", f"{now:%Y-%m-%d %H:%M:%S} UTC")


def _disk(settings: Settings) -> Iterator[Finding]:
    folder = next(path for path in (settings.state, *settings.state.absolute().parents) if path.is_dir())
    if not os.access(folder, os.W_OK | os.X_OK):
        todo = "make it writable for the user of the service"
        yield Finding("disk", "failure", f"{folder} cannot be written", todo)
        return
    free = shutil.disk_usage(folder).free
    status: CheckStatus = "failure" if free < MIN_FREE_BYTES else "warning" if free < LOW_BYTES else "ok"
    todo = "" if status == "ok" else "free some space: a build keeps the former edition until the new one is complete"
    yield Finding("disk", status, f"{free / (1 << 30):,.1f} GiB are free for {settings.state}", todo)


def _stores(settings: Settings) -> Iterator[Finding]:
    if not settings.database_url and not (settings.state / STATE_FILE).is_file():
        yield Finding(
            "stores", "ok", f"{settings.state / STATE_FILE} is made when the service starts for the first time"
        )
    else:
        with closing(open_store(settings.state, settings.database_url)) as database:
            with database.writing():  # a store that can be read may be full or read-only
                pass
            counting = check_counters(settings, database)
            yield Finding("stores", "ok", f"{database.name} answers")
        for file in declared_stores():
            if file != STATE_FILE:
                with closing(open_tables(file, settings.state, settings.database_url)) as database, database.reading():
                    yield Finding("stores", "ok", f"{database.name} answers, for {Path(file).stem}")
        if counting:
            yield Finding("stores", "ok", f"{counting} answers")


def _backups(settings: Settings) -> Iterator[Finding]:
    if not settings.database_url and not (settings.state / STATE_FILE).is_file():
        yield Finding("backups", "ok", "there is nothing to back up yet")
        return
    todo = f"run {command(settings, 'backup FOLDER')}, then {command(settings, 'restore FOLDER --drill')}"
    if (last := last_drill(settings.state)) is None:
        yield Finding("backups", "warning", "no backup has been restored on trial yet", todo)
        return
    detail = (
        f"the last restore drill was on {last.drilled_at:%Y-%m-%d}, of a backup of {last.backup_created_at:%Y-%m-%d}"
    )
    old = (clock.now() - last.drilled_at).days > MAX_DRILL_AGE_DAYS
    yield Finding("backups", "warning" if old else "ok", detail, todo if old else "")


def _edition(settings: Settings, builder: Builder) -> Iterator[Finding]:
    try:
        check_keys(settings.state, None, logged=(settings.state / EDITIONS_LOG).exists())
    except BrokenHistoryError as error:
        yield Finding("edition", "failure", str(error), f"copy {KEY_FILE} into {settings.state}")
    place = pointer(settings.state)
    if not place.is_file():
        yield Finding("edition", "warning", "nothing has been published yet", f"run {command(settings, 'serve')}")
        return
    edition = open_edition(place)
    if builder.follows():
        yield Finding("edition", "ok", f"{edition.digest[:12]} is made from the content as it is")
    else:
        detail = "the content has changed since the edition was published"
        yield Finding("edition", "warning", detail, _taken_over(settings))
    folder = settings.state / INDEX_FOLDER
    if indexed_edition(folder) != edition.digest:
        todo = "wait a moment; if it stays so, read the log of the service"
        yield Finding("edition", "warning", "the search index is not the one of this edition", todo)
    else:
        vectors = vectors_of(deployment_of(place))
        good, sentence = vectors_state(folder, vectors)
        todo = f"{vectors.help}, and the log of the service" if vectors and not good else ""
        yield Finding("edition", "ok" if good else "warning", sentence, todo)


def _taken_over(settings: Settings) -> str:
    """What to do so that changed content is published: nothing but wait where the service watches it."""
    purpose = lock_purpose(settings.state)
    if purpose is None:
        return f"run {command(settings, 'serve')}"
    if purpose == WATCHING:
        return "wait a moment: the service watches the content, and publishes it as soon as it has no errors"
    return "restart the service, or serve with --watch"


def _proxies(settings: Settings, builder: Builder) -> Iterator[Finding]:
    site = settings.applied(_site(builder))
    networks = site.trusted_proxies
    if wide := [*filter(is_wide, networks)]:
        todo = f"{NAME_PROXIES}: every client in this network can choose its own address"
        yield Finding("proxies", "failure", f"{', '.join(wide)} is trusted to name clients", todo)
    elif not networks and urlsplit(site.base_url).scheme == "https":
        todo = "set CITEPRESS_TRUSTED_PROXIES to the address of the proxy that ends TLS"
        detail = "no proxy is trusted, so all readers behind one share a limit"
        yield Finding("proxies", "warning", detail, todo)
    else:
        named = ", ".join(networks) or "none"
        yield Finding("proxies", "ok", f"trusted to name clients in {site.forwarded_field}: {named}")


def _ports(settings: Settings) -> Iterator[Finding]:
    place = f"{settings.host} port {settings.port}"
    try:
        listening_address(settings.host, settings.port)
    except CannotListenError as error:
        if not _is_citepress(settings):
            todo = "stop the other program, or choose another address with --host and --port"
            yield Finding("ports", "failure", str(error), todo)
            return
        yield Finding("ports", "ok", f"citepress answers at {place}")
    else:
        yield Finding("ports", "ok", f"{place} is free")


def _is_citepress(settings: Settings) -> bool:
    """Whether a server of ours answers at the address; a wildcard address is asked at loopback."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.host, settings.host)  # noqa: S104  (not listened on)
    with suppress(OSError), socket.create_connection((host, settings.port), ASK_S) as link:
        link.sendall(b"HEAD /openapi.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        head = b"".join(iter(lambda: link.recv(4096), b""))
        return b"\r\nratelimit-policy:" in head.lower()
    return False


def _site(builder: Builder) -> Site:
    return builder.folder(clock.now()).site
