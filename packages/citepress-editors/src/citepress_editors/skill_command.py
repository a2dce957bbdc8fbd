"""``citepress skill``: the skill for agents that write records, printed or installed."""

from importlib.resources import files
from pathlib import Path

from citepress.cli.console import answer, write
from citepress.cli.scaffold import write_files

NAME = "citepress-records"
FILE = f"{NAME}/SKILL.md"


def skill(*, out: Path | None = None, json: bool = False) -> int:
    """Print the agent skill for writing records with sources and claims.

    Parameters
    ----------
    out
        Folder of the agent's skills to write it into.
    json
        Print the file that was written as JSON.
    """
    text = files("citepress_editors").joinpath("skills", FILE).read_bytes()
    if out is None:
        write(text)
        return 0
    (path,) = write_files(out, {FILE: text})
    answer(str(path), {"file": str(path)}, as_json=json)
    return 0
