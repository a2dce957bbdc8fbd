"""Faults of files and folders: names, bytes, links, YAML, front matter — each with its place."""

import os
from pathlib import Path

import pytest

from citepress.contract.fault import Fault
from support.folder import checked, fault_places, folder, markdown, post, reading

HEAD = "---\ntitle: A note\nsummary: S\ndate: 2026-05-01\nretrieval_nugget: N\nclaims: []\n"


def only_fault(path: Path) -> Fault:
    """The only fault of a folder."""
    _, faults = checked(path)
    errors = [fault for fault in faults if fault.code.level == "error"]
    assert len(errors) == 1, fault_places(faults)
    return errors[0]


def written(tmp_path: Path, text: str | bytes, name: str = "content/posts/x.md") -> Fault:
    return only_fault(folder(tmp_path, {name: text}))


def where(fault: Fault) -> str:
    return f"{fault.place.file}:{fault.place.line}:{fault.place.column} {fault.code.id}"


def test_bytes_that_are_not_utf8_are_told_with_their_place(tmp_path: Path) -> None:
    fault = written(tmp_path, HEAD.encode() + b"---\nok\nab\xffc\n")
    assert where(fault) == "content/posts/x.md:9:3 CP001"
    assert "0xFF" in fault.message


def test_a_nul_is_told_with_its_place(tmp_path: Path) -> None:
    fault = written(tmp_path, HEAD + "---\na\0b\n")
    assert where(fault) == "content/posts/x.md:8:2 CP001"
    assert "NUL" in fault.message


@pytest.mark.parametrize(
    "text", [HEAD + f"extra: {{a: {'x' * 300_000}}}\n---\nb\n", HEAD + "---\n" + "word " * 500_000, b"x" * 10_000_000]
)
def test_what_is_too_large_is_a_fault_and_no_crash(tmp_path: Path, text: str | bytes) -> None:
    assert written(tmp_path, text).code.id == "CP002"


def table(columns: int, rows: int) -> str:
    """A table whose rows have a single cell; a parser fills each up to the width of the header."""
    return "\n".join(["|".join("a" * columns), "|".join("-" * columns), *["1|"] * rows]) + "\n\n"


def test_a_table_that_a_parser_fills_up_to_millions_of_cells_is_a_fault_at_its_row(tmp_path: Path) -> None:
    text = HEAD + "---\n" + table(3, 2) + table(20_000, 200)
    fault = written(tmp_path, text)
    assert where(fault) == "content/posts/x.md:14:1 CP002"
    assert "over 500,000 cells" in fault.message
    assert len(text) < 100_000


def test_tables_of_a_text_are_counted_together_and_large_ones_pass(tmp_path: Path) -> None:
    _, faults = checked(folder(tmp_path / "passes", {"content/posts/x.md": HEAD + "---\n" + table(20, 2_000)}))
    assert [fault for fault in faults if fault.code.level == "error"] == []
    assert written(tmp_path / "many", HEAD + "---\n" + table(1_000, 100) * 6).code.id == "CP002"


@pytest.mark.parametrize(
    ("name", "better"),
    [
        ("My Post.md", "my-post.md"),
        ("Upper.md", "upper.md"),
        ("a..b.md", "a-b.md"),
        ("under_score.md", "under-score.md"),
    ],
)
def test_a_name_that_is_no_slug_is_a_fault_with_a_better_one(tmp_path: Path, name: str, better: str) -> None:
    fault = written(tmp_path, post(), f"content/posts/{name}")
    assert where(fault) == f"content/posts/{name}:0:0 CP003"
    assert better in fault.hint


def test_a_name_of_odd_bytes_can_be_printed(tmp_path: Path) -> None:
    folder(tmp_path, {"content/posts/x.md": post(topics=[])})
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/content/posts/\xff.md")).write_text(post())
    fault = only_fault(tmp_path)
    assert fault.code.id == "CP003"
    assert fault.place.file == "content/posts/\\xff.md"


def test_a_link_that_leads_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text(post(title="Secret"))
    root = folder(tmp_path / "archive", {"content/posts/a.md": post()})
    (root / "content/posts/x.md").symlink_to(tmp_path / "secret.md")
    (root / "static").symlink_to(tmp_path)
    _, faults = checked(root)
    assert [line for line in fault_places(faults) if "CP004" in line] == [
        "content/posts/x.md:0:0 CP004",
        "static:0:0 CP004",
    ]
    assert [draft.slug for draft in reading(root).drafts] == ["a"]


