"""Runs Python in a process that can take only so much more memory than it has once it has imported what it needs."""

import subprocess
import sys

HEAD = """
import resource
from pathlib import Path

def limit(more: int) -> None:
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + more, taken + more))

"""


def run_with_little_memory(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a script that calls ``limit`` with the bytes that it may take from then on."""
    command = [sys.executable, "-c", HEAD + code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
