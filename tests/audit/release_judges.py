"""The judges of a release: distributions, installations, the image, and the files for other programs."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from action_steps import run_action
from image_run import NEEDS, built, first_page
from site_copy import Copy
from toolbox import HOME, ROOT, Toolbox
from verdict import Judge, Unusable, Verdict, judged, read

MAX_INSTALL_S = 30
MAX_UVX_S = 8
MAX_INSTALLED_MB = 175
"""On the oldest Python; wheels of the same libraries for newer ones are up to 3 MB larger."""
MAX_IMAGE_MB = 300
MB = 1_000_000
RELEASE = HOME / "release"
REPOSITORY = "https://host.example/owner/project"


@cache
def _programs() -> Path:
    """The programs of requirements/release.txt, in an environment under .audit/."""
    folder = RELEASE
    wanted = (ROOT / "requirements/release.txt").read_text("utf-8")
    stamp = folder / "installed"
    if not stamp.exists() or stamp.read_text("utf-8") != wanted:
        _run(sys.executable, "-m", "venv", folder / "environment")
        pip = (folder / "environment/bin/python", "-m", "pip", "install", "--quiet", "--require-hashes")
        _run(*pip, "-r", ROOT / "requirements/release.txt")
        stamp.write_text(wanted, "utf-8")
    return folder / "environment/bin"


def _run(*command: str | Path, **environ: str) -> subprocess.CompletedProcess[str]:
    """Run a program that has to succeed. Raises ``Unusable`` with what it printed."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words, capture_output=True, text=True, check=False, cwd=ROOT, env=os.environ | environ, timeout=900
    )
    if done.returncode:
        raise Unusable(f"{words[0]}: exit code {done.returncode}: {(done.stdout + done.stderr).strip()[-800:]}")
    return done


@cache
def _built(name: str) -> Path:
    """The distributions, built into a folder of this name once for all judges."""
    folder = RELEASE / name
    _run(_programs() / "python", "release/build.py", folder, "--allow-dirty", "--repository", REPOSITORY)
    return folder


def _distributions(_tools: Toolbox, _site: Copy) -> Verdict:
    """Two builds, what the index would refuse, and the bill of materials of an installation that can publish."""
    programs, dist = _programs(), _built("dist")
    sums = (dist / "SHA256SUMS").read_text("utf-8")
    notes = [] if sums == (_built("again") / "SHA256SUMS").read_text("utf-8") else ["two builds differ"]
    _run(programs / "twine", "check", "--strict", *dist.glob("*.whl"), *dist.glob("*.tar.gz"))
    installed = _installed()
    materials = RELEASE / "citepress.cdx.json"
    words = ("--output-reproducible", "--validate", "--pyproject", "packages/citepress/pyproject.toml")
    _run(programs / "cyclonedx-py", "environment", *words, "--output-file", materials, installed / "python")
    listed = json.loads(materials.read_text("utf-8"))["components"]
    silent = ", ".join(sorted(part["name"] for part in listed if not part.get("licenses")))
    figure = (
        f"{len(sums.splitlines())} files; {len(listed)} materials, without a licence in their metadata: {silent or '-'}"
    )
    return judged(figure, notes)


@cache
def _installed() -> Path:
    """The programs of an environment with an installation that can publish."""
    folder = RELEASE / "default"
    shutil.rmtree(folder, ignore_errors=True)
    _run(sys.executable, "-m", "venv", folder)
    pip = (folder / "bin/python", "-m", "pip", "install", "--quiet", "--find-links", _built("dist"))
    _run(*pip, "citepress[publish]")
    return folder / "bin"


def _installations(_tools: Toolbox, _site: Copy) -> Verdict:
    dist, programs = _built("dist"), _programs()
    done = _run(programs / "python", "release/install.py", dist, PATH=f"{os.environ['PATH']}:{programs}")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    slow = [
        row
        for row in rows
        if row["first_page_s"] > (MAX_INSTALL_S if row["size_mb"] else MAX_UVX_S)
        or (row["environment"] == "python3.11" and row["size_mb"] > MAX_INSTALLED_MB)
    ]
    figure = ", ".join(
        f"{row['environment']} {row['first_page_s']} s" + (f" {row['size_mb']} MB" if row["size_mb"] else "")
        for row in rows
    )
    return judged(figure, [f"{row['environment']} is over a bar" for row in slow])


