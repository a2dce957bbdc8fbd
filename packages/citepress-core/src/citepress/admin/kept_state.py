"""What of a state folder cannot be built again: the databases and folders of the packages that it was used with."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field, ValidationError

from citepress.base.replaced_file import replace_file
from citepress.extension import joined
from citepress.history.state_files import KEPT_FILE, KEPT_FOLDERS
from citepress.stores.sql.store_tables import declared_stores

DATABASE_NAME = r"^\w[\w-]*\.sqlite$"


def saved_folders(files: Iterable[str] = ()) -> list[str]:
    """Folders of the state whose files only grow or are written once, so that they can be copied while they are in use.

    ``files`` are those of a backup: what an extension kept is restored where it is not installed, too.
    """
    given = {name.partition("/")[0] for name in files if "/" in name} - {"", ".", ".."}
    return sorted({*joined("folders", str, KEPT_FOLDERS), *given})


class KeptState(BaseModel):
    """What packages kept in a state folder, also those that were removed since."""

    databases: list[Annotated[str, Field(pattern=DATABASE_NAME)]] = []
    folders: list[Annotated[str, Field(pattern=r"^\w[\w-]*$")]] = []


def remember_kept(state: Path) -> KeptState:
    """Add what is declared now to what the state is known to keep; the sum of both."""
    file, former = state / KEPT_FILE, KeptState()
    with suppress(OSError, ValidationError):
        former = KeptState.model_validate_json(file.read_bytes())
    whole = KeptState(
        databases=sorted({*former.databases, *declared_stores()}), folders=sorted({*former.folders, *saved_folders()})
    )
    if whole != former:
        with suppress(OSError):  # a state that cannot be written is told by whoever has to write there
            replace_file(file, whole.model_dump_json().encode() + b"\n")
    return whole
