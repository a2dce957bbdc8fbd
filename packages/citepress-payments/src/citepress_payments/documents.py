"""The list of paid addresses for crawlers of x402."""

from collections.abc import Iterable

from citepress.base.canonical import json_bytes
from citepress.base.media import JSON
from citepress.contract.document import Document, Output, Section
from citepress.edition.machine.interface import paid
from citepress.edition.render_context import RenderContext
from citepress_payments.settings import payments_of


def _sold(context: RenderContext) -> Iterable[Output]:
    """The older list of paid addresses; prices are in ``x-payment-info`` of the OpenAPI document."""
    paths = [
        route.fill(dict(values))
        for route in paid(context)
        for values in ([{}] if not route.parameters else route.addresses(context))
    ]
    return [Output(json_bytes({"version": 1, "resources": [context.url(path) for path in paths]}))]


DOCUMENTS = (
    Document[RenderContext](
        "x402",
        "/.well-known/x402",
        JSON,
        Section.EXTRAS,
        "The addresses of what is sold here, for crawlers of x402.",
        _sold,
        promised=False,
        enabled=lambda site: bool((terms := payments_of(site)) and terms.rails),
    ),
)
