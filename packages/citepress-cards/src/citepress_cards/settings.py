"""What a publisher sets about cards: a member of ``[theme]`` of ``site.toml``."""

from citepress.contract.model import Model
from citepress.contract.settings_table import SettingsTable


class CardChoice(Model):
    """Whether cards are drawn (``[theme]``)."""

    cards: bool = False
    """Draw pictures for sharing and icons; needs `citepress[cards]`."""


TABLES = (SettingsTable("theme", published=CardChoice),)
