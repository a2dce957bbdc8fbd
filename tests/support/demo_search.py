"""The demo archive, and the index of it."""

from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from citepress.archive.assemble import assemble
from citepress.archive.model import Archive
from citepress.content.folder import read
from citepress.kinds import ALL, REGISTRIES
from citepress.search.build import build
from citepress.search.index import SearchIndex
from citepress.search.state import open_index
from support.tree import ROOT

DEMO = ROOT / "examples/agent-archive"


@cache
def demo_archive() -> Archive:
    return assemble(read(DEMO, ALL, REGISTRIES, moment=datetime(2027, 1, 1, tzinfo=UTC)), ALL, REGISTRIES)


def demo_index(folder: Path) -> SearchIndex:
    build(demo_archive(), folder)
    return open_index(folder)
