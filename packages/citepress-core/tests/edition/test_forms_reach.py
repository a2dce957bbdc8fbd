"""The HTML form: pages that people, programs and archives with templates of their own can use."""

from itertools import pairwise

import lxml.html
import pytest
from jinja2 import UndefinedError

from citepress.contract import page as blocks
from citepress.contract.document import Pages, Section
from citepress.contract.fault import BAD_TEMPLATE, Faults
from citepress.contract.page import Fact, Item, Link, Page
from citepress.edition.forms import html
from citepress.edition.forms.template_filters import TemplateFilters
from citepress.edition.forms.templates import PageTemplates
from citepress.edition.theme import THEME_TEMPLATES
from citepress.kinds import ALL as KINDS
from citepress.kinds.record_page import record_page
from support.archive import archive_of, desk_of, entry
from support.pages import DAY, FULL, as_html, desk, prose


def documents():
    archive = archive_of(
        *(entry(f"{kind.name}/x", body_markdown="## A\n\n### B\n\n|a|\n|-|\n|b|\n\n    code\n") for kind in KINDS),
        entry("posts/one"),
    )
    yield FULL, as_html(FULL)
    yield from (
        (page, html.write(page, desk_of(archive)).decode())
        for page in (record_page(entry, archive) for entry in archive.entries.values())
    )


@pytest.mark.parametrize(
    ("page", "text"), tuple(documents()), ids=lambda value: value.path if isinstance(value, Page) else ""
)
def test_a_page_has_landmarks_one_title_ordered_headings_and_unique_ids(page, text):
    document = lxml.html.fromstring(text)
    assert document.get("lang") == "en"
    assert (
        len(document.xpath("//main"))
        == len(document.xpath("//h1"))
        == len(document.xpath("/html/body/header"))
        == len(document.xpath("/html/body/footer"))
        == 1
    )
    levels = [
        int(heading.tag[1])
        for heading in document.xpath("//main//*[self::h1 or self::h2 or self::h3 or self::h4 or self::h5 or self::h6]")
    ]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    ids = document.xpath("//@id")
    assert len(ids) == len(set(ids))
    assert document.xpath("/html/body/*[1]")[0].get("href") == "#main"
    names = [landmark.get("aria-label") for landmark in document.xpath("//nav|//*[@role='region']")]
    assert all(names)
    assert len(names) == len(set(names))
    assert [region for region in document.xpath("//*[@role='region']") if region.get("tabindex") != "0"] == []
    assert [element for element in document.xpath("//pre") if element.get("tabindex") != "0"] == []
    pictures = document.xpath("//svg[not(@aria-hidden='true')]")
    assert [
        picture
        for picture in pictures
        if picture.get("role") != "img" or not (picture.get("aria-label") or picture.get("aria-labelledby"))
    ] == []
    assert [
        link
        for link in document.xpath("//a[@href]")
        if not link.text_content().strip() and not link.xpath(".//img[@alt]")
    ] == []
    assert page.title in document.xpath("string(//title)").replace("\n", " ") or "`" in page.title


def test_headings_in_text_never_take_the_id_of_a_block():
    page = Page(
        "/x/",
        "T",
        "",
        (
            blocks.Prose("text", "", "## Sources\n\n## Sources\n\n## Main\n\n## ???"),
            blocks.Nugget("sources", "Sources", "x"),
        ),
    )
    assert lxml.html.fromstring(as_html(page)).xpath("//h2/@id") == ["sources-2", "sources-3", "main-2", "section"]


def test_a_table_in_running_text_scrolls_in_a_named_region():
    document = lxml.html.fromstring(as_html(prose("|a|b|\n|-|-:|\n|1|2|\n\ntext\n\n|c|\n|-|\n|d|")))
    assert document.xpath("//div[@role='region']/@aria-label") == ["Table 1", "Table 2"]
    assert document.xpath("//td[@class='right s']/text()") == ["2"]


def test_the_head_tells_machines_every_form_feed_and_address():
    document = lxml.html.fromstring(html.write(FULL, desk()).decode())
    assert document.xpath("//link[@rel='canonical']/@href") == ["https://archive.test/x/"]
    alternates = [(link.get("type"), link.get("href")) for link in document.xpath("//link[@rel='alternate']")]
    assert alternates == [
        ("text/markdown", "https://archive.test/x.md"),
        ("application/atom+xml", "https://archive.test/feeds/t.xml"),
        ("application/rss+xml", "https://archive.test/feeds/t/rss.xml"),
        ("application/feed+json", "https://archive.test/feeds/t/feed.json"),
    ]
    properties = {meta.get("property"): meta.get("content") for meta in document.xpath("//meta[@property]")}
    assert properties["og:url"] == "https://archive.test/x/"
    assert document.xpath("//meta[@name='viewport' or @name='color-scheme']/@content") == [
        "width=device-width, initial-scale=1",
        "light dark",
    ]
    assert len(document.xpath("//meta[@name='theme-color']")) == 2
    near_top = document.xpath("//body/header//p[contains(., 'llms.txt')]")[0]
    assert near_top.xpath(".//a/@href") == ["/llms.txt", "/x.md"]
    assert document.xpath("//nav[@aria-label='Forms of this page']//a/text()") == ["HTML", "Markdown"]


