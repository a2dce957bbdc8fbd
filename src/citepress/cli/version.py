"""``citepress version``."""

from citepress import __version__
from citepress.cli.console import say
from citepress.contract.version import CONTRACT_VERSION


def version() -> None:
    """Print the version of citepress and of the public contract."""
    say(f"citepress {__version__} (contract {CONTRACT_VERSION})")
