"""Every page of the docs with generated parts; run this file to write them all anew."""

from collections.abc import Callable, Mapping

from support import (
    command_docs,
    content_docs,
    decision_docs,
    extension_docs,
    fault_docs,
    package_docs,
    settings_docs,
)
from support.marked_places import rewritten
from support.tree import ROOT

Places = Mapping[str, str]
PAGES: dict[str, Callable[[], Places]] = {
    package_docs.README: lambda: {"packages": package_docs.table()},
    "docs/extending.md": lambda: {"points": extension_docs.points()},
    "docs/guides/plain-folders.md": lambda: {"not-public": content_docs.private_table()},
    "docs/reference/commands.md": lambda: {"commands": command_docs.sections()},
    "docs/reference/content-model.md": content_docs.tables,
    "docs/reference/environment.md": lambda: {"variables": settings_docs.variables()},
    "docs/reference/faults.md": lambda: {"faults": fault_docs.tables()},
    "docs/reference/settings.md": settings_docs.tables,
    "docs/decisions/README.md": lambda: {"decisions": decision_docs.index()},
}
"""What fills the marked places of a page."""


def written(name: str) -> str:
    """A page as it has to be."""
    return rewritten((ROOT / name).read_text("utf-8"), PAGES[name]())


if __name__ == "__main__":
    for page in PAGES:
        (ROOT / page).write_text(written(page), "utf-8")
