"""A release: the same commit gives the same files, and what other programs read of it is true."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from itertools import chain
from pathlib import Path

import pytest
import yaml

from support.tree import PACKAGES, ROOT, project

REPOSITORY = "https://host.example/owner/project"
VERSION = project("citepress")["version"]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The distributions of this tree."""
    return _build(ROOT, tmp_path_factory.mktemp("dist"))


def test_two_builds_in_other_folders_at_other_times_are_equal(dist: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    for name in ("packages", "release"):
        shutil.copytree(
            ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"), copy_function=shutil.copy
        )
    shutil.copy(ROOT / "LICENSE", tree)
    again = _build(tree, tmp_path / "again", umask=0o077)
    assert (again / "SHA256SUMS").read_text() == (dist / "SHA256SUMS").read_text()


def test_each_package_has_a_wheel_and_a_source_distribution_with_the_sums_that_are_listed(dist: Path) -> None:
    names = [name.replace("-", "_") for name in PACKAGES]
    wanted = {f"{name}-{VERSION}{end}" for name in names for end in (".tar.gz", "-py3-none-any.whl")}
    listed = dict(reversed(line.split("  ")) for line in (dist / "SHA256SUMS").read_text().splitlines())
    assert listed == {name: hashlib.sha256((dist / name).read_bytes()).hexdigest() for name in wanted}


@pytest.mark.parametrize("name", PACKAGES)
def test_a_distribution_states_licence_pythons_and_addresses(dist: Path, name: str) -> None:
    stem = f"{name.replace('-', '_')}-{VERSION}"
    with zipfile.ZipFile(dist / f"{stem}-py3-none-any.whl") as wheel:
        about = message_from_bytes(wheel.read(f"{stem}.dist-info/METADATA"))
        assert wheel.read(f"{stem}.dist-info/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
    with tarfile.open(dist / f"{stem}.tar.gz") as source:
        assert f"{stem}/LICENSE" in source.getnames()
    assert about["License-Expression"] == "Apache-2.0"
    assert f"Repository, {REPOSITORY}" in about.get_all("Project-URL", [])
    for python in ("3.11", "3.12", "3.13", "3.14"):
        assert f"Programming Language :: Python :: {python}" in about.get_all("Classifier", [])
    assert "](../" not in str(about.get_payload()), "a link of the page leads nowhere on an index"


def test_every_package_and_the_repository_have_one_version() -> None:
    own = re.compile(r"citepress[a-z-]*(?:\[[a-z-]+\])?==(.+)")
    root = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    projects = [root, *(project(name) for name in PACKAGES)]
    required = [
        text
        for table in projects
        for text in (
            *table.get("dependencies", ()),
            *chain.from_iterable(table.get("optional-dependencies", {}).values()),
        )
    ]
    stated = {table["version"] for table in projects if "version" in table}
    assert stated | {match[1] for text in required if (match := own.fullmatch(text))} == {VERSION}


def test_the_workflow_tries_what_the_distributions_claim() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())
    assert workflow["jobs"]["try"]["strategy"]["matrix"]["python-version"] == ["3.11", "3.12", "3.13", "3.14"]
    publish = workflow["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write"}, "no token is stored, and nothing else is allowed"


def test_no_input_of_the_action_becomes_a_part_of_a_script() -> None:
    scripts = {step["name"]: step["run"] for step in ACTION["runs"]["steps"] if "run" in step}
    assert {"Install", "Check", "Build", "Publish"} == set(scripts)
    assert [name for name, script in scripts.items() if "${{" in script] == []


@pytest.mark.parametrize("command", ["deploy", "check; touch owned", ""])
def test_the_action_refuses_another_command_before_it_installs(command: str, tmp_path: Path) -> None:
    (install,) = (step["run"] for step in ACTION["runs"]["steps"] if step.get("name") == "Install")
    environ = {
        "PATH": os.environ["PATH"],
        "COMMAND": command,
        "EXTRAS": "",
        "VERSION": "",
        "RUNNER_TEMP": str(tmp_path),
    }
    done = subprocess.run(
        ("bash", "-c", install), env=environ, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, [*tmp_path.iterdir()]) == (2, [])
    assert "it must be check, build or publish" in done.stdout


def test_the_formula_installs_the_packages_that_everybody_gets_from_the_archive_of_the_tag(tmp_path: Path) -> None:
    archive = tmp_path / "source.tar.gz"
    archive.write_bytes(b"source")
    command = (sys.executable, ROOT / "release/formula.py", REPOSITORY, archive)
    formula = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert f'url "{REPOSITORY}/archive/refs/tags/v{VERSION}.tar.gz"' in formula
    assert hashlib.sha256(b"source").hexdigest() in formula
    assert "@" not in formula.replace("python@3.13", "")
    for text in project("citepress")["dependencies"]:
        assert f"./packages/{re.split(r'[=[]', text)[0]} " in formula.replace("]", " ")


def _build(tree: Path, folder: Path, umask: int = 0o022) -> Path:
    """The distributions of a tree, all of one moment."""
    command = (sys.executable, tree / "release/build.py", folder, "--allow-dirty", "--repository", REPOSITORY)
    environ = os.environ | {"SOURCE_DATE_EPOCH": "1790000000"}
    subprocess.run(command, env=environ, umask=umask, capture_output=True, check=True)
    return folder


def test_a_release_holds_nothing_that_is_not_committed_and_replaces_nothing_but_distributions(tmp_path: Path) -> None:
    tree, folder = tmp_path / "tree", tmp_path / "folder"
    shutil.copytree(ROOT / "release", tree / "release")
    (tree / "packages/citepress").mkdir(parents=True)
    (tree / "packages/citepress/leak.txt").write_text("")
    subprocess.run(("git", "init", "--quiet", tree), check=True)
    folder.mkdir()
    (folder / "precious").write_text("")
    for output, options, reason in ((tmp_path / "new", (), "packages/"), (folder, ("--allow-dirty",), "precious")):
        done = subprocess.run(
            (sys.executable, tree / "release/build.py", output, *options), capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout) == (1, "")
        assert reason in done.stderr
    assert [path.name for path in folder.iterdir()] == ["precious"]
