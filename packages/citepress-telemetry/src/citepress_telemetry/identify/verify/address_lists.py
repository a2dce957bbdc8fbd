"""The address lists that operators publish: ``ranges.toml``, parsed and validated."""

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from citepress.base.errors import CitepressError

ADDRESS_LISTS_FILE = "ranges.toml"


class AddressListError(CitepressError, ValueError):
    """The file cannot be used; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class AddressList:
    """A list that an operator publishes."""

    key: str
    url: str
    complete_for: frozenset[str]
    """Families whose requests all come from this list."""


def load(text: bytes) -> tuple[AddressList, ...]:
    """The lists of a file's text. Raises ``AddressListError``."""
    try:
        raw = tomllib.loads(text.decode("utf-8"))
        lists = tuple(
            AddressList(str(row["key"]), str(row["url"]), frozenset(map(str, row["complete_for"])))
            for row in raw["list"]
        )
    except (ValueError, RecursionError, KeyError, TypeError) as error:
        raise AddressListError(f"{ADDRESS_LISTS_FILE} cannot be read: {error!r}") from None
    if len({address_list.key for address_list in lists}) < len(lists):
        raise AddressListError(f"{ADDRESS_LISTS_FILE}: a key occurs twice")
    if odd := [address_list.url for address_list in lists if not address_list.url.startswith("https://")]:
        raise AddressListError(f"{ADDRESS_LISTS_FILE}: an address list must be fetched over https, not {odd[0]!r}")
    return lists


@lru_cache(1)
def shipped() -> tuple[AddressList, ...]:
    """The lists of the package. Raises ``AddressListError``."""
    return load(files(__package__).joinpath(ADDRESS_LISTS_FILE).read_bytes())
