"""What the tool of a folder does not publish is in no file of a build, and neither is its name; the rest is."""

from pathlib import Path

import pytest

from support.former_sites import written
from support.private_sites import SITES, PrivateSite
from support.whole_builds import built, leaked


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.name)
def test_a_plain_folder_publishes_what_its_tool_publishes_and_nothing_else(site: PrivateSite, tmp_path: Path) -> None:
    data = built(written(tmp_path / "site", site.files()), tmp_path / "dist")
    secrets = {word: path for path, word in site.secrets.items()}
    assert [secrets[word] for word in leaked(secrets, data)] == []
    controls = {word: path for path, word in site.controls.items()}
    assert [controls[word] for word in controls.keys() - set(leaked(controls, data))] == []
    assert leaked(site.private_addresses(), data) == []