def test_a_link_inside_the_folder_is_followed_to_a_file_only(tmp_path: Path) -> None:
    root = folder(tmp_path, {"content/posts/a.md": post(), "shared/b.md": post()})
    (root / "content/posts/b.md").symlink_to(root / "shared/b.md")
    assert [draft.slug for draft in reading(root).drafts] == ["a", "b"]
    (root / "content/posts/loop").symlink_to(root / "content")
    assert "content/posts/loop:0:0 CP004" in fault_places(reading(root).faults)


def test_an_unknown_folder_is_told_once_with_the_nearest_kind(tmp_path: Path) -> None:
    fault = only_fault(folder(tmp_path, {"content/psots/x.md": post(), "content/psots/y.md": post()}))
    assert where(fault) == "content/psots:0:0 CP005"
    assert fault.hint == 'did you mean "posts"?'


def test_a_file_beside_the_kinds_is_told_with_the_nearest_name(tmp_path: Path) -> None:
    fault = written(tmp_path, "a: b", "content/source.yaml")
    assert where(fault) == "content/source.yaml:0:0 CP005"
    assert "sources.yaml" in fault.hint


@pytest.mark.parametrize(
    ("name", "code"),
    [("content/posts/sub/x.md", "CP005"), ("content/posts/x.png", "CP003"), ("content/presence/x.md", "CP003")],
)
def test_what_does_not_belong_into_a_kinds_folder_is_told(tmp_path: Path, name: str, code: str) -> None:
    assert written(tmp_path, "x", name).code.id == code


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    folder(tmp_path, {"content/posts/a.md": post(topics=[])})
    os.mkfifo(tmp_path / "content/posts/x.md")
    assert where(only_fault(tmp_path)) == "content/posts/x.md:0:0 CP006"


def test_a_folder_that_is_not_there_is_a_fault(tmp_path: Path) -> None:
    assert fault_places(reading(tmp_path / "nowhere").faults) == [f"{tmp_path}/nowhere:0:0 CP006"]


@pytest.mark.parametrize(
    ("text", "place"),
    [("no front matter", "1:1"), ("", "1:1"), ("---\ntitle: x\n", "1:1"), ("+++\ntitle = 'x'\n", "1:1")],
)
def test_a_record_without_closed_front_matter_is_a_fault(tmp_path: Path, text: str, place: str) -> None:
    assert where(written(tmp_path, text)) == f"content/posts/x.md:{place} CP010"


@pytest.mark.parametrize(
    ("line", "place", "hint"),
    [
        ("tags: a: b", "7:8", "quotes"),
        ("tags: [a, b", "7:7", "close it with ]"),
        ("tags: @x", "7:7", "quotes"),
        ("tags: !!python/name:os.system x", "7:7", "without a tag"),
        ('tags: ["\\0"]', "7:8", ""),
        ("tags: *nobody", "7:7", ""),
        ("? [a]\n: b", "7:3", "quotes"),
        ("extra: " + "[" * 100, "7:31", ""),
    ],
)
def test_yaml_that_cannot_be_read_is_told_with_its_place(tmp_path: Path, line: str, place: str, hint: str) -> None:
    fault = written(tmp_path, f"{HEAD}{line}\n---\nText\n")
    assert where(fault) == f"content/posts/x.md:{place} CP011"
    assert hint in fault.hint


def test_front_matter_that_is_a_list_is_a_fault(tmp_path: Path) -> None:
    assert where(written(tmp_path, "---\n- a\n---\n")) == "content/posts/x.md:2:1 CP011"


def test_aliases_that_multiply_are_counted_in_full(tmp_path: Path) -> None:
    bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(
        f"{b}: &{b} [{','.join([f'*{a}'] * 10)}]\n" for a, b in zip("abcde", "bcdef", strict=True)
    )
    fault = written(tmp_path, f"---\n{bomb}---\n")
    assert fault.code.id == "CP011"
    assert "aliases counted in full" in fault.message


