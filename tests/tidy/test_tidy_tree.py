"""The tree holds what it must and names nothing that it should not."""

import re
import sys
from importlib.metadata import packages_distributions
from itertools import chain, product

from packaging.requirements import Requirement

from citepress import __version__
from citepress.extension import installed
from support.tree import PACKAGES, ROOT, files, imported, name_of, project, sources

PINNED = ("requirements/run.txt", "requirements/demo.txt", "requirements/dev.txt", "requirements/bench.txt")
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")
MACHINE = re.compile("(?<![\\w.:/-])/" + "(?:work|root|home/[a-z]+|Users/[A-Za-z]+)" + "/")
"""A path of somebody's machine."""
REGISTRY = re.compile(
    "|".join(
        map(re.escape, ("pypi" + ".org/simple", "pythonhosted" + ".org", "registry" + ".npmjs", "npmmirror" + ".com"))
    )
)
TEXT = {
    ".py",
    ".md",
    ".txt",
    ".in",
    ".toml",
    ".yaml",
    ".yml",
    ".json",
    ".html",
    ".css",
    ".svg",
    ".csv",
    ".sh",
    ".mjs",
    ".js",
    "",
}


def _pins(name: str) -> dict[str, str]:
    """The block of text of each pinned package, by its requirement line."""
    blocks = (ROOT / name).read_text("utf-8").replace("\\\n", " ").splitlines()
    return {line.partition(" --hash")[0].strip(): line for line in blocks if line.strip()}


def test_requirements_are_pinned_with_hashes_and_hold_no_address() -> None:
    for name in PINNED:
        pins = _pins(name)
        assert pins
        assert [line for line in pins if not re.match(r"^[A-Za-z0-9._-]+==\S+( ; .+)?$", line)] == []
        assert [line for line, block in pins.items() if "--hash=sha256:" not in block] == []
        assert not re.search(r"https?:|file:|--(extra-)?index|--find-links|@", (ROOT / name).read_text("utf-8"))


def test_what_runs_and_what_the_demo_needs_is_pinned_alike_where_it_is_checked() -> None:
    run, demo, dev = (
        {line.partition(" ;")[0]: HASH.findall(block) for line, block in _pins(name).items()} for name in PINNED[:3]
    )
    assert {line: hashes for line, hashes in (run | demo).items() if dev.get(line) != hashes} == {}


def test_every_declared_dependency_is_pinned_within_its_bounds() -> None:
    for name, package in product(PINNED, PACKAGES):
        pinned = {Requirement(line).name.lower(): Requirement(line) for line in _pins(name)}
        for text in project(package)["dependencies"]:
            if (wanted := Requirement(text)).name in PACKAGES:
                continue
            (version,) = (spec.version for spec in pinned[wanted.name.lower()].specifier)
            assert wanted.specifier.contains(version), (name, text)


def test_every_third_party_module_that_the_package_imports_is_declared() -> None:
    brought = {"markupsafe": "jinja2", "pydantic_core": "pydantic", "annotated_types": "pydantic"}
    packages = packages_distributions()
    undeclared = {}
    for package in PACKAGES:
        declared = {name.lower().replace("-", "_") for name in _declared(package)}
        for path in sources(f"packages/{package}/src"):
            for module in imported(path) - set(sys.stdlib_module_names) - {"citepress", package.replace("-", "_")}:
                names = {name.lower().replace("-", "_") for name in packages.get(module, [module])}
                if not names & declared and brought.get(module) not in declared:
                    undeclared[module] = name_of(path)
    assert undeclared == {}


def _declared(package: str) -> set[str]:
    """The distributions that a package may import: its own, those of its extras, and those that the core brings."""
    tables = [project(package), project()]
    extras = chain.from_iterable(table.get("optional-dependencies", {}).values() for table in tables)
    return {Requirement(text).name for text in chain(*(table["dependencies"] for table in tables), *extras)}


def test_every_package_has_the_version_of_the_core() -> None:
    assert {project(package).get("version", __version__) for package in PACKAGES} == {__version__}
    pins = {text for package in PACKAGES for text in _requirements(package) if text.startswith("citepress")}
    assert {text.rpartition("==")[2] for text in pins if "==" in text} <= {__version__}


def test_every_command_of_an_extra_is_offered_where_it_is_not_installed() -> None:
    meta = project("citepress")
    extras, offers = meta["optional-dependencies"], meta["entry-points"]["citepress.offers"]
    assert set(offers.values()) <= extras.keys()
    defaults = {Requirement(text).name for text in meta["dependencies"]}
    for source in installed():
        for command in source.extension.commands if source.distribution not in defaults else ():
            assert f"{source.distribution}=={source.version}" in extras[offers[command.name]]


def _requirements(package: str) -> list[str]:
    table = project(package)
    return [*table["dependencies"], *chain.from_iterable(table.get("optional-dependencies", {}).values())]


def test_the_changelog_has_a_place_for_what_comes() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert text.startswith("# Changelog\n")
    assert "\n## [Unreleased]\n" in text
    allowed = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert set(re.findall(r"^### (.*)$", text, re.MULTILINE)) <= allowed


def test_the_tree_names_no_machine_and_no_registry() -> None:
    matches = []
    for path in files():
        if path.suffix not in TEXT or path.name == "LICENSE":
            continue
        name, text = name_of(path), path.read_text("utf-8")
        matches += [f"{name}: {hit}" for hit in MACHINE.findall(text)]
        matches += [f"{name}: {hit}" for hit in REGISTRY.findall(text) if not name.startswith("examples/")]
    assert matches == []


def test_there_is_no_second_place_for_tool_settings() -> None:
    others = {
        "setup.cfg",
        "setup.py",
        "tox.ini",
        "pytest.ini",
        "mypy.ini",
        ".ruff.toml",
        "ruff.toml",
        ".importlinter",
        "MANIFEST.in",
    }
    assert {path.name for path in ROOT.iterdir()} & others == set()
