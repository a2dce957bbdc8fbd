"""The editor of whoever sits at the terminal, for a few words at a time."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from citepress.base.errors import CitepressError


class EditorError(CitepressError):
    """The editor is not named, cannot be run, or ended with a failure."""


def edited(text: str) -> str:
    """The text as it was left in the editor that ``VISUAL`` or ``EDITOR`` names, without the line end at its end.

    Raises ``EditorError``.
    """
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not command:
        raise EditorError("no editor is named: set EDITOR, or give the words with --replace")
    with tempfile.TemporaryDirectory(prefix="citepress-") as folder:
        path = Path(folder) / "passage.md"
        path.write_text(f"{text}\n", "utf-8")
        try:
            subprocess.run([*shlex.split(command), str(path)], check=True)  # noqa: S603  (the editor is the moderator's own choice)
            left = path.read_text("utf-8").rstrip("\r\n")
        except (OSError, ValueError, subprocess.CalledProcessError) as error:
            raise EditorError(f"the editor {command!r} did not leave a text: {error}") from None
    if not left.strip():
        # As with Git, an empty file is a change of mind, or a disk that was full.
        raise EditorError("the file is empty, so nothing is changed; to take a passage out, give --replace ''")
    return left
