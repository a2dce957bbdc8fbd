"""A page with every block in it, and pages as a form writes them."""

from datetime import UTC, datetime

from citepress.contract import page as blocks
from citepress.contract.page import Card, Fact, Item, Link, NumberedSource, Page, Series, SourceItem
from citepress.edition.forms import html, markdown
from support.archive import SITE, archive_of, desk_of

DAY = datetime(2026, 3, 1, tzinfo=UTC)
LATER = datetime(2026, 9, 1, tzinfo=UTC)
ODD = "A *star*, an _under_ score, [brackets], <angle>, `code`, a | bar & an &amp; entity"
FULL = Page(
    "/x/",
    f"Title {ODD}",
    f"Description {ODD}",
    (
        blocks.Nugget("nugget", "Nugget head", f"Nugget {ODD}"),
        blocks.Notice("notice", "", f"Notice {ODD}", "/posts/x/"),
        blocks.Facts("facts", "Facts head", (Fact("Label one", (Link("plain"), Link(f"linked {ODD}", "/a/"))),)),
        blocks.Facets("facets", "Facets head", (Fact("Facet label", (Link("narrow", "/n/"),)),)),
        blocks.Items(
            "items",
            "Items head",
            (
                Item(f"Item {ODD}", DAY, "/i/", "Item title", (Link("carried", "https://s.example/"),)),
                Item("later", LATER, sources=(NumberedSource(1, "s1", "Source title", "https://s.example/a_b(c)"),)),
                Item("# no heading"),
                Item("", passage=("before [it] & ", "linking", " after")),
            ),
            timeline=True,
        ),
        blocks.Items("steps", "Steps head", (Item("first step", title="Step title"), Item("1. no list")), ordered=True),
        blocks.Cards(
            "cards",
            "Cards head",
            (Card("Card title", "/c/", f"Card {ODD}", "Card label", DAY, ("mark one", "mark two")),),
            Link("more cards", "/m/"),
        ),
        blocks.Sources(
            "sources",
            "Sources head",
            (
                SourceItem(
                    "s1",
                    "Source title",
                    "https://s.example/a_b(c)",
                    Link("origin", "/sources/s/"),
                    "Publisher",
                    "primary",
                    DAY,
                    LATER,
                    carries=(Link("what it carries", "#items"),),
                ),
            ),
        ),
        blocks.Table(
            "table",
            "Table head",
            ("Column | one", "Two"),
            ((Link("cell | one", "/t|a/"), Link("cell two")),),
            "Table caption",
        ),
        blocks.Chart(
            "chart",
            "Chart head",
            "bars",
            f"Chart {ODD}",
            ("Bar one",),
            (Series("Series one", (3,)), Series("Series two", (None,))),
            blocks.Table(
                "",
                "Chart table",
                ("Bar", "Series one", "Series two"),
                ((Link("Bar one"), Link("3"), Link("not observed")),),
            ),
            "/x.json",
        ),
        blocks.Code("code", "Code head", "line ```` one\n  line <two>", "json"),
        blocks.Pager("pager", "", 2, 3, "/p/1/", "/p/1/", "/p/3/", "/p/3/"),
        blocks.Prose(
            "text",
            "Prose head",
            "# Big\n\nRunning *text* with [a link](/posts/y/), ~~gone~~.\n\n| a | b |\n|---|--:|\n| one | two |\n\n###"
            " Small\n\nEnd[^n].\n\n[^n]: A note.\n",
        ),
    ),
    label="Sort of page",
    published=DAY,
    updated=LATER,
    crumbs=(Link("Home", "/"), Link("Crumbs", "/crumbs/")),
    topics=(Link("Topic one", "/topics/t/"),),
    feeds=(Link("Its feed", "/feeds/t.xml"),),
    linked_data=({"@type": "Thing", "name": "</script><script>alert(1)</script>"},),
)


def desk(**site):
    return desk_of(archive_of(site=SITE.model_copy(update=site)))


def as_html(page, **site):
    return html.write(page, desk(**site)).decode()


def as_markdown(page, **site):
    """The twin without the section that ends every twin."""
    return markdown.write(page, desk(**site)).decode().partition("\n## Sitemap\n")[0]


def prose(text):
    return Page("/x/", "T", "", (blocks.Prose("text", "", text),))
