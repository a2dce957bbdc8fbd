from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from citepress.content import yaml_loader
from citepress.content.source_map import split
from citepress.content.text import unwanted_in
from citepress_inbox.patch import Unpatchable, edit_file

BODY = "\n# Text\n\n---\n\nupdates: none  \n"
NOTE = {"date": "2026-11-23", "note": "It changed.", "credit": "Reader"}
URL = {"url": "https://source.example/one"}


def page(front: str, body: str = BODY) -> str:
    return f"---\n{front}---\n{body}"


def added(front: str, key: str = "updates", item: dict[str, str] | None = None, **replaced: str | int) -> str:
    """The front matter with an item added; the body must stay as it is."""
    result = edit_file(page(front), {key: [item or NOTE]}, replaced)
    assert result.endswith(f"---\n{BODY}")
    return result[len("---\n") : -len(f"---\n{BODY}")]


BLOCK = "- date: 2026-11-23\n  note: It changed.\n  credit: Reader\n"
INDENTED = "  - date: 2026-11-23\n    note: It changed.\n    credit: Reader\n"
CASES: list[tuple[str, str, str]] = [
    ("no such list", "title: A\n", f"title: A\nupdates:\n{BLOCK}"),
    (
        "a list at the end",
        "title: A\nupdates:\n- date: 2026-01-01\n  note: B\n",
        f"title: A\nupdates:\n- date: 2026-01-01\n  note: B\n{BLOCK}",
    ),
    (
        "a list in the middle",
        "updates:\n- date: 2026-01-01\n  note: B\ntitle: A\n",
        f"updates:\n- date: 2026-01-01\n  note: B\n{BLOCK}title: A\n",
    ),
    (
        "an indented list",
        "updates:\n  - date: 2026-01-01\n    note: B\ntitle: A\n",
        f"updates:\n  - date: 2026-01-01\n    note: B\n{INDENTED}title: A\n",
    ),
    (
        "comments and blank lines",
        (
            "# top\nupdates: # why\n- date: 2026-01-01 # when\n  note: B # what\n\n# about the title\ntitle: A #"
            " end\n\n# last\n"
        ),
        (
            f"# top\nupdates: # why\n- date: 2026-01-01 # when\n  note: B # what\n{BLOCK}\n# about the title\ntitle: A"
            " # end\n\n# last\n"
        ),
    ),
    ("an empty list", "updates: []\ntitle: A\n", f"updates:\n{BLOCK}title: A\n"),
    ("an empty list with a comment", "updates: [] # none\ntitle: A\n", f"updates: # none\n{BLOCK}title: A\n"),
    ("an empty value", "updates:\ntitle: A\n", f"updates:\n{BLOCK}title: A\n"),
    ("an empty value with a comment", "updates: # none\ntitle: A\n", f"updates: # none\n{BLOCK}title: A\n"),
    ("an empty value at the end", "title: A\nupdates:\n", f"title: A\nupdates:\n{BLOCK}"),
    (
        "a flow list",
        "updates: [{date: 2026-01-01, note: B}] # one\ntitle: A\n",
        (
            'updates: [{date: 2026-01-01, note: B}, {date: "2026-11-23", note: "It changed.", credit: "Reader"}] #'
            " one\ntitle: A\n"
        ),
    ),
    (
        "a flow list over lines with a comma at its end",
        "updates: [\n  {date: 2026-01-01, note: B}, # one\n]\ntitle: A\n",
        (
            'updates: [\n  {date: 2026-01-01, note: B}, {date: "2026-11-23", note: "It changed.", credit: "Reader"}, #'
            " one\n]\ntitle: A\n"
        ),
    ),
    (
        "a flow item in a block list",
        "updates:\n- {date: 2026-01-01, note: B}\ntitle: A\n",
        f"updates:\n- {{date: 2026-01-01, note: B}}\n{BLOCK}title: A\n",
    ),
    (
        "a block of text",
        "updates:\n- date: 2026-01-01\n  note: |\n    One.\n\n    Two.\n\ntitle: A\n",
        f"updates:\n- date: 2026-01-01\n  note: |\n    One.\n\n    Two.\n\n{BLOCK}title: A\n",
    ),
    (
        "a folded block of text at the end",
        "title: A\nupdates:\n- date: 2026-01-01\n  note: >-\n    One\n    two.\n",
        f"title: A\nupdates:\n- date: 2026-01-01\n  note: >-\n    One\n    two.\n{BLOCK}",
    ),
    (
        "text over several lines",
        'updates:\n- date: 2026-01-01\n  note: "One\n    two."\ntitle: A\n',
        f'updates:\n- date: 2026-01-01\n  note: "One\n    two."\n{BLOCK}title: A\n',
    ),
    (
        "the key elsewhere",
        "extra:\n  updates:\n  - x\ntitle: A\n",
        f"extra:\n  updates:\n  - x\ntitle: A\nupdates:\n{BLOCK}",
    ),
    (
        "a last value that is empty",
        "updates:\n- date: 2026-01-01\n  credit:\ntitle: A\n",
        f"updates:\n- date: 2026-01-01\n  credit:\n{BLOCK}title: A\n",
    ),
    ("an anchor", "updates: &all\n- &one\n  date: 2026-01-01\n", f"updates: &all\n- &one\n  date: 2026-01-01\n{BLOCK}"),
    (
        "an alias as the last item",
        "extra: &e {date: 2026-01-01}\nupdates:\n- *e\ntitle: A\n",
        f"extra: &e {{date: 2026-01-01}}\nupdates:\n- *e\n{BLOCK}title: A\n",
    ),
]


