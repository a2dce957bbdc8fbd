"""The rails of a site: what its editions tell of them, and what is wrong with them."""

from collections.abc import Mapping
from pathlib import Path

from citepress.contract.fault import Fault
from citepress.contract.model import Model
from citepress.contract.site import Site
from citepress_payments.products import PRODUCTS
from citepress_payments.products.routes import list_prices
from citepress_payments.rail_checks import faults
from citepress_payments.settings import payments_of

RAILS = "rails"
"""Name of the fact."""


def rail_slugs(settings: Model) -> list[str]:
    """The rails that ``[payments]`` names."""
    terms = payments_of(settings)
    return [rail.slug for rail in terms.rails] if terms else []


def rail_facts(site: Site) -> Mapping[str, list[str]]:
    """The rails that documents name as open: whoever serves the edition brings their drivers."""
    return {RAILS: slugs} if (slugs := rail_slugs(site)) else {}


def rail_faults(root: Path, site: Site) -> tuple[Fault, ...]:
    """What keeps a rail closed or the service from starting."""
    return faults(root, site, list_prices(PRODUCTS))


FACTS = (rail_facts,)
SITE_CHECKS = (rail_faults,)
