"""The guides name everything an operator can touch, and name nothing that is not there."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from citepress.app.registry import table
from citepress.contract.site import Site
from citepress.kinds import ALL as KINDS
from citepress.settings import ENV_PREFIX, variables
from support.command_docs import SHARED_OPTIONS, USUAL, commands, options, without
from support.decision_docs import decisions
from support.generated_docs import PAGES, written
from support.tree import ROOT, SOURCES, files, name_of, sources


def _is_ours(path: Path) -> bool:
    return not name_of(path).startswith(("examples/", "tests/"))


GUIDES = {
    path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    if path.parent.name not in {"decisions", "design"}
}
TEXTS = {name_of(path): path.read_text("utf-8") for path in files() if path.suffix == ".md" and _is_ours(path)}
"""Every page that people read here, the dated ones too."""
COMMANDS = GUIDES["docs/reference/commands.md"]
CONTENT_MODEL = GUIDES["docs/reference/content-model.md"]
ALL_TEXT = "\n".join(GUIDES.values())
MAX_GUIDE_LINES = 250
MAX_LINE_CHARS = 100
SPELT = re.compile(r"`([^`\n]+)`")
DECISION = re.compile(r'"([^"]{5,120})" in docs/decisions/([a-z-]+\.md)')
LINK = re.compile(r"\]\((?!https?:|mailto:|/)([^)#\s]*)(?:#([^)\s]+))?\)")
INSTALLS = re.compile(r"\b(?:pip (?:install|wheel)|pipx install) ([^`#;|\n]*)")
FENCED = re.compile(r"^```[a-z]*\n(.*?)^```", re.DOTALL | re.MULTILINE)


def _settings(model: type[BaseModel]) -> Iterator[str]:
    for name, field in model.model_fields.items():
        parts = [field.annotation, *getattr(field.annotation, "__args__", ())]
        inner = next((part for part in parts if isinstance(part, type) and issubclass(part, BaseModel)), None)
        yield from _settings(inner) if inner else [name]


def test_every_command_and_option_is_in_the_reference() -> None:
    sections = dict(re.findall(r"^### citepress (.+)\n((?:(?!##).*\n?)*)", COMMANDS, re.MULTILINE))
    assert set(sections) == set(commands())
    assert {
        option for option in SHARED_OPTIONS if f"`{option}`" not in COMMANDS.partition("### citepress ")[0]
    } == set()
    assert {
        name: gone
        for name, command in commands().items()
        if (gone := {option for option in options(command) - {*USUAL} if f"`{option}`" not in sections[name]})
    } == {}
    for option in USUAL:
        exceptions = re.search(rf"- `{option}`.*? Not of ([^.]+)\.", " ".join(COMMANDS.split()))
        assert exceptions
        assert re.findall(r"`([^`]+)`", exceptions[1]) == without(option)


def test_no_guide_names_a_command_or_option_that_is_not_there() -> None:
    code = "\n".join([*FENCED.findall(ALL_TEXT), *SPELT.findall(ALL_TEXT)])
    named = set(re.findall(r"^(?:\.venv/bin/)?citepress ([a-z-]+(?: [a-z]+){0,2})", code, re.MULTILINE))
    assert {name for name in named if not any(f"{name} ".startswith(f"{command} ") for command in commands())} == set()
    taken = {option for command in commands().values() for option in options(command)}
    for line in re.findall(r"^(?:\.venv/bin/)?citepress (?!build)[a-z].*$", code, re.MULTILINE):
        assert set(re.findall(r"(?<= )--[a-z-]+", line.partition(" #")[0])) <= taken | SHARED_OPTIONS | {
            "--help",
            "--version",
        }, line


def test_every_environment_variable_is_in_the_reference_and_no_other() -> None:
    named = set(re.findall(r"\bCITEPRESS_[A-Z_]+", ALL_TEXT))
    expected = {ENV_PREFIX + variable.name for variable in variables()}
    assert expected <= set(re.findall(r"\bCITEPRESS_[A-Z_]+", GUIDES["docs/reference/environment.md"]))
    assert named - expected <= {name + "_FILE" for name in expected}


def test_every_setting_is_in_the_reference() -> None:
    named = set(SPELT.findall(GUIDES["docs/reference/settings.md"] + CONTENT_MODEL))
    assert [name for name in _settings(Site) if name not in named] == []


def test_every_record_kind_and_every_section_of_routes_is_told_of() -> None:
    assert [kind.name for kind in KINDS if f"### content/{kind.name}/\n" not in CONTENT_MODEL] == []
    for name in ("/developers/", "/openapi.json", "/llms.txt"):
        assert name in ALL_TEXT
        assert table().match(name)


def test_every_address_and_file_that_a_guide_points_to_is_there() -> None:
    missing = []
    for name, text in TEXTS.items():
        for target, anchor in LINK.findall(SPELT.sub("", FENCED.sub("", text))):
            path = (ROOT / name).parent / target if target else ROOT / name
            leads = not anchor or anchor in _anchors(path.read_text("utf-8"))
            missing += [] if path.exists() and leads else [f"{name}: {target}#{anchor}"]
    assert missing == []


def test_the_index_leads_to_every_guide_and_reference() -> None:
    listed = {f"docs/{target}" for target, _ in LINK.findall(GUIDES["docs/README.md"])}
    assert {name for name in GUIDES if name.startswith(("docs/guides/", "docs/reference/"))} - listed == set()


def _anchors(text: str) -> set[str]:
    """The fragments of a page's headings, as code hosts make them."""
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_page_that_code_names_is_there() -> None:
    named = {
        (name_of(path), page)
        for path in sources(*SOURCES)
        for page in re.findall(r"(?<![\w/.-])docs/[a-z/-]+\.md", path.read_text("utf-8"))
    }
    assert {name: page for name, page in named if not (ROOT / page).is_file()} == {}


