"""Tables of pages: short cells on one line, long tables folded without a script, cells of several links."""

import lxml.html

from citepress.contract.page import Link, Page, Table
from support.pages import as_html, as_markdown, prose


def _table(rows: int) -> Page:
    cells = tuple((Link("2026-01-05"), (Link("/x/", "/x/"), Link(".md", "/x.md"))) for _ in range(rows))
    return Page("/t/", "T", "D", (Table("t", "T", ("Day", "Paths"), cells),))


def test_a_date_stays_on_one_line_in_tables_of_blocks_and_of_texts() -> None:
    assert '<td class="s"><time>2026-01-05</time></td>' in as_html(_table(1))
    text = "| Day | Note |\n|--:|---|\n| 2026-01-05 | A sentence that is too long for one line. |\n"
    written = as_html(prose(text))
    assert '<td class="right s">2026-01-05</td>' in written
    assert "<td>A sentence" in written


def test_a_long_table_folds_and_holds_every_row() -> None:
    for rows, shown in ((10, []), (20, ["fold narrow"]), (30, ["fold"])):
        document = lxml.html.fromstring(as_html(_table(rows)))
        assert document.xpath("//details/@class") == shown
        assert len(document.xpath("//tbody/tr")) == rows
    assert document.xpath("string(//details/summary)") == "Show all 30 rows of this table"


def test_a_cell_holds_several_links_in_every_form() -> None:
    assert '<td class="s"><a href="/x/">/x/</a>, <a href="/x.md">.md</a></td>' in as_html(_table(1))
    assert "| 2026-01-05 | [/x/](https://archive.test/x/), [.md](https://archive.test/x.md) |" in as_markdown(_table(1))


def test_a_long_table_of_a_text_folds_too_and_a_shorter_one_is_the_author_s() -> None:
    for rows, shown in ((25, []), (26, ["Show all 26 rows of this table"])):
        text = "| Day |\n|---|\n" + "| 1 |\n" * rows + "\nAfter.\n\n| A |\n|---|\n| 1 |\n"
        document = lxml.html.fromstring(as_html(prose(text)))
        assert document.xpath("//details[@class='fold']/summary/text()") == shown
        assert [len(table.xpath(".//tbody/tr")) for table in document.xpath("//table")] == [rows, 1]
