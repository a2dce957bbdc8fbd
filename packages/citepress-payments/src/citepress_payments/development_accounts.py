"""Accounts whose private keys are printed in manuals: whatever is paid to them goes to whoever looks first.

Derived, not collected: ``tests/test_recipients.py`` of this package derives them anew from the mnemonics of Hardhat
(and Anvil), Ganache and Truffle, and from keys and seeds that anybody would try first.
"""

from importlib.resources import files

from citepress.base import fast_json

ACCOUNTS_FILE = "development_accounts.json"
_ACCOUNTS = fast_json.loads(files(__package__).joinpath(ACCOUNTS_FILE).read_bytes())
EVM = frozenset("0x" + digits for digits in _ACCOUNTS["evm"])
"""In lower case."""
SVM = frozenset(_ACCOUNTS["svm"])
