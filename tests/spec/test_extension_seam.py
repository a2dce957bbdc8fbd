"""Extensions that are broken, clash or are missing: each is one sentence that names them, and no traceback."""

import ast
import subprocess
from dataclasses import fields
from pathlib import Path

import pytest

from citepress import cli
from citepress.base.declared_names import CORE_COMMANDS
from citepress.extension import RENDERED, Extension
from support.extensions import install, run_with
from support.folder import SITE, folder, post
from support.tree import ROOT

KIND = (ROOT / "tests/support/extension/recipes.py").read_text("utf-8")
RECIPES = {"parts": "kinds='{}_extension.kinds:ALL'", "kinds": KIND}
HELLO = "commands=(Command('{}', '{}_extension.command:run', 'Say hello.'),)"
READERS = {"joined", "hooks", "gathered", "merged", "provider"}
"""The functions by which the core reads a point."""
RUN = "def run() -> int:\n    '''Say hello.'''\n    print('hello')\n    return 0\n"
DOCUMENT = """
from citepress.base.media import JSON
from citepress.contract.document import Document, Section

ALL = (Document("other", "/recipes.json", JSON, Section.EXTRAS, "Other recipes.", lambda context: (), promised=False),)
"""
PARTS = """
from citepress.base.media import JSON
from citepress.contract.document import Document, Section
from citepress.contract.model import Model
from citepress.contract.operation import Answer, Operation


class Ask(Model):
    pass


class Sound(Answer):
    title: str | None = None


class Nullable(Answer):
    title: str | None


DOCUMENTS = (Document("x", {document}),)
OPERATIONS = (Operation("x", "X", {operation}, max),)
"""
DOCUMENTED, SOUND = "'/x.json', JSON, Section.EXTRAS, 'X.', tuple", "'X.', Ask, Sound"
TABLE = """
from citepress.contract.model import Model
from citepress.contract.settings_table import SettingsTable


class Shelf(Model):
    '''How many recipes a shelf holds.'''

    size: int = 3


ALL = (SettingsTable({name!r}, {half}=Shelf),)
"""


def run(*words: str, path: Path, code: str = "") -> subprocess.CompletedProcess[str]:
    """A command, or a line of Python, with the extensions of a folder installed."""
    return run_with(path, *words, code=code)


def test_a_command_of_an_extension_is_listed_and_runs(tmp_path: Path) -> None:
    path = install(tmp_path, "hello", HELLO.format("hello", "hello"), command=RUN)

    assert run("hello", path=path).stdout == "hello\n"
    assert "hello" in run("--help", path=path).stdout
    assert run("completion", "bash", path=path).stdout.count("hello") > 0


def test_a_declaration_is_listed_before_the_one_that_it_names_whatever_is_imported_first(tmp_path: Path) -> None:
    kinds = KIND.replace('name="recipes",', 'name="recipes", before="topics",')
    path = install(tmp_path, "hello", "kinds='hello_extension.kinds:ALL'", kinds=kinds)
    named = "from citepress.kinds import ALL; print(*(kind.name for kind in ALL))"

    for first in ("", "import hello_extension.kinds; "):
        names = run(path=path, code=first + named).stdout.split()
        assert names.index("topics") - names.index("recipes") in (1, 3), "two kinds of a research log stand there too"


