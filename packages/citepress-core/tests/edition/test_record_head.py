"""The head of a record's page and the rail beside its text, in the forms that show them."""

from datetime import UTC, datetime

import lxml.html
import pytest

from citepress.contract.record import Author
from citepress.edition.documents import declared
from citepress.kinds import ALL as KINDS
from support.archive import SOURCE, entry
from support.documents import leaves, whole

TEXT = "## First `part`\n\nWords.\n\n### Deeper\n\nMore.\n\n## Second part\n\nWords."
AUTHORS = [Author(name="Ada", url="https://ada.example/")]


def page(id_: str, **members: object) -> tuple[lxml.html.HtmlElement, str]:
    """The page of a record as HTML and as Markdown."""
    record = entry(id_, sources=[SOURCE], authors=AUTHORS, **members)
    rendered = leaves(whole(record), [item for item in declared(KINDS) if item.name == f"{record.kind.name}_record"])
    return lxml.html.fromstring(rendered[f"/{id_}/"].body.decode()), rendered[f"/{id_}.md"].body.decode()


@pytest.mark.parametrize(
    ("id_", "shown"),
    [
        ("posts/one", ["By Ada", "Sources: 1"]),
        ("patterns/one", ["Status: emerging", "Confidence: low (0.30 of 1)"]),
        ("forecasts/one", ["Probability: 70 %", "Status: open", "Resolves by: 1 February 2026"]),
        ("deltas/one", ["Verification: single source"]),
    ],
)
def test_the_head_says_who_wrote_it_and_how_sure_it_is(id_: str, shown: list[str]) -> None:
    html, markdown = page(id_)
    head = [item.text_content() for item in html.xpath("//header[@class='page']//ul[@class='meta']/li")]
    assert set(shown) <= set(head)
    plain = markdown.replace("[Ada](https://ada.example/)", "Ada").partition("\n## ")[0]
    assert all(words.partition(": ")[0] in plain for words in shown)


def test_the_head_and_the_rail_say_how_to_cite() -> None:
    html, _ = page("posts/one")
    (line,) = html.find_class("citing")
    assert line.text_content().startswith("Cite: as text")
    assert line.find("a").get("href") == "#cite"
    beside, below = (words.text_content() for words in html.find_class("line"))
    assert beside == below


def test_the_contents_lead_to_every_part_of_the_page() -> None:
    html, _ = page("posts/one", body_markdown=TEXT)
    links = html.xpath("//aside[@class='rail']//nav//a")
    assert [link.text_content() for link in links if "part" in link.text_content()] == ["First part", "Second part"]
    assert "Deeper" not in {link.text_content() for link in links}
    assert all(html.get_element_by_id(link.get("href")[1:]) is not None for link in links)


FIRST = datetime(2026, 1, 2, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    ("revised", "changed", "sentence"),
    [
        (None, FIRST.replace(hour=9), "Published 2 January 2026 (revision 1)"),
        (FIRST, FIRST, "Published 2 January 2026 (revision 1)"),
        (FIRST.replace(day=5), FIRST.replace(day=5), "Published 2 January 2026; text of 5 January 2026 (revision 1)"),
        (
            FIRST.replace(day=5),
            FIRST.replace(day=3),
            "Published 2 January 2026; text of 5 January 2026 (revision 1); last noted change 3 January 2026",
        ),
        (FIRST, FIRST.replace(day=3), "Published 2 January 2026 (revision 1); last noted change 3 January 2026"),
    ],
)
def test_one_sentence_says_when_a_record_was_published_written_and_changed(
    revised: datetime | None, changed: datetime, sentence: str
) -> None:
    html, markdown = page("posts/one", published_at=FIRST, updated_at=changed, revised_at=revised)
    (head,) = html.xpath("//header[@class='page']//li[@class='dates']")
    assert head.text_content() == sentence
    assert not html.xpath("//header//li[starts-with(., 'Updated')]")
    machine = sentence.replace(" January 2026", "-01-2026")
    for day in (2, 3, 5):
        machine = machine.replace(f"{day}-01-2026", f"2026-01-0{day}")
    assert machine in markdown


def test_every_page_begins_with_the_name_of_the_site_and_the_line_for_agents_follows() -> None:
    rendered = leaves(whole(entry("posts/one")))
    for path in ("/", "/posts/", "/posts/one/", "/glossary/"):
        (header,) = lxml.html.fromstring(rendered[path].body.decode()).xpath("//header[@class='site']")
        (name,) = header.xpath(".//p[@class='name']")
        (machines,) = header.xpath("p[@class='machines']")
        places = [part for part in header.iter() if part in (name, machines)]
        assert places == [name, machines], path
