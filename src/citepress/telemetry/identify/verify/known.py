"""The address lists that are known of: ``ranges.toml``, read and checked."""

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

FILE = "ranges.toml"


class AddressListError(ValueError):
    """The file cannot be used; the text says why."""


@dataclass(frozen=True, slots=True)
class AddressList:
    """A list that an operator publishes."""

    key: str
    url: str
    complete_for: frozenset[str]
    """Families whose every request comes from it."""


def load(text: bytes) -> tuple[AddressList, ...]:
    """The lists of a file's text. Raises ``AddressListError``."""
    try:
        raw = tomllib.loads(text.decode("utf-8"))
        lists = tuple(AddressList(str(one["key"]), str(one["url"]), frozenset(map(str, one["complete_for"]))) for one in raw["list"])
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise AddressListError(f"{FILE} cannot be read: {error!r}") from None
    if len({one.key for one in lists}) < len(lists):
        raise AddressListError(f"{FILE}: a key stands twice")
    if odd := [one.url for one in lists if not one.url.startswith("https://")]:
        raise AddressListError(f"{FILE}: an address list is fetched over https, not {odd[0]!r}")
    return lists


@lru_cache(1)
def shipped() -> tuple[AddressList, ...]:
    """The lists that the package knows of. Raises ``AddressListError``."""
    return load(files(__package__).joinpath(FILE).read_bytes())
