"""What plain notes bring along from other tools: where messages point, and what is published as it is written."""

from pathlib import Path
from typing import Any

import pytest

from citepress.contract.page import Nugget
from citepress.kinds.record_page import record_page
from support.folder import assembled, checked, fault_places, folder, markdown, post

DATED = "---\ndate: 2026-01-02\n---\n"


def warnings(path: Path, text: str) -> list[tuple[str, str, str]]:
    """Place and code, message and hint of each fault of a folder with one note."""
    _, faults = checked(folder(path, {"a.md": DATED + text, "deep/b.md": DATED + "B"}, site=None))
    return [(place, fault.message, fault.hint) for place, fault in zip(fault_places(faults), faults, strict=True)]


def test_the_column_of_a_dead_link_is_the_one_in_the_file_of_its_author(tmp_path: Path) -> None:
    text = "Ä [b](deep/b.md), [b](deep/b.md#x) and [c](c.md#part) then ![p](d.md).\n\n[c][ref]\n\n[ref]: c.md\n"
    warned = warnings(tmp_path, text)
    line = text.partition("\n")[0]
    assert [(place, message.partition(" ")[0]) for place, message, _ in warned] == [
        (f"a.md:4:{line.index('[c]') + 1} CP046", "'c.md#part'"),
        (f"a.md:4:{line.index('![p]') + 1} CP046", "'d.md'"),
        ("a.md:6:1 CP046", "'c.md'"),
    ]


def test_the_line_under_the_caret_is_the_one_of_the_file(tmp_path: Path) -> None:
    text = '<a href="deep/b.md">b</a> [c](c.md)'
    _, faults = checked(folder(tmp_path, {"a.md": DATED + text, "deep/b.md": DATED + "B"}, site=None))
    assert [(fault.place.column, fault.place.source) for fault in faults] == [(text.index("[c]") + 1, text)]


def test_the_column_of_neutralised_html_is_the_one_in_the_file_of_its_author(tmp_path: Path) -> None:
    text = "See [b](deep/b.md) and <script>x</script> here."
    assert [place for place, _, _ in warnings(tmp_path, text)] == [f"a.md:4:{text.index('<script>') + 1} CP040"]


def test_a_readme_is_measured_as_its_author_wrote_it(tmp_path: Path) -> None:
    files = {"README.md": "# Notes\n\n[a](a.md) and [c](c.md) and [[a]]\n", "a.md": DATED + "A"}
    _, faults = checked(folder(tmp_path, files, site=None))
    assert fault_places(faults) == ["README.md:3:15 CP046", "README.md:3:29 CP060"]
    assert faults[0].message == "'c.md' leads to no page of the archive"


FROM_HERE = ", with the path of the note's file from here"


@pytest.mark.parametrize(
    ("markup", "hint"),
    [
        ("[[Other Note]]", f"write [Other Note](Other%20Note.md){FROM_HERE}"),
        ("[[Other Note#Part|there]]", f"write [there](Other%20Note.md#Part){FROM_HERE}"),
        ("![[pic.png]]", "write ![what it shows](pic.png)"),
        ("![[Other Note]]", f"write [Other Note](Other%20Note.md){FROM_HERE}"),
        ("[[#Part]]", "write [#Part](#Part)"),
    ],
)
def test_a_wiki_link_is_published_as_text_with_a_warning(tmp_path: Path, markup: str, hint: str) -> None:
    assert warnings(tmp_path, f"\nÄ {markup} b") == [
        ("a.md:5:3 CP060", f"the wiki link {markup} is published as text", hint)
    ]


@pytest.mark.parametrize(
    "markup",
    [
        '{{< figure src="a.png" >}}',
        "{{% notice %}}",
        "{{<b>}}",
        "{% include a.html %}",
        "{%- raw -%}",
        '[x]({{< ref "a" >}})',
    ],
)
def test_a_shortcode_is_published_as_text_with_a_warning(tmp_path: Path, markup: str) -> None:
    matching = [warning for warning in warnings(tmp_path, f"# T\n\nÄ {markup} b") if "CP061" in warning[0]]
    assert [place for place, _, _ in matching] == [f"a.md:6:{3 + markup.index('{')} CP061"]
    assert matching[0][1].endswith(" is published as text")


@pytest.mark.parametrize(
    "text",
    [
        "`[[a]]` and ``{% x %}``",
        "```\n[[a]] {{< x >}}\n```",
        "    [[a]] {% x %}",
        "[[a]](deep/b.md)",
        "[[a]] is a link\n\n[a]: deep/b.md",
        "see [[1]] and [[2, 3]]",
        "[[a\nb]]",
        "{ { < x > } }",
    ],
)
def test_code_and_links_are_no_markup_of_another_tool(tmp_path: Path, text: str) -> None:
    assert [place for place, _, _ in warnings(tmp_path, text) if "CP06" in place] == []


def test_hostile_markup_is_read_in_time_and_warned_of_twenty_times(tmp_path: Path) -> None:
    text = "`[[a]]` [[" * 30_000 + "\n\n" + "{% " * 100_000 + "[[a]] {% b %} " * 1_000
    positions = [place for place, _, _ in warnings(tmp_path, text)]
    assert [len([place for place in positions if code in place]) for code in ("CP060", "CP061")] == [20, 20]


