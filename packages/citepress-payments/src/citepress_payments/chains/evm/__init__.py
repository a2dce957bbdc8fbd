"""EVM chains: EIP-3009 and Permit2 authorizations, native transfers, and the wallet that pays for gas."""
