"""``citepress payments test``: the whole handshake against a running server, each step told."""

import secrets
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from string import hexdigits
from typing import Annotated, Any

import orjson
from cyclopts import Parameter

from citepress.base.clock import unix_now
from citepress.base.outgoing import OutgoingError
from citepress.cli.console import complain, note, say, unlogged
from citepress.cli.json_output import write_json
from citepress.kinds import ALL as KINDS
from citepress.kinds.posts import KIND as POSTS
from citepress.settings import Settings, SettingsError, from_environment
from citepress_payments.admin import open_payment_admin
from citepress_payments.cli.options import Content, Json, State
from citepress_payments.cli.remote import RemoteServer, TrialError
from citepress_payments.cli.walk import FAILED, UNSOLD, Pay, RailEndpoint, WalkStep, walk
from citepress_payments.drivers import DriverMissingError, test_buyer
from citepress_payments.families import EVM
from citepress_payments.ports.rows import Json as Payload
from citepress_payments.ports.rows import PaymentEntry
from citepress_payments.rails import BY_SLUG, Lane
from citepress_payments.simulated_chain.chain import BUYER
from citepress_payments.simulated_chain.native import send_native
from citepress_payments.simulated_chain.store import SqlSimulatedChain

CAPABILITIES_PATH = "/agent-payments/payment-capabilities"
TRIAL_PRODUCT = "research-bundle-v2"
"""Sold in every lane."""
COLLECTIONS = tuple(kind.name for kind in KINDS if kind.in_header)
KEY_DIGITS = 64
TITLES = 3
"""Of each collection, asked for until something can be sold."""
Url = Annotated[str, Parameter(help="Address of the running server.")]
Rails = Annotated[tuple[str, ...], Parameter(name="--rail", help="Only this rail; may be repeated.")]
Send = Annotated[bool, Parameter(help="Make the transfer of native rails on the simulated chain, in the state store.")]
KeyFile = Annotated[
    Path | None,
    Parameter(help="File of mode 0600 with the private key of a wallet that pays on a real test network; EVM chains."),
]
NodeOption = Annotated[
    str, Parameter(name="--rpc", help="JSON-RPC address of the chain, for the native transfer that --key-file pays.")
]
QueryOption = Annotated[
    str, Parameter(help="A question that the archive can answer; by default titles of its records.")
]


def walked(  # noqa: PLR0913  (everything a buyer may say)
    url: Url = "http://127.0.0.1:8000",
    /,
    content: Content = Path(),
    *,
    rail: Rails = (),
    send: Send = False,
    query: QueryOption = "",
    key_file: KeyFile = None,
    rpc: NodeOption = "",
    state: State = None,
    json: Json = False,
) -> int:
    """Try a purchase over each rail: refusal, preflight, 402, payment, replay, changed body.

    Simulated rails are paid with the published test key, real test networks with --key-file, main networks never.
    The exit code is 1 when a step fails, and when no question could be sold, so that nothing was tried.
    """
    try:
        remote, wallet = (
            RemoteServer(url),
            BuyerWallet(_key(key_file), rpc, send, from_environment(content, state=state)),
        )
        endpoints = list(_endpoints(remote, rail))
        questions = [query] if query else list(_titles(remote))
        if not endpoints or not questions:
            complain(
                f"{url} has nothing to try: no rail is open"
                if not endpoints
                else f"{url} shows no records to ask about; name a --query"
            )
            return 1
        tried = [_try_rail(endpoint, simulated, questions, wallet, quiet=json) for endpoint, simulated in endpoints]
    except (OutgoingError, TrialError, DriverMissingError) as error:
        complain(str(error))
        return 1
    if json:
        write_json({"url": url, "rails": tried})
    return 0 if all(rail["ok"] for rail in tried) else 1


def _endpoints(remote: RemoteServer, wanted: Iterable[str]) -> Iterator[tuple[RailEndpoint, bool]]:
    """Where each rail is paid, and whether it is simulated.

    Raises ``OutgoingError``, ``TrialError`` and ``SettingsError``.
    """
    capabilities = remote.get(CAPABILITIES_PATH).json()
    if not isinstance(capabilities, dict) or "rails" not in capabilities:
        raise TrialError(f"{CAPABILITIES_PATH} is missing: the server is not citepress, or an older version of it")
    lanes: list[dict[str, Any]] = next(
        (product["lanes"] for product in capabilities["products"] if product["id"] == TRIAL_PRODUCT), []
    )
    paths = {slug: lane["path"] for lane in lanes for slug in lane["rails"]}
    if unknown := sorted(set(wanted) - set(paths)):
        raise SettingsError(f"--rail {unknown[0]}: open here are {', '.join(paths) or 'none'}")
    for row in capabilities["rails"]:
        if row["slug"] in paths and (not wanted or row["slug"] in wanted):
            yield RailEndpoint(remote, row["slug"], paths[row["slug"]], TRIAL_PRODUCT), bool(row["simulated"])


