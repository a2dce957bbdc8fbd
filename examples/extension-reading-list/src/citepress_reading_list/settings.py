"""The table of ``site.toml``."""

from citepress.contract.model import Model
from citepress.contract.settings_table import SettingsTable


class ReadingListSettings(Model):
    """The table ``[reading_list]``."""

    shown: int = 20
    """Books that ``/reading-list.json`` names."""


TABLES = (SettingsTable("reading_list", published=ReadingListSettings),)
