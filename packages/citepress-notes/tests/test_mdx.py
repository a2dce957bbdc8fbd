"""MDX in plain folders: its text stays; imports, exports and unknown components go, and what goes leaves a note."""

import time
from pathlib import Path

import pytest

from citepress.content.rewritten import apply_edits
from citepress_notes.mdx import mdx_edits
from support.folder import assembled, checked, fault_places, folder
from support.shapes import png

DATED = "---\ndate: 2026-01-02\n---\n"
CODE = "```mdx\nimport X from './x'\n<X />\n```"


def body_of(root: Path, text: str, name: str = "a.mdx", **files: str) -> str:
    archive = assembled(folder(root, {**files, name: DATED + text, "pic.png": png(3, 2)}, site=None))
    return next(iter(archive.entries.values())).record.body_markdown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import A from './a'\nimport B from 'b'\n\nexport const x = {\n  a: 1\n}\n\nText.", "Text."),
        ("One <Chart data={[1, 2]} /> two.", "One *(“Chart” is not shown here.)* two."),
        ("<Demo>\nInside.\n</Demo>", "*(“Demo” is not shown here.)*\n\nInside.\n"),
        ('<Tabs>\n    <TabItem value="a" label="Apple">\n        Text.\n    </TabItem>\n</Tabs>', "**Apple**\n\nText."),
        ("<>Words</>", "Words"),
        ('{"a"} and {count} and {1 + 2}', "a and *(“count” is not shown here.)* and *(“1 + 2” is not shown here.)*"),
        ("A {team === 'a' ? 'hidden' : null}", "A *(“team” is not shown here.)*"),
        ("A {/* hidden */}b", "A b"),
        ('See <Link to="/posts/b/">b</Link>.', "See [b](/posts/b/)."),
        ("import pic from './pic.png'\n\n<Image src={pic} alt=\"A pic\" />", "![A pic](</pic.png>)"),
        (
            "<img src={require('./pic.png').default} className=\"x\" style={{width: 1}} />",
            '<img src="/pic.png" class="x" />',
        ),
        (CODE, CODE),
        ("`<X />` and `{x}` and $a_{n}$", "`<X />` and `{x}` and $a_{n}$"),
    ],
)
def test_a_text_of_mdx_is_published_as_markdown(text: str, expected: str, tmp_path: Path) -> None:
    assert body_of(tmp_path, text).strip() == expected.strip()


def test_title_and_summary_are_those_of_the_text(tmp_path: Path) -> None:
    imports = "import Hero from './hero'\nimport p from './p.png'\n\n"
    text = f"{imports}# The title\n\n<Hero />\n\nFirst words. <img src={{p}} />\n"
    archive = assembled(folder(tmp_path, {"a.mdx": DATED + text, "p.png": png(3, 2)}, site=None))
    record = archive.entries["posts/a"].record
    assert (record.title, record.summary) == ("The title", "First words.")
    assert record.body_markdown == '*(“Hero” is not shown here.)*\n\nFirst words. <img src="/p.png" />'


def test_what_is_left_out_is_a_warning_at_its_place_and_links_are_led_on(tmp_path: Path) -> None:
    text = "import X from 'x'\n\nÄ <Chart\n  a={1} /> then [b](b.mdx) and [no](c.mdx).\n"
    archive, faults = checked(folder(tmp_path, {"a.mdx": DATED + text, "b.mdx": f"{DATED}B"}, site=None))
    assert archive is not None
    assert "[b](/posts/b/)" in archive.entries["posts/a"].record.body_markdown
    assert fault_places(faults) == ["a.mdx:6:3 CP061", "a.mdx:7:32 CP046"]
    assert faults[0].message == "<Chart a={1} /> is left out, with a note in its place"


def test_markdown_is_mdx_in_a_site_of_docusaurus_alone(tmp_path: Path) -> None:
    text = "One {two} three."
    assert body_of(tmp_path / "plain", text, "a.md") == text
    files = {"docusaurus.config.js": "module.exports = {}\n"}
    assert body_of(tmp_path / "site", text, "docs/a.md", **files) == "One *(“two” is not shown here.)* three."


@pytest.mark.parametrize(
    "piece",
    ["<A ", '<A a="', "<A a={", "{", "{{{", "<A>", "</A>", "import ", "`", "```\n", "$", "<a {", "\n{", "<A a={{b: "],
)
def test_a_hostile_text_takes_a_bounded_time(piece: str) -> None:
    text = piece * (60_000 // len(piece))
    begin = time.process_time()
    apply_edits(text, mdx_edits(text))
    assert time.process_time() - begin < 5
