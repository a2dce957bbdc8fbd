"""What this package adds to citepress."""

from citepress.extension import Extension

EXTENSION = Extension(
    name="cards",
    needed_to_serve=False,
    documents="citepress_cards.declared:ALL",
    tables="citepress_cards.settings:TABLES",
    site_checks="citepress_cards.checks:ALL",
    fault_codes="citepress_cards.fault_codes:ALL",
    pictures="citepress_cards.site_pictures:pictures_of",
)
