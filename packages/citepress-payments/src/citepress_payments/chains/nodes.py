"""The nodes that a rail's settings name, and the key that pays for gas."""

import stat
from pathlib import Path

from citepress.base.outgoing import Authorize
from citepress_payments.chains.jsonrpc import Rpc
from citepress_payments.chains.reader import ChainReader
from citepress_payments.configuration import ConfiguredRail
from citepress_payments.drivers import DriverMissingError, load
from citepress_payments.json_client import JsonClient
from citepress_payments.ports.prices import Clock

KEY = "signer_key_file"
MAX_KEY_FILE_BYTES = 4096
"""Bytes of a key file."""


def rpc_of(opened: ConfiguredRail) -> Rpc:
    """The nodes of a rail. Raises ``DriverMissingError``."""
    try:
        return Rpc(opened.settings.rpc_urls, opened.settings.rpc_quorum)
    except ValueError as fault:
        raise DriverMissingError(f"the rail {opened.slug}: rpc_urls: {fault}", "rpc_urls") from None


def host_of(opened: ConfiguredRail, seconds: float, most_bytes: int, authorize: Authorize | None = None) -> JsonClient:
    """The facilitator of a rail; ``authorize`` gives what authenticates a request. Raises ``DriverMissingError``."""
    try:
        return JsonClient(
            opened.settings.facilitator_url or "", seconds=seconds, most_bytes=most_bytes, authorize=authorize
        )
    except ValueError as fault:
        raise DriverMissingError(f"the rail {opened.slug}: facilitator_url: {fault}", "facilitator_url") from None


def reader_of(opened: ConfiguredRail, clock: Clock) -> ChainReader:
    """What reads the chain of a rail. Raises ``DriverMissingError``."""
    module = load(opened.place.family.reader, f"the rail {opened.slug}")
    reader: ChainReader = module.reader(opened, clock)
    return reader


def key_of(opened: ConfiguredRail) -> str:
    """The text of a rail's key file. Raises ``DriverMissingError``."""
    return secret_in(opened, Path(opened.settings.signer_key_file or ""), KEY)


def secret_in(opened: ConfiguredRail, path: Path, member: str) -> str:
    """The text of a file that its owner alone may read.

    Raises ``DriverMissingError`` with the file's name, never with what is in it.
    """
    wrong = f"the rail {opened.slug}: {member} {path}"
    try:
        status = path.stat()
        if stat.S_IMODE(status.st_mode) & 0o077:
            raise DriverMissingError(f"{wrong} may be read by its owner alone: chmod 600", member)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_KEY_FILE_BYTES:
            raise DriverMissingError(f"{wrong} is not a key file", member)
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as fault:
        raise DriverMissingError(
            f"{wrong} cannot be read", member, absent=isinstance(fault, FileNotFoundError)
        ) from None


def refuse_public_key(opened: ConfiguredRail, address: str) -> None:
    """Raise ``DriverMissingError`` where everybody has the key that would hold the gas."""
    if not opened.testnet and opened.place.family.is_development_key(address):
        raise DriverMissingError(f"the rail {opened.slug}: signer_key_file: the key of {address} is public", KEY)
