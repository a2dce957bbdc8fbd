"""``citepress version``."""

from typing import Annotated

from cyclopts import Parameter

from citepress import __version__
from citepress.cli.console import answer
from citepress.contract.version import CONTRACT_VERSION

VERSION_TEXT = f"citepress {__version__} (contract {CONTRACT_VERSION})"


def version(*, json: Annotated[bool, Parameter(help="As JSON.")] = False) -> None:
    """Print the version of citepress and of the public contract."""
    answer(VERSION_TEXT, {"citepress": __version__, "contract": CONTRACT_VERSION}, as_json=json)
