"""An inbox in a real SQLite file."""

from pathlib import Path

import pytest

from citepress_inbox.sql_inbox import SqlInbox
from support.stores import opened_copy


@pytest.fixture
def inbox(tmp_path: Path) -> SqlInbox:
    return SqlInbox(opened_copy(str(tmp_path / "state" / "state.sqlite")))
