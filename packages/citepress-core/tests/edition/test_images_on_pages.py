"""Images of this site on pages: they say their width and height, and a page is written again when these change."""

from pathlib import Path

import pytest

from citepress.admin.build import Builder, BuildResult
from citepress.base import clock
from citepress.edition.edition import open_edition
from citepress.settings import Settings
from support.folder import folder, post

BODY = """![one](/img/a.svg "Title") and ![two](../../img/a.svg)

[![three > 2](https://archive.test/below/img/a.svg)](/posts/) ![four](https://elsewhere.example/img/a.svg)
![five](/icon.svg) ![six][a]

[a]: /img/a%2Esvg
"""


def svg(width: int) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="30"/>'


def site(base_url: str) -> str:
    """The settings of an archive at an address."""
    return f'title = "Test archive"\nbase_url = "{base_url}"\n'


def html(built: BuildResult, path: str) -> str:
    return open_edition(built.pointer).body(path).decode()


def images(built: BuildResult, path: str = "/posts/one/") -> list[str]:
    """The images in the text of a page."""
    main = html(built, path).partition("<main")[2]
    return [part.partition(">")[0] for part in main.split("<img ")[1:]]


@pytest.mark.parametrize("base_url", ["https://archive.test", "https://archive.test/below"])
def test_images_of_the_site_say_their_size_and_wait_for_their_turn(tmp_path: Path, base_url: str) -> None:
    body = BODY if base_url.endswith("below") else BODY.replace("/below", "")
    settings = Settings(
        folder(tmp_path / "site", {"content/posts/one.md": post(body), "static/img/a.svg": svg(40)}, site(base_url)),
        tmp_path / "state",
    )
    built = Builder(settings).build(clock.now())
    pictures = images(built)
    sized = [image.startswith('loading="lazy" width="40" height="30" ') for image in pictures]
    assert sized == [True, True, True, False, False, True]
    assert all(image.startswith('loading="lazy"') for image in pictures)
    assert 'title="Title"' in pictures[0]


def test_a_page_is_written_again_when_an_image_on_it_changes_its_size(tmp_path: Path) -> None:
    note = "![a](/img/a.svg)"
    own = "---\ntitle: A page\n---\n\n![a](/img/a.svg)\n"
    files = {f"content/posts/n{at}.md": post(note if at == 1 else "No image.") for at in range(40)}
    site = folder(tmp_path / "site", {**files, "content/pages/own.md": own, "static/img/a.svg": svg(40)})
    builder = Builder(Settings(site, tmp_path / "state"))
    first = builder.build(clock.now())
    for path in ("/posts/n1/", "/pages/own/"):
        assert ['width="40"' in image for image in images(first, path)] == [True]
    folder(site, {"static/img/a.svg": svg(400)})
    second = builder.build(clock.now())
    for path in ("/posts/n1/", "/pages/own/"):
        assert ['width="400"' in image for image in images(second, path)] == [True]
    assert second.printed
    assert second.printed.rendered == 3, "the image, the record and the page"