def _image(_tools: Toolbox, _site: Copy) -> Verdict:
    """Built without a registry of images, and run as its user on a read-only root."""
    if missing := [name for name in NEEDS if not shutil.which(name)]:
        return Verdict("skipped", f"{' and '.join(missing)} needed (Debian packages of these names; bubblewrap)")
    if os.getuid():
        return Verdict("skipped", "root is needed to own the files of the image")
    # Outside the tree, because the user of the image must be able to reach its root.
    with TemporaryDirectory() as name:
        work = Path(name)
        work.chmod(0o755)
        root = built(_run, work)
        size = sum(path.lstat().st_size for path in root.rglob("*") if not path.is_symlink()) / MB
        page = first_page(root, work / "content-and-state")
    notes = [] if "Otters" in page else ["its first page is not answered"]
    notes += [f"{size:.0f} MB unpacked"] if size > MAX_IMAGE_MB else []
    return judged(f"{size:.0f} MB unpacked; answers as user 10001 on a read-only root (without an engine)", notes)


def _files(tools: Toolbox, _site: Copy) -> Verdict:
    """Workflows, the action, the hook, the container of an editor, the formula and the flake, each by its own judge."""
    programs = _programs()
    workflows = sorted((ROOT / ".github/workflows").glob("*.yml"))
    notes = list(read(tools.drive("workflows.mjs", *workflows))["faults"])
    checks: Iterable[tuple[str | Path, ...]] = (
        (programs / "check-jsonschema", "--builtin-schema", "vendor.github-workflows", *workflows),
        (programs / "check-jsonschema", "--builtin-schema", "vendor.github-actions", ROOT / "action.yml"),
        (programs / "pre-commit", "validate-manifest", ROOT / ".pre-commit-hooks.yaml"),
        (
            tools.node,
            tools.package("@devcontainers/cli") / "devcontainer.js",
            "read-configuration",
            "--workspace-folder",
            ROOT,
            "--docker-path",
            "true",
        ),
        ("ruby", "-c", ROOT / "release/citepress.rb.in"),
        ("nix-instantiate", "--parse", ROOT / "flake.nix"),
    )
    left = []
    for command in checks:
        if shutil.which(str(command[0])):
            notes += _complaint(command)
        else:
            left.append(str(command[0]))
    without = f"; not asked, because it is not installed: {', '.join(left)}" if left else ""
    return judged(f"{len(notes)} faults in {len(workflows) + 5} files{without}", notes)


def _complaint(command: tuple[str | Path, ...]) -> list[str]:
    try:
        _run(*command)
    except Unusable as error:
        return [str(error)]
    return []


def _action(_tools: Toolbox, _site: Copy) -> Verdict:
    """The steps of action.yml, run as they are written: a check, a site and a publication."""
    installed = _installed()
    work = RELEASE / "action"
    return judged("check with faults and without, build, publish", run_action(ROOT / "action.yml", installed, work))


def _hook(_tools: Toolbox, _site: Copy) -> Verdict:
    """The hook, installed by pre-commit from this repository, on a folder with a fault and on one without."""
    dist, programs = _built("dist"), _programs()
    work = RELEASE / "hook"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    (work / "otters.md").write_text("---\ndate: 2026-03-01\n---\n# Otters\n\nThey hold hands.\n", "utf-8")
    environ = {"PIP_FIND_LINKS": str(dist), "PRE_COMMIT_HOME": str(work.with_name("hook-home"))}
    git = ("git", "-C", work)
    _run(*git, "init", "--quiet")
    notes = []
    for text, code in (("[site\n", 1), ("", 0)):
        (work / "site.toml").write_text(text, "utf-8") if text else (work / "site.toml").unlink()
        _run(*git, "add", "--all")
        command = (programs / "pre-commit", "try-repo", ROOT, "citepress-check", "--all-files")
        done = subprocess.run(
            command, cwd=work, env=os.environ | environ, capture_output=True, text=True, check=False, timeout=600
        )
        if done.returncode != code or ("site.toml:1:6" in done.stdout) != bool(code):
            notes.append(f"exit code {done.returncode} instead of {code}: {done.stdout[-400:]}")
    return judged("a fault stops a commit, a clean folder does not", notes)


RELEASE_JUDGES: Sequence[Judge] = (
    Judge("distributions", "two builds are equal, metadata and bill of materials valid", (), _distributions),
    Judge(
        "installations",
        f"first page within {MAX_INSTALL_S} s of pip install, {MAX_UVX_S} s of uvx; {MAX_INSTALLED_MB} MB",
        (),
        _installations,
    ),
    Judge("image", f"at most {MAX_IMAGE_MB} MB; answers on a read-only root", (), _image),
    Judge("files", "0 faults", ("node",), _files),
    Judge("action", "does what action.yml says", (), _action),
    Judge("hook", "finds the fault", (), _hook),
)
