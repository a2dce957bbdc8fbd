"""The theme: its files, its colours, and the shells of recovery documents."""

import gzip
import re

import lxml.etree
import lxml.html
import pytest

from citepress.contract.document import Pages, Section
from citepress.edition.pages.recovery import fill, recovery_templates
from citepress.edition.theme import assets, paths
from support.archive import archive_of, desk_of

CSS = assets()["paper.css"][0].decode()


def test_files_of_the_theme_have_paths_that_change_with_their_bytes():
    addresses = paths()
    assert (
        set(addresses)
        == set(assets())
        == {"paper.css", "plain.css", "favicon.svg", "icon.svg", "icon-48.png", "favicon.ico", "apple-touch-icon.png"}
    )
    assert all(
        re.fullmatch(r"/theme/(paper|plain|favicon|icon|icon-48|apple-touch-icon)-[0-9a-f]{8}\.(css|svg|png|ico)", path)
        for path in addresses.values()
    )
    assert len(set(addresses.values())) == len(addresses)


def test_the_stylesheet_is_small_and_asks_for_nothing_elsewhere():
    assert len(gzip.compress(CSS.encode())) <= 9_000
    assert "url(" not in CSS
    assert "@import" not in CSS


@pytest.mark.parametrize("name", ["favicon.svg", "icon.svg"])
def test_icons_are_well_formed_and_without_script(name):
    root = lxml.etree.fromstring(assets()[name][0])
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.xpath("//*[local-name()='script']") == []


def colours(scheme):
    """The named colours of a scheme; dark ones are those within its media query."""
    dark = CSS.index("@media (prefers-color-scheme: dark)")
    part = CSS[dark : CSS.index("\n}\n", dark)] if scheme == "dark" else CSS[:dark]
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", part))


def luminance(colour):
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("ground", ["paper", "raised"])
@pytest.mark.parametrize("ink", ["ink", "muted", "link", "accent", "string", "name"])
def test_every_colour_of_text_has_the_contrast_of_wcag_aa(scheme, ground, ink):
    palette = colours(scheme)
    lighter, darker = sorted((luminance(palette[ink]), luminance(palette[ground])), reverse=True)
    assert (lighter + 0.05) / (darker + 0.05) >= 4.5


def test_a_recovery_shell_is_a_page_of_the_theme_that_the_door_fills():
    guide = Pages("agents", "/agents/", Section.CONTRACTS, "Agents.", lambda _desk: [])
    shell = recovery_templates(desk_of(archive_of(), [guide]))["404.html"]
    text = fill(shell, "html", "Not <here>", "No & path", [("/posts/x/", "Near <one>")]).decode()
    document = lxml.html.fromstring(text)
    assert document.xpath("string(//h1)") == "Not <here>"
    assert document.xpath("string(//title)") == "Not <here> · Test archive"
    assert "No & path" in document.text_content()
    assert document.xpath("//main//a/@href") == ["/posts/x/", "/agents/"]
    assert document.xpath("//link[@rel='canonical' or @rel='alternate']|//meta[@property]") == []
    assert document.xpath("//meta[@name='robots']/@content") == ["noindex"]
    assert "<!--" not in text


def test_a_recovery_shell_in_markdown_offers_the_same_ways():
    guide = Pages("agents", "/agents/", Section.CONTRACTS, "Agents.", lambda _desk: [])
    text = fill(
        recovery_templates(desk_of(archive_of(), [guide]))["404.md"],
        "markdown",
        "Gone",
        "It was *withdrawn*.",
        [("/posts/x/", "Near")],
    ).decode()
    assert (
        text
        == "# Gone\n\nIt was \\*withdrawn\\*.\n\n- [Near](/posts/x/)\n\n## Where to go from here\n\n- [How agents use"
        " this archive](https://archive.test/agents/)\n"
    )


def test_what_only_a_screen_can_use_is_not_printed():
    """Other rules for print say how a block is shown, so this one has to win against them."""
    (hidden,) = re.findall(
        r"^  (\.skip,[^{]*)\{ display: none !important; \}", CSS.partition("@media print")[2], re.MULTILINE
    )
    assert {".facets", ".pager", ".siblings", ".tabs"} <= set(hidden.strip().split(", "))
