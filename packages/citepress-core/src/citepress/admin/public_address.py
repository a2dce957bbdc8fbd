"""The public address of an archive: whether somebody named it, or it is only the one that a server listens on."""

from citepress.content.settings_file import has_base_url
from citepress.settings import Settings

HINT = "name base_url in site.toml, or --base-url"
"""What to do where it is missing."""


def has_public_address(settings: Settings) -> bool:
    """Whether the content, the environment or an option names the public address."""
    return settings.base_url is not None or has_base_url(settings.root)
