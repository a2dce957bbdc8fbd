"""The guides name everything an operator can touch, and name nothing that is not there."""

import re
from collections.abc import Iterator

from cyclopts import App
from pydantic import BaseModel

from citepress.app.registry import table
from citepress.cli import application
from citepress.contract.settings_table import tables
from citepress.contract.site import Site
from citepress.kinds import ALL as KINDS
from citepress.settings import PREFIX, VARIABLES
from support.tree import ROOT

GUIDES = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
}
OPERATING = GUIDES["docs/operating.md"]
ALL_TEXT = "\n".join(GUIDES.values())
SPELT = re.compile(r"`([^`\n]+)`")
FENCED = re.compile(r"^```[a-z]*\n(.*?)^```", re.DOTALL | re.MULTILINE)


def _commands(group: App | None = None, prefix: str = "") -> dict[str, set[str]]:
    """Every command (``inbox list`` too) and its options, as the program itself declares them."""
    commands: dict[str, set[str]] = {}
    group = group or application()
    for name in group:
        if name.startswith("-"):
            continue
        command = group[name]
        if inner := _commands(command, f"{prefix}{name} "):
            commands |= inner
        else:
            names = {option for argument in command.assemble_argument_collection() for option in argument.names}
            commands[prefix + name] = {
                option for option in names if option.startswith("--") and not option.startswith(("--no-", "--empty-"))
            }
    return commands


def _settings(model: type[BaseModel]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        parts = [field.annotation, *getattr(field.annotation, "__args__", ())]
        inner = next((part for part in parts if isinstance(part, type) and issubclass(part, BaseModel)), None)
        yield from _settings(inner) if inner else [name]


def test_every_command_and_option_is_in_the_operators_guide() -> None:
    assert _commands()
    assert [name for name in _commands() if f"`citepress {name}" not in OPERATING] == []
    assert {
        name: gone
        for name, options in _commands().items()
        if (gone := {o for o in options if f"`{o}" not in OPERATING})
    } == {}


def test_no_guide_names_a_command_or_option_that_is_not_there() -> None:
    commands = _commands()
    code = "\n".join([*FENCED.findall(ALL_TEXT), *SPELT.findall(ALL_TEXT)])
    named = set(re.findall(r"^(?:\.venv/bin/)?citepress ([a-z-]+(?: [a-z]+){0,2})", code, re.MULTILINE))
    assert {name for name in named if not any(f"{name} ".startswith(f"{command} ") for command in commands)} == set()
    for name, text in re.findall(r"^\| `citepress ([a-z-]+(?: [a-z]+){0,2})[^`]*` \|(.*)\|$", OPERATING, re.MULTILINE):
        assert {option.split()[0] for option in SPELT.findall(text) if option.startswith("--")} <= commands[name], name


def test_every_environment_variable_is_in_the_operators_guide_and_no_other() -> None:
    named = set(re.findall(r"\bCITEPRESS_[A-Z_]+", ALL_TEXT))
    variables = {PREFIX + name for name in (*VARIABLES, *(name for table in tables() for name in table.variables))}
    assert variables <= named
    assert named - variables <= {name + "_FILE" for name in variables}


def test_every_setting_is_in_the_operators_guide() -> None:
    section = OPERATING.partition("## Settings")[2].partition("\n## ")[0]
    named = set(SPELT.findall(section))
    assert [name for name in _settings(Site) if name not in named] == []


def test_every_record_kind_and_every_section_of_routes_is_told_of() -> None:
    layout = OPERATING.partition("## The content folder")[2]
    assert [kind.name for kind in KINDS if not re.search(rf"(?<![\w-]){kind.name}(?![\w-])", layout)] == []
    for name in ("/developers/", "/openapi.json", "/llms.txt"):
        assert name in ALL_TEXT
        assert table().match(name)


def test_every_address_and_file_that_a_guide_points_to_is_there() -> None:
    missing = []
    for guide, text in GUIDES.items():
        for target in re.findall(r"\]\(([^)#:]+)\)", SPELT.sub("", FENCED.sub("", text))):
            path = (ROOT / guide).parent / target
            missing += [] if path.exists() else [f"{guide}: {target}"]
    assert missing == []


def test_every_verb_of_the_makefile_is_told_of_and_no_other() -> None:
    verbs = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)) - {"help"}
    assert verbs == {"install", "demo", "test", "check", "bench", "audit", "interop"}
    assert set(re.findall(r"`make ([a-z]+)", ALL_TEXT)) == verbs


def test_decisions_are_in_the_order_of_their_days() -> None:
    days = re.findall(r"^## (\d{4}-\d\d-\d\d) · ", (ROOT / "docs/decisions.md").read_text("utf-8"), re.MULTILINE)
    assert len(days) > 180
    assert days == sorted(days)
