"""Links of vaults: double brackets and addresses from the top lead to the notes and files that their tools find."""

from pathlib import Path

import pytest

from citepress.content.cache import ReadCache
from support.folder import assembled, checked, fault_places, folder
from support.shapes import png

DATED = "---\ndate: 2026-01-02\n---\n"
VAULT = {
    ".obsidian/app.json": "{}",
    "A.md": f"{DATED}# One\n\nA",
    "dir/Sub.md": f"{DATED}Sub",
    "dir/Near.md": f"{DATED}Near",
    "deep/er/Far Away.md": f"{DATED}Far",
    "pic.png": png(3, 2),
    "files/only here.png": png(3, 2),
}


def body_of(root: Path, text: str, files: dict[str, str | bytes] | None = None) -> str:
    archive = assembled(folder(root, {**VAULT, **(files or {}), "dir/Sub.md": DATED + text}, site=None))
    return archive.entries["posts/dir-sub"].record.body_markdown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[x](A.md) ![i](pic.png)", "[x](/posts/a/) ![i](/pic.png)"),
        ("[x](Near.md) [y](../A.md#part)", "[x](/posts/dir-near/) [y](/posts/a/#part)"),
        ("![i](only%20here.png)", "![i](/files/only%20here.png)"),
        ("[[A]]", "[A](/posts/a/)"),
        ("[[Near]] [[dir/near|there]]", "[Near](/posts/dir-near/) [there](/posts/dir-near/)"),
        ("[[far away#A part]]", "[far away: A part](/posts/deep-er-far-away/#a-part)"),
        ("[[er/Far Away#^block]]", "[er/Far Away](/posts/deep-er-far-away/)"),
        ("[[#Here]]", "[Here](#here)"),
        (
            "![[only here.png]] ![[pic.png|120]] ![[pic.png|words]]",
            "![](/files/only%20here.png) ![](/pic.png) ![words](/pic.png)",
        ),
        ("| a |\n| - |\n| [[A\\|b]] |", "| a |\n| - |\n| [b](/posts/a/) |"),
        ("`[[A]]` and [[None]]", "`[[A]]` and None"),
    ],
)
def test_a_link_leads_to_what_its_tool_finds(text: str, expected: str, tmp_path: Path) -> None:
    assert body_of(tmp_path, text) == expected


@pytest.mark.parametrize(
    ("mark", "path", "text", "expected"),
    [
        ("logseq/config.edn", "pages/a___b.md", "[[a/b]]", "[a/b](/posts/pages-a-b/)"),
        (
            "logseq/config.edn",
            "journals/2024_01_02.md",
            "[[Jan 2nd, 2024]]",
            "[Jan 2nd, 2024](/posts/journals-2024-01-02/)",
        ),
        ("dendron.yml", "lang.rust.md", "[[Rust|lang.rust]]", "[Rust](/posts/lang-rust/)"),
        (".foam", "b.md", "[[b]]", "[b](/posts/b/)"),
    ],
)
def test_every_tool_has_its_names(mark: str, path: str, text: str, expected: str, tmp_path: Path) -> None:
    files = {
        mark: "{:publishing/all-pages-public? true}" if mark.endswith("edn") else "version: 5\n",
        path: f"{DATED}B",
        "note.md": DATED + text,
    }
    archive = assembled(folder(tmp_path, files, site=None))
    assert archive.entries["posts/note"].record.body_markdown == expected


def test_only_double_brackets_that_lead_nowhere_are_a_warning(tmp_path: Path) -> None:
    files = {**VAULT, "dir/Sub.md": f"{DATED}[[A]] and [[None]]", "README.md": "# Home\n\n[[A]] [[None]]\n"}
    archive, faults = checked(folder(tmp_path, files, site=None))
    assert archive is not None
    assert fault_places(faults) == ["README.md:3:7 CP060", "dir/Sub.md:4:11 CP060"]
    assert archive.entries["posts/dir-sub"].record.summary == "A and None"


def test_a_link_to_a_note_that_is_held_back_is_text_without_its_address(tmp_path: Path) -> None:
    files = {**VAULT, "dir/Sub.md": f"{DATED}See [[Held#Part|that]].", "x/Held.md": "---\ndraft: true\n---\nHeld"}
    archive = assembled(folder(tmp_path, files, site=None))
    assert archive.entries["posts/dir-sub"].record.body_markdown == "See that."


def test_a_note_that_comes_is_linked_by_those_that_were_read_before(tmp_path: Path) -> None:

    cache = ReadCache()
    root = folder(tmp_path, {**VAULT, "dir/Sub.md": f"{DATED}[[New]]"}, site=None)
    assert assembled(root, cache=cache).entries["posts/dir-sub"].record.body_markdown == "New"
    folder(root, {"New.md": f"{DATED}New"}, site=None)
    assert assembled(root, cache=cache).entries["posts/dir-sub"].record.body_markdown == "[New](/posts/new/)"


def test_double_brackets_are_text_where_no_tool_reads_them(tmp_path: Path) -> None:
    archive = assembled(folder(tmp_path, {"a.md": f"{DATED}A", "b.md": f"{DATED}[[a]]"}, site=None))
    assert archive.entries["posts/b"].record.body_markdown == "[[a]]"


def test_pages_and_journals_of_a_graph_have_the_titles_that_their_tool_shows(tmp_path: Path) -> None:
    files = {
        "logseq/config.edn": "{:publishing/all-pages-public? true}",
        "journals/2022_03_31.md": "- A day with [[One]]\n",
        "journals/2022_02_31.md": "- No day\n",
        "pages/ns___inner page.md": "- Text\n",
        "pages/own.md": "title:: Given\nalias:: One, The first\n\n- Text\n",
        "pages/t.md": "- template:: x\n  - Zqtemplate\n- shown\n",
        "pages/u.md": "- id:: 11111111-1111-1111-1111-111111111111\n  template:: x\n\t- Zqtemplate\n- shown\n",
    }
    entries = assembled(folder(tmp_path, files, site=None)).entries.values()
    titles = {entry.file: entry.record.title for entry in entries}
    assert titles["journals/2022_03_31.md"] == "Mar 31st, 2022"
    assert titles["journals/2022_02_31.md"] == "2022_02_31"
    assert titles["pages/ns___inner page.md"] == "ns/inner page"
    assert titles["pages/own.md"] == "Given"
    assert "Zqtemplate" not in "".join(entry.record.body_markdown for entry in entries)
    day = next(entry for entry in entries if entry.file == "journals/2022_03_31.md")
    assert "[One](/posts/pages-own/)" in day.record.body_markdown


def test_the_name_of_a_block_is_no_word_of_a_link(tmp_path: Path) -> None:
    files = {".obsidian/app.json": "{}", "a.md": "![[b#^blk]] [[b#Head]]\n", "b.md": "# Head\n\nText. ^blk\n"}
    archive = assembled(folder(tmp_path, files, site=None))
    assert archive.entries["posts/a"].record.body_markdown.strip() == "[b](/posts/b/) [b: Head](/posts/b/#head)"
