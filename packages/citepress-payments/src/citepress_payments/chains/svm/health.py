"""The checks of a Solana token rail before it opens, and every five minutes after."""

from citepress_payments.chains.svm import transaction
from citepress_payments.chains.svm.client import SvmChain, decimals, holder
from citepress_payments.configuration import ConfiguredRail


def fault(chain: SvmChain, opened: ConfiguredRail) -> str:
    """Why a rail with a token cannot open; empty where it can. Raises ``UnreachableError`` and ``RefusedError``."""
    place = opened.place
    if (served := chain.network()) != place.network:
        return f"the nodes serve {served}, not {place.network}"
    mint = chain.account(place.asset)
    if mint is None or mint.program not in transaction.TOKENS or decimals(mint) != opened.rail.decimals:
        return f"{place.asset} is not a token with {opened.rail.decimals} decimals"
    account = transaction.token_account(opened.pay_to, place.asset, mint.program)
    held = chain.account(account)
    if held is None or holder(held) != (place.asset, opened.pay_to):
        return f"payTo has no account for the token: create {account}"
    return ""
