"""Runs the shell steps of a composite GitHub action as a runner does: inputs as variables, conditions, outputs."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import yaml

OTTERS = "---\ntitle: Otters\ndate: 2026-03-01\n---\nThey hold hands.\n"


def run_action(action: Path, programs: Path, work: Path) -> list[str]:
    """What an action did otherwise than it says, for a folder with a fault, a good one, a site and a publication."""
    shutil.rmtree(work, ignore_errors=True)
    good, bad, target = work / "good", work / "bad; touch owned", work / "bucket"
    for folder in (good, bad):
        (folder / "notes").mkdir(parents=True)
        (folder / "notes/otters.md").write_text(OTTERS, "utf-8")
    (bad / "site.toml").write_text("[site\n", "utf-8")
    steps = yaml.safe_load(action.read_text("utf-8"))
    notes = []
    done = _run(steps, programs, work, command="check", folder=str(bad))
    sarif = (work / "citepress.sarif").read_text("utf-8")
    if done.returncode != 1 or "::error" not in done.stdout or '"site.toml"' not in sarif:
        notes.append(f"check of a fault: {done.stdout[-300:]}{done.stderr[-300:]}")
    if (work / "owned").exists():
        notes.append("the name of a folder was run as a command")
    done = _run(steps, programs, work, command="check", folder=str(good))
    notes += [f"check: {done.stdout}{done.stderr}"] if done.returncode else []
    site = work / "site"
    done = _run(
        steps, programs, work, command="build", folder=str(good), output=str(site), **{"base-url": "https://e.example"}
    )
    if (
        done.returncode
        or f"output={site}" not in (work / "outputs").read_text("utf-8")
        or not (site / "index.html").exists()
    ):
        notes.append(f"build: {done.stdout}{done.stderr}")
    publish = {"command": "publish", "folder": str(good), "target": f"file://{target}", "base-url": "https://e.example"}
    done = _run(steps, programs, work, **publish)
    if done.returncode != 2 or "edition-key is empty" not in done.stdout:
        notes.append(f"publish without a key: {done.stdout}{done.stderr}")
    first = (
        programs / "citepress",
        "publish",
        good,
        publish["target"],
        "--state",
        work / "first",
        "--base-url",
        "https://e.example",
    )
    subprocess.run([str(word) for word in first], check=True, capture_output=True)
    key = (work / "first/edition.key").read_text("utf-8").strip()
    (good / "notes/seals.md").write_text(OTTERS.replace("Otters", "Seals"), "utf-8")
    done = _run(steps, programs, work, **publish, state=str(work / "state"), **{"edition-key": key})
    if done.returncode or not (target / "current").exists() or (work / "state/edition.key").stat().st_mode & 0o077:
        notes.append(f"publish: {done.stdout}{done.stderr}")
    return notes


def _run(action: dict[str, Any], programs: Path, work: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the shell steps whose condition these inputs meet, but the installation, until one fails."""
    values = {name: str(of.get("default", "")) for name, of in action["inputs"].items()} | inputs
    done = subprocess.CompletedProcess[str]((), 0, "", "")
    for step in action["runs"]["steps"]:
        condition = re.search(r"inputs\.command == '(\w+)'", step.get("if", ""))
        wanted = not condition or condition[1] == values["command"]
        if "run" not in step or not wanted or step["name"] == "Install":
            continue
        environ = {
            name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: values[match[1]], text)
            for name, text in step["env"].items()
        }
        runner = {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "RUNNER_TEMP": str(work),
            "GITHUB_OUTPUT": str(work / "outputs"),
        }
        done = subprocess.run(
            ("bash", "-c", step["run"]),
            cwd=work,
            env=os.environ | runner | environ,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        if done.returncode:
            break
    return done
