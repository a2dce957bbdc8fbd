"""The checks of an EVM rail before it opens, and every five minutes after."""

from eth_abi.abi import encode
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

from citepress_payments.chains.evm import calls
from citepress_payments.chains.evm.client import EvmChain
from citepress_payments.configuration import ConfiguredRail
from citepress_payments.permit2 import PERMIT2, PERMIT2_PROXY
from citepress_payments.rails.rail import Authorization as Method

_DOMAIN = "EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"


def fault(chain: EvmChain, opened: ConfiguredRail) -> str:
    """Why a rail with a token cannot open; empty where it can. Raises ``UnreachableError`` and ``RefusedError``."""
    place = opened.place
    if (network := f"eip155:{chain.chain_id()}") != place.network:
        return f"the nodes serve {network}, not {place.network}"
    if not chain.code(place.asset):
        return f"no contract is at {place.asset}"
    if (decimals := chain.number(place.asset, calls.DECIMALS)) != opened.rail.decimals:
        return f"{place.asset} has {decimals} decimals, not {opened.rail.decimals}"
    if opened.rail.authorization is Method.PERMIT2:
        return next(
            (f"no contract is at {needed}" for needed in (PERMIT2, PERMIT2_PROXY) if not chain.code(needed)), ""
        )
    # Buyers would sign for another contract or version, and every one of their payments would revert.
    if chain.number(place.asset, calls.DOMAIN) != int.from_bytes(domain_separator(opened)):
        return f"{place.asset} has another signing domain than {place.name!r} version {place.version!r}"
    chain.head(opened.finality)
    return ""


def domain_separator(opened: ConfiguredRail) -> bytes:
    """The domain separator (EIP-712) that buyers sign under."""
    place = opened.place
    words = [keccak(text=_DOMAIN), keccak(text=place.name), keccak(text=place.version)]
    rest = [int(place.network.removeprefix("eip155:")), to_checksum_address(place.asset)]
    return keccak(encode(["bytes32", "bytes32", "bytes32", "uint256", "address"], [*words, *rest]))