@pytest.mark.parametrize(
    ("parts", "modules", "words", "reason"),
    [
        ("nothing=1", {}, ("--help",), "unexpected keyword argument 'nothing'"),
        ("kinds='broken_extension.away:ALL'", {}, ("routes",), "No module named 'broken_extension.away'"),
        (
            "kinds='broken_extension.kinds:ALL'",
            {"kinds": "1 / 0\n"},
            ("routes",),
            "ZeroDivisionError: division by zero",
        ),
        (
            "kinds='broken_extension.kinds:ALL'",
            {"kinds": "ALL = [1]\n"},
            ("routes",),
            "kinds is [1], not a tuple",
        ),
        ("commands=(Command('-h', 'x:y', 'Help.'),)", {}, ("--help",), "the command '-h' is not one word"),
        ("kinds='broken_extension.kinds:ALL'", {"kinds": "raise SystemExit(3)\n"}, ("routes",), "SystemExit: 3"),
        (
            "commands=(Command('new', 'x:y', 'New.'),)",
            {},
            ("--help",),
            "Command 'new': citepress itself has a command of that name. Correct it, or uninstall broken-extension",
        ),
        (
            "commands=(Command('new', 'x:y', 'New.'),)",
            {},
            ("routes",),
            "Command 'new': citepress itself has a command of that name",
        ),
        ("commands=(Command('x', 'sys:nope', 'X.'),)", {}, ("x",), "module 'sys' has no attribute 'nope'"),
        ("commands=(Command('x', 'away.module:x', 'X.'),)", {}, ("x",), "No module named 'away'"),
        ("commands=(Command('x', 'sys', 'X.'),)", {}, ("routes",), "runs is 'sys': write module:attribute"),
        ("commands=(Command('x', 'a:b', 'X.', {'y': ('x', 'Y.')}),)", {}, ("routes",), "examples has 'y'"),
        ("kinds='broken_extension.kinds'", {}, ("routes",), "is not a reference: write module:attribute"),
        (
            "documents='broken_extension.declared:DOCUMENTS'",
            {"declared": PARTS.format(document="'x.json', JSON, Section.EXTRAS, 'X.', tuple", operation=SOUND)},
            ("routes",),
            "Document 'x': its path 'x.json' does not begin with a slash: write '/x.json'",
        ),
        (
            "documents='broken_extension.declared:DOCUMENTS'",
            {
                "declared": PARTS.format(
                    document="'/x.json', JSON, Section.EXTRAS, 'X.', tuple, 'Shape'", operation=SOUND
                )
            },
            ("routes",),
            "Document 'x': it has the shape 'Shape' and no model",
        ),
        (
            "operations='broken_extension.declared:OPERATIONS'",
            {"declared": PARTS.format(document=DOCUMENTED, operation="'x' * 301, Ask, Sound")},
            ("routes",),
            "Operation 'x': its description has 301 characters, and 300 are the most",
        ),
        (
            "operations='broken_extension.declared:OPERATIONS'",
            {"declared": PARTS.format(document=DOCUMENTED, operation="'X.', Ask, Ask")},
            ("routes",),
            "Operation 'x': its answer Ask is not a subclass of Answer",
        ),
        (
            "operations='broken_extension.declared:OPERATIONS'",
            {"declared": PARTS.format(document=DOCUMENTED, operation="'X.', Ask, Nullable")},
            ("routes",),
            "Nullable.title may be None, which answers leave out: give it the default None",
        ),
    ],
)
def test_a_broken_extension_stops_the_start_with_its_name_and_the_reason(
    tmp_path: Path, parts: str, modules: dict[str, str], words: tuple[str, ...], reason: str
) -> None:
    done = run(*words, path=install(tmp_path, "broken", parts, **modules))

    assert (done.returncode, done.stdout) == (1, "")
    assert "broken-extension" in done.stderr
    assert reason in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_an_interruption_while_an_extension_is_loaded_ends_the_command_and_names_it(tmp_path: Path) -> None:
    parts = "kinds='broken_extension.kinds:ALL'"
    done = run("routes", path=install(tmp_path, "broken", parts, kinds="raise KeyboardInterrupt\n"))

    assert (done.returncode, done.stdout) == (130, "")
    assert "'broken' of broken-extension was interrupted" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_limits_and_metrics_of_one_name_are_refused_at_the_start(tmp_path: Path) -> None:
    code = "import citepress.stores.local.worker_metrics"
    install(tmp_path / "core", "first", "limits=('rest',)")
    for name in ("first", "second"):
        install(tmp_path / "two", name, "counted={'acme': 'A.'}")

    assert (
        "citepress-core and first-extension both give 'rest' (limits)" in run(path=tmp_path / "core", code=code).stderr
    )
    both = "first-extension and second-extension both give 'acme' (counted)"
    assert both in run(path=tmp_path / "two", code=code).stderr


def test_an_extension_of_one_file_is_part_of_the_digest(tmp_path: Path) -> None:
    code = "from citepress.base.package_digest import digest_of; print(digest_of('single').hex())"
    digests = set()
    for text in ("X = 1\n", "X = 2\n"):
        (tmp_path / "single.py").write_text(text, "utf-8")
        (tmp_path / "beside.py").write_text(text, "utf-8")
        digests.add(run(path=tmp_path, code=code).stdout)

    assert len(digests) == 2
    assert "" not in digests


