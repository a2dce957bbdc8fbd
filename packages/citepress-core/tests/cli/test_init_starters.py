"""What ``citepress init`` makes has nothing to mend in it."""

from pathlib import Path

import pytest

from citepress.cli import run


@pytest.mark.parametrize("template", ["archive", "notes", "minimal"])
def test_a_fresh_archive_has_neither_error_nor_warning(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], template: str
) -> None:
    folder = tmp_path / "fresh"
    assert run(["init", str(folder), "--template", template]) == 0
    capsys.readouterr()

    assert run(["check", str(folder)]) == 0
    assert "warning" not in capsys.readouterr().out
