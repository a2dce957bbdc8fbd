"""The drawn cards: they say what the page says, fit, depend on nothing of the machine, and are drawn once."""

import re
import struct
import sys
from dataclasses import replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import pytest

from citepress.admin.build import Builder, BuildResult, separate_builder
from citepress.contract.site import ThemeName
from citepress.edition.edition import open_edition
from citepress.edition.theme import THEME_NAMES, has_serifs, tokens
from citepress.settings import Settings
from citepress_cards import renderer as cards
from citepress_cards.fault_codes import ABSENT_CARDS
from citepress_cards.renderer import CardWords, card, card_path, icon, is_drawable
from support.folder import NOW, SITE, folder, post

pytest.importorskip("resvg_py", reason="citepress[cards] is not installed")
Image = pytest.importorskip("PIL.Image", reason="citepress[cards] is not installed")
drawing = pytest.importorskip("citepress_cards.drawing", reason="citepress[cards] is not installed")
faces = pytest.importorskip("citepress_cards.faces", reason="citepress[cards] is not installed")

WORDS = CardWords("Field note", "One address", "It has many forms.", "Ada", "2026-11-21", "Test archive", "en")
SHARED = SITE + "[theme]\ncards = true\n"
LONG = "A title about payments, agents and archives that never seems to come to its end " * 4


def svg(words: CardWords, theme: ThemeName = "paper") -> str:
    picture: str = drawing.card_svg(words, tokens(theme), serif=has_serifs(theme))
    return picture


def drawn(words: CardWords, theme: ThemeName = "paper") -> bytes:
    return card(words, tokens(theme), serif=has_serifs(theme))