def test_two_extensions_that_claim_one_name_are_refused_with_both_names(tmp_path: Path) -> None:
    for name in ("first", "second"):
        install(tmp_path, name, RECIPES["parts"].format(name), kinds=RECIPES["kinds"])
    done = run("routes", path=tmp_path)

    assert done.returncode == 1
    sentence = " ".join(done.stderr.split())
    assert "first-extension and second-extension both claim 'recipes' (kinds)" in sentence


def test_two_that_answer_one_path_are_refused_with_both_names(tmp_path: Path) -> None:
    install(tmp_path, "first", RECIPES["parts"].format("first"), kinds=RECIPES["kinds"])
    install(tmp_path, "second", "documents='second_extension.documents:ALL'", documents=DOCUMENT)
    done = run("routes", path=tmp_path)

    assert done.returncode == 1
    assert "/recipes.json (in first-extension and second-extension)" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("point", "reads"),
    [
        ("pictures", "from citepress.contract.picture import pictures_of as giver"),
        ("vectors", "from citepress.search.meaning import vectors_of as giver"),
    ],
)
def test_what_one_extension_alone_may_give_is_refused_of_a_second(tmp_path: Path, point: str, reads: str) -> None:
    for name in ("first", "second"):
        install(tmp_path, name, f"{point}='{name}_extension.give:give'", give="def give(site):\n    return None\n")
    done = run(path=tmp_path, code=f"{reads}; from citepress.contract.site import Site; giver(Site())")

    for name in ("first-extension", "second-extension", f"both give {point}, which one extension alone may give"):
        assert name in done.stderr


def test_a_fact_that_two_extensions_give_is_refused_with_both_names(tmp_path: Path) -> None:
    for owner in ("first", "second"):
        give = "def give(_):\n    return {'shelf': 1}\n\n\nALL = (give,)\n"
        install(tmp_path, owner, f"facts='{owner}_extension.give:ALL'", give=give)
    root = folder(tmp_path / "content", {"content/posts/one.md": post("Words.")})
    done = run("build", str(root), "--output", str(tmp_path / "out"), path=tmp_path)

    assert done.returncode == 1
    assert "first-extension and second-extension both give 'shelf' (facts)" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("half", ["published", "private"])
def test_a_table_of_an_extension_is_read_checked_and_typed(tmp_path: Path, half: str) -> None:
    path = install(
        tmp_path / "lib", "shelf", "tables='shelf_extension.tables:ALL'", tables=TABLE.format(name="shelf", half=half)
    )
    root = folder(tmp_path / "content", {"content/posts/one.md": post("Words."), "site.toml": "[shelf]\nsize = 'x'\n"})
    code = (
        "from pathlib import Path; from citepress.content.settings_file import site_of;"
        "from citepress.contract.settings_table import settings_of; from shelf_extension.tables import Shelf;"
        f"site = site_of(Path({str(root)!r})); half = site.{'publication' if half == 'published' else 'deployment'};"
        "print(settings_of(site, Shelf).size, settings_of(half, Shelf).size)"
    )

    assert "site.toml:2:1 error CP030 shelf.size: must be a whole number" in run("check", str(root), path=path).stdout
    (root / "site.toml").write_text("[shelf]\nsize = 7\n")
    assert run(path=path, code=code).stdout.split() == ["7", "7"]
    (root / "site.toml").write_text("")
    assert run(path=path, code=code).stdout.split() == ["3", "3"]


def test_members_join_a_table_of_the_core_and_two_of_one_name_are_refused(tmp_path: Path) -> None:
    path = install(
        tmp_path / "lib",
        "shelf",
        "tables='shelf_extension.tables:ALL'",
        tables=TABLE.format(name="limits", half="published"),
    )
    code = (
        "from citepress.contract.site import Site; site = Site.model_validate({'limits': {'size': 4, 'rest': 9}});"
        "print(site.limits.size, site.limits.rest, site.publication.limits.size, site.limits.connections)"
    )
    assert run(path=path, code=code).stdout.split() == ["4", "9", "4", "10000"]

    install(
        tmp_path / "lib",
        "other",
        "tables='other_extension.tables:ALL'",
        tables=TABLE.format(name="limits", half="private"),
    )
    done = run("check", str(tmp_path), path=path)
    assert "other-extension and shelf-extension both claim '[limits] size' (tables)" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (RECIPES["parts"].format("recipes"), RECIPES["kinds"]),
        ("guide='recipes_extension.kinds:GUIDE', facts='recipes_extension.kinds:FACTS'", "GUIDE = FACTS = ()\n"),
    ],
)
def test_an_edit_of_the_code_of_an_extension_makes_its_pages_anew(tmp_path: Path, parts: str, text: str) -> None:
    path = install(tmp_path, "recipes", parts, kinds=text)
    code = "from citepress.edition.code_digest import code_digest; print(code_digest().hex())"
    before = run(path=path, code=code).stdout
    (path / "recipes_extension" / "kinds.py").write_text(text + "\n# changed\n")

    assert before
    assert run(path=path, code=code).stdout != before


