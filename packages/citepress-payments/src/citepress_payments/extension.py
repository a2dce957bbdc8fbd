"""What paid compute adds to citepress."""

from citepress.extension import Command, Extension

EXAMPLES = {
    "payments init": ("payments init --content archive", "Opens three simulated rails, which cost nothing."),
    "payments status": ("payments status --json", "Checks every open rail, for a monitor."),
    "payments test": ("payments test http://127.0.0.1:8000 --rail base-usdc", "Buys once over one rail."),
    "payments ledger": ("payments ledger --json", "Lists payments, newest first."),
    "payments refunds": ("payments refunds", "Lists transfers that bought nothing."),
    "payments pause": ("payments pause base-usdc --reason 'Maintenance.'", "Makes no new quotes on this rail."),
}
EXTENSION = Extension(
    name="payments",
    commands=(
        Command(
            "payments",
            "citepress_payments.cli:payments",
            "Sell compute: open, check, test and pause payment rails.",
            EXAMPLES,
            group="Sell",
        ),
    ),
    documents="citepress_payments.documents:DOCUMENTS",
    guide="citepress_payments.buying:GUIDE",
    facts="citepress_payments.site_rails:FACTS",
    tables="citepress_payments.settings:TABLES",
    doctor="citepress_payments.doctor:CHECKS",
    site_checks="citepress_payments.site_rails:SITE_CHECKS",
    fault_codes="citepress_payments.faults:CODES",
    stores="citepress_payments.stores.declared:STORES",
    operations="citepress_payments.list_paid_tools:OPERATIONS",
    routes="citepress_payments.products.routes:ROUTES",
    services="citepress_payments.worker:SERVICES",
    workers="citepress_payments.worker:WORKERS",
    record_details="citepress_payments.products.details:RECORD_DETAILS",
    measurements="citepress_payments.products.coverage.calibration:MEASUREMENTS",
    start_checks="citepress_payments.worker:START_CHECKS",
)
