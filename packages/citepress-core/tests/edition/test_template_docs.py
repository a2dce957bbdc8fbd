"""What docs/guides/templates.md promises is what the theme does."""

import re
from pathlib import Path

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.edition.edition import open_edition
from citepress.edition.forms.template_filters import TemplateFilters
from citepress.edition.theme import THEME_TEMPLATES
from citepress.settings import from_environment
from support.folder import folder

GUIDE = (Path(__file__).parents[4] / "docs/guides/templates.md").read_text("utf-8")
EXAMPLE = re.findall(r"```\n(.*?)```", GUIDE, re.DOTALL)[0]


def test_the_example_of_the_guide_adds_its_line_to_every_page(tmp_path: Path) -> None:
    root = folder(tmp_path / "notes", {"site.toml": 'title = "Notes"\n', "templates/base.html": EXAMPLE})
    built = Builder(from_environment(root, environ={})).build(clock.now())
    page = open_edition(built.pointer).body("/about/").decode()
    assert "<p>Printed in Lisbon.</p>" in page
    assert "Deprecation policy" in page, "the theme's own footer stands beside it"


def test_the_guide_names_every_template_block_and_filter() -> None:
    blocks = set(re.findall(r"\{% block (\w+) %\}", THEME_TEMPLATES["base.html"]))
    named = set(re.findall(r"`([\w.]+)`", GUIDE.replace("`links`, `twin`", "`links` `twin`")))
    assert blocks <= named
    assert set(THEME_TEMPLATES) <= named
    assert set(TemplateFilters("", "").by_name) <= named