def test_an_unknown_key_is_told_at_the_key_with_the_nearest_one(tmp_path: Path) -> None:
    fault = written(tmp_path, f"{HEAD}sumary: x\n---\n")
    assert where(fault) == "content/posts/x.md:7:1 CP012"
    assert fault.message == "sumary: is not a known key"
    assert fault.hint == 'did you mean "summary"?'
    assert fault.place.source == "sumary: x"


def test_an_unknown_key_inside_a_source_is_told_with_the_keys_of_a_source(tmp_path: Path) -> None:
    fault = written(tmp_path, f"{HEAD}sources:\n- url: https://a.example/\n  titel: x\n---\n")
    assert where(fault) == "content/posts/x.md:9:3 CP012"
    assert fault.message == "sources[0].titel: is not a known key"
    assert fault.hint == 'did you mean "title"?'


def test_two_names_of_one_key_are_one_too_many(tmp_path: Path) -> None:
    fault = written(tmp_path, f"{HEAD}description: x\n---\n")
    assert (where(fault), fault.hint) == ("content/posts/x.md:7:1 CP012", "keep one of them")


def test_every_missing_key_is_told_at_once(tmp_path: Path) -> None:
    _, faults = checked(folder(tmp_path, {"content/posts/x.md": "---\ntitle: x\n---\n"}))
    assert {fault.code.id for fault in faults} == {"CP013"}
    assert {"summary", "date"} <= {fault.message.partition(":")[0] for fault in faults}
    assert fault_places(faults)[0] == "content/posts/x.md:2:1 CP013"


@pytest.mark.parametrize(
    ("line", "place", "message"),
    [
        ("lastmod: notadate", "7:10", "lastmod: 'notadate' is not a date (write YYYY-MM-DD)"),
        ("lastmod: 2026-13-01", "7:10", "lastmod: '2026-13-01' is not a date (write YYYY-MM-DD)"),
        (
            "lastmod: 0001-01-01T00:00:00+14:00",
            "7:10",
            "lastmod: '0001-01-01T00:00:00+14:00' is not a date (write YYYY-MM-DD)",
        ),
        ("lastmod: 5", "7:10", "lastmod: 5 is not a date (write YYYY-MM-DD)"),
        ("tags: word", "7:7", "tags: must be a list, not 'word'"),
        ("tags: [1.10]", "7:8", "tags[0]: must be text, not 1.1"),
        ("tags: [a, '']", "7:11", "tags[1]: must not be empty"),
        ("draft: maybe", "7:8", "draft: must be true or false, not 'maybe'"),
        ("revision: 0", "7:11", "revision: must be at least 1, not 0"),
        ("revision: many", "7:11", "revision: must be a whole number, not 'many'"),
        ("language: english-language", "7:11", "language: 'english-language' is not in the expected form"),
        (
            "sources: [{url: https://a.example/, role: main}]",
            "7:43",
            "sources[0].role: must be 'primary' or 'secondary', not 'main'",
        ),
        ("gone: perhaps", "7:7", "gone: must be true or false, not 'perhaps'"),
        ("extra: word", "7:8", "extra: must be a mapping of keys, not 'word'"),
        ("slug: Not A Slug", "7:7", "slug: 'Not A Slug' is not a slug"),
        (f"aliases: [/{'a' * 600}]", "7:11", "aliases[0]: may have at most 512 characters, not 601"),
    ],
)
def test_a_wrong_value_is_told_in_plain_words_at_its_place(tmp_path: Path, line: str, place: str, message: str) -> None:
    fault = written(tmp_path, f"{HEAD}{line}\n---\nText\n")
    assert where(fault) == f"content/posts/x.md:{place} CP014"
    assert fault.message == message


def test_a_word_that_is_none_of_a_list_comes_with_the_nearest(tmp_path: Path) -> None:
    text = markdown({"title": "T", "summary": "S", "date": "2026-05-01"})
    front = (
        "observed_at: 2026-05-01\nsignal_type: releas\nprovenance: {collected_by: us, method: m, source_url:"
        " https://a.example/, captured_at: 2026-05-01}\n"
    )
    fault = written(tmp_path, text.replace("---\n\n", f"{front}---\n\n"), "content/signals/x.md")
    assert fault.hint == 'did you mean "release"?'


def test_a_key_that_stands_twice_is_told_at_the_second(tmp_path: Path) -> None:
    assert where(written(tmp_path, f"{HEAD}title: Again\n---\n")) == "content/posts/x.md:7:1 CP015"


