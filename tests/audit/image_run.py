"""Builds the image of the Containerfile without a registry of images, and runs its files as an engine would."""

import os
import re
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from site_copy import free_port
from toolbox import ROOT

USER = "10001"
WAIT_S = 60
NEEDS = ("mmdebstrap", "buildah", "bwrap")
SETTINGS = ("/etc/pip.conf", "/etc/xdg/pip", "/etc/ssl/certs", str(Path.home() / ".config/pip"))
"""How this machine reaches its package indexes; the stage that builds does it the same way."""

Run = Callable[..., subprocess.CompletedProcess[str]]


def built(run: Run, work: Path) -> Path:
    """The files of the image. Debian's packages stand for its base image, and the stage that builds has our network."""
    debian = re.findall(r"^VERSION_CODENAME=(\w+)$", Path("/etc/os-release").read_text("utf-8"), re.MULTILINE)[0]
    buildah = ("buildah", "--storage-driver", "vfs", "--root", work / "store", "--runroot", work / "run")
    run("mmdebstrap", "--quiet", "--variant=minbase", "--include=ca-certificates", debian, work / "base.tar")
    base = run(*buildah, "from", "scratch").stdout.strip()
    run(*buildah, "add", "--quiet", base, work / "base.tar", "/")
    run(*buildah, "commit", "--quiet", base, f"docker.io/library/debian:{debian}-slim")
    volumes = [f"--volume={path}:{path}:ro" for path in SETTINGS if Path(path).exists()]
    options = ("--isolation", "chroot", "--network", "host", "--pull-never", "--format", "docker", *volumes)
    run(*buildah, "bud", *options, "--build-arg", f"DEBIAN={debian}", "--tag", "citepress", ROOT)
    container = run(*buildah, "from", "--pull-never", "localhost/citepress").stdout.strip()
    files = Path(run(*buildah, "mount", container).stdout.strip())
    run("cp", "--archive", files, work / "root")
    return work / "root"


def first_page(root: Path, work: Path) -> str:
    """The page of a note that the image answers as its user on a read-only root; empty if none came in time."""
    content, state = work / "content", work / "state"
    for folder in (content, state):
        folder.mkdir(parents=True)
    (content / "otters.md").write_text("# Otters\n\nThey hold hands.\n", "utf-8")
    os.chown(state, int(USER), int(USER))
    port = free_port()
    mounts = ("--ro-bind", root, "/", "--ro-bind", content, "/content", "--bind", state, "/state", "--tmpfs", "/tmp")  # noqa: S108
    command = (
        *("setpriv", "--reuid", USER, "--regid", USER, "--clear-groups", "bwrap", *mounts, "--dev", "/dev"),
        *("--proc", "/proc", "--unshare-pid", "--die-with-parent", "--clearenv"),
        *("--setenv", "PYTHONDONTWRITEBYTECODE", "1", "/opt/citepress/bin/citepress", "serve", "/content"),
        *("--port", str(port), "--state", "/state"),
    )
    with subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL) as server:
        try:
            end = time.monotonic() + WAIT_S
            while server.poll() is None and time.monotonic() < end:
                if page := _page(port):
                    return page
                time.sleep(0.1)
        finally:
            server.terminate()
    return ""


def _page(port: int) -> str:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5) as page:
            return str(page.read().decode("utf-8"))
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return ""
