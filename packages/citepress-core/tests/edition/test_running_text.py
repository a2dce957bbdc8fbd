"""Running text outside its page: feeds, Markdown twins, JSON and MCP give the same links, and no live markup."""

import re
from typing import Any

import feedparser
import pytest
from lxml import etree

from citepress.contract.page import Page, Prose
from citepress.edition.documents import declared
from citepress.edition.forms import html, markdown
from citepress.kinds import ALL as KINDS
from support.archive import archive_of, entry
from support.documents import desk, json_of, leaves

BODY = """## Überschrift

See [the pattern](/patterns/one/), [below](#überschrift), [elsewhere](https://a.example/x)
and ![a picture](/files/a.png).

<script>alert(1)</script> <![CDATA[ <img src=x onerror=alert(2)> ]]>

[javascript](javascript:alert(3))

- [ ] to do
- [x] done

```python
print("[no](/link/)")
```

A note[^1].

[^1]: Its text.
"""
SUMMARY = 'Five < six & <img src="x" onerror="alert(4)"> are text.'
FEEDS = [document for document in declared(KINDS) if document.name in {"rss", "json_feed", "changes_feed"}]
RECORDS = [
    document for document in declared(KINDS) if document.name in {"posts_record", "signals_record", "signals_page"}
]
LIVE = re.compile(r"(?<!\\)<script|(?<!\\)<img[^>]*onerror|href=\"javascript|<!\[CDATA")


@pytest.fixture(scope="module")
def archive() -> Any:
    return archive_of(entry("posts/one", body_markdown=BODY, summary=SUMMARY), entry("signals/two", body_markdown=BODY))


def test_feed_json_holds_html_with_whole_links_and_a_plain_summary(archive: Any) -> None:
    (item,) = json_of(leaves(archive, FEEDS)["/feed.json"])["items"]
    content = item["content_html"]
    assert "content_text" not in item
    assert item["summary"] == SUMMARY
    assert 'href="https://archive.test/patterns/one/"' in content
    assert (
        'href="https://archive.test/posts/one/#%C3%BCberschrift"' in content
        or 'href="https://archive.test/posts/one/#überschrift"' in content
    )
    assert 'src="https://archive.test/files/a.png"' in content
    assert not LIVE.search(content)
    assert "alert(1)" not in content
    assert not re.search(r'(?:href|src)="(?!https?://)[^"]', content)


def test_the_id_that_an_author_gives_a_heading_is_no_word_of_a_feed() -> None:
    archive = archive_of(entry("posts/one", body_markdown="## Words {#own-id}\n\nCode `{#x}` {#stays}\n"))
    (item,) = json_of(leaves(archive, FEEDS)["/feed.json"])["items"]
    assert "<h2>Words</h2>" in item["content_html"]
    assert "<code>{#x}</code> {#stays}</p>" in item["content_html"]


def test_no_feed_holds_live_html(archive: Any) -> None:
    feed = leaves(archive, FEEDS)["/rss.xml"].body
    (description,) = [element.text or "" for element in etree.fromstring(feed).iter("description")][1:]
    assert description == 'Five &lt; six &amp; &lt;img src="x" onerror="alert(4)"&gt; are text.'
    (encoded,) = [
        element.text or ""
        for element in etree.fromstring(feed).iter("{http://purl.org/rss/1.0/modules/content/}encoded")
    ]
    assert not LIVE.search(encoded)
    read = feedparser.parse(feed)
    assert read.bozo == 0
    assert read.entries[0].content[0].value.startswith("<h2")


def test_markdown_json_and_pages_of_records_have_the_same_whole_links(archive: Any) -> None:
    documents = leaves(archive, RECORDS)
    twin = documents["/posts/one.md"].body.decode()
    record = json_of(documents["/posts/one.json"])["body_markdown"]
    (signal,) = json_of(documents["/signals/page/1.json"])["items"]
    links = re.findall(r"\]\(([^)]*)\)", record)
    assert links == [
        "https://archive.test/patterns/one/",
        "https://archive.test/posts/one/#überschrift",
        "https://a.example/x",
        "https://archive.test/files/a.png",
        "",
        "/link/",
    ]
    assert all(f"]({link})" in twin for link in links)
    assert signal["body_markdown"] == json_of(documents["/signals/two.json"])["body_markdown"]
    assert not LIVE.search(record)
    assert not LIVE.search(re.sub(r"\\\\<[^>]*>", "", twin.split("---\n", 2)[2]))


@pytest.mark.parametrize(
    "text",
    [
        "<![CDATA[ <b>x</b> ]]>",
        "a <![CDATA[ <b>x</b> ]]> b",
        "<?x <b>y</b> ?>",
        "<!DOCTYPE <b> >",
        "> <![CDATA[\n> <b>\n> ]]>",
    ],
)
def test_no_form_passes_raw_html_through(text: str) -> None:
    page = Page("/x/", "Title", "", (Prose("text", "", text),))
    assert "<b>" not in markdown.write(page, desk(archive_of())).decode()
    assert "<b>" not in html.write(page, desk(archive_of())).decode()


def test_task_lists_and_languages_of_code_are_shown(archive: Any) -> None:
    page = leaves(archive, RECORDS)["/posts/one/"].body.decode()
    assert "<li>☐ to do</li>" in page
    assert "<li>☑ done</li>" in page
    assert '<code class="language-python"><span class="nb">print</span>(' in page
    twin = leaves(archive, RECORDS)["/posts/one.md"].body.decode()
    assert "- [ ] to do\n- [x] done" in twin
