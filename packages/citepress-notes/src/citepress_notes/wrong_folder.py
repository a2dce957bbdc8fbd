"""Folders that nobody means to publish: a part of an archive, a source tree, thousands of files that are no texts."""

from collections.abc import Collection, Sequence
from pathlib import Path

from citepress.content.files import ContentFile, is_folder, is_markdown, is_there
from citepress.content.settings_file import SETTINGS_FILE

SOURCE_TREE_MARKS = (
    *("pyproject.toml", "setup.py", "package.json", "Cargo.toml", "go.mod"),
    *("pom.xml", "build.gradle", "composer.json", "Gemfile", "CMakeLists.txt"),
)
"""Files at the top of a program. A site of another tool may have one of them beside its settings."""
MAX_OTHER_FILES = 2_000
"""Files that may be beside few texts."""
MIN_TEXT_SHARE = 0.01
TEXT_FOLDERS = ("docs", "doc", "notes", "content")
ANYWAY = "write an empty site.toml here to publish its Markdown all the same"


def archive_above(folder: Path) -> Path | None:
    """The archive that a folder is a part of; ``None`` where it is a part of none."""
    folder = folder.resolve()
    for above in folder.parents:
        if is_there(above / SETTINGS_FILE) and folder.relative_to(above).parts[0] in ("content", "datasets", "static"):
            return above
    return None


def wrong_folder(root: Path, files: Sequence[ContentFile], tools: Collection[str]) -> tuple[str, str] | None:
    """Why a plain folder without settings is not the one to publish, and which is; ``tools`` are those of its site."""
    if above := archive_above(root):
        return "the folder is a part of an archive", f"name the archive: {above}"
    if tools:
        return None
    if mark := next((name for name in SOURCE_TREE_MARKS if is_there(root / name)), ""):
        inner = next((name for name in TEXT_FOLDERS if is_folder(root / name)), "")
        first = f"name its folder {inner}/, or " if inner else "name the folder that holds the texts, or "
        return f"the folder is a source tree: it has {mark}", first + ANYWAY
    texts = sum(is_markdown(file.path) for file in files)
    if len(files) > MAX_OTHER_FILES and texts < MIN_TEXT_SHARE * len(files):
        message = f"{texts:,} of {len(files):,} files are Markdown"
        return message, f"name the folder that holds the texts, or {ANYWAY}"
    return None
