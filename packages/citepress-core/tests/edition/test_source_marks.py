"""Numbered references: claims and texts name the sources of their record, and sources what rests on them."""

import json
import re
from html import unescape
from typing import Any

import pytest

from citepress.edition.documents import declared
from citepress.edition.prose.paragraphs import paragraphs
from citepress.kinds import ALL as KINDS
from support.archive import SOURCE, archive_of, entry
from support.documents import leaves

OTHER = SOURCE.model_copy(
    update={
        "id": "survey",
        "url": "https://survey.example/two?utm_source=x",
        "normalized_url": "https://survey.example/two",
        "title": 'A "survey" & more',
    }
)
CLAIMS = [
    {"text": "It is so.", "source_refs": ["survey"]},
    {"text": "It was so.", "source_refs": ["spec", "survey"]},
    {"text": "Nobody says so."},
]
RECORDS = [document for document in declared(KINDS) if document.name in {"posts_record", "patterns_record"}]

FEEDS = [document for document in declared(KINDS) if document.path == "/rss.xml"]


def forms(body: str, **members: Any) -> tuple[str, str]:
    """The page of a record with two sources, and its Markdown twin."""
    archive = archive_of(entry("posts/x", body_markdown=body, sources=[SOURCE, OTHER], claims=CLAIMS, **members))
    documents = leaves(archive, RECORDS)
    return documents["/posts/x/"].body.decode(), documents["/posts/x.md"].body.decode()


def test_claims_name_the_numbers_of_their_sources_and_sources_their_claims() -> None:
    page, twin = forms("Text.")
    claims = re.findall(r'<li id="(claim-[^"]*)">(.*?)</li>', page, re.DOTALL)
    numbers = {id_: re.findall(r'<a href="#(source-[^"]*)"[^>]*>\[(\d)\]</a>', item) for id_, item in claims}
    assert numbers == {
        "claim-d9d10aca": [("source-survey", "2")],
        "claim-ea2e705a": [("source-spec", "1"), ("source-survey", "2")],
        "claim-41f1e29e": [],
    }
    assert 'title="A &quot;survey&quot; &amp; more (survey.example)"' in page
    sources = dict(re.findall(r'<li id="source-([^"]*)">(.*?)</li>', page, re.DOTALL))
    carried = {id_: re.findall(r'<a href="#([^"]*)" role="doc-backlink">', item) for id_, item in sources.items()}
    assert carried == {"spec": ["claim-ea2e705a"], "survey": ["claim-d9d10aca", "claim-ea2e705a"]}
    assert r"1. It is so. ([\[2\] A" in twin
    assert "carries [claim 2](https://archive.test/posts/x/#claim-ea2e705a)" in twin
    assert "\n2. [A" in twin


def test_a_list_of_evidence_is_carried_as_a_whole() -> None:
    documents = leaves(archive_of(entry("patterns/x")), RECORDS)
    page = documents["/patterns/x/"].body.decode()
    assert re.findall(r'<a href="#([^"]*)" role="doc-backlink">([^<]*)', page) == [
        ("evidence", "evidence"),
        ("counter-evidence", "counter-evidence"),
    ]
    assert "carries [evidence](https://archive.test/patterns/x/#evidence)" in documents["/patterns/x.md"].body.decode()


@pytest.mark.parametrize(
    ("written", "shown", "in_markdown"),
    [
        ("[it](https://survey.example/two/)", ">it</a>{2}", r"[it](https://survey.example/two/) \[2\]"),
        ("[it](http://www.survey.example/two#part)", ">it</a>{2}", r"two#part) \[2\]"),
        ("[it](#source-spec)", ">it</a>{1}", r"[it](https://archive.test/posts/x/#source-spec) \[1\]"),
        ("So it is[](#source-spec).", "So it is{1}.", r"So it is[\[1\]](https://archive.test/posts/x/#source-spec)."),
        ("[it][a], yes\n\n[a]: https://spec.example/one", ">it</a>{1}, yes", r"[it][a] \[1\], yes"),
        ("<https://spec.example/one>", ">https://spec.example/one</a>{1}", r"<https://spec.example/one> \[1\]"),
        ("[**so** `it` is](https://spec.example/one)", "is</a>{1}", r"is](https://spec.example/one) \[1\]"),
    ],
)
def test_a_link_of_the_text_to_a_source_is_followed_by_its_number(written: str, shown: str, in_markdown: str) -> None:
    page, twin = forms(written)
    text = page.partition('id="text"')[2].partition("</section>")[0]
    plain = re.sub(r'<sup class="sources-of">.*?\[(\d)\]</a></sup>', r"{\1}", text, flags=re.DOTALL)
    assert shown in plain
    assert in_markdown in twin


def test_a_reference_without_words_has_the_number_for_words_in_json_and_feeds_too() -> None:
    body = "It[](#source-survey) [is](#source-spec) so, [](https://else.example/).\n\nThe next one."
    archive = archive_of(entry("posts/x", body_markdown=body, sources=[SOURCE, OTHER]))
    documents = leaves(archive, [*RECORDS, *FEEDS])
    record = json.loads(documents["/posts/x.json"].body)
    page = "https://archive.test/posts/x/"
    assert record["body_markdown"].startswith(rf"It[\[2\]]({page}#source-survey) [is]({page}#source-spec) so, [](")
    assert f'It<a href="{page}#source-survey">[2]</a>' in unescape(documents["/rss.xml"].body.decode())
    ids = [paragraph.id for paragraph in paragraphs(body)]
    assert record["paragraphs"] == ids == re.findall(r'<p id="(p-[^"]*)"', documents["/posts/x/"].body.decode())
    assert [paragraph.id for paragraph in paragraphs(record["body_markdown"])] == ids, "whoever reads JSON finds them"


def test_a_number_is_part_of_its_paragraph_unless_it_leads_to_a_source() -> None:
    texts = ("It is so [1].", r"It is so [\[1\]](https://else.example/).", r"It is so [\[1\]](#source-spec).")
    plain, linked, source = (paragraphs(text)[0].id for text in texts)
    assert plain == linked == paragraphs("It is so 1")[0].id
    assert source == paragraphs("It is so")[0].id
    page, _ = forms(f"{texts[2]}\n\nThe next one.")
    assert re.findall(r'<p id="(p-[^"]*)"', page) == [source, paragraphs("The next one")[0].id]


@pytest.mark.parametrize("written", ["[it](https://else.example/)", "[it](#source-none)", "[it](/posts/y/)", "`[1]`"])
def test_other_links_have_no_number(written: str) -> None:
    page, twin = forms(written)
    assert "sources-of" not in page.partition('id="text"')[2].partition("</section>")[0]
    assert r"\[" not in twin.partition("## Sources")[0].partition("Nobody says so")[2]


def test_references_follow_a_source_whose_anchor_the_text_takes() -> None:
    page, _ = forms("## One {#source-spec}\n\n## Two {#claim-ea2e705a}\n\n[it](https://spec.example/one)")
    ids = re.findall(r' id="([^"]*)"', page)
    assert len(set(ids)) == len(ids)
    references = re.findall(r'<a href="#([^"]*)" role="doc-[^"]*"', page)
    assert set(references) <= set(ids)
    assert {"source-spec-2", "claim-ea2e705a-2"} <= set(references)
