"""What the judges are run with: Node and its packages, older Python SDKs in environments of their own, and servers.

All under .interop/.
"""

import contextlib
import hashlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HOME = ROOT / ".interop"
HOST = "127.0.0.1"
OLDEST_NODE = 22
SDKS = {"1.30.0": (), "1.8.0": ("pydantic==2.11.10",)}
"""Older Python SDKs, and what else has to be of their time."""


@dataclass(frozen=True, slots=True)
class Workshop:
    """Where each tool is; an empty path is a tool that is not there."""

    node: str
    pythons: dict[str, str]
    """Interpreters by the version of the SDK in them."""
    why: dict[str, str]
    """Why a tool is missing."""

    def run(self, *command: str | Path, limit: float = 600, entered: str = "") -> subprocess.CompletedProcess[str]:
        """Run a tool in the folder of the tools, with this on its standard input."""
        return subprocess.run(
            [str(part) for part in command],
            cwd=HOME,
            env={**os.environ, "NO_COLOR": "1"},
            input=entered,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=limit,
            check=False,
        )

    def package(self, path: str) -> Path:
        """A file of an installed package."""
        return HOME / "node_modules" / path


def prepared() -> Workshop:
    """Install what is not there yet, and say what there is."""
    (HOME / "reports").mkdir(parents=True, exist_ok=True)
    for part in ("clients", "expected"):
        shutil.copytree(HERE / part, HOME / part, dirs_exist_ok=True)
    why: dict[str, str] = {}
    node = _node(why)
    pythons = {
        version: str(bin_ / "python")
        for version, more in SDKS.items()
        if (bin_ := programs(f"sdk-{version}", f"mcp=={version}", *more, why=why))
    }
    return Workshop(node, pythons, why)


def _node(why: dict[str, str]) -> str:
    if not (npm := shutil.which("npm")):
        why["node"] = "npm is needed (Node.js)"
        return ""
    wanted = (HERE / "package.json").read_bytes()
    stamp, digest = HOME / "installed", hashlib.sha256(wanted).hexdigest()
    if not stamp.exists() or stamp.read_text("utf-8") != digest:
        (HOME / "package.json").write_bytes(wanted)
        print("Installing clients and suite under .interop/ (once) ...", flush=True)
        command = [
            npm,
            "install",
            "--no-package-lock",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
        ]
        done = subprocess.run(command, cwd=HOME, capture_output=True, text=True, check=False)
        if done.returncode:
            why["node"] = (
                f"the packages cannot be installed: {(done.stderr.strip().splitlines() or ['npm gave no reason'])[0]}"
            )
            return ""
        stamp.write_text(digest, "utf-8")
    brought = (HOME / "node_modules" / f"node-linux-{word}" / "bin" / "node" for word in ("x64", "arm64"))
    for candidate in (*(str(path) for path in brought if path.exists()), shutil.which("node") or ""):
        if candidate and _version(candidate) >= OLDEST_NODE:
            return candidate
    why["node"] = f"Node.js {OLDEST_NODE} or later is needed"
    return ""


def _version(node: str) -> int:
    answer = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    return int(answer.strip().lstrip("v").partition(".")[0] or 0)


def programs(name: str, *requirements: str, why: dict[str, str]) -> Path | None:
    """The programs of an environment of its own under .interop/ that holds these packages."""
    place = HOME / name
    stamp, wanted = place / "ready", "\n".join(requirements)
    if not stamp.exists() or stamp.read_text("utf-8") != wanted:
        venv.create(place, with_pip=True, clear=True)
        command = [place / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        done = subprocess.run([*command, *requirements], capture_output=True, text=True, check=False)
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["pip gave no reason"])[-1]
            why[name] = f"{requirements[0]} cannot be installed: {reason}"
            return None
        stamp.write_text(wanted, "utf-8")
    return place / "bin"


@contextlib.contextmanager
def archive(limit: int) -> Iterator[str]:
    """The demo archive, served with this many messages a minute; the address of its endpoint."""
    with served_demo(HOME / "state", CITEPRESS_MCP_LIMIT=str(limit)) as url:
        yield f"{url}/mcp"


@contextlib.contextmanager
def served_demo(state: Path, **environment: str) -> Iterator[str]:
    """The demo archive, served over a state of its own with these settings; its address."""
    demo = ROOT / "examples" / "agent-archive"
    command = [sys.executable, "-m", "citepress", "serve", str(demo), "--state", str(state)]
    with serving(lambda port: [*command, "--port", str(port)], environment) as url:
        yield url


@contextlib.contextmanager
def fixtures() -> Iterator[str]:
    """The server with the names that the suite asks for."""
    state = HOME / "fixtures"
    shutil.rmtree(state, ignore_errors=True)
    state.mkdir()
    modules = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
    with serving(
        lambda port: [sys.executable, str(HERE / "fixtures.py"), str(state), str(port)], {"PYTHONPATH": modules}
    ) as url:
        yield f"{url}/mcp"


@contextlib.contextmanager
def serving(command: Callable[[int], list[str]], environment: dict[str, str], folder: Path = HOME) -> Iterator[str]:
    """A server on a free port, run in this folder; its address."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port = probe.getsockname()[1]
    with (HOME / "reports" / "server.log").open("ab") as log:
        settings = {**os.environ, **environment}
        process = subprocess.Popen(command(port), cwd=folder, env=settings, stdout=log, stderr=log)
        try:
            _await(port, process)
            yield f"http://{HOST}:{port}"
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(20)


def _await(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(1200):
        with contextlib.suppress(OSError), socket.create_connection((HOST, port), 1):
            return
        if process.poll() is not None:
            break
        time.sleep(0.1)
    raise SystemExit("the server did not start; see .interop/reports/server.log")
