"""What a publisher sets about cards: a member of ``[theme]`` of ``site.toml``."""

from citepress.contract.model import Model
from citepress.contract.settings_table import SettingsTable


class CardChoice(Model):
    """Whether cards are drawn (``[theme]``)."""

    cards: bool = False
    """Whether sharing pictures are drawn for records, datasets and the front page, and icons from `favicon.svg` of
    `static/`; needs the extra `citepress[cards]`."""


TABLES = (SettingsTable("theme", published=CardChoice),)
