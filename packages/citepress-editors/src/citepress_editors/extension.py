"""What this package adds to citepress."""

from citepress.extension import Command, Extension

EXAMPLES = {
    "schema": ("schema posts", "Prints what the front matter of a field note may hold."),
    "skill": ("skill --out .agents/skills", "Writes .agents/skills/citepress-records/SKILL.md."),
}
EXTENSION = Extension(
    name="editors",
    needed_to_serve=False,
    commands=(
        Command(
            "schema",
            "citepress_editors.schema_command:schema",
            "Print the JSON Schema of what authors write, or of a published document.",
            {"schema": EXAMPLES["schema"]},
            group="Reference",
        ),
        Command(
            "skill",
            "citepress_editors.skill_command:skill",
            "Print the agent skill for writing records with sources and claims.",
            {"skill": EXAMPLES["skill"]},
            group="Write",
        ),
    ),
    scaffolds="citepress_editors.schema_lines:SCAFFOLDS",
)
