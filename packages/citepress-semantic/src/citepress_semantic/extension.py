"""What this package adds to citepress."""

from citepress.extension import Extension

EXTENSION = Extension(
    name="semantic",
    needed_to_serve=False,
    tables="citepress_semantic.settings:TABLES",
    site_checks="citepress_semantic.checks:ALL",
    fault_codes="citepress_semantic.fault_codes:ALL",
    vectors="citepress_semantic.source:vectors_of",
)