def texts(picture: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", picture)


def builder(site: Path, state: Path) -> Builder:
    return Builder(Settings(site, state))


def pictures(built: BuildResult) -> dict[str, bytes]:
    edition = open_edition(built.pointer)
    return {path: bytes(edition.body(path) or b"") for path in edition.paths() if path.startswith(cards.CARDS_FOLDER)}


@pytest.mark.parametrize("theme", THEME_NAMES)
def test_a_card_is_a_small_picture_of_the_size_that_is_declared(theme: ThemeName) -> None:
    for words in (WORDS, replace(WORDS, title=LONG, summary=LONG)):
        data = drawn(words, theme)
        assert struct.unpack(">II", data[16:24]) == (cards.WIDTH, cards.HEIGHT) == (1200, 630)
        assert len(data) <= 40_000
    assert tokens(theme)["--accent"] in svg(WORDS, theme)


def test_the_pixels_of_a_card_are_the_same_on_every_machine() -> None:
    pixels = Image.open(BytesIO(drawn(WORDS))).tobytes()
    assert sha256(pixels).hexdigest()[:16] == "e324ffb5be81a94c"


def test_a_card_says_what_its_page_is() -> None:
    assert texts(svg(WORDS)) == [
        "FIELD NOTE",
        "Ada",
        "One address",
        "It has many forms.",
        "2026-11-21",
        "Test archive",
    ]
    assert texts(svg(replace(WORDS, title="`<b>` & co")))[2] == "&lt;b&gt; &amp; co"


def test_a_long_title_wraps_and_is_cut_between_words() -> None:
    lines = texts(svg(replace(WORDS, title=LONG)))[2:-2]
    assert lines[-1].endswith("…")
    assert LONG.startswith(" ".join(lines).removesuffix("…"))
    face = faces.faces().serif[0]
    assert all(face.width(line) * drawing.TITLE_SIZES[-1][0] <= drawing.INNER for line in lines)
    whole = "x" * 90
    assert "".join(texts(svg(replace(WORDS, title=whole, summary="")))[2:-2]) == whole


def test_lines_of_a_short_title_are_of_about_one_length() -> None:
    lines = texts(svg(replace(WORDS, title="Agents that prove to others who they are")))[2:-3]
    assert lines == ["Agents that prove to", "others who they are"]


def test_a_title_from_right_to_left_begins_at_the_right() -> None:
    picture = svg(replace(WORDS, title="שלום", language="he"))
    (line,) = re.findall(r"<text[^>]*>[^<]*שלום[^<]*</text>", picture)
    assert 'x="1128" text-anchor="end"' in line
    assert re.search("\u2067[^<]+\u2069", line)


def test_what_no_face_can_write_is_left_out() -> None:
    assert is_drawable("Ελληνικά, кириллица, العربية, हिन्दी", serif=False)
    assert not is_drawable("漢字", serif=True)
    assert not is_drawable("🚀", serif=True)
    lines = texts(svg(replace(WORDS, title="Launch 🚀 day", summary="漢字", site="漢字")))
    assert lines == ["FIELD NOTE", "Ada", "Launch day", "2026-11-21"]


def test_records_datasets_and_the_front_page_have_cards_and_only_where_they_are_switched_on(tmp_path: Path) -> None:
    notes = {"content/posts/one.md": post("![a](/a.svg)"), "content/posts/two.md": post(title="漢字", slug="two")}
    site = folder(tmp_path / "site", {**notes, "static/a.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>'}, SHARED)
    built = builder(site, tmp_path / "state").build(NOW)
    assert list(pictures(built)) == ["/theme/cards/home.png", "/theme/cards/posts/one.png"]
    edition = open_edition(built.pointer)
    page = (edition.body("/posts/one/") or b"").decode()
    assert '<meta property="og:image" content="https://archive.test/theme/cards/posts/one.png">' in page
    assert '<meta property="og:image:alt" content="A note">' in page
    assert '<meta name="twitter:card" content="summary_large_image">' in page
    assert "og:image" not in (edition.body("/posts/two/") or b"").decode()
    folder(site, {})
    plain = builder(site, tmp_path / "state").build(NOW)
    assert not pictures(plain)
    page = (open_edition(plain.pointer).body("/posts/one/") or b"").decode()
    assert '<meta property="og:image" content="https://archive.test/a.svg">' in page


def test_only_the_card_whose_words_changed_is_drawn_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count: list[str] = []
    original = drawing.card_svg

    def counted(words: CardWords, *args: object, **options: object) -> object:
        count.append(words.title)
        return original(words, *args, **options)

    monkeypatch.setattr("citepress_cards.picture.card_svg", counted)
    notes = {f"content/posts/n{at}.md": post(title=f"Note {at}", slug=f"n{at}") for at in range(4)}
    site = folder(tmp_path / "site", notes, SHARED)
    held = builder(site, tmp_path / "state")
    held.build(NOW)
    assert len(count) == 5
    count.clear()
    folder(site, {"content/posts/n1.md": post("Other text.", title="Note 1", slug="n1")}, None)
    held.build(NOW, [site / "content/posts/n1.md"])
    assert count == []
    folder(site, {"content/posts/n2.md": post(title="Note two", slug="n2")}, None)
    grown = held.build(NOW, [site / "content/posts/n2.md"])
    assert count == ["Note two"]
    count.clear()
    folder(site, {}, SHARED.replace("cards", "name = 'paper'\ncards") + "[home]\npurpose = 'Another one.'\n")
    grown = builder(site, tmp_path / "state").build(NOW)
    assert count == [], "settings that no card shows"
    fresh = builder(site, tmp_path / "fresh").build(NOW)
    assert pictures(grown) == pictures(fresh)
    (site / "content/posts/n3.md").unlink()
    held = builder(site, tmp_path / "state")
    held.build(NOW)
    assert card_path("/posts/n3/") not in pictures(held.build(NOW))


def test_an_edit_gives_the_edition_of_a_full_build(tmp_path: Path) -> None:
    notes = {f"content/posts/n{at}.md": post(title=f"Note {at}", slug=f"n{at}") for at in range(3)}
    site = folder(tmp_path / "site", notes, SHARED)
    held = builder(site, tmp_path / "state")
    held.build(NOW)
    (site / "content/posts/n0.md").unlink()
    folder(site, {"content/posts/n1.md": post(title="漢字漢字", slug="n1")}, None)
    grown = held.build(NOW, [site / "content/posts/n0.md", site / "content/posts/n1.md"])
    assert list(pictures(grown)) == ["/theme/cards/home.png", "/theme/cards/posts/n2.png"]
    folder(site, {"content/posts/n2.md": post(title="Another", slug="n2")}, None)
    grown = held.build(NOW, [site / "content/posts/n2.md"])
    fresh = builder(site, tmp_path / "fresh").build(NOW)
    assert pictures(grown) == pictures(fresh)


def test_an_edit_asks_nothing_of_cards_that_are_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(*_words: object, **_more: object) -> bool:
        raise ModuleNotFoundError("No module named 'pymupdf_fonts'")

    monkeypatch.setattr("citepress_cards.declared.is_drawable", absent)
    site = folder(tmp_path / "site", {f"content/posts/n{at}.md": post(slug=f"n{at}") for at in range(3)})
    held = builder(site, tmp_path / "state")
    held.build(NOW)
    folder(site, {"content/posts/n1.md": post(title="Another", slug="n1")}, None)
    edited = held.build(NOW, [site / "content/posts/n1.md"])
    assert b"Another" in (open_edition(edited.pointer).body("/posts/n1/") or b"")


def test_a_static_export_has_them_too(tmp_path: Path) -> None:
    site = folder(tmp_path / "site", {"content/posts/one.md": post()}, SHARED)
    with separate_builder(Settings(site, tmp_path / "state"), "export", print, exported=True) as exporter:
        assert card_path("/posts/one/") in pictures(exporter.build(NOW))


@pytest.mark.parametrize("module", ["resvg_py", "PIL", "pymupdf_fonts", "fontTools"])
def test_without_the_extra_check_says_so_and_nothing_is_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    for loaded in ("faces", "drawing", "picture"):
        monkeypatch.delitem(sys.modules, f"citepress_cards.{loaded}", raising=False)
    monkeypatch.setitem(sys.modules, module, None)
    site = folder(tmp_path / "site", {"content/posts/one.md": post()}, SHARED)
    archive, faults = builder(site, tmp_path / "state").check(NOW)
    (fault,) = [fault for fault in faults if fault.code is ABSENT_CARDS]
    assert archive is None
    assert f"{module} is not installed: pip install 'citepress[cards]'" in fault.message


def test_another_font_than_the_pinned_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    faces.faces.cache_clear()
    monkeypatch.setitem(faces.SANS, "bold", ("figbo", "0" * 64))
    assert "the font of pymupdf-fonts is not the one" in cards.missing()
    faces.faces.cache_clear()


SVG = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 8 8">{}</svg>'
UNFIT = {
    "nesting": "<g>" * 20_000 + "</g>" * 20_000,
    "a file": '<image href="/etc/hostname" width="8" height="8"/>',
    "an address": '<a xlink:href="https://elsewhere.example/"><circle r="4"/></a>',
    "itself": '<g id="a"><use href="#a"/><use href="#a"/></g>',
    "a filter": '<filter id="f"><feGaussianBlur stdDeviation="9000"/></filter><rect filter="url(#f)"/>',
    "dashes": '<path d="M0 0h8" stroke="#000" stroke-dasharray="0.000001"/>',
    "many shapes": "<rect/>" * 5_000,
    "long": f"<!--{'x' * 140_000}-->",
    "no XML": "<circle",
}
COSTLY = {
    "clips in clips": "".join(
        f'<clipPath id="c{step}">{f"""<rect width="8" height="8" clip-path="url(#c{step + 1})"/>""" * 10}</clipPath>'
        for step in range(8)
    )
    + '<rect width="8" height="8" clip-path="url(#c0)"/>',
}
FLAT = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="100000000"><rect width="1" height="1"/></svg>'
ENTITIES = '<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' + SVG.format("<title>&b;</title>")


@pytest.mark.parametrize("picture", [*map(SVG.format, UNFIT.values()), ENTITIES], ids=[*UNFIT, "entities"])
def test_an_icon_that_is_more_than_shapes_is_not_drawn(picture: str) -> None:
    assert icon("favicon.ico", picture.encode(), "#fff") == b""


@pytest.mark.parametrize("picture", [*map(SVG.format, COSTLY.values()), FLAT], ids=[*COSTLY, "flat"])
def test_an_icon_that_takes_too_much_ends_no_build(
    picture: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert icon("favicon.ico", picture.encode(), "#fff") == b""
    assert list(tmp_path.iterdir()) == [], "the process that was ended left something"


def test_an_icon_as_drawing_programs_write_it_is_drawn() -> None:
    picture = SVG.format(
        '<!-- by a program --><title>Leaf</title><sodipodi:namedview xmlns:sodipodi="http://sodipodi.example/">'
        '</sodipodi:namedview><defs><linearGradient id="a"><stop stop-color="#0f0"/></linearGradient>'
        '<linearGradient id="b" xlink:href="#a"/><clipPath id="c"><rect width="8" height="8"/></clipPath></defs>'
        '<style>path{fill:url(#b)}</style><g clip-path="url(#c)"><path d="M0 0h8v8H0z"/></g>'
    )
    data = icon("icon-48.png", picture.encode(), "#fff")
    assert Image.open(BytesIO(data)).convert("RGBA").getpixel((24, 24)) == (0, 255, 0, 255)


def test_icons_are_drawn_from_the_one_of_the_publication(tmp_path: Path) -> None:
    red = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="4" fill="#f00"/></svg>'
    files = {"content/posts/one.md": post(), "static/favicon.svg": red}
    site = folder(tmp_path / "site", files, SHARED)
    edition = open_edition(builder(site, tmp_path / "state").build(NOW).pointer)
    icons = {name: Image.open(BytesIO(edition.body(f"/{name}") or b"")) for name in ("favicon.ico", "icon-48.png")}
    touch = Image.open(BytesIO(edition.body("/apple-touch-icon.png") or b"")).convert("RGB")
    assert {name: picture.convert("RGBA").getpixel((24, 24)) for name, picture in icons.items()} == {
        "favicon.ico": (255, 0, 0, 255),
        "icon-48.png": (255, 0, 0, 255),
    }
    assert (touch.size, touch.getpixel((0, 0))) == ((180, 180), (0xFB, 0xFA, 0xF6))
    assert b'<link rel="icon" type="image/svg+xml" href="/favicon.svg">' in (edition.body("/") or b"")
    folder(site, {})
    edition = open_edition(builder(site, tmp_path / "state").build(NOW).pointer)
    assert edition.body("/favicon.ico") is None, "another publication's icon is worse than none"
    folder(site, {"static/favicon.svg": "no picture"}, SHARED)
    edition = open_edition(builder(site, tmp_path / "state").build(NOW).pointer)
    assert edition.body("/favicon.ico") is None
    (site / "static/favicon.svg").unlink()
    edition = open_edition(builder(site, tmp_path / "state").build(NOW).pointer)
    assert (edition.body("/favicon.ico") or b"")[:4] == b"\0\0\1\0"
