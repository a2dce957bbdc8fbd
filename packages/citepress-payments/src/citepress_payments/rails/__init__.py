"""Every rail that citepress knows, in the order of ``rails.json``; a deployment opens those that its settings list.

Of USDC only Circle's own is listed, never a bridged look-alike (USDC.e, Binance-Peg USDC).
"""

from importlib.resources import files

from pydantic import TypeAdapter

from citepress_payments.rails.rail import ChainAsset, Lane, Rail

RAILS_FILE = "rails.json"
ALL = TypeAdapter(tuple[Rail, ...]).validate_json(files(__package__).joinpath(RAILS_FILE).read_bytes())
BY_SLUG = {rail.slug: rail for rail in ALL}

__all__ = ["ALL", "BY_SLUG", "ChainAsset", "Lane", "Rail"]
