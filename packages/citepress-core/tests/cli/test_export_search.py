"""The search of a static export: its index, and its script in a JavaScript engine."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import quickjs
from hypothesis import given
from hypothesis import strategies as st

from citepress.edition.pages import search_files
from citepress.edition.pages.search_files import PART_RECORDS, shards, words_of
from citepress.edition.theme import __file__ as theme
from support.export import exported
from support.folder import post

SCRIPT = Path(theme).with_name("search.js").read_text("utf-8")
Search = Callable[[str], Any]
LETTERS = st.characters(max_codepoint=0x24F) | st.sampled_from("ﬁ①Ⅷ中文かな한국עברית العربية हिन्दी")
"""Characters that every version of Unicode in use classes alike."""


@pytest.fixture(scope="module")
def search(tmp_path_factory: pytest.TempPathFactory) -> Search:
    """The script over an export of a small archive; the index is read file by file."""
    files: dict[str, str | bytes] = {
        "content/posts/bees.md": post("They dance to tell the way.", title="How bees navigate", date="2026-01-01"),
        "content/posts/ants.md": post("Ants follow scent; bees do not.", title="How ants navigate", date="2026-02-01"),
        "content/posts/sharp.md": post("Two names.", title="C# and C++"),
        "content/posts/c.md": post("An old one.", title="The C language"),
        "content/posts/notes.md": post("東京都の会議で。", title="日本語のメモ・検索について"),
        "datasets/tides/README.md": (
            "---\ntitle: Heights\nsummary: Of the **sea**.\ndate: 2026-01-01\n---\n\nAs gauges saw it."
        ),
        "datasets/tides/schema.json": '{"properties": {"gauge": {"type": "string", "description": "Its harbour."}}}',
        "datasets/tides/v1.csv": "gauge\nBrest\n",
        "content/posts/ships.md": post("Over https://bees.example/ by the stars.", title="Größe und Sterne"),
    }
    return engine(exported(tmp_path_factory.mktemp("export"), files) / "search")


def engine(folder: Path) -> Search:
    """Runs ``search`` of the script over the files of a folder."""
    context = quickjs.Context()
    context.eval(SCRIPT)
    context.add_callable("read", lambda name: (folder / name).read_text("utf-8"))

    def search(query: str) -> Any:
        load = "async (name) => JSON.parse(read(name))"
        context.eval(f"var out; search({json.dumps(query)}, {load}).then((all) => {{ out = JSON.stringify(all); }})")
        while context.execute_pending_job():
            pass
        return json.loads(str(context.eval("out")))

    return search


def titles(answer: Any) -> list[str]:
    return [title for _, title, _, _ in answer["records"]]


@pytest.mark.parametrize(
    ("members", "query"), [({"query": "a"}, "a"), ({"q": "b"}, "b"), ({"query": "", "q": "b"}, "b"), ({}, "")]
)
def test_the_words_of_an_address_have_two_names(members: dict[str, str], query: str) -> None:
    context = quickjs.Context()
    context.eval(SCRIPT)
    address = f"new Map(Object.entries({json.dumps(members)}))"
    assert context.eval(f"queryOf({address})") == query


def test_a_title_counts_more_than_a_text(search: Search) -> None:
    answer = search("bees")
    assert titles(answer) == ["How bees navigate", "How ants navigate"]
    assert answer["total"] == 2
    assert answer["records"][0] == [
        "https://archive.test/posts/bees/",
        "How bees navigate",
        "What it says.",
        "2026-01-01",
    ]


def test_words_of_scripts_without_spaces_are_found_within_a_run(search: Search) -> None:
    for query in ("検索", "東京", "東京都", "日本語のメモ"):
        assert titles(search(query)) == ["日本語のメモ・検索について"], query


@pytest.mark.parametrize("query", ["heights", "sea", "gauges", "harbour", '"gauges saw"'])
def test_datasets_are_found_by_their_description_and_columns(search: Search, query: str) -> None:
    (row,) = search(query)["records"]
    assert row == ["https://archive.test/datasets/tides/", "Heights", "Of the sea.", "2026-01-01"]


def test_every_word_adds_to_the_score(search: Search) -> None:
    assert titles(search("ants navigate"))[0] == "How ants navigate"
    assert titles(search("bees navigate"))[0] == "How bees navigate"


def test_equal_matches_come_newest_first(search: Search) -> None:
    assert titles(search("navigate")) == ["How ants navigate", "How bees navigate"]


def test_a_word_finds_longer_ones_and_case_and_form_do_not_matter(search: Search) -> None:
    assert titles(search("navig")) == titles(search("NAVIGATE"))
    assert titles(search("gro\u0308ße")) == ["Größe und Sterne"]
    assert search("na")["total"] == 0


def test_quoted_words_are_found_as_they_stand_and_signs_belong_to_names(search: Search) -> None:
    assert titles(search('"navigate how"')) == []
    assert titles(search("“how ants navigate”")) == ["How ants navigate"]
    assert titles(search('"bees do not"')) == titles(search('"bees do" "follow scent"')) == ["How ants navigate"]
    assert titles(search("C#")) == ["C# and C++"]
    assert titles(search("C++")) == ["C# and C++"]
    assert titles(search("c")) == ["The C language"]


@pytest.mark.parametrize("query", ["", "   ", "?!", "zzz", "constructor", "__proto__", "toString", "\U0001f600"])
def test_what_no_record_has_matches_nothing(search: Search, query: str) -> None:
    assert search(query) == {"total": 0, "records": []}


@given(st.text(LETTERS, max_size=60))
def test_script_and_index_read_the_same_words(text: str) -> None:
    context = quickjs.Context()
    context.eval(SCRIPT)
    script = json.loads(str(context.eval(f"JSON.stringify(wordsOf({json.dumps(text)}))")))
    assert [word for word in script if len(word) <= search_files.WORD_LENGTH] == words_of(text)


@given(st.dictionaries(st.text("abcß", min_size=1, max_size=6), st.lists(st.integers(0, 9), max_size=30), max_size=40))
def test_each_word_is_in_the_shard_of_its_longest_key(words: dict[str, list[int]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_files, "SHARD_BYTES", 120)
        by_key = dict(shards(words))
    for key, inside in by_key.items():
        for word in inside:
            assert key == max((other for other in by_key if word.startswith(other)), key=len)
    assert {word: list(numbers) for inside in by_key.values() for word, numbers in inside.items()} == words


def test_records_are_in_files_of_bounded_length(tmp_path: Path) -> None:
    files = {f"content/posts/n{number}.md": post(title=f"Note n{number}") for number in range(PART_RECORDS + 1)}
    folder = exported(tmp_path, files) / "search"
    assert sorted(file.name for file in (folder / "records").iterdir()) == ["1.json", "2.json"]
    assert titles(engine(folder)("n200")) == ["Note n200"]
    assert engine(folder)("note")["total"] == 0  # a word of every record tells nothing
