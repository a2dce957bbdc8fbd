"""What the judges are run with: Node and its packages under .audit/, Java, a browser, xmllint.

Missing ones are named.
"""

import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HOME = ROOT / ".audit"
OLDEST_NODE = (22, 19)
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@dataclass(frozen=True, slots=True)
class Toolbox:
    """Where each tool is; an empty path is a tool that is not there."""

    home: Path
    node: str
    java: str
    chromium: str
    xmllint: str
    a14y: str
    why: dict[str, str]
    """Why a tool is missing, and how to get it."""

    def package(self, name: str) -> Path:
        """Folder of an installed package."""
        return self.home / "node_modules" / name

    def run(
        self, *command: str | Path, limit: float = 600, stdin: str | None = None, **environ: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a tool in the audit's folder; what it prints is read as UTF-8."""
        return subprocess.run(
            [str(part) for part in command],
            cwd=self.home,
            env={**os.environ, "NO_COLOR": "1", **environ},
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=limit,
            check=False,
        )

    def drive(self, driver: str, *words: str | Path, limit: float = 900) -> subprocess.CompletedProcess[str]:
        """Run one of our small drivers, which print one JSON document."""
        return self.run(self.node, self.home / "drivers" / driver, *words, limit=limit, CHROME_PATH=self.chromium)


def prepared() -> Toolbox:
    """Install the packages if need be, and say what there is."""
    HOME.mkdir(exist_ok=True)
    (HOME / "reports").mkdir(exist_ok=True)
    why: dict[str, str] = {}
    node = _node(why)
    for part in ("drivers", "rules"):
        shutil.copytree(HERE / part, HOME / part, dirs_exist_ok=True)
    java = _executable(("java",), "Java is needed (Debian: default-jre-headless)", why, "java")
    chromium = _executable(BROWSERS, "Chromium is needed (Debian: chromium)", why, "chromium")
    xmllint = _executable(("xmllint",), "xmllint is needed (Debian: libxml2-utils)", why, "xmllint")
    a14y = _executable(("a14y",), "a14y 0.2.0 is needed on the PATH (it is not among the packages of npm)", why, "a14y")
    return Toolbox(HOME, node, java, chromium, xmllint, a14y, why)


def _executable(names: tuple[str, ...], reason: str, why: dict[str, str], tool: str) -> str:
    path = next((candidate for name in names if (candidate := shutil.which(name))), "")
    if not path:
        why[tool] = reason
    return path


def _node(why: dict[str, str]) -> str:
    """A Node that is new enough, with the packages installed; the packages bring one for Linux."""
    if not (npm := shutil.which("npm")):
        why["node"] = "Node.js and npm are needed"
        return ""
    if problem := _install(npm):
        why["node"] = f"the packages of tests/audit/package.json cannot be installed: {problem}"
        return ""
    brought = (HOME / "node_modules" / f"node-linux-{word}" / "bin" / "node" for word in ("x64", "arm64"))
    for candidate in (*(str(path) for path in brought if path.exists()), shutil.which("node") or ""):
        if candidate and _version(candidate) >= OLDEST_NODE:
            return candidate
    why["node"] = f"Node.js {'.'.join(map(str, OLDEST_NODE))} or later is needed"
    return ""


def _version(node: str) -> tuple[int, ...]:
    answer = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    return tuple(int(part) for part in answer.stdout.strip().lstrip("v").split(".") if part.isdecimal())


def _install(npm: str) -> str:
    """Install when ``package.json`` changed since the last time; answers what went wrong, or nothing."""
    wanted = (HERE / "package.json").read_bytes()
    stamp, digest = HOME / "installed", hashlib.sha256(wanted).hexdigest()
    if stamp.exists() and stamp.read_text("utf-8") == digest:
        return ""
    (HOME / "package.json").write_bytes(wanted)
    print("Installing the judges under .audit/ (once) ...", flush=True)
    done = subprocess.run(
        [npm, "install", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
        cwd=HOME,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["npm gave no reason"])[0]
    stamp.write_text(digest, "utf-8")
    return ""