def test_a_long_list_of_faults_ends_somewhere(tmp_path: Path) -> None:
    keys = "".join(f"key{number}: x\n" for number in range(5_000))
    _, faults = checked(folder(tmp_path, {"content/posts/x.md": f"{HEAD}{keys}---\n"}))
    assert len(faults) == 100


def test_raw_html_and_unsafe_links_are_warned_of_at_their_place(tmp_path: Path) -> None:
    body = (
        "Über <b>bold</b> <iframe src=x></iframe> <b onclick=x>\n\n[x](javascript:alert(1))"
        " [y](JAVA&#83;CRIPT:alert(1)) [z](data:text/html,x)\n\n`<i>` <https://a.example/>"
    )
    archive, faults = checked(folder(tmp_path, {"content/posts/x.md": HEAD + "---\n" + body}))
    assert archive is not None
    assert fault_places(faults) == [
        f"content/posts/x.md:{place}"
        for place in ("1:1 CP041", "8:18 CP040", "8:42 CP040", "10:1 CP040", "10:26 CP040", "10:55 CP040")
    ]


@pytest.mark.parametrize("front", ["title: [\n", "titel: A note\nsummary: S\ndate: 2026-05-01\n"])
@pytest.mark.parametrize("kind", ["posts", "pages"])
def test_faults_of_front_matter_do_not_hide_those_of_the_text(tmp_path: Path, kind: str, front: str) -> None:
    name = "posts/x" if kind == "posts" else "x"
    files = {
        f"content/{kind}/x.md": f"---\n{front}---\n[a](/posts/none/) [b](javascript:x)\n",
        "content/posts/y.md": post(f"[x](/{name}/)", related=["posts/x"] if kind == "posts" else []),
    }
    _, faults = checked(folder(tmp_path, files))
    line = front.count("\n") + 3
    texts = [fault for fault in faults if fault.place.line == line]
    assert {where(fault) for fault in texts} == {
        f"content/{kind}/x.md:{line}:1 CP025",
        f"content/{kind}/x.md:{line}:19 CP040",
    }
    assert {fault.place.file for fault in faults if fault.code.level == "error"} == {f"content/{kind}/x.md"}


@pytest.mark.parametrize(
    ("body", "column"),
    [
        (">" * 50_000 + " x", 101),
        ("<div>" * 50_000, 504),
        ("1. " * 10_000 + "x", 152),
        ("a " + "<b>" * 10_000, 305),
    ],
)
def test_a_text_that_is_nested_too_deep_is_told_with_its_place(tmp_path: Path, body: str, column: int) -> None:
    fault = written(tmp_path, f"{HEAD}---\nok\n\n{body}\n")
    assert fault.place.line == 10
    assert abs(fault.place.column - column) <= 3
    assert (fault.code.id, fault.message) == ("CP007", "the text is nested deeper than 100 levels")


def test_a_text_that_is_nested_as_deep_as_may_be_has_no_fault(tmp_path: Path) -> None:
    bodies = (">" * 98 + " x", "<div>" * 100 + "</div>" * 100, "* a *b* <b>c</b>\n" * 500, "<p>x\n\n" * 500)
    for number, body in enumerate(bodies):
        _, faults = checked(folder(tmp_path / str(number), {"content/posts/x.md": f"{HEAD}---\n{body}\n"}))
        assert not [fault for fault in faults if fault.code.level == "error"], body[:20]


@pytest.mark.parametrize("name", ["note.md", "README.md"])
def test_a_note_that_is_nested_too_deep_is_set_aside(tmp_path: Path, name: str) -> None:
    _, faults = checked(folder(tmp_path, {name: "# One\n\n" + ">" * 5_000 + " x\n", "two.md": "# Two\n\nText\n"}))
    assert [f"{fault.place.file} {fault.code.id}" for fault in faults if "CP007" in fault.message] == [f"{name} CP045"]
    assert not [fault for fault in faults if fault.code.level == "error"]


def test_a_redirect_of_one_word_is_counted_as_one(tmp_path: Path) -> None:
    _, faults = checked(folder(tmp_path, {"content/posts/x.md": post(), "redirects.txt": "/alone\n"}))
    assert [fault.message for fault in faults if fault.code.id == "CP033"] == [
        "holds 1 word; a former path and a present one are wanted"
    ]
