"""The fault of semantic search that is switched on and cannot run on this machine."""

from collections.abc import Iterator
from pathlib import Path

from citepress.content.settings_file import place
from citepress.contract.fault import Fault
from citepress.contract.settings_table import settings_of
from citepress.contract.site import Site
from citepress_semantic.fault_codes import ABSENT_MODEL
from citepress_semantic.files import missing
from citepress_semantic.settings import SearchSettings

HINT = "docs/guides/semantic-search.md says where the files come from"


def model_faults(root: Path, site: Site) -> Iterator[Fault]:
    """A fault for a library or a file that is not there."""
    if reason := missing(settings_of(site, SearchSettings)):
        yield Fault.at(ABSENT_MODEL, place(root, ("search", "semantic")), f"search.semantic: {reason}", HINT)


ALL = (model_faults,)
