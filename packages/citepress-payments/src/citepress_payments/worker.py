"""Composes paid compute in a process: what it sells, its handlers, and the recovery of payments."""

from collections.abc import Iterator, Mapping

from citepress.app.binding import ProcessStart, WorkerParts, WorkerStart
from citepress.contract.site import Deployment
from citepress.edition.site_config import SiteConfig
from citepress.stores.local.counters import LocalCounters
from citepress.stores.sql.database import Database
from citepress.web.endpoints.context import ActionContext
from citepress_payments.endpoint import payment_actions
from citepress_payments.list_paid_tools import ProductsOnSale
from citepress_payments.payment_system import site_payments
from citepress_payments.products import PRODUCTS
from citepress_payments.products.listing import ListedProducts
from citepress_payments.setup import PaymentSystem
from citepress_payments.site_rails import RAILS, rail_slugs


def payment_services(start: ProcessStart) -> Mapping[type, object]:
    """The payment system, and what it sells; none where the settings have no ``[payments]``."""
    base_url = start.config.base_url
    system = site_payments(start.deployment, start.database, start.counters, base_url)
    return {PaymentSystem: system, ProductsOnSale: ListedProducts(system, base_url)} if system else {}


def payment_handlers(start: WorkerStart) -> WorkerParts:
    """The handlers of the paid paths, and the task that finishes what a crash left undecided."""
    system = start.contexts.services.get(PaymentSystem)
    payments = system if isinstance(system, PaymentSystem) else None
    actions = payment_actions(PRODUCTS, payments, ActionContext(start.app, start.contexts))
    return WorkerParts(actions, [payments.recovery.run] if payments else [])


def check_rails(deployment: Deployment, config: SiteConfig, database: Database) -> Iterator[str]:
    """Load the drivers of the rails, and name those that the edition offers and these settings do not open.

    Raises ``SettingsError``.
    """
    system = site_payments(deployment, database, LocalCounters())
    if system:
        system.service.close()
    own = set(rail_slugs(deployment))
    if missing := [slug for slug in config.facts.get(RAILS, []) if slug not in own]:
        yield f"The edition offers {', '.join(missing)}, which this server's settings do not open."


SERVICES = (payment_services,)
WORKERS = (payment_handlers,)
START_CHECKS = (check_rails,)
