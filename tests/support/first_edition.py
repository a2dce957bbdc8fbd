"""An edition that is built when this module is imported, so that forks of this process find what a build keeps.

The schemas of all types, the route table and the compiled templates take six times as long as the edition of a few
records. Nothing is left of it but these: no thread, no open file.
"""

import tempfile
from pathlib import Path

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.settings import Settings
from support.folder import folder, pattern, post, signal, topic

FILES = {
    "content/posts/one.md": post(),
    "content/topics/one.md": topic(),
    "content/patterns/one.md": pattern(),
    "content/signals/one.md": signal(),
}

with tempfile.TemporaryDirectory() as directory:
    Builder(Settings(folder(Path(directory) / "content", FILES), Path(directory) / "state")).build(clock.now())
