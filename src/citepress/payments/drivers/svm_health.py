"""The checks of a Solana token rail before it opens, and every five minutes after."""

from citepress.payments.configuration import Opened
from citepress.payments.drivers import svm_message
from citepress.payments.drivers.svm_chain import SvmChain, decimals, holder


def fault(chain: SvmChain, opened: Opened) -> str:
    """Why a rail with a token cannot open; empty where it can. Raises ``UnreachableError`` and ``RefusedError``."""
    place = opened.place
    if (served := chain.network()) != place.network:
        return f"the nodes serve {served}, not {place.network}"
    mint = chain.account(place.asset)
    if mint is None or mint.program not in svm_message.TOKENS or decimals(mint) != opened.rail.decimals:
        return f"{place.asset} is no token with {opened.rail.decimals} decimals"
    account = svm_message.token_account(opened.pay_to, place.asset, mint.program)
    held = chain.account(account)
    if held is None or holder(held) != (place.asset, opened.pay_to):
        return f"payTo has no account for the token: create {account}"
    return ""
