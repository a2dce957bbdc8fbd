"""Who missed a page is led to pages that hold something."""

from pathlib import Path

import lxml.html

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.edition.edition import open_edition, pointer
from citepress.settings import Settings
from support.folder import SITE, folder, post, signal
from support.running_server import serving


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


def test_a_missing_page_offers_at_most_three_and_says_that_it_guesses(tmp_path: Path) -> None:
    files = {f"content/posts/reading-{number}-agents.md": post(title=f"Reading {number}") for number in range(9)}
    with serving(folder(tmp_path / "site", {"site.toml": SITE, **files}), tmp_path / "state") as server:
        page = lxml.html.fromstring(server.ask("/posts/reading-10-agents/").text)
        (lead,) = page.xpath("//p[text()='Did you mean:']")
        assert len(lead.xpath("following-sibling::ul[1]/li")) == 3
        markdown = server.ask("/posts/reading-10-agents.md", accept="text/markdown").text
        assert len(markdown.partition("Did you mean:")[2].partition("\n## ")[0].strip().splitlines()) == 3
        assert len(server.ask("/posts/reading-10-agents.json").json()["nearest"]) == 5
        assert "Did you mean" not in server.ask("/zzz/").text
