"""What a page says where it is shared or printed, and the theme that it wears."""

import re
from pathlib import Path

import pytest

from citepress.admin.build import Builder
from citepress.contract.page import Page
from citepress.contract.site import ThemeChoice
from citepress.edition.edition import open_edition
from citepress.edition.theme import NAMES, assets, papers, style
from citepress.settings import Settings
from support.folder import NOW, folder, post
from support.pages import as_html


def test_a_picture_and_profiles_are_named_for_those_who_share() -> None:
    page = Page("/x/", "T", "D", (), image="/a b.png", me=("https://social.example/@me",))
    html = as_html(page)
    assert '<meta property="og:image" content="https://archive.test/a%20b.png">' in html
    assert '<meta name="twitter:card" content="summary_large_image">' in html
    assert '<link rel="me" href="https://social.example/@me">' in html
    assert '<meta name="twitter:card" content="summary">' in as_html(Page("/x/", "T", "D", ()))


@pytest.mark.parametrize("name", NAMES)
def test_a_site_wears_the_theme_that_it_names(name: str) -> None:
    html = as_html(Page("/x/", "T", "D", ()), theme=ThemeChoice.model_validate({"name": name}))
    assert re.search(rf'<link rel="stylesheet" href="/theme/{name}-[0-9a-f]{{8}}\.css">', html)
    assert f'content="{papers(name)[0]}"' in html  # type: ignore[arg-type]


def test_themes_set_the_same_tokens_and_share_every_rule() -> None:
    sheets = [assets()[style(name)][0].decode() for name in NAMES]
    tokens = [set(re.findall(r"(--[a-z0-9-]+):", sheet)) for sheet in sheets]
    assert tokens[0] == tokens[1]
    assert all(sheet.endswith(sheets[0][sheets[0].index("*, *::before") :]) for sheet in sheets)
    assert set(re.findall(r"var\((--[a-z0-9-]+)\)", sheets[0])) <= tokens[0]


def test_an_edit_asks_nothing_of_cards_that_are_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(*_words: object, **_more: object) -> bool:
        raise ModuleNotFoundError("No module named 'pymupdf_fonts'")

    monkeypatch.setattr("citepress_cards.declared.is_drawable", absent)
    site = folder(tmp_path / "site", {f"content/posts/n{at}.md": post(slug=f"n{at}") for at in range(3)})
    builder = Builder(Settings(site, tmp_path / "state"))
    builder.build(NOW)
    folder(site, {"content/posts/n1.md": post(title="Another", slug="n1")}, None)
    edited = builder.build(NOW, [site / "content/posts/n1.md"])
    assert b"Another" in (open_edition(edited.pointer).body("/posts/n1/") or b"")