def test_a_page_with_data_has_a_json_twin_and_says_so():
    archive = archive_of(entry("posts/x"))
    document = lxml.html.fromstring(
        html.write(record_page(archive.entries["posts/x"], archive), desk_of(archive)).decode()
    )
    assert document.xpath("//link[@type='application/json']/@href") == ["https://archive.test/posts/x.json"]
    assert document.xpath("//nav[@aria-label='Forms of this page']//a/@href") == [
        "/posts/x/",
        "/posts/x.md",
        "/posts/x.json",
    ]


def test_navigation_names_only_pages_that_exist():
    guide = Pages("posts", "/posts/", Section.RECORDS, "Notes.", lambda _desk: [])
    document = lxml.html.fromstring(html.write(FULL, desk_of(archive_of(entry("posts/one")), [guide])).decode())
    assert document.xpath("//nav[@aria-label='Main']//a/@href") == ["/posts/"]
    assert document.xpath("//footer//nav//a/@href") == ["/posts/"]


def test_a_timeline_is_drawn_beside_its_list():
    document = lxml.html.fromstring(as_html(FULL))
    picture = document.xpath("//section[@id='items']//svg")[0]
    assert picture.get("aria-label") == "Timeline of 2 dated entries from 1 March 2026 to 1 September 2026"
    assert len(picture.xpath(".//circle")) == 2
    assert picture.xpath(".//text/text()")[-1] == "Sep 2026"
    assert len(document.xpath("//section[@id='items']//li")) == 4


def test_one_date_alone_is_no_timeline():
    page = Page("/x/", "T", "", (blocks.Items("i", "I", (Item("a", DAY), Item("b", DAY)), timeline=True),))
    assert "<svg" not in as_html(page)


def overridden(**templates):
    named = {f"{name}.html": source for name, source in templates.items()}
    return desk_of(archive_of(templates=named))


def test_an_override_stands_in_for_a_template_and_can_extend_it():
    at = overridden(
        page='{% extends "theme/page.html" %}{% block footer %}<footer>Ours: {{ site.title }}</footer>{% endblock %}'
    )
    document = lxml.html.fromstring(html.write(FULL, at).decode())
    assert document.xpath("//footer/text()") == ["Ours: Test archive"]
    assert document.xpath("string(//h1)").startswith("Title")


@pytest.mark.parametrize(
    ("source", "line", "sentence"),
    [
        ("{% extends 'base.html' %}\n{% block main %}\n{% if %}\n{% endblock %}", 3, "Expected"),
        ("{% extends 'base.html' %}\n{% block main %}\n{{ page.nothing }}\n{% endblock %}", 3, "nothing"),
        ("line\n{{ missing }}", 2, "missing"),
        ("{{ 1 // 0 }}", 1, "zero"),
        ("a\n\n{% include 'nowhere.html' %}", 3, "nowhere.html"),
        ("{{ page.__class__.__mro__ }}", 1, "unsafe"),
        ("{{ ''.__class__ }}", 1, "unsafe"),
    ],
)
def test_a_broken_override_is_a_fault_with_its_file_and_line(source, line, sentence):
    with pytest.raises(Faults) as caught:
        html.write(FULL, overridden(page=source))
    (fault,) = caught.value.faults
    assert (fault.code, fault.place.file, fault.place.line) == (BAD_TEMPLATE, "templates/page.html", line)
    assert sentence in fault.message
    assert fault.place.source == source.splitlines()[line - 1]


def test_a_failing_macro_of_an_override_is_found_inside_it():
    with pytest.raises(Faults) as caught:
        html.write(
            FULL,
            overridden(blocks=THEME_TEMPLATES["blocks.html"].replace("{{ block.text|inline }}", "{{ block.wrong }}")),
        )
    assert caught.value.faults[0].place.file == "templates/blocks.html"


def test_a_fault_of_our_own_is_no_fault_of_the_author():
    with pytest.raises(UndefinedError):
        PageTemplates({"other.html": "fine"}, TemplateFilters("", "").by_name).render("page", {})


def test_many_links_are_a_list_that_folds_and_many_words_run_on():
    links = tuple(Link(f"page {number}", f"/{number}/") for number in range(10))
    rows = (Fact("Pages", links), Fact("Words", tuple(Link(link.text) for link in links)))
    document = lxml.html.fromstring(as_html(Page("/x/", "T", "", (blocks.Facts("f", "F", rows),))))
    pages, words = document.xpath("//dd")
    assert pages.xpath("./ul/li/a/@href") == [link.href for link in links[:8]]
    assert pages.xpath("./details/summary/text()") == ["2 more"]
    assert words.text_content().strip() == ", ".join(link.text for link in links)
