"""What publishing to object stores, following them and sharing counters add to citepress."""

from citepress.extension import Command, Extension

EDITIONS = {
    "editions list": ("editions list s3://bucket/archive", "Shows number, time, size and digest of each."),
    "editions rollback": ("editions rollback s3://bucket/archive --to 12", "Publishes edition 12 again."),
    "editions prune": ("editions prune s3://bucket/archive --keep 5", "Keeps the current one and five."),
}
"""Examples of the commands of the group."""

EXTENSION = Extension(
    name="fleet",
    needed_to_serve=False,
    tables="citepress_fleet.settings:TABLES",
    variables="citepress_fleet.settings:VARIABLES",
    edition_servers="citepress_fleet.cli.edition_options:EditionOptions",
    publications="citepress_fleet.cli.hub_announcer:PUBLICATIONS",
    counters="citepress_fleet.valkey:counters_of",
    commands=(
        Command(
            "publish",
            "citepress_fleet.cli.publish:publish",
            "Publish a content folder to an object store.",
            {
                "publish": (
                    "publish archive s3://bucket/archive --watch",
                    "Uploads an edition whenever content changes.",
                )
            },
            group="Publish",
        ),
        Command(
            "editions",
            "citepress_fleet.cli.editions:editions",
            "List, roll back and prune what was published to an object store.",
            EDITIONS,
            group="Publish",
        ),
        Command(
            "ping",
            "citepress_fleet.cli.ping:ping",
            "Notify the hub and IndexNow of addresses that changed since the last time.",
            {"ping": ("ping archive --dry-run", "Lists the addresses that the hub and IndexNow would get.")},
            group="Publish",
        ),
    ),
)
