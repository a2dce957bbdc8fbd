"""What a publisher sets about cards: a member of ``[theme]`` of ``site.toml``."""

from citepress.contract.model import Model
from citepress.contract.settings_table import SettingsTable


class CardChoice(Model):
    """Whether cards are drawn (``[theme]``)."""

    cards: bool = False
    """Whether a picture of its title is drawn for each record, dataset and the front page, and stands for it where it
    is shared, and icons are drawn from `favicon.svg` of `static/`; needs the extra `citepress[cards]`."""


TABLES = (SettingsTable("theme", published=CardChoice),)
