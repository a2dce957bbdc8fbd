"""The inbox in a database: durable submissions, exact detection of repeats, exact counts per client."""

import logging
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import orjson
import sqlalchemy as sa

from citepress.base import clock, fast_json
from citepress.contract.limits import SITE_QUOTA, Limit, LimitState, site_of
from citepress.contract.notes import note
from citepress.contract.store import StoreUnavailable
from citepress.stores.sql.database import Database
from citepress.stores.sql.secret import client_hash, secret
from citepress_inbox.limits import QUOTA_WINDOW_S
from citepress_inbox.ports import (
    Status,
    StatusChange,
    StatusConflict,
    StoredSubmission,
    SubmissionEvent,
    SubmissionQuotaExceeded,
    SubmissionReceipt,
)
from citepress_inbox.submissions import New
from citepress_inbox.tables import EVENTS, REPEATS, SPENDING, SUBMISSIONS

SWEEP_EVERY = 3600
"""Seconds between two deletions of rows older than a day."""
AGENT = "agent"
"""The author of the first event; the agent's name is only in the body."""

log = logging.getLogger(__name__)


class SqlInbox:
    """Implements ``inbox.ports.InboxStore`` on a migrated database."""

    def __init__(self, database: Database) -> None:
        """Raises ``StoreUnavailable``."""
        self._database = database
        self._key = secret(database)
        self._swept = -float(SWEEP_EVERY)

    def submit(self, new: New, client: str, limit: Limit, moment: datetime) -> SubmissionReceipt:
        """Queue a submission, or return the earlier one; see the port."""
        now, who = _seconds(moment), client_hash(self._key, client)
        site = client_hash(self._key, around) if (around := site_of(client)) != client else b""
        with self._database.writing() as connection:
            self._database.lock(connection, new.key, *([site] if site else []), who)
            earlier = _earlier(connection, new.key, now)
            spent = _spent_by(connection, who, site, limit, now)
            # A repeat costs nothing: whoever resends after a lost answer must not be refused for it.
            if earlier is None and not spent.allowed:
                raise SubmissionQuotaExceeded(spent)
            if earlier is None:
                _queue(connection, new, now)
                connection.execute(SPENDING.insert(), [{"client": key, "at": now} for key in (who, site) if key])
                spent = LimitState(spent.remaining > 1, spent.remaining - 1, spent.reset)
        self._sweep(now)
        stored = earlier or StoredSubmission(
            new.id, new.kind, Status.QUEUED, new.record, new.body, _moment(now), _moment(now)
        )
        # The inbox paths of the REST interface note theirs themselves.
        note(("inbox", stored.kind, "queued" if earlier is None else "duplicate"))
        return SubmissionReceipt(stored, earlier is not None, spent)

    def spent(self, client: str, limit: Limit, moment: datetime) -> LimitState:
        """What the client has left; see the port."""
        with self._database.reading() as connection:
            return _spent(connection, client_hash(self._key, client), limit, _seconds(moment))

    def find(self, id_: str) -> StoredSubmission | None:
        """The submission of this id."""
        with self._database.reading() as connection:
            return _find(connection, id_)

    def listed(
        self, statuses: Collection[Status] = (), *, start: int = 0, most: int = 500
    ) -> Sequence[StoredSubmission]:
        """Submissions of these statuses, oldest first."""
        query = SUBMISSIONS.select().order_by(SUBMISSIONS.c.number).offset(start).limit(most)
        if statuses:
            query = query.where(SUBMISSIONS.c.status.in_(sorted(statuses)))
        with self._database.reading() as connection:
            return [_stored(row) for row in connection.execute(query)]

    def record(self, id_: str, expected: Status, steps: Sequence[StatusChange], moment: datetime) -> StoredSubmission:
        """Add steps to the history, all or none; see the port."""
        with self._database.writing() as connection:
            self._database.lock(connection, id_.encode())
            stored = _find(connection, id_)
            if stored is None:
                raise KeyError(id_)
            if stored.status is not expected:
                raise StatusConflict(stored)
            # A clock that was set back must not put an event before the one that it follows.
            at = max(_seconds(moment), _seconds(stored.updated_at))
            status = expected
            for step in steps:
                connection.execute(EVENTS.insert().values(_event_row(id_, step, status, at)))
                status = step.to or status
            changes = _changes(steps, status, at)
            if changes:
                connection.execute(SUBMISSIONS.update().where(SUBMISSIONS.c.id == id_).values(changes))
            now = _find(connection, id_)
        return now or stored

    def history(self, id_: str | None = None, *, after: int = 0, most: int = 500) -> Sequence[SubmissionEvent]:
        """Events of one submission, or of all, in order."""
        query = EVENTS.select().where(EVENTS.c.number > after).order_by(EVENTS.c.number).limit(most)
        if id_ is not None:
            query = query.where(EVENTS.c.submission == id_)
        with self._database.reading() as connection:
            return [_event(row) for row in connection.execute(query)]

    def _sweep(self, now: int) -> None:
        """Delete, from time to time, the hashes of clients whose submissions are more than a day old."""
        if clock.seconds() - self._swept < SWEEP_EVERY:
            return
        # Noted before it is tried, so that a store that fails is not swept by every submission.
        self._swept = clock.seconds()
        try:
            with self._database.writing() as connection:
                for table in (SPENDING, REPEATS):
                    connection.execute(table.delete().where(table.c.at <= now - QUOTA_WINDOW_S))
        except StoreUnavailable:
            log.warning("old rows of the inbox could not be deleted; the next attempt is in %d seconds", SWEEP_EVERY)


