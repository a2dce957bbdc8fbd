"""``citepress version``."""

from citepress import __version__
from citepress.cli.console import Json, answer
from citepress.contract.version import CONTRACT_VERSION

VERSION_TEXT = f"citepress {__version__} (contract {CONTRACT_VERSION})"


def version(*, json: Json = False) -> None:
    """Print the version of citepress and of the public contract."""
    answer(VERSION_TEXT, {"citepress": __version__, "contract": CONTRACT_VERSION}, as_json=json)
