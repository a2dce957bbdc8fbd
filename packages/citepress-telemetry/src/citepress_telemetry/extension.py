"""What counting requests adds to citepress."""

from citepress.extension import Command, Extension

EXAMPLES = {
    "telemetry import": ("telemetry import /var/log/nginx/access.log", "Counts what nginx answered."),
    "telemetry export": ("telemetry export --parquet events", "Writes one file for each hour."),
    "telemetry ranges refresh": ("telemetry ranges refresh", "Fetches the address lists of operators."),
    "telemetry ranges status": ("telemetry ranges status --json", "Shows how old each list is."),
    "telemetry agents check": ("telemetry agents check", "Looks for faults in the table of clients."),
    "telemetry agents diff": ("telemetry agents diff", "Shows what newer public lists have."),
    "telemetry agents test": ("telemetry agents test 'GPTBot/1.2'", "Shows how a User-Agent is read, and why."),
    "telemetry salt status": ("telemetry salt status", "Shows which days have a salt."),
    "telemetry salt rotate": ("telemetry salt rotate", "Ends all sessions of today."),
    "telemetry report": ("telemetry report crawler-journeys --window 24h --csv", "Prints a table for a sheet."),
    "telemetry publish": ("telemetry publish --content archive", "Renders the reports now."),
}
EXTENSION = Extension(
    name="telemetry",
    commands=(
        Command(
            "telemetry",
            "citepress_telemetry.cli.commands:telemetry",
            "Import access logs, show and publish reports on machine readers; works while the server runs.",
            EXAMPLES,
            group="Measure",
        ),
    ),
    stores="citepress_telemetry.stores:STORES",
    metrics="citepress_telemetry.sql.gauges:METRICS",
    tables="citepress_telemetry.settings:TABLES",
    documents="citepress_telemetry.documents:ALL",
    workers="citepress_telemetry.worker:WORKERS",
    companions="citepress_telemetry.aggregation:COMPANIONS",
    overlays="citepress_telemetry.aggregation:OVERLAYS",
)
