"""The paid compute products: each is computed for nothing first, and sold only when there is something to sell."""

from citepress_payments.products import prior_coverage, research_bundle
from citepress_payments.products.product import LIMIT_BYTES, InsufficientEvidence, Product

PRODUCTS: tuple[Product, ...] = (research_bundle.PRODUCT, prior_coverage.PRODUCT)

__all__ = ["LIMIT_BYTES", "PRODUCTS", "InsufficientEvidence", "Product"]
