"""The published template of theme files matches every file of the theme."""

from citepress.app.registry import table
from citepress.edition.theme import paths


def test_every_file_of_the_theme_fits_the_pattern_that_is_published() -> None:
    route = next(route for route in table() if route.path == "/theme/{file}")
    assert [path for path in paths().values() if not route.pattern.fullmatch(path)] == []
