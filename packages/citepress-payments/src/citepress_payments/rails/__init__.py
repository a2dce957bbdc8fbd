"""Every rail that citepress knows; a deployment opens those that its configuration lists."""

from citepress_payments.rails import native, usdc, volatile
from citepress_payments.rails.rail import ChainAsset, Lane, Rail

ALL: tuple[Rail, ...] = (*usdc.ALL, *volatile.ALL, *native.ALL)
BY_SLUG = {rail.slug: rail for rail in ALL}

__all__ = ["ALL", "BY_SLUG", "ChainAsset", "Lane", "Rail"]
