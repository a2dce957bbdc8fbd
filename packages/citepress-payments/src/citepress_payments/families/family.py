"""What a family of chains has in common: addresses, transactions, and how a transfer carries the hash of its terms.

A family is a file beside this one, a line in ``families/__init__.py`` and a folder in ``chains``. Nothing here imports
a chain library, because ``citepress check`` runs without them.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class DriverModule:
    """Where a driver is, and the extra that installs what it imports."""

    module: str
    extra: str


class ChainFamily(ABC):
    """Chains that share addresses, signatures and transactions. Pure: no method asks a chain."""

    name: ClassVar[str]
    """As drivers and settings call it: ``evm``."""
    namespace: ClassVar[str]
    """CAIP-2 namespace of its networks: ``eip155``."""
    pay_to: ClassVar[str]
    """The option of ``[payments]`` that names who is paid."""
    coin_decimals: ClassVar[int]
    finalities: ClassVar[tuple[str, ...]]
    """When a transfer may count, as an operator chooses."""
    transaction_shape: ClassVar[str]
    """What a transaction's id looks like, for whoever sent another."""
    drivers: ClassVar[Mapping[tuple[str, str], DriverModule]]
    """By driver and scheme; drivers that suit every family are in ``payments.drivers``."""
    reader: ClassVar[DriverModule]
    """The module that reads its chains for a facilitator: ``reader(opened, clock) -> ChainReader``."""

    @abstractmethod
    def canonical_address(self, address: str) -> str:
        """An address in its one spelling."""

    @abstractmethod
    def address_fault(self, address: str, *, main: bool) -> str:
        """Why an address was likely not copied whole; empty where nothing is wrong. ``main``: money is real."""

    @abstractmethod
    def is_unowned(self, address: str) -> bool:
        """Whether nobody holds the key of an address."""

    @abstractmethod
    def is_development_key(self, address: str) -> bool:
        """Whether the private key of an account is printed in manuals."""

    @abstractmethod
    def is_same_address(self, first: str, second: str) -> bool:
        """Whether two spellings are one address."""

    @abstractmethod
    def canonical_transaction(self, text: str) -> str:
        """A transaction's id in its one spelling; empty where the text is none."""

    @abstractmethod
    def transaction_id(self, seed: bytes) -> str:
        """An id in the shape of the family's, derived from a seed: the same each time."""

    @abstractmethod
    def native_carrier(self, terms_hash: str) -> dict[str, str]:
        """Members of ``extra`` by which a native transfer carries the terms hash."""

    @abstractmethod
    def token_carrier(self, terms_hash: str) -> dict[str, str]:
        """Members of ``extra`` by which a token transfer carries it; empty where it cannot."""

    @abstractmethod
    def carries(self, data: str, terms_hash: str) -> bool:
        """Whether the data of a native transfer is the terms hash."""
