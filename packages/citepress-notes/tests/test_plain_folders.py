"""A folder of Markdown without settings is served too: every file is a field note."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from support.folder import assembled, checked, fault_places, folder, reading


def plain(path: Path, files: dict[str, str]) -> Path:
    return folder(path, files, site=None)


def test_title_summary_and_date_are_worked_out(tmp_path: Path) -> None:
    root = plain(tmp_path, {"My Notes/First One.md": "# Hello *world*\n\nA `first`\nparagraph.\n\nMore.\n"})
    os.utime(root / "My Notes/First One.md", (1_700_000_000, 1_700_000_000))
    entry = assembled(root).entries["posts/my-notes-first-one"]
    record = entry.record
    assert (record.title, record.summary) == ("Hello world", "A first paragraph.")
    assert record.published_at == datetime(2023, 11, 14, tzinfo=UTC)
    assert record.body_markdown == "A `first`\nparagraph.\n\nMore."
    assert (record.retrieval_nugget, record.retrieval_nugget_is_summary) == (record.summary, True)


def test_a_note_of_another_script_has_an_address_and_links_lead_to_it(tmp_path: Path) -> None:
    archive = assembled(plain(tmp_path, {"日本語.md": "# 日本語\n\n本文\n", "b.md": "[a](日本語.md)\n"}))
    (slug,) = archive.entries.keys() - {"posts/b"}
    assert slug.startswith("posts/note-")
    assert archive.entries["posts/b"].record.body_markdown == f"[a](/{slug}/)"


@pytest.mark.parametrize("ending", ["markdown", "mdown", "mkd", "MD", "Markdown"])
def test_markdown_with_another_ending_is_published_like_any(tmp_path: Path, ending: str) -> None:
    front = "---\ndate: 2026-01-02\n---\n"
    files = {f"sub/y.{ending}": f"{front}# Y\n\n[other](../z.md)\n", "z.md": f"{front}[y](sub/y.{ending}#part)\n"}
    archive, faults = checked(plain(tmp_path, files | {f"README.{ending}": "# Notes\n\nAbout them.\n"}))
    assert archive is not None
    assert faults == ()
    assert {id_: entry.record.body_markdown for id_, entry in archive.entries.items()} == {
        "posts/sub-y": "[other](/posts/z/)",
        "posts/z": "[y](/posts/sub-y/#part)",
    }
    assert archive.pages["index"].body == "About them."


def test_a_fault_in_a_file_of_another_ending_has_its_line(tmp_path: Path) -> None:
    _, faults = checked(plain(tmp_path, {"y.markdown": "---\ndate: 2026-01-02\ndoi: x\n---\nText.\n"}))
    assert fault_places(faults) == ["y.markdown:3:6 CP045"]


@pytest.mark.parametrize(
    ("front", "slug"),
    [
        ("permalink: /blog/hello-world.html", "hello-world"),
        ("url: /2019/10/Héllo%20World/", "hello-world"),
        ("permalink: /blog/你好/", ""),
        ("permalink: /blog/hello-world/\nslug: own", "own"),
    ],
)
def test_the_last_part_of_a_former_address_names_a_note_that_its_path_cannot(
    tmp_path: Path, front: str, slug: str
) -> None:
    archive = assembled(
        plain(tmp_path, {"日本語.md": f"---\ndate: 2026-01-02\n{front}\n---\n本文\n", "b.md": "[a](日本語.md)\n"})
    )
    (own,) = archive.entries.keys() - {"posts/b"}
    assert own == f"posts/{slug}" if slug else own.startswith("posts/note-")
    assert archive.entries["posts/b"].edges[0].target == own


def test_two_notes_with_one_last_part_of_their_addresses_are_both_published(tmp_path: Path) -> None:
    note = "---\ndate: 2026-01-02\npermalink: {}\n---\n本文\n"
    archive, faults = checked(plain(tmp_path, {"中.md": note.format("/x/intro/"), "文.md": note.format("/y/intro/")}))
    assert archive is not None
    assert faults == ()
    assert list(archive.entries) == ["posts/intro", "posts/y-intro"]
    assert (archive.redirects["/x/intro/"], archive.redirects["/y/intro/"]) == ("/posts/intro/", "/posts/y-intro/")


@pytest.mark.parametrize("name", ["Daily/2024-05-06.md", "2024-05-06 A day.md", "2024/05/06/x.md", "2024-05-06-x.md"])
def test_a_day_in_the_name_is_the_date(tmp_path: Path, name: str) -> None:
    archive, faults = checked(plain(tmp_path, {name: "Text.\n"}))
    assert archive is not None
    assert [entry.record.published_at for entry in archive.entries.values()] == [datetime(2024, 5, 6, tzinfo=UTC)]
    assert faults == ()


@pytest.mark.parametrize(
    "name", ["2020-02-30-x.md", "2023/02/29/x.md", "0000-01-01-x.md", "0001-01-01-x.md", "2022-13-01-x.md"]
)
def test_a_day_in_the_name_that_no_date_can_be_dates_nothing(tmp_path: Path, name: str) -> None:
    root = plain(tmp_path, {name: "Text.\n"})
    os.utime(root / name, (1_700_000_000, 1_700_000_000))
    archive, faults = checked(root)
    assert archive is not None
    assert [entry.record.published_at for entry in archive.entries.values()] == [datetime(2023, 11, 14, tzinfo=UTC)]
    assert fault_places(faults) == [f"{name}:0:0 CP047"]


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("<b>html</b> <script>alert(2)</script> and Vec<T>.", "html and Vec<T>."),
        (
            "One<!-- not for you --> <kbd>key</kbd>, `<script>` and <style>p {}</style>two.",
            "One key, <script> and two.",
        ),
        ("A <script>that never ends", "A that never ends"),
        ("A <script>1 <style>2</script> b</style> c", "A b c"),
    ],
)
def test_a_summary_that_is_worked_out_says_what_the_page_says(tmp_path: Path, text: str, summary: str) -> None:
    assert assembled(plain(tmp_path, {"a.md": text})).entries["posts/a"].record.summary == summary
    assert assembled(plain(tmp_path, {"a.md": f"# {text}\n"})).entries["posts/a"].record.title == summary


def test_a_summary_holds_nothing_of_a_script_that_ends_in_another_paragraph(tmp_path: Path) -> None:
    text = "One <script>alert(1)\n\nalert(2)</script> two <style>s\n\n<div>\n\nthree</style>"
    archive = assembled(plain(tmp_path, {"a.md": text, "b.md": "<b><script>x</b> y</script>\n"}))
    assert archive.entries["posts/a"].record.summary == "One"
    assert archive.entries["posts/b"].record.summary == "b", "nothing is left but the name of the file"


def test_a_salutation_is_no_summary(tmp_path: Path) -> None:
    texts = {
        "a.md": "Hi all,\n\nwe moved.",
        "b.md": "Then it rained,\nas we had been told, all day.",
        "c.md": "Hi all,",
    }
    archive = assembled(plain(tmp_path, texts))
    summaries = [archive.entries[f"posts/{name}"].record.summary for name in "abc"]
    assert summaries == ["we moved.", "Then it rained, as we had been told, all day.", "c"]


def test_an_empty_file_has_the_title_of_its_name(tmp_path: Path) -> None:
    record = assembled(plain(tmp_path, {"to-do_list.md": ""})).entries["posts/to-do-list"].record
    assert (record.title, record.summary) == ("to do list", "to do list")


def test_what_does_not_fit_its_key_is_set_aside(tmp_path: Path) -> None:
    text = "---\ntitle: Kept\ntags: word\nlayout: post\ndate: sometime\nslug: Other\n---\n# Heading\n\nText\n"
    draft = reading(plain(tmp_path, {"a.md": text})).drafts[0]
    assert (draft.front.title, draft.front.tags, draft.slug) == ("Kept", ["word"], "other")
    assert draft.body.startswith("# Heading")


def test_a_rule_at_the_top_is_no_front_matter(tmp_path: Path) -> None:
    assert (
        reading(plain(tmp_path, {"a.md": "---\n\nA text below a rule.\n"})).drafts[0].front.summary
        == "A text below a rule."
    )


def test_the_hint_on_a_dead_link_leads_to_the_note_that_is_meant(tmp_path: Path) -> None:
    root = plain(tmp_path, {"2022/01/02/ferry-12.md": "Text.", "2022-01-03.md": "[b](2022/01/02/ferry-24.md)"})
    (hint,) = [fault.hint for fault in checked(root)[1] if fault.code.id == "CP046"]
    assert hint == 'did you mean "/posts/2022-01-02-ferry-12/"?'
    (root / "2022-01-03.md").write_text("[b](/posts/2022-01-02-ferry-12/)")
    assert [edge.target for edge in assembled(root).entries["posts/2022-01-03"].edges] == ["posts/2022-01-02-ferry-12"]


def test_links_between_files_lead_to_their_pages(tmp_path: Path) -> None:
    files = {
        "a.md": "See [b](sub/B%20x.md#part), [c](https://a.example/c.md) and [d](missing.png).",
        "sub/B x.md": "Back to [a](../a.md 'A').",
    }
    archive = assembled(plain(tmp_path, files))
    assert (
        archive.entries["posts/a"].record.body_markdown
        == "See [b](/posts/sub-b-x/#part), [c](https://a.example/c.md) and [d](/missing.png)."
    )
    assert [(edge.target, edge.type) for edge in archive.entries["posts/a"].edges] == [("posts/sub-b-x", "links-to")]
    assert archive.entries["posts/a"].record.backlinks[0].id == "posts/sub-b-x"


@pytest.mark.parametrize(("first", "second"), [("Case.md", "case.md"), ("a b.md", "a-b.md"), ("a.markdown", "a.md")])
def test_two_files_whose_names_give_one_slug_are_both_published(tmp_path: Path, first: str, second: str) -> None:
    front = "---\ndate: 2026-01-02\n---\n"
    files = {first: f"{front}One, not [two](<{second}>).\n", second: f"{front}Two, not [one](<{first}>).\n"}
    archive, faults = checked(plain(tmp_path, files))
    assert archive is not None
    assert faults == ()
    upper, lower = (
        next(id_ for id_, entry in archive.entries.items() if entry.file == file) for file in (first, second)
    )
    assert lower.startswith(f"{upper}-")
    assert archive.entries[upper].record.body_markdown == f"One, not [two](</{lower}/>)."
    assert archive.entries[lower].record.body_markdown == f"Two, not [one](</{upper}/>)."


def test_the_second_of_two_files_with_one_slug_in_their_front_matter_has_that_of_its_path(tmp_path: Path) -> None:
    archive, faults = checked(plain(tmp_path, {"a.md": "---\nslug: x\n---\nx", "b.md": "---\nslug: x\n---\ny"}))
    assert archive is not None
    bodies = {id_: entry.record.body_markdown for id_, entry in archive.entries.items()}
    assert bodies == {"posts/x": "x", "posts/b": "y"}
    assert [line for line in fault_places(faults) if "CP045" in line] == ["b.md:2:7 CP045"]


def test_a_file_that_cannot_be_read_is_set_aside_and_the_rest_is_published(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "yaml.md": "---\na: b: c\n---\n",
        "bytes.md": b"\xff",
        "nul.md": "form\0feed",
        "toml.md": "+++\ntitle = \n+++\n",
        "long.md": "x" * 2_500_000,
        "good.md": "---\ndate: 2026-01-02\n---\nText",
    }
    root = folder(tmp_path, files, site=None)
    os.mkfifo(root / "pipe.md")
    (root / "circle.md").symlink_to("circle.md")
    archive, faults = checked(root)
    assert archive is not None
    assert list(archive.entries) == ["posts/good"]
    assert {fault.code.id for fault in faults} == {"CP045"}
    assert {fault.place.file for fault in faults} == {*files, "pipe.md", "circle.md"} - {"good.md"}
    assert all("is set aside (CP0" in fault.message for fault in faults)


def test_what_has_no_address_by_its_name_or_its_depth_is_set_aside_and_the_rest_is_published(tmp_path: Path) -> None:
    root = folder(tmp_path, {"good.md": "---\ndate: 2026-01-02\n---\nText", f"{'d/' * 14}deep.md": "Text"}, site=None)
    Path(os.fsdecode(os.fsencode(root) + b"/bad\xff.md")).write_text("Text")
    archive, faults = checked(root)
    assert archive is not None
    assert list(archive.entries) == ["posts/good"]
    assert {fault.place.file: fault.message for fault in faults} == {
        "bad\\xff.md": "its name is not UTF-8 text; the file is set aside (CP003)",
        "/".join(13 * "d"): "is deeper than 12 folders; the file is set aside (CP003)",
    }


def test_a_link_to_a_folder_is_set_aside_and_the_rest_is_published(tmp_path: Path) -> None:
    root = plain(tmp_path / "notes", {"2026/a.md": "---\ndate: 2026-01-02\n---\nText"})
    for name, target in {"latest": "2026", "self": ".", "out": "../..", "2026/up": ".."}.items():
        (root / name).symlink_to(target)
    archive, faults = checked(root)
    assert archive is not None
    assert list(archive.entries) == ["posts/2026-a"]
    assert {fault.place.file: fault.message.partition(";")[0] for fault in faults} == {
        "latest": "is a link to a folder, which is not followed",
        "self": "is a link to a folder, which is not followed",
        "2026/up": "is a link to a folder, which is not followed",
        "out": "is a link that leads out of the content folder",
    }


def test_the_hint_on_a_dead_link_prefers_the_same_file_name_and_is_never_the_note_itself(tmp_path: Path) -> None:
    files = {
        "note-18.md": "[a](note-19.md)",
        "note-9.md": "[b](note-99.md)",
        "sub/note-19.md": "x",
        "zebra.md": "[c](zebras.md)",
    }
    hints = {fault.place.file: fault.hint for fault in checked(plain(tmp_path, files))[1] if fault.code.id == "CP046"}
    assert hints["note-18.md"] == 'did you mean "/posts/sub-note-19/"?'
    assert hints["zebra.md"] == ""


@pytest.mark.parametrize(("key", "line"), [("permalink: /a b\\c/", 3), ("redirect_from: [/x/, '/a\\b/']", 3)])
def test_a_former_path_that_does_not_fit_is_named_by_its_own_key(tmp_path: Path, key: str, line: int) -> None:
    root = plain(tmp_path, {"a.md": f"---\ntitle: A\n{key}\ndate: 2024-01-01\n---\nText"})
    (fault,) = [fault for fault in checked(root)[1] if fault.code.id == "CP045"]
    assert (fault.place.line, fault.message.partition(":")[0].partition("[")[0]) == (line, key.partition(":")[0])


def test_a_value_that_does_not_fit_is_told_by_the_name_that_the_author_wrote(tmp_path: Path) -> None:
    content = reading(plain(tmp_path, {"a.md": "---\ntitle: A\ndate: 2026-01-02\nupdated: sometime\n---\nText"})).faults
    assert [(fault.code.id, fault.place.line, fault.message[:35]) for fault in content] == [
        ("CP045", 4, "updated: 'sometime' is not a date (")
    ]


def test_dates_that_contradict_each_other_do_not_stop_a_note(tmp_path: Path) -> None:
    front = "date: 2026-05-01\nlastmod: 2026-04-01\npublishDate: 2026-05-01"
    record = assembled(plain(tmp_path, {"a.md": f"---\n{front}\n---\nText"})).entries["posts/a"].record
    assert record.updated_at == record.published_at == datetime(2026, 5, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "front",
    [
        "related: [posts/nobody]",
        "supersedes: [x]",
        "related: [a]",
        "sources: [nokey]",
        "sources: ['ftp://a.example/x']",
    ],
)
def test_a_reference_to_nothing_is_set_aside_and_no_more(tmp_path: Path, front: str) -> None:
    archive, faults = checked(plain(tmp_path, {"a.md": f"---\ndate: 2026-01-02\n{front}\n---\nText"}))
    assert archive is not None
    record = archive.entries["posts/a"].record
    assert (record.related, record.supersedes, record.sources) == ([], [], [])
    assert fault_places(faults) == [f"a.md:3:{front.index('[') + 2} CP045"]
    assert "; it is set aside (CP02" in faults[0].message


def test_a_claim_without_its_source_sets_the_note_aside(tmp_path: Path) -> None:
    front = "sources: [nokey]\nclaims: [{text: A claim., source_refs: [nokey]}]"
    files = {"a.md": f"---\ndate: 2026-01-02\n{front}\n---\nText", "b.md": "---\ndate: 2026-01-02\n---\n[a](a.md)"}
    archive, _ = checked(plain(tmp_path, files))
    assert archive is not None
    assert list(archive.entries) == ["posts/b"]


def test_topics_of_a_note_are_tags(tmp_path: Path) -> None:
    text = "---\ndate: 2026-01-02\ntags: 2019\ntopics: [Ports, Größe]\ncategories: [ports]\n---\nText"
    archive, faults = checked(plain(tmp_path, {"a.md": text}))
    assert archive is not None
    record = archive.entries["posts/a"].record
    assert (record.tags, record.topics, faults) == (["2019", "ports", "Größe"], [], ())


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("## Links\n\nText.\n", "Links"),
        ("Title\n---\n\nText.\n", "Title"),
        ("Title\n===\n\nText.\n", "Title"),
        ("![A picture](p.png)\n\n# Title\n\nText.\n", "Title"),
        ("<p align='center'>Badges</p>\n\n# Title\n\nText.\n", "Title"),
        ("## Draft 2\n\n# Title\n\nText.\n", "Title"),
        ("Hi all,\n\n# Title\n\nText.\n", "Title"),
        ("Text.\n\n## Links\n\n- a\n", "a note"),
        ("Text.\n\n# Links\n\n- a\n", "a note"),
        ("- A list.\n\n# Links\n\nText.\n", "a note"),
        ("> A quote.\n\n# Links\n\nText.\n", "a note"),
        ("```sh\nls\n```\n\n# Links\n\nText.\n", "a note"),
        ("![A picture](p.png)\n\n## Links\n\nText.\n", "a note"),
        ("# Title\n\n# Another\n\nText.\n", "Title"),
    ],
)
def test_a_heading_in_mid_text_is_no_title(tmp_path: Path, text: str, title: str) -> None:
    record = assembled(plain(tmp_path, {"a-note.md": text})).entries["posts/a-note"].record
    assert record.title == title


def test_the_folders_name_is_the_title(tmp_path: Path) -> None:
    root = plain(tmp_path / "my-garden", {"a.md": "x"})
    assert reading(root).site.title == "My garden"
    assert reading(root).plain


@pytest.mark.parametrize(
    ("front", "authors"),
    [
        ("author: Jo Doe", [("Jo Doe", None)]),
        ("authors: [Jo Doe, Ann]", [("Jo Doe", None), ("Ann", None)]),
        ("authors: [{name: Jo, url: 'https://jo.example/'}]", [("Jo", "https://jo.example/")]),
    ],
)
def test_authors_are_taken_as_other_tools_write_them(
    tmp_path: Path, front: str, authors: list[tuple[str, str | None]]
) -> None:
    record = assembled(plain(tmp_path, {"a.md": f"---\ntitle: A\n{front}\n---\nText.\n"})).entries["posts/a"].record
    assert [(author.name, author.url) for author in record.authors] == authors


@pytest.mark.parametrize("gone", ["true", "{date: 2024-01-01, reason: Wrong.}"])
def test_a_note_that_was_taken_back_is_withdrawn(tmp_path: Path, gone: str) -> None:
    root = folder(tmp_path, {"a.md": f"---\ntitle: A\ngone: {gone}\n---\n\nNo more.\n", "b.md": "Text.\n"}, None)
    archive, faults = checked(root)
    assert [withdrawn.path for withdrawn in archive.withdrawn] == ["/posts/a/"]
    assert list(archive.entries) == ["posts/b"]
    assert not [fault for fault in faults if fault.place.file == "a.md"]


def test_an_alias_with_a_space_is_the_path_that_an_address_holds(tmp_path: Path) -> None:
    text = "---\ndate: 2020-01-01\naliases: [/old post/, /gr\u00fc\u00dfe/, Another name]\n---\nText.\n"
    archive, faults = checked(plain(tmp_path, {"a.md": text}))
    assert archive is not None
    assert not faults
    assert archive.redirects["/old post/"] == archive.redirects["/gr\u00fc\u00dfe/"] == "/posts/a/"
    assert not [path for path in archive.redirects if "name" in path]


def test_a_heading_that_is_longer_than_a_title_stays_in_the_text(tmp_path: Path) -> None:
    heading = "How a long title " + "goes on " * 20 + "and ends"
    archive = assembled(plain(tmp_path, {"a.md": f"# {heading}\n\nText.\n", "b.md": "# Short\n\nText.\n"}))
    cut, short = (archive.entries[f"posts/{slug}"].record for slug in "ab")
    assert cut.title.endswith("…")
    assert cut.body_markdown == f"# {heading}\n\nText."
    assert (short.title, short.body_markdown) == ("Short", "Text.")