def test_every_point_that_pages_read_is_marked_as_rendering() -> None:
    modules = ("edition/**/*.py", "content/*.py", "app/registry.py", "kinds/__init__.py", "operations/registry.py")
    core = ROOT / "packages/citepress-core/src/citepress"
    calls = (
        node
        for pattern in modules
        for file in core.glob(pattern)
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args
    )
    points = {item.name for item in fields(Extension)}
    reads = {node.args[0].value for node in calls if node.func.id in READERS and isinstance(node.args[0], ast.Constant)}

    assert {"facts", "guide", "apis", "routes", "documents", "readers"} <= reads <= points
    assert reads - set(RENDERED) == set()


def test_the_names_that_no_extension_may_give_a_command_are_those_of_the_core() -> None:
    assert frozenset(command.name for command in cli.CORE_COMMANDS) == CORE_COMMANDS


@pytest.mark.parametrize(
    ("parts", "module", "declaration"),
    [
        ("documents='broken_extension.failing:ALL'", DOCUMENT.replace("context: ()", "context: 1 / 0"), "other"),
        (
            "kinds='broken_extension.failing:ALL'",
            KIND.replace("    blocks=", "    blocks=lambda *_: 1 / 0 or "),
            "recipes",
        ),
        (
            "front_parts=(FrontPart('shelf', 'broken_extension.failing:shelf'),)",
            "shelf = lambda _: 1 / 0",
            "'shelf'",
        ),
    ],
)
def test_an_extension_that_fails_while_an_edition_is_made_is_one_sentence(
    tmp_path: Path, parts: str, module: str, declaration: str
) -> None:
    path = install(tmp_path / "lib", "broken", parts, failing=module)
    recipe = "---\ntitle: Pancakes\nsummary: Flour.\ndate: 2026-03-01\nservings: 4\n---\n\nFry.\n"
    root = folder(tmp_path / "content", {"content/posts/one.md": post("Words.")})
    if declaration == "recipes":
        folder(root, {"content/recipes/pancakes.md": recipe})
    if declaration == "'shelf'":
        folder(root, {}, site=f'{SITE}[home]\nparts = ["shelf"]\n')
    done = run("build", str(root), "--output", str(tmp_path / "out"), path=path)

    assert done.returncode == 1
    for words in (declaration, "of broken-extension failed: ZeroDivisionError: division by zero"):
        assert words in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "member", ["touched=lambda context: 1 / 0", "touched=lambda context: [({}, Output(lambda: 1 / 0))]"]
)
def test_an_extension_that_fails_while_an_edit_is_published_is_one_sentence(tmp_path: Path, member: str) -> None:
    module = DOCUMENT.replace("promised=False", f"promised=False, {member}").replace("Document,", "Document, Output,")
    path = install(tmp_path / "lib", "broken", "documents='broken_extension.failing:ALL'", failing=module)
    root = folder(tmp_path / "content", {"content/posts/one.md": post("Words.")})
    code = f"""
from pathlib import Path
from citepress.admin.build import Builder
from citepress.base import clock
from citepress.extension import ExtensionError
from citepress.settings import Settings

root = Path({str(root)!r})
builder = Builder(Settings(root, root / "state"))
builder.build(clock.now())
file = root / "content/posts/one.md"
file.write_text(file.read_text() + "More.")
try:
    builder.build(clock.now(), [file])
except ExtensionError as error:
    print(error)
"""
    assert "the Document 'other' of broken-extension failed: ZeroDivisionError" in run(path=path, code=code).stdout
