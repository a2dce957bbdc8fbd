"""The forms: the same content in each, the same bytes each time."""

import re
from datetime import datetime
from html.parser import HTMLParser

import lxml.html
import orjson
import pytest
import yaml

from citepress.content.commonmark import PARSER
from citepress.contract import page as blocks
from citepress.contract.form import Form
from citepress.contract.page import Page
from citepress.contract.version import SCHEMA_VERSION
from citepress.edition.forms import ALL, html, json, markdown
from citepress.edition.prose.html_parts import inline, spoken
from citepress.edition.theme import THEME_TEMPLATES
from citepress.kinds import ALL as KINDS
from citepress.kinds.record_page import record_page
from support.archive import archive_of, desk_of, entry
from support.pages import DAY, FULL, LATER, as_html, as_markdown, prose


class Words(HTMLParser):
    """The text of a document, and nothing of its head."""

    def __init__(self):
        super().__init__()
        self.words = []

    def handle_data(self, data):
        self.words.append(data)


def words(document):
    reader = Words()
    reader.feed(re.sub(r"(?s)<head>.*?</head>", "", document))
    return " ".join("".join(reader.words).split())


def strings(value):
    """Every text that a block says."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from strings(item)
    elif isinstance(value, datetime):
        yield value.strftime("%Y-%m-%d")
    elif hasattr(value, "__dataclass_fields__"):
        for name in value.__dataclass_fields__:
            if name not in {
                "id",
                "addresses",
                "citation",
                "path",
                "href",
                "url",
                "markdown",
                "language",
                "first",
                "previous",
                "next",
                "last",
                "timeline",
                "ordered",
                "kind",
                "json_href",
            }:
                yield from strings(getattr(value, name))


def with_iso_dates(document):
    """A page with the dates that machines read in place of those for people."""
    return re.sub(r'<time datetime="([^"]*)">[^<]*</time>', r"\1", document)


def test_dates_are_written_for_people_and_name_the_day_for_machines():
    page = as_html(FULL)
    assert '<time datetime="2026-03-01">1 March 2026</time>' in page
    assert not re.search(r'<time datetime="[^"]*">[0-9]{4}-', page)
    assert "2026-03-01" in as_markdown(FULL)
    assert "March 2026" not in as_markdown(FULL)


@pytest.mark.parametrize(
    ("plain", "shown"),
    [
        ("since 2026-03-14, `2026-03-14`", "since <time>2026-03-14</time>, <code><time>2026-03-14</time></code>"),
        ("spec-2026-03-14 and 2026-13-01", "spec-2026-03-14 and 2026-13-01"),
    ],
)
def test_a_date_of_an_author_keeps_its_words_and_is_not_broken(plain, shown):
    assert str(inline(plain)) == shown


def test_dates_in_words_of_the_interface_are_written_for_people():
    assert str(spoken("By 2026-12-01 & 2026-02-30")) == (
        'By <time datetime="2026-12-01">1 December 2026</time> &amp; 2026-02-30'
    )


def test_every_text_of_every_block_is_in_html_and_in_markdown():
    page, twin = words(with_iso_dates(as_html(FULL))), words(PARSER.html(as_markdown(FULL).partition("\n---\n")[2]))
    said = [
        *strings(FULL.blocks),
        FULL.title,
        FULL.description,
        "Topic one",
        "Its feed",
        "2026-03-01",
        "2026-09-01",
    ]
    for text in filter(None, said):
        plain = " ".join(text.replace("`code`", "code").split())
        assert plain in page, text
        assert plain in twin, text


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS])
def test_a_record_says_the_same_in_html_and_in_markdown(kind):
    archive = archive_of(entry(f"{kind}/x", body_markdown="Some *text*."), entry("posts/one"))
    page, at = record_page(archive.entries[f"{kind}/x"], archive), desk_of(archive)
    shown, twin = (
        words(with_iso_dates(html.write(page, at).decode())),
        words(PARSER.html(markdown.write(page, at).decode().partition("\n---\n")[2])),
    )
    (cite,) = (block for block in page.blocks if isinstance(block, blocks.Cite))
    said = (*strings(page.blocks), page.title, page.description, "Some text.", cite.citation.line)
    for text in filter(None, said):
        assert " ".join(text.split()) in shown
        assert " ".join(text.split()) in twin


def test_every_block_has_a_writer_in_each_form():
    kinds = [
        class_
        for class_ in vars(blocks).values()
        if isinstance(class_, type) and issubclass(class_, blocks.Block) and class_ is not blocks.Block
    ]
    assert set(kinds) == set(markdown.WRITERS)
    macros = set(re.findall(r"macro (\w+)\(", THEME_TEMPLATES["blocks.html"]))
    assert {kind.__name__.lower() for kind in kinds} <= macros


def test_the_default_form_comes_first_and_each_has_its_path():
    written = [form for form in ALL if isinstance(form, Form)]
    assert [(form.name, form.path("/posts/{slug}/"), form.default) for form in written] == [
        ("html", "/posts/{slug}/", True),
        ("markdown", "/posts/{slug}.md", False),
        ("json", "/posts/{slug}.json", False),
    ]
    assert [form.path("/") for form in written] == ["/", "/index.md", "/index.json"]
    assert [form.path("/posts/{slug}/") for form in ALL if form not in written] == [
        "/posts/{slug}.bib",
        "/posts/{slug}.ris",
        "/posts/{slug}.csl.json",
        "/posts/{slug}.linkset.json",
    ]


def test_json_is_the_page_s_record_as_it_is_published():
    archive = archive_of(entry("posts/x"))
    record = archive.entries["posts/x"].record
    assert orjson.loads(
        json.write(record_page(archive.entries["posts/x"], archive), desk_of(archive))
    ) == record.model_dump(mode="json")


def test_the_same_page_gives_the_same_bytes():
    assert {as_html(FULL) for _ in range(3)} == {as_html(FULL)}
    assert {as_markdown(FULL) for _ in range(3)} == {as_markdown(FULL)}


# Markdown


def test_markdown_begins_with_front_matter_that_yaml_reads():
    page = Page("/x/", 'A "title": with #signs', "Line one\nline two", (), published=DAY, updated=LATER, license="MIT")
    front = yaml.safe_load(as_markdown(page).split("---\n")[1])
    assert front == {
        "title": 'A "title": with #signs',
        "description": "Line one\nline two",
        "canonical_url": "https://archive.test/x/",
        "date_published": "2026-03-01T00:00:00Z",
        "date_modified": "2026-09-01T00:00:00Z",
        "last_updated": "2026-09-01",
        "doc_version": "2026-09-01",
        "schema_version": SCHEMA_VERSION,
        "license": "MIT",
        "language": "en",
    }


def test_every_link_of_markdown_is_absolute():
    text = as_markdown(FULL).partition("\n---\n")[2]
    targets = [
        event["Start"]["Link"]["dest_url"]
        for event in PARSER.events(text)
        if isinstance(event, dict) and isinstance(event.get("Start"), dict) and "Link" in event["Start"]
    ]
    assert len(targets) > 15
    assert [
        target for target in targets if not target.startswith(("https://archive.test/", "https://s.example/"))
    ] == []


@pytest.mark.parametrize(
    ("written", "absolute"),
    [
        ("[a](/posts/x/)", "[a](https://archive.test/posts/x/)"),
        ("[a](../y/)", "[a](https://archive.test/y/)"),
        ("[a](#part)", "[a](https://archive.test/x/#part)"),
        ('[a](</p q/> "t")', '[a](<https://archive.test/p q/> "t")'),
        ("![a](/i.png)", "![a](https://archive.test/i.png)"),
        ("[![a](/i.png)](/p/)", "[![a](https://archive.test/i.png)](https://archive.test/p/)"),
        ("[a][r]\n\n[r]: /p/ 't'", '[a][r]\n\n[r]: https://archive.test/p/ "t"'),
        ("`[a](/p/)`", "`[a](/p/)`"),
        ("    [a](/p/)", "    [a](/p/)"),
        ("[a](https://e.example/b)", "[a](https://e.example/b)"),
    ],
)
def test_links_in_running_text_become_absolute_and_code_stays(written, absolute):
    assert as_markdown(prose(f"Text.\n\n{written}")).endswith(f"Text.\n\n{absolute}\n")


def test_paths_of_a_site_below_a_prefix_keep_the_prefix():
    page = prose("[a](/posts/x/)")
    assert "(https://archive.test/sub/posts/x/)" in as_markdown(page, base_url="https://archive.test/sub")
    assert '<a href="/sub/posts/x/">a</a>' in as_html(page, base_url="https://archive.test/sub")


def test_headings_of_running_text_stand_below_the_title_in_both_forms():
    text = "# One\n\nTwo\n===\n\n#### Deep\n\n## Three"
    levels = [
        (heading.tag, heading.text)
        for heading in lxml.html.fromstring(as_html(prose(text))).xpath(
            "//section//*[self::h2 or self::h3 or self::h4]"
        )
    ]
    assert levels == [("h2", "One"), ("h2", "Two"), ("h3", "Deep"), ("h3", "Three")]
    assert re.findall(r"(?m)^#+ .*$", as_markdown(prose(text))) == ["# T", "## One", "## Two", "### Deep", "### Three"]
