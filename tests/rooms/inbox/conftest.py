"""An inbox in a real SQLite file."""

from pathlib import Path

import pytest

from citepress.stores.sql.inbox import SqlInbox
from support.stores import opened


@pytest.fixture
def inbox(tmp_path: Path) -> SqlInbox:
    return SqlInbox(opened(str(tmp_path / "state" / "state.sqlite")))
