"""Tables of site.toml that extensions add: members of a table of the core stay one table under its name."""

import pytest

from citepress.contract import settings_table
from citepress.contract.model import Model
from citepress.contract.settings_table import SettingsTable, extended
from citepress.contract.site import CorePublication, CoreSite, ThemeChoice


class InkChoice(Model):
    """Which ink pages have (``[theme]``)."""

    ink: str = "black"


class InkStore(Model):
    """Where ink is bought (``[ink]``)."""

    dealer: str = ""


@pytest.fixture(autouse=True)
def tables(monkeypatch: pytest.MonkeyPatch) -> None:
    declared = (SettingsTable("theme", published=InkChoice), SettingsTable("ink", private=InkStore))
    monkeypatch.setattr(settings_table, "tables", lambda: declared)


def test_members_join_the_table_of_the_core_which_keeps_its_name_and_what_describes_it() -> None:
    publication = extended(CorePublication, "published")
    theme = publication.model_fields["theme"].annotation
    assert isinstance(theme, type)
    assert issubclass(theme, ThemeChoice)
    assert (theme.__name__, theme.__doc__) == (ThemeChoice.__name__, ThemeChoice.__doc__)
    assert [*theme.model_fields][-1] == "ink"
    assert list(publication.model_fields) == list(CorePublication.model_fields)
    assert "ink" not in publication.model_fields


def test_a_site_has_the_members_of_both_halves_once() -> None:
    halves = extended(extended(CoreSite, "published"), "private")
    site = extended(halves, "published", "private").model_validate({"theme": {"ink": "blue"}, "ink": {"dealer": "a"}})
    assert site.model_dump()["theme"]["ink"] == "blue"
    assert site.model_dump()["ink"] == {"dealer": "a"}
