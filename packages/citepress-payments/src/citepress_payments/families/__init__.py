"""Every family of chains that citepress knows; the code that talks to its chains is in ``payments/chains/<name>``."""

from citepress_payments.families.evm import EVM
from citepress_payments.families.family import ChainFamily, DriverModule
from citepress_payments.families.svm import SVM

FAMILIES: tuple[ChainFamily, ...] = (EVM, SVM)
_BY_NAMESPACE = {family.namespace: family for family in FAMILIES}


def family_of(network: str) -> ChainFamily:
    """The family of a network, by its CAIP-2 name. Raises ``LookupError``."""
    return _BY_NAMESPACE[network.partition(":")[0]]


__all__ = ["EVM", "FAMILIES", "SVM", "ChainFamily", "DriverModule", "family_of"]
