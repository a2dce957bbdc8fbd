"""Every command can be loaded where only what running needs is installed."""

import re
import subprocess
import sys
from importlib.metadata import packages_distributions

from support.tree import PACKAGES, project

SCRIPT = """
import importlib, pkgutil, sys
sys.modules.update(dict.fromkeys({missing!r}))
import citepress.cli
for module in pkgutil.walk_packages(citepress.cli.__path__, "citepress.cli."):
    importlib.import_module(module.name)
"""


def _normal(requirement: str) -> str:
    return re.split(r"[\[<>=~! ]", requirement)[0].lower().replace("_", "-")


def test_no_command_needs_an_extra_to_be_loaded() -> None:
    needed = {_normal(requirement) for requirement in project()["dependencies"]}
    tables = [project(package) for package in PACKAGES]
    groups = [group for table in tables for group in table.get("optional-dependencies", {}).values()]
    groups += [table["dependencies"] for table in tables]
    extras = {_normal(requirement) for group in groups for requirement in group} - needed - {*PACKAGES}
    missing = [
        module
        for module, packages in packages_distributions().items()
        if (names := {_normal(package) for package in packages}) & extras and not names & {*needed, *PACKAGES}
    ]
    assert {"trafilatura", "onnxruntime", "PIL"} & set(missing)
    result = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(missing=missing)], capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stderr) == (0, "")
