"""What navigation, guides and sitemaps name: collections that hold something, under the publisher's labels."""

from pathlib import Path

import pytest

from citepress.admin.build import Builder
from citepress.edition.edition import Edition, open_edition
from citepress.settings import Settings
from support.compared_editions import MOMENT, assert_same, with_history
from support.folder import SITE, checked, fault_places, folder, post, signal

HIDDEN = ("/signals/", "/forecasts/", "/datasets/", "/presence/", "/recall-probes/")
LABELS = f'{SITE}[kinds.posts]\nlabel = "Stories & essays"\nsingular = "Story"\n[kinds.signals]\nlabel = "Sightings"\n'


def built(root: Path, state: Path, builder: Builder | None = None) -> Edition:
    return open_edition((builder or Builder(Settings(root, state))).build(MOMENT).pointer)


def text(edition: Edition, path: str) -> str:
    body = edition.body(path)
    assert body is not None, path
    return bytes(body).decode()


def test_empty_collections_are_named_nowhere_and_answer(tmp_path: Path) -> None:
    edition = built(folder(tmp_path / "c", {"content/posts/a.md": post()}), tmp_path / "s")
    pages = [text(edition, path) for path in ("/", "/posts/a/", "/posts/")]
    guides = [text(edition, path) for path in ("/llms.txt", "/sitemap.md", "/sitemaps/pages-1.xml")]
    for path in HIDDEN:
        assert f'href="{path}"' not in "".join(pages)
        address = f"https://archive.test{path}"
        assert not [guide for guide in guides if address in guide or f"{address[:-1]}.md" in guide], path
        assert "https://archive.test" in text(edition, path)
    assert all('href="/posts/"' in page for page in pages)


def test_the_first_record_of_a_kind_and_the_last_change_every_page(tmp_path: Path) -> None:
    root = folder(tmp_path / "c", {"content/posts/a.md": post()})
    builder = Builder(Settings(root, tmp_path / "s"))
    built(root, tmp_path, builder)
    folder(root, {"content/signals/x.md": signal()}, None)
    now = built(root, tmp_path, builder)
    assert 'href="/signals/"' in text(now, "/posts/a/")
    assert_same(now, built(root, with_history(tmp_path / "s", tmp_path / "fresh")))
    (root / "content/signals/x.md").unlink()
    now = built(root, tmp_path, builder)
    assert 'href="/signals/"' not in text(now, "/posts/a/")
    assert_same(now, built(root, with_history(tmp_path / "s", tmp_path / "afresh")))


def test_kinds_have_the_labels_of_the_publisher(tmp_path: Path) -> None:
    files = {"content/posts/a.md": post(), "content/signals/x.md": signal()}
    edition = built(folder(tmp_path / "c", files, LABELS), tmp_path / "s")
    page = text(edition, "/posts/a/")
    assert '<a href="/posts/">Stories &amp; essays</a>' in page
    assert "<h1>Sightings</h1>" in text(edition, "/signals/")
    assert '<a href="/signals/">Sightings</a>' in text(edition, "/signals/x/")
    assert "## Stories & essays" in text(edition, "/llms.txt")
    assert "Field note" not in page + text(edition, "/")


def test_a_label_keeps_its_case_and_is_in_the_language_of_the_site(tmp_path: Path) -> None:
    site = f'{SITE}language = "de"\n[kinds.posts]\nlabel = "TILs"\nsingular = "TIL"\n'
    files = {"content/posts/a.md": post(language="en"), "content/posts/b.md": post()}
    edition = built(folder(tmp_path / "c", files, site), tmp_path / "s")
    assert "<title>Test archive: TILs</title>" in text(edition, "/posts/feed.xml")
    assert "## TILs" in text(edition, "/sitemap.md")
    assert '<h1 lang="de" dir="ltr">TILs</h1>' in text(edition, "/posts/")
    assert '<span class="label" lang="de" dir="ltr">TIL</span>' in text(edition, "/")
    assert '<a href="/posts/" lang="de" dir="ltr">TILs</a>' in text(edition, "/posts/a/")
    assert "tils" not in text(edition, "/llms.txt") + text(edition, "/")


@pytest.mark.parametrize("name", ["post", "nothing"])
def test_a_label_of_no_kind_is_a_fault(tmp_path: Path, name: str) -> None:
    _, faults = checked(folder(tmp_path, {"content/posts/a.md": post()}, f'{SITE}[kinds.{name}]\nlabel = "X"\n'))
    wrong = [fault for fault in faults if fault.code.id == "CP030"]
    assert fault_places(wrong) == ["site.toml:3:1 CP030"]
    assert "posts" in wrong[0].hint
