"""Raw HTML in a text: harmless parts are rendered in every form, comments and everything else are dropped."""

import lxml.html
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citepress.content.links import inspect
from citepress.content.raw_html import PASSED, canonical, find_refused, tags
from citepress.edition.prose.sanitizer import safe, sanitize
from support.pages import as_html, as_markdown, prose


def section(text: str) -> str:
    """The running text of a page as HTML."""
    element = lxml.html.fromstring(as_html(prose(text))).xpath("//section[@id='text']")[0]
    return lxml.html.tostring(element, encoding="unicode")


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("Press <kbd>Ctrl</kbd>.", "<p>Press <kbd>Ctrl</kbd>.</p>"),
        ("a<br/>b", "a<br>b"),
        ("H<sub>2</sub>O and x<sup>2</sup>", "H<sub>2</sub>O and x<sup>2</sup>"),
        (
            "<details open>\n<summary>More</summary>\n\n**In** it.\n\n</details>",
            "<summary>More</summary>\n<p><strong>In</strong> it.</p>\n</details>",
        ),
        ("<TABLE class=x><TR><TD colspan=2 onclick='x'>c</TD></TR></TABLE>", '<tr><td colspan="2">c</td></tr>'),
        ("<p align=center><img src='/a.png' alt='A' width=40 style='x'></p>", 'src="/a.png" alt="A" width="40"'),
        ("<center><font color=red>loud</font></center>", "loud"),
        ("<h1 align='center'>Name</h1>", "<p><strong>Name</strong></p>"),
        ("<tt>x</tt>", "<code>x</code>"),
        ("<dl><dt>T</dt><dd>D</dd></dl>", "<dl><dt>T</dt><dd>D</dd></dl>"),
        ("A `Vec` of Vec<T> and <your-name>.", "Vec&lt;T&gt; and &lt;your-name&gt;."),
        (
            "<a href='https://e.org/?a=1&amp;b=2' target=_blank>x</a>",
            '<a href="https://e.org/?a=1&amp;b=2" rel="external">x</a>',
        ),
    ],
)
def test_the_harmless_part_is_rendered(text: str, html: str) -> None:
    assert html in section(text)


@pytest.mark.parametrize(
    "text",
    [
        "Before <script>alert(1)</script> after.",
        "Before.\n\n<script>\nalert(1)\n</script>\n\nafter.",
        "Before <style>alert{}</style> after.",
        "Before. <iframe src='https://alert.example'></iframe> after.",
        "Before <!-- alert --> after.",
        "Before\n\n<!-- a\n\nalert\n\nb -->\n\nafter.",
        "Before <svg onload=alert(1)><desc>alert</desc></svg> after.",
        "Before <img src=x onerror=alert(1)> after.",
        "Before <a href='javascript:alert(1)'>x</a> after.",
        "Before <a href=' java&#10;script:alert(1)'>x</a> after.",
        "Before <!--><script>alert(1)</script>--> after.",
        "Before <b title='--><script>alert(1)</script>'>x</b> after.".replace("alert(1)", ""),
        "Before\n\n<div>\n<script>alert(1)\n</div>\n\nafter.",
        "Before <?php alert(1) ?> after.",
    ],
)
def test_what_runs_and_what_is_a_comment_leaves_no_trace(text: str) -> None:
    for form in (section(text), as_markdown(prose(text)).partition("# ")[2]):
        assert "alert" not in form
        assert "Before" in form
        assert "after" in form or "<script>alert(1)\n</div>" in text


def test_a_markdown_twin_keeps_the_harmless_part_with_whole_addresses() -> None:
    text = as_markdown(
        prose(
            "<table><tr><td><a href='/posts/x/'><img src='/a.png'></a></td></tr></table>\n\nKbd <kbd onclick=x>K</kbd>."
        )
    )
    assert '<td><a href="https://archive.test/posts/x/"><img src="https://archive.test/a.png"></a></td>' in text
    assert "Kbd <kbd>K</kbd>." in text


def test_an_element_left_open_ends_with_its_text() -> None:
    page = lxml.html.fromstring(as_html(prose("<details><summary>x</summary>\n\n<div><b>never closed")))
    assert page.xpath("//section[@id='text']//footer|//details//footer|//b//footer") == []


PIECES = st.sampled_from(
    [
        "<",
        ">",
        "/",
        "b",
        "script",
        "img",
        " src=",
        "'x'",
        '"',
        "'",
        "<!--",
        "-->",
        "onerror=",
        "javascript:",
        "\n",
        "<b>",
        "</b>",
        "<a href=",
        "&lt;",
        "<svg>",
        "</svg>",
        "<![CDATA[",
        "]]>",
        "<?",
        "?>",
        "alert(1)",
        "title",
        "=",
        " ",
    ]
)


@given(st.lists(PIECES, max_size=30).map("".join))
def test_whatever_is_written_what_is_passed_on_is_of_the_list_and_stays_as_it_is(text: str) -> None:
    passed = canonical(text, safe)
    assert canonical(passed, safe) == passed
    assert "<" not in passed.replace("</", "<").replace("<", "", sum(1 for _ in tags(passed)))
    for tag in tags(passed):
        assert tag.name in PASSED
        assert set(tag.attributes) <= PASSED[tag.name]
    tamed = sanitize(text, 2, str)
    assert sanitize(tamed, 2, str) == tamed


def test_check_warns_of_what_a_reader_will_miss_and_of_nothing_else() -> None:
    quiet = "<details><summary>a</summary></details> <br> <!-- c --> <font color=red>x</font> <kbd>k</kbd>"
    assert inspect(quiet).raw == ()
    assert find_refused("<iframe src=x>") == "<iframe> is left out"
    assert find_refused("<b onclick=x>") == "the attribute onclick is left out"
    assert find_refused("<T>") == "<t> is not HTML and is shown as text"


def test_links_and_images_of_raw_html_are_looked_at_as_those_of_markdown() -> None:
    inspected = inspect(
        "Text <a href='/x/'>a</a>\n\n<table><tr><td><img src=/a.png></td></tr></table> <img src='b.png' alt='B'>"
    )
    assert [(link.href, link.offset, link.alt) for link in inspected.links] == [
        ("/x/", 5, None),
        ("/a.png", 41, ""),
        ("b.png", 76, "B"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Before {} after.",
        "<p>{}</p>",
        "<div>\n{}\n</div>",
        "{}",
    ],
)
def test_a_video_in_a_frame_becomes_a_link_with_its_title(text: str) -> None:
    frame = (
        '<iframe width="5" src="https://www.youtube-nocookie.com/embed/a-b_1?rel=0" title="The &lt;talk&gt;"></iframe>'
    )
    written = sanitize(text.format(frame), 2, str)
    assert '<a href="https://www.youtube.com/watch?v=a-b_1">The &lt;talk&gt;</a>' in written
    assert "iframe" not in written
    assert find_refused(frame) == ""