def test_every_decision_that_code_names_is_there() -> None:
    named = {
        (name_of(path), page, title)
        for path in sources(*SOURCES)
        for title, page in DECISION.findall(re.sub(r"\s+(?:# )?", " ", path.read_text("utf-8")))
    }
    assert [each for each in named if each[2] not in {title for _, title in decisions().get(each[1], [])}] == []


def test_guides_are_short_and_no_line_of_prose_is_long() -> None:
    guides = {name: text.count("\n") for name, text in GUIDES.items() if name.startswith("docs/guides/")}
    assert {name: lines for name, lines in guides.items() if lines > MAX_GUIDE_LINES} == {}
    long = {
        f"{name}: {line}"
        for name, text in TEXTS.items()
        if name.startswith("docs/") and not name.startswith("docs/design/")
        for line in FENCED.sub("", text).splitlines()
        if len(line) > MAX_LINE_CHARS and not line.startswith(("|", "#")) and " " in SPELT.sub("", line).strip("- ")
    }
    assert long == set()


def test_every_verb_of_the_makefile_is_told_of_and_no_other() -> None:
    verbs = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)) - {"help"}
    assert verbs == {"install", "demo", "docs", "test", "check", "bench", "audit", "interop"}
    assert set(re.findall(r"`make ([a-z]+)", ALL_TEXT)) == verbs


def test_decisions_are_in_the_order_of_their_days() -> None:
    pages = {name: [day for day, _ in entries] for name, entries in decisions().items()}

    assert {name for name, days in pages.items() if not days or days != sorted(days)} == set()
    assert sum(map(len, pages.values())) > 120


def test_every_decision_is_on_one_page() -> None:
    titles = Counter(title for entries in decisions().values() for _, title in entries)

    assert [title for title, pages in titles.items() if pages > 1] == []


@pytest.mark.parametrize("name", PAGES)
def test_generated_parts_of_pages_are_what_the_code_says(name: str) -> None:
    assert written(name) == (ROOT / name).read_text("utf-8"), "run tests/support/generated_docs.py"


def _local(words: str) -> Iterator[str]:
    """The words of an install command that name something of the checkout, without the brackets of extras."""
    options = re.sub(r"--(?:find-links|wheel-dir)[ =]\S+", "", words)
    yield from (word.partition("[")[0] for word in re.findall(r"[^\s'\"]+", options) if re.match(r"\.|.*/", word))


def test_what_documents_install_from_a_checkout_is_there_and_is_a_package() -> None:
    texts = {name_of(path): path.read_text("utf-8") for path in files() if path.suffix == ".md"}
    named = [(name, word) for name, text in texts.items() for words in INSTALLS.findall(text) for word in _local(words)]

    assert ("README.md", "packages/*/") in named
    for name, word in named:
        paths = list(ROOT.glob(word.removeprefix("./"))) if word != "." else [ROOT]
        assert paths, (name, word)
        packages = [path for path in paths if path.is_dir() and path.name != "__pycache__"]
        for path in packages:
            assert "\n[project]\n" in (path / "pyproject.toml").read_text("utf-8"), (name, word)
