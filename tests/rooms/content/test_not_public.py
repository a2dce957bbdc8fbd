"""What the tool of a folder does not publish is in no file of a build, and neither is its name; the rest is."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from citepress.base.ids import slug_of_path
from citepress.cli import run
from support.former_sites import written
from support.private_sites import COMMENTS, SITES, PrivateSite


def built(folder: Path, output: Path) -> bytes:
    """Every file of an export, with its path."""
    assert run(["build", str(folder), "-o", str(output), "--state", str(output.parent / "state")]) == 0
    files = (file for file in output.rglob("*") if file.is_file())
    return b"\n".join(str(file.relative_to(output)).encode() + b"\n" + file.read_bytes() for file in files).lower()


def leaked(words: Iterable[str], data: bytes) -> list[str]:
    return [word for word in words if word.lower().encode() in data]


@pytest.mark.parametrize("site", SITES, ids=lambda site: site.name)
def test_a_plain_folder_publishes_what_its_tool_publishes_and_nothing_else(site: PrivateSite, tmp_path: Path) -> None:
    data = built(written(tmp_path / "site", site.files()), tmp_path / "dist")
    secrets = {word: path for path, word in site.secrets.items()}
    assert [secrets[word] for word in leaked(secrets, data)] == []
    controls = {word: path for path, word in site.controls.items()}
    assert [controls[word] for word in controls.keys() - set(leaked(controls, data))] == []
    if site is not COMMENTS:
        slugs = [f"/posts/{slug_of_path(path.removesuffix('.md'))}" for path in site.private if "/bak/" not in path]
        assert [slug for slug in slugs if re.search(re.escape(slug.encode()) + rb"\b(?!-)", data)] == []
