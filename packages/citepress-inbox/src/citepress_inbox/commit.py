"""One Git commit of exactly the file that a decision wrote."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from citepress_inbox.change import AcceptError
from citepress_inbox.ports import StoredSubmission

GIT_TIMEOUT_S = 60.0
"""The longest time that one call of Git may take, hooks included."""
_CALM = {"GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true"}
"""Nothing is asked."""


def refuse_uncommitted(root: Path, file: str) -> None:
    """Raise ``AcceptError`` unless Git has the file as it is: the commit would take its other changes along."""
    if _git(root, "ls-files", "--", file) == "":
        raise AcceptError(f"{file} is not in Git", "add and commit it first, or leave --commit out")
    if _git(root, "status", "--porcelain", "--", file):
        raise AcceptError(f"{file} has changes that are not committed", "commit them first, or leave --commit out")


def commit(root: Path, file: str, verb: str, stored: StoredSubmission, credit: str = "") -> str:
    """Commit the file alone, whatever else is changed or staged; give the short name of the commit.

    The message names the submission and who is credited. Raises ``AcceptError``.
    """
    kind = stored.kind.replace("_", " ")
    about = [f"Submission: {stored.id}", *([f"Credit: {credit}"] if credit else [])]
    subject = f"{verb} a {kind} for {Path(file).stem}"
    message = f"{subject}\n\n" + "\n".join(about)
    try:
        _git(root, "commit", "--quiet", "--only", "--message", message, "--", file)
        return _git(root, "rev-parse", "--short", "HEAD").strip()
    except AcceptError as error:
        raise AcceptError(
            f"{file} is written, but not committed: {error.what}",
            f"correct that, then commit it yourself:\n  {_by_hand(root, file, subject, about)}",
        ) from None


def _by_hand(root: Path, file: str, subject: str, about: Iterable[str]) -> str:
    """The command for a shell that makes the same commit, on one line."""
    trailers = (word for line in about for word in ("--trailer", line))
    place = str(root.resolve())
    return shlex.join(["git", "-C", place, "commit", "--only", "--message", subject, *trailers, "--", file])


def _git(root: Path, *words: str) -> str:
    """What Git answers. Raises ``AcceptError`` with its own words."""
    git = shutil.which("git")
    if git is None:
        raise AcceptError("Git is not installed", "leave --commit out")
    try:
        done = subprocess.run(  # noqa: S603  (Git by its whole path, and every word is an argument)
            [git, *words],
            cwd=root,
            env={**os.environ, **_CALM},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GIT_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise AcceptError(f"Git did not answer: {error}") from None
    if done.returncode:
        words_of_git = " ".join((done.stderr or done.stdout).decode(errors="replace").split())
        if not words_of_git:
            raise AcceptError(f"Git gave no reason (exit status {done.returncode})")
        raise AcceptError(f"Git says: {words_of_git[:400]}")
    return done.stdout.decode(errors="replace")