def test_a_redirect_to_a_note_that_is_set_aside_warns_and_stops_nothing(tmp_path: Path) -> None:
    files = {
        "bad.md": "---\na: b: c\n---\n",
        "dangling.md": "---\ndate: 2026-01-02\naliases: [/once/]\nclaims: [{text: A., source_refs: [x]}]\n---\nText",
        "good.md": DATED + "Text",
        "redirects.txt": "/old/ /posts/bad/\n/older/ /old/\n/x /posts/dangling/\n/y/ /once/\n/z/ /posts/good/\n",
    }
    archive, faults = checked(folder(tmp_path, files, site='title = "T"\n'))
    assert archive is not None, fault_places(faults)
    assert {"/z/", "/z.md", "/z.json"} == set(archive.redirects)
    assert [line for line in fault_places(faults) if "redirects" in line] == [
        f"redirects.txt:{n}:1 CP045" for n in range(1, 5)
    ]
    assert faults[-1].message == "'/once/' is the note dangling.md, which is set aside; the redirect is left out"
    assert faults[-1].hint == "correct dangling.md"


def test_a_redirect_to_nothing_at_all_stays_an_error(tmp_path: Path) -> None:
    files = {"bad.md": "---\na: b: c\n---\n", "redirects.txt": "/old/ /posts/bat/\n"}
    archive, faults = checked(folder(tmp_path, files, site='title = "T"\n'))
    assert archive is None
    assert [line for line in fault_places(faults) if "redirects" in line] == ["redirects.txt:1:1 CP033"]


def test_the_first_of_two_files_of_one_slug_keeps_its_redirects(tmp_path: Path) -> None:
    slugged = DATED.replace("date", "slug: a-b\ndate")
    files = {"a.md": slugged + "x", "b.md": slugged + "y", "redirects.txt": "/old/ /posts/a-b/\n"}
    archive, faults = checked(folder(tmp_path, files, site='title = "T"\n'))
    assert archive is not None
    assert archive.redirects["/old/"] == "/posts/a-b/"
    assert fault_places(faults) == ["b.md:2:7 CP045"]


def test_the_page_of_a_note_shows_its_words_once(tmp_path: Path) -> None:
    archive = assembled(folder(tmp_path / "plain", {"a.md": DATED + "# T\n\nFirst words.\n\nMore.\n"}, site=None))
    page = record_page(archive.entries["posts/a"], archive)
    assert page.description == "First words."
    assert not [block for block in page.blocks if isinstance(block, Nugget)]
    archive = assembled(folder(tmp_path / "other", {"content/posts/a.md": post(summary="S.", retrieval_nugget="N.")}))
    blocks = record_page(archive.entries["posts/a"], archive).blocks
    assert [block.text for block in blocks if isinstance(block, Nugget)] == ["N."]


def test_a_source_that_a_note_names_twice_is_published_once(tmp_path: Path) -> None:
    front: dict[str, Any] = {
        "date": "2026-01-02",
        "sources": ["https://a.example/x", {"url": "https://A.example/x#part", "id": "again"}],
    }
    archive, faults = checked(folder(tmp_path, {"a.md": markdown(front)}, site=None))
    assert archive is not None
    assert archive.entries["posts/a"].record.source_urls == ["https://a.example/x"]
    assert [
        (line, "address is that of source 's1' above" in fault.message)
        for line, fault in zip(fault_places(faults), faults, strict=True)
    ] == [("a.md:5:3 CP045", True)]


def test_the_lines_above_a_text_of_pelican_are_its_front_matter(tmp_path: Path) -> None:
    text = (
        "Title: Ports: a tale\nDate: 2024-05-06 10:00\nModified: 2024-06-07\nTags: deep sea, b\nCategory: My Harbour\n"
        "Authors: Ann A; Bob B\nSlug: ports\nSummary: What\n    follows.\nLang: de\n\n# Part\n\nText [x](no.md).\n"
    )
    files = {"pelicanconf.py": "PATH = 'content'\n", "content/a.md": text, "content/b.md": "Title: B\nDate: soon\n\nB"}
    archive, faults = checked(folder(tmp_path, files, site=None))
    assert archive is not None
    record = archive.entries["posts/ports"].record
    assert (record.title, record.summary, record.language) == ("Ports: a tale", "What follows.", "de")
    assert (str(record.published_at), record.tags) == ("2024-05-06 10:00:00+00:00", ["deep sea", "b", "My Harbour"])
    assert [author.name for author in record.authors] == ["Ann A", "Bob B"]
    assert record.body_markdown.startswith("# Part")
    assert fault_places(faults) == ["content/a.md:14:6 CP046", "content/b.md:0:0 CP047", "content/b.md:2:7 CP045"]


def test_lines_above_a_text_are_text_in_the_folder_of_another_tool(tmp_path: Path) -> None:
    files = {"a.md": "Title: Ports\nDate: 2024-05-06\n\nText.\n"}
    archive = assembled(folder(tmp_path, files, site=None))
    assert archive.entries["posts/a"].record.body_markdown.startswith("Title: Ports")
