"""An extension that was uninstalled: its folders and tables are refused, and nobody is led to withdraw good records."""

import shutil
from pathlib import Path

import pytest

from support.extensions import install, run_with
from support.folder import folder, post
from support.tree import ROOT

KIND = (ROOT / "tests/support/extension/recipes.py").read_text("utf-8")
TABLE = """
from citepress.contract.model import Model
from citepress.contract.settings_table import SettingsTable


class Shelf(Model):
    '''How many recipes a shelf holds.'''

    size: int = 3


ALL = (SettingsTable("shelf", published=Shelf),)
"""
RECIPE = """\
---
title: Pancakes
summary: Flour, milk and eggs in a hot pan.
date: 2026-03-01
servings: 4
---

Mix, wait half an hour, fry.
"""
PARTS = "kinds='recipes_extension.kinds:ALL', tables='recipes_extension.tables:ALL'"
MISSING = (
    "the last edition was made with the extension 'recipes', which is not installed: pip install recipes-extension==1.0"
)


@pytest.fixture
def checked(tmp_path: Path) -> str:
    """What ``check`` says of an archive whose extension is gone since it was published."""
    library = install(tmp_path / "library", "recipes", PARTS, kinds=KIND, tables=TABLE)
    root = folder(
        tmp_path / "archive",
        {
            "site.toml": 'base_url = "https://archive.example"\n\n[shelf]\nsize = 4\n',
            "content/recipes/pancakes.md": RECIPE,
            "content/recipes/crepes.md": RECIPE.replace("Pancakes", "Crepes"),
            "content/posts/one.md": post("Fry [pancakes](/recipes/pancakes/).", related=["recipes/pancakes"]),
        },
    )
    built = run_with(library, "build", str(root), "--output", str(tmp_path / "dist"), "--state", str(root / "state"))
    assert built.returncode == 0, built.stderr
    shutil.rmtree(library)
    library.mkdir()
    return " ".join(run_with(library, "check", str(root), "--all").stdout.split())


def test_records_below_a_folder_that_is_refused_are_not_said_to_be_gone(checked: str) -> None:
    assert "content/recipes error CP005" in checked
    for code in ("CP065", "CP021", "CP025", "gone: true"):
        assert code not in checked


def test_an_unknown_folder_and_table_name_the_extension_of_the_last_edition(checked: str) -> None:
    assert checked.count(MISSING) == 2
    assert "shelf: is not a known key" in checked