def _seconds(moment: datetime) -> int:
    return int(moment.timestamp())


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _find(connection: sa.Connection, id_: str) -> StoredSubmission | None:
    row = connection.execute(SUBMISSIONS.select().where(SUBMISSIONS.c.id == id_)).first()
    return None if row is None else _stored(row)


def _earlier(connection: sa.Connection, key: bytes, now: int) -> StoredSubmission | None:
    """The equal submission of the last day; a time in the future, from a clock that was ahead, becomes now."""
    row = connection.execute(REPEATS.select().where(REPEATS.c.key == key)).first()
    if row is None or row.at <= now - QUOTA_WINDOW_S:
        return None
    if row.at > now:
        connection.execute(REPEATS.update().where(REPEATS.c.key == key).values(at=now))
    return _find(connection, row.submission)


def _no_later_than(connection: sa.Connection, who: bytes, now: int) -> None:
    """After a clock was set back: times in the future become now, so that no client is locked out for long."""
    connection.execute(SPENDING.update().where(SPENDING.c.client == who, SPENDING.c.at > now).values(at=now))


def _spent_by(connection: sa.Connection, who: bytes, site: bytes, limit: Limit, now: int) -> LimitState:
    """What a client has left; nothing where the networks of its IPv6 site have together spent what a site may."""
    _no_later_than(connection, who, now)
    spent = _spent(connection, who, limit, now)
    if not site:
        return spent
    _no_later_than(connection, site, now)
    around = _spent(connection, site, replace(limit, quota=limit.quota * SITE_QUOTA), now)
    return spent if around.allowed else LimitState(False, 0, around.reset)


def _spent(connection: sa.Connection, who: bytes, limit: Limit, now: int) -> LimitState:
    """What a client has left of its sliding window."""
    mine = (SPENDING.c.client == who) & (SPENDING.c.at > now - limit.window)
    times = [
        min(at, now)
        for at in connection.scalars(
            sa.select(SPENDING.c.at).where(mine).order_by(SPENDING.c.at.desc()).limit(limit.quota)
        )
    ]
    left = limit.quota - len(times)
    return LimitState(left > 0, left, max(1, times[-1] + limit.window - now) if times else limit.window)


def _queue(connection: sa.Connection, new: New, now: int) -> None:
    values = {"id": new.id, "kind": new.kind, "status": Status.QUEUED, "record": new.record, "body": _text(new.body)}
    connection.execute(SUBMISSIONS.insert().values(values | {"submitted_at": now, "updated_at": now}))
    connection.execute(EVENTS.insert().values(_event_row(new.id, StatusChange(AGENT, Status.QUEUED), None, now)))
    connection.execute(REPEATS.delete().where(REPEATS.c.key == new.key))
    connection.execute(REPEATS.insert().values(key=new.key, submission=new.id, at=now))


def _event_row(id_: str, step: StatusChange, status: Status | None, at: int) -> dict[str, Any]:
    coded = {"reason_code": step.reason_code, "duplicate_of": step.duplicate_of, "credited_in": step.credited_in}
    detail = {**step.detail, **{name: value for name, value in coded.items() if value is not None}}
    came_from = status if step.to else None
    return {
        "submission": id_,
        "at": at,
        "by": step.by,
        "came_from": came_from,
        "to": step.to,
        "note": step.note,
        "detail": _text(detail),
    }


def _changes(steps: Sequence[StatusChange], status: Status, at: int) -> dict[str, Any]:
    """The columns that the steps change; none if they are notes."""
    if not any(step.to for step in steps):
        return {}
    changes: dict[str, Any] = {"status": status, "updated_at": at}
    for step in steps:
        if step.to is Status.IN_REVIEW:  # a decision that was taken back leaves nothing behind
            changes |= dict.fromkeys(("credited_in", "reason_code", "duplicate_of"))
        for name in ("credited_in", "reason_code", "duplicate_of"):
            if (value := getattr(step, name)) is not None:
                changes[name] = value
    return changes


def _text(value: object) -> str:
    return orjson.dumps(value).decode()


def _stored(row: sa.Row[Any]) -> StoredSubmission:
    columns = dict(row._mapping)  # noqa: SLF001  (the public way to name columns)
    del columns["number"]
    moments = {name: _moment(columns[name]) for name in ("submitted_at", "updated_at")}
    return StoredSubmission(**columns | moments | {"status": Status(row.status), "body": fast_json.loads(row.body)})


def _event(row: sa.Row[Any]) -> SubmissionEvent:
    came_from, to = (None if word is None else Status(word) for word in (row.came_from, row.to))
    return SubmissionEvent(
        row.number, row.submission, _moment(row.at), row.by, came_from, to, row.note, fast_json.loads(row.detail)
    )
