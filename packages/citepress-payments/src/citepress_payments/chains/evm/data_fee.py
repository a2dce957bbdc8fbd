"""What a layer-2 chain asks, beside its own gas, for the data that it writes to the chain below."""

from citepress_payments.chains.evm.calls import ARBITRUM_DATA, OPTIMISM_DATA
from citepress_payments.chains.evm.client import WORD_DIGITS, EvmChain, word
from citepress_payments.chains.jsonrpc import RefusedError
from citepress_payments.configuration import ConfiguredRail
from citepress_payments.rails.chains import DataFee
from citepress_payments.rails.rail import Authorization as Method

UNSIGNED_BYTES = {Method.EIP3009: 450, Method.PERMIT2: 750}
"""Of a transaction that pays, unsigned."""
_ORACLE = "0x420000000000000000000000000000000000000F"
"""GasPriceOracle of the OP stack: ``getL1FeeUpperBound(uint256)``."""
_NODE = "0x00000000000000000000000000000000000000C8"
"""NodeInterface of Arbitrum: ``gasEstimateL1Component(address,bool,bytes)``."""


def data_fee(chain: EvmChain, opened: ConfiguredRail) -> int:
    """Wei for the data of one payment; 0 on chains that ask none. Raises ``UnreachableError``."""
    asked, size = opened.place.chain.data_fee, UNSIGNED_BYTES[opened.rail.authorization]
    if asked is DataFee.OP_STACK:
        return chain.number(_ORACLE, OPTIMISM_DATA + word(size))
    return _arbitrum(chain, opened.place.asset, size) if asked is DataFee.ARBITRUM else 0


def _arbitrum(chain: EvmChain, to: str, size: int) -> int:
    """Gas for the data, at the base fee that the node returns with it."""
    # Zeros are cheaper than other bytes, and a fee that is guessed too low would sell below cost.
    data = "ff" * size
    padded = data.ljust(-(-len(data) // WORD_DIGITS) * WORD_DIGITS, "0")
    try:
        answer = chain.call(_NODE, ARBITRUM_DATA + word(to) + word(0) + word(3 * 32) + word(size) + padded)[2:]
    except RefusedError:
        return 0
    return int(answer[:WORD_DIGITS] or "0", 16) * int(answer[WORD_DIGITS : 2 * WORD_DIGITS] or "0", 16)
