"""What a page says where it is shared or printed, and the theme that it wears."""

import re

import pytest

from citepress.contract.page import Page
from citepress.contract.site import Site
from citepress.edition.theme import THEME_NAMES, assets, papers, style
from support.pages import as_html


def test_a_picture_and_profiles_are_named_for_those_who_share() -> None:
    page = Page("/x/", "T", "D", (), image="/a b.png", me=("https://social.example/@me",))
    html = as_html(page)
    assert '<meta property="og:image" content="https://archive.test/a%20b.png">' in html
    assert '<meta name="twitter:card" content="summary_large_image">' in html
    assert '<link rel="me" href="https://social.example/@me">' in html
    assert '<meta name="twitter:card" content="summary">' in as_html(Page("/x/", "T", "D", ()))


@pytest.mark.parametrize("name", THEME_NAMES)
def test_a_site_wears_the_theme_that_it_names(name: str) -> None:
    html = as_html(Page("/x/", "T", "D", ()), theme=Site.model_validate({"theme": {"name": name}}).theme)
    assert re.search(rf'<link rel="stylesheet" href="/theme/{name}-[0-9a-f]{{8}}\.css">', html)
    assert f'content="{papers(name)[0]}"' in html  # type: ignore[arg-type]


def test_themes_set_the_same_tokens_and_share_every_rule() -> None:
    sheets = [assets()[style(name)][0].decode() for name in THEME_NAMES]
    tokens = [set(re.findall(r"(--[a-z0-9-]+):", sheet)) for sheet in sheets]
    assert tokens[0] == tokens[1]
    assert all(sheet.endswith(sheets[0][sheets[0].index("*, *::before") :]) for sheet in sheets)
    assert set(re.findall(r"var\((--[a-z0-9-]+)\)", sheets[0])) <= tokens[0]
