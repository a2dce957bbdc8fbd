"""What pages fold: long lists of claims everywhere, and on small screens what would keep a text off the first ones."""

import lxml.html
import pytest

from citepress.edition.documents import declared
from citepress.kinds import ALL as KINDS
from support.archive import SOURCE, entry
from support.documents import leaves, whole

CLAIM = {"text": "A statement that can be checked.", "source_refs": ["spec"]}
LONG = [{"text": f"What was seen on day {day}, in a sentence.", "date": f"2026-01-0{day}"} for day in range(1, 8)]


def folded(id_: str, **members: object) -> dict[str, tuple[str, str]]:
    """The class and the summary of each folded part of a record's page, by the id of the part."""
    record = entry(id_, sources=[SOURCE], **members)
    rendered = leaves(whole(record), [item for item in declared(KINDS) if item.name == f"{record.kind.name}_record"])
    html = lxml.html.fromstring(rendered[f"/{id_}/"].body.decode())
    return {
        part.get("id"): (details.get("class"), details.find("summary").text_content())
        for part in html.xpath("//section[starts-with(@class, 'block')]")
        for details in part.xpath("div[@class='body']/details[@class='folded' or @class='small']")
    }


@pytest.mark.parametrize(
    ("claims", "expected"),
    [
        ([CLAIM] * 3, {}),
        ([CLAIM] * 4, {"claims": ("folded", "4 claims, each with its sources")}),
        ([*[CLAIM] * 3, {"text": "Without a source."}], {"claims": ("folded", "4 claims")}),
    ],
)
def test_more_than_three_claims_are_folded(
    claims: list[dict[str, object]], expected: dict[str, tuple[str, str]]
) -> None:
    assert folded("posts/one", claims=claims, body_markdown="Words.") == expected


def test_a_phone_folds_what_does_not_fit_above_a_text_and_nothing_below_it() -> None:
    parts = folded("topics/one", evidence=LONG, open_questions=["Why?"], body_markdown="Words.")
    assert parts == {"evidence": ("small", "7 entries")}


def test_a_record_without_a_text_has_all_its_parts_open() -> None:
    assert folded("topics/one", evidence=LONG, body_markdown="") == {}


def test_what_fits_above_a_text_stays_open() -> None:
    assert folded("topics/one", evidence=LONG[:2], body_markdown="Words.") == {}


def test_a_long_guide_has_contents_and_a_short_page_has_none() -> None:
    rendered = leaves(whole(entry("posts/one")))
    guide, short = (lxml.html.fromstring(rendered[path].body.decode()) for path in ("/developers/", "/sources/"))
    links = guide.xpath("//nav[@class='contents']//a")
    assert len(links) == len(guide.xpath("//main//section/h2"))
    assert all(guide.get_element_by_id(link.get("href")[1:]) is not None for link in links)
    assert not short.find_class("contents")


def test_the_label_of_a_page_repeats_neither_its_title_nor_the_last_step_of_its_path() -> None:
    for path, leaf in leaves(whole(entry("posts/one"))).items():
        if not path.endswith("/"):
            continue
        html = lxml.html.fromstring(leaf.body.decode())
        said = [
            *html.xpath("//nav[@class='crumbs']//li[last()]//text()[normalize-space()]"),
            *html.xpath("//h1//text()"),
        ]
        assert not set(html.xpath("//p[@class='label']/text()")) & set(said), path
    guide = lxml.html.fromstring(leaves(whole(entry("posts/one")))["/developers/"].body.decode())
    assert guide.xpath("//p[@class='label']/text()") == []
