"""What ``docs/extending.md`` says of extensions: the parts of ``Extension`` by purpose."""

from dataclasses import fields

from citepress.extension import Extension

PARTS = {
    "kinds of records and of folders, and what `init` and `new` write": "kinds registries readers starters scaffolds",
    "pages, documents and representations": "documents forms citations front_parts guide pictures",
    "actions, tools and APIs": "operations agent_tasks routes apis limits counted",
    "commands, settings and checks": "commands tables variables site_checks fault_codes doctor start_checks",
    "state, and the processes that use it": "stores folders services workers companions overlays metrics",
    "what follows a build, and editions from elsewhere": (
        "published publications edition_servers counters facts needed_to_serve"
    ),
    "search": "record_details measurements vectors",
}
"""The parts that serve a purpose; every part serves one."""


def points() -> str:
    """A row for each purpose. Raises ``ValueError`` for a part without one."""
    if left := {field.name for field in fields(Extension)} - {"name", *" ".join(PARTS.values()).split()}:
        raise ValueError(f"no row of PARTS has {', '.join(sorted(left))}")
    rows = (f"| {purpose} | {', '.join(f'`{part}`' for part in parts.split())} |\n" for purpose, parts in PARTS.items())
    return "| to add | parts |\n| --- | --- |\n" + "".join(rows)
