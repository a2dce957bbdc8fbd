"""Who missed a page is led to pages that hold something."""

from pathlib import Path

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.edition.edition import open_edition, pointer
from citepress.settings import Settings
from support.folder import folder, post, signal


def test_a_collection_is_near_as_soon_as_it_holds_something(tmp_path: Path) -> None:
    settings = Settings(folder(tmp_path / "site", {"content/posts/one.md": post()}), tmp_path / "state")
    builder, file = Builder(settings), settings.root / "content/signals/first.md"

    def near(path: str) -> set[str]:
        return {page for page, _ in open_edition(pointer(settings.state)).near(path, 20)}

    builder.build(clock.now())
    assert "/posts/" in near("/post/")
    assert "/signals/" not in near("/signal/")
    assert "/presence/" not in near("/presences/")
    folder(settings.root, {"content/signals/first.md": signal()}, site=None)
    builder.build(clock.now(), [file])
    assert "/signals/" in near("/signal/")
    file.unlink()
    builder.build(clock.now(), [file])
    assert "/signals/" not in near("/signal/")