@pytest.mark.parametrize(("front", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_an_item_is_inserted_and_nothing_else_moves(front: str, expected: str) -> None:
    assert added(front) == expected


def test_a_list_of_plain_urls_takes_an_item_with_a_key() -> None:
    assert (
        added("sources:\n- https://a.example/\n", "sources", URL)
        == "sources:\n- https://a.example/\n- url: https://source.example/one\n"
    )
    assert (
        added("sources: [https://a.example/]\n", "sources", URL)
        == 'sources: [https://a.example/, {url: "https://source.example/one"}]\n'
    )


def test_several_lists_and_values_are_edited_together() -> None:
    front = "sources:\n- a\nlastmod: '2026-01-01' # then\nrevision: 3\nupdates: []\n"
    result = edit_file(page(front), {"sources": [URL], "updates": [NOTE]}, {"lastmod": "2026-11-23", "revision": 4})
    expected = (
        f"sources:\n- a\n- url: https://source.example/one\nlastmod: 2026-11-23 # then\nrevision: 4\nupdates:\n{BLOCK}"
    )
    assert result == page(expected)


@pytest.mark.parametrize("end", ["\r\n", "\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_byte_order_marks_stay(end: str, mark: str) -> None:
    text = mark + page("title: A\nupdates:\n- date: 2026-01-01\n  note: B\n").replace("\n", end)
    expected = mark + page(f"title: A\nupdates:\n- date: 2026-01-01\n  note: B\n{BLOCK}").replace("\n", end)
    assert edit_file(text, {"updates": [NOTE]}, {}) == expected


@pytest.mark.parametrize("end", ["\r\n", "\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("body", ["# A heading\n\nText.\n", "Text\n---\nand a rule", ""])
def test_a_text_without_front_matter_gets_one_and_stays_as_it_is(body: str, mark: str, end: str) -> None:
    text = mark + body.replace("\n", end)
    line = end if end in text else "\n"
    assert edit_file(text, {"updates": [NOTE]}, {}) == mark + f"---\nupdates:\n{BLOCK}---\n".replace(
        "\n", line
    ) + text.removeprefix(mark)


@pytest.mark.parametrize(
    "text",
    [
        "+++\ntitle = 'A'\n+++\n",
        "---\ntitle: A\n",
        "---\n- a\n---\n",
        "---\ntitle: [\n---\n",
        "---\nupdates: none\n---\n",
        "---\nupdates: {a: b}\n---\n",
        "---\nextra: &e []\nupdates: *e\n---\n",
        "---\nupdates: [\n]\n---\n",
        "---\na: b\x85updates: []\n---\n",
        "---\n{title: A}\n---\n",
    ],
)
def test_what_cannot_be_edited_safely_is_refused(text: str) -> None:
    with pytest.raises(Unpatchable):
        edit_file(text, {"updates": [NOTE]}, {})


def written(character: str) -> bool:
    return not unwanted_in(character) and character != "\r"


TEXTS = (
    st.text(st.characters(exclude_categories=["Cs"]).filter(written), min_size=1, max_size=60)
    .map(str.strip)
    .filter(bool)
)


@given(TEXTS, TEXTS)
@example("key: value # x", "- item")
@example("null", "2026-01-01")
@example("1e5", "~")
@example("a\u2028b\x85c", "\ufeff")
@example("'quoted", '"quoted"')
@example("line\nline", "tab\there")
@example("---", "...")
@example("@at", "!tag")
def test_any_text_reads_back_as_it_was_given(note: str, credit: str) -> None:
    item = {"date": "2026-11-23", "note": note, "credit": credit}
    for front in ("title: A\n", "updates:\n  - date: 2026-01-01\n    note: B\n", "updates: [{date: 2026-01-01}]\n"):
        matter = split(edit_file(page(front), {"updates": [item]}, {}))
        loaded: Any = yaml_loader.load(matter.front or "")
        assert loaded["updates"][-1] == item


@pytest.mark.parametrize("text", ['+++\ntitle = "A"\n+++\n---\nText', '{"title": "A"}\n\n---\n'])
def test_front_matter_of_another_format_is_left_to_its_author(text: str) -> None:
    with pytest.raises(Unpatchable, match="TOML or JSON; edit the file by hand"):
        edit_file(text, {"updates": [NOTE]}, {})
