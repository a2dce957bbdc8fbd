"""An import publishes what the former tool published: nothing that it held back is in any file of a build."""

from pathlib import Path

import pytest

from citepress.cli import run
from support.former_sites import written
from support.private_sites import SITES, PrivateSite
from support.whole_builds import built, leaked


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.name)
def test_an_import_publishes_what_the_former_tool_did_and_nothing_else(site: PrivateSite, tmp_path: Path) -> None:
    source, folder, report = written(tmp_path / "site", site.files()), tmp_path / "out", tmp_path / "r.json"
    assert run(["import", site.format, str(source), str(folder), "--report", str(report)]) == 0
    data = built(folder, tmp_path / "dist")
    secrets = {word: path for path, word in site.secrets.items()}
    assert [secrets[word] for word in leaked(secrets, data)] == []
    controls = {word: path for path, word in site.controls.items()}
    assert [controls[word] for word in controls.keys() - set(leaked(controls, data))] == []
    assert leaked(site.private_addresses(), data) == []
