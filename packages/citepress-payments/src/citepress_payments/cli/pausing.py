"""``citepress payments pause``: stop a rail from making new quotes, and let it go on."""

import getpass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from citepress.base.clock import unix_now
from citepress.base.text import did_you_mean
from citepress.cli.console import answer, complain, note, unlogged
from citepress.settings import from_environment
from citepress_payments.admin import open_payment_admin
from citepress_payments.cli.options import Content, Json, State, moment
from citepress_payments.open_rails import EVERY
from citepress_payments.ports.rows import Pause
from citepress_payments.rails import BY_SLUG

RailOption = Annotated[str, Parameter(help="Slug of the rail, or all.")]
AtOnce = Annotated[
    bool,
    Parameter(name="--now", help="Refuse open quotes too, except native transfers already made."),
]
Resume = Annotated[bool, Parameter(help="End the pause.")]
Reason = Annotated[str, Parameter(help="A sentence for buyers.")]
By = Annotated[str | None, Parameter(help="Name to record; by default the login name.")]


def pause(
    rail: RailOption,
    /,
    content: Content = Path(),
    *,
    now_: AtOnce = False,
    resume: Resume = False,
    reason: Reason = "",
    by: By = None,
    state: State = None,
    json: Json = False,
) -> int:
    """Pause a rail, or all of them: open quotes can still be paid, new ones are not made."""
    if rail not in {EVERY, *BY_SLUG}:
        complain(f"no rail is called {rail!r}. {did_you_mean(rail, (EVERY, *BY_SLUG))}".rstrip())
        return 2
    if resume and now_:
        complain("--now belongs to a pause, not to --resume")
        return 2
    with unlogged(), open_payment_admin(from_environment(content, state=state)) as stores:
        if not resume:
            rail_pause = Pause(rail, reason or "paused by the operator", by or _login(), unix_now(), now_)
            stores.ledger.pause(rail_pause)
            since = moment(rail_pause.since)
            text = f"{rail} is paused since {since}{'; open quotes are refused too' if now_ else ''}."
            answer(text, {"rail": rail, "paused": True, "since": since, "at_once": now_}, as_json=json)
            return 0
        if not stores.ledger.resume(rail, by or _login(), unix_now()):
            complain(f"{rail} is not paused")
            return 1
        answer(f"{rail} goes on.", {"rail": rail, "paused": False}, as_json=json)
        if rail != EVERY and any(paused.rail == EVERY for paused in stores.ledger.pauses()):
            note("All rails are paused together, this one with them: citepress payments pause all --resume")
    return 0


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "operator"
