"""What checks of sources add to citepress."""

from citepress.extension import Command, Extension

SOURCES_FOLDER = "sources"
"""The folder of the state with the journal of checked sources, and the captures where no bucket holds them."""
EXAMPLES = {
    "sources capture": ("sources capture --content archive --limit 20", "Copies twenty cited sources."),
    "sources check": ("sources check --content archive --due 30", "Asks those again that are a month old."),
    "sources status": ("sources status --content archive --json", "Shows what the last check found."),
}
EXTENSION = Extension(
    name="sources",
    commands=(
        Command(
            "sources",
            "citepress_sources.command:sources",
            "Keep private copies of cited sources, and see which of them changed or are gone.",
            EXAMPLES,
            group="Review",
        ),
    ),
    tables="citepress_sources.settings:TABLES",
    folders=(SOURCES_FOLDER,),
    documents="citepress_sources.evidence_health:ALL",
    agent_tasks="citepress_sources.agent_tasks:AGENT_TASKS",
)