def _titles(remote: RemoteServer) -> Iterator[str]:
    """Titles of records, as questions."""
    for collection in COLLECTIONS:
        index = remote.get(f"/{collection}.json").json()
        items = index.get("items", []) if isinstance(index, dict) else []
        yield from (str(item.get("title", ""))[:500] for item in items[:TITLES])


def _body(query: str) -> bytes:
    """A body that nobody has paid for yet: the id in it is drawn by lot, and no record has it."""
    return orjson.dumps(
        {"query": query, "max_sources": 3, "known_stable_ids": [f"{POSTS.name}/handshake-{secrets.token_hex(8)}"]}
    )


@dataclass(frozen=True, slots=True)
class BuyerWallet:
    """What this buyer may pay with."""

    key: str
    """Private key of a wallet on a real test network; empty where none was given."""
    rpc: str
    send: bool
    settings: Settings


def _key(file: Path | None) -> str:
    """The key in a file. Raises ``SettingsError`` without telling it."""
    if file is None:
        return ""
    try:
        if file.stat().st_mode & 0o077:
            raise SettingsError(f"--key-file {file} may be read by its owner alone: chmod 600")
        text = file.read_text("utf-8").strip().removeprefix("0x")
    except (OSError, UnicodeDecodeError):
        raise SettingsError(f"--key-file {file} cannot be read") from None
    if len(text) != KEY_DIGITS or not all(digit in hexdigits for digit in text):
        raise SettingsError(f"--key-file {file} holds no key of an EVM account: {KEY_DIGITS} hexadecimal digits")
    return f"0x{text}"


def _try_rail(
    endpoint: RailEndpoint, simulated: bool, questions: list[str], wallet: BuyerWallet, *, quiet: bool
) -> dict[str, Any]:
    """Walk over one rail and tell each step, unless it is to be ``quiet``; what came of them."""
    tell = note if quiet else say
    tell(f"{endpoint.rail}  POST {endpoint.path}")
    pay, why_not = _simulated_payer(endpoint, wallet) if simulated else _test_network_payer(endpoint, wallet)
    steps: list[WalkStep] = []
    for step in walk(endpoint, [_body(text) for text in questions], pay, why_not):
        tell(f"  {step.word:<8} {step.name}{f' ({step.note})' if step.note else ''}")
        steps.append(step)
    good = all(step.word not in (FAILED, UNSOLD) for step in steps)
    return {"rail": endpoint.rail, "path": endpoint.path, "ok": good, "steps": [asdict(step) for step in steps]}


def _simulated_payer(endpoint: RailEndpoint, wallet: BuyerWallet) -> tuple[Pay | None, str]:
    """How a simulated rail is paid; else why it is not."""
    if BY_SLUG[endpoint.rail].lane is not Lane.NATIVE:
        pay = test_buyer().pay
        return (lambda entry: pay(entry, unix_now(), secrets.token_bytes)), ""
    return (
        (lambda entry: _transferred(entry, wallet.settings), "") if wallet.send else (None, "--send makes the transfer")
    )


def _test_network_payer(endpoint: RailEndpoint, wallet: BuyerWallet) -> tuple[Pay | None, str]:
    """How a rail of a real test network is paid; else why it is not."""
    rail = BY_SLUG.get(endpoint.rail)
    if rail is None or rail.test is None:
        return None, "this rail has no test network, and `payments test` never spends real money"
    if rail.test.family is not EVM:
        return None, "no key of Solana is signed with here: pay with a wallet"
    if not wallet.key:
        return None, f"--key-file names a wallet with {rail.symbol} on {rail.test.network}; a published key has none"
    if rail.lane is Lane.NATIVE and not (wallet.rpc and wallet.send):
        return None, "--rpc names a node of the chain, and --send makes the transfer"
    buyer, place = test_buyer(), rail.test

    def pay(entry: PaymentEntry) -> Payload:
        """Pay, on the test network that the rail is declared with and on no other."""
        # The server is not believed: it might ask for money of a main network under the name of a test.
        if (entry["network"], entry["asset"]) != (place.network, place.asset):
            raise TrialError(
                f"{endpoint.rail} asks for {entry['asset']} on {entry['network']}, which is not its test network:"
                " nothing was signed"
            )
        if rail.lane is not Lane.NATIVE:
            return buyer.pay(entry, unix_now(), secrets.token_bytes, wallet.key)
        try:
            return buyer.transfer(entry, wallet.key, wallet.rpc)
        except ValueError as refused:
            raise TrialError(f"the transfer was not made: {refused}") from None

    return pay, ""


def _transferred(entry: PaymentEntry, settings: Settings) -> Payload:
    """The plain transfer that a native entry asks for, made on the simulated chain in the state store."""
    with unlogged(), open_payment_admin(settings) as stores:
        try:
            tx = send_native(SqlSimulatedChain(stores.database), entry, BUYER, unix_now(), nonce=secrets.randbits(64))
        except ValueError as refused:
            raise TrialError(f"the simulated chain refuses the transfer: {refused}") from None
    payload: dict[str, Any] = {"transaction": tx}
    return payload
