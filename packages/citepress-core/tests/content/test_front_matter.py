"""Front matter in its three formats: the same record from each, and faults at their place in the file."""

from pathlib import Path

import pytest

from citepress.content.source_map import split
from support.folder import assembled, checked, fault_places, folder, reading

YAML = """---
title: A note
summary: What it says.
date: 2026-05-01
lastmod: 2026-05-02T10:00:00Z
draft: false
slug: other
aliases: [/old/]
tags: [one, two]
retrieval_nugget: One sentence.
claims:
- text: It holds.
---

The text.
"""
TOML = """+++
title = "A note"
summary = '''What it says.'''
date = 2026-05-01
lastmod = 2026-05-02T10:00:00Z
draft = false
slug = "other"
aliases = ["/old/"]
tags = [
  "one",
  "two",
]
retrieval_nugget = "One sentence."
[[claims]]
text = "It holds."
+++

The text.
"""
JSON = """{
  "title": "A note", "summary": "What it says.",
  "date": "2026-05-01", "lastmod": "2026-05-02T10:00:00Z", "draft": false,
  "slug": "other", "aliases": ["/old/"], "tags": ["one", "two"], "retrieval_nugget": "One sentence.",
  "claims": [{"text": "It holds."}]
}

The text.
"""


def faults_of(path: Path, text: str) -> list[str]:
    """Faults of a record of this text, each with its message."""
    problems = reading(folder(path, {"content/posts/x.md": text})).faults
    return [f"{where} {fault.message}" for where, fault in zip(fault_places(problems), problems, strict=True)]


def test_the_three_formats_say_the_same(tmp_path: Path) -> None:
    records = [
        assembled(folder(tmp_path / str(place), {"content/posts/x.md": text})).entries["posts/other"].record
        for place, text in enumerate((YAML, TOML, JSON))
    ]
    assert records[0] == records[1] == records[2]
    assert records[0].body_markdown == "The text."


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("+++\ntitle = \n+++\n", "content/posts/x.md:2:9 CP016 the TOML cannot be read: invalid value"),
        (
            "+++\ntitle: x\n+++\n",
            "content/posts/x.md:2:6 CP016 the TOML cannot be read: expected '=' after a key in a key/value pair",
        ),
        (
            "+++\ntitle = 'a'\ntitle = 'b'\n+++\n",
            "content/posts/x.md:3:12 CP015 the TOML cannot be read: cannot overwrite a value",
        ),
        ("+++\ntitle = 'a'\n", "content/posts/x.md:1:1 CP010 the front matter is not closed"),
        (
            '+++\ntitle = "a\\u0000"\n+++\n',
            "content/posts/x.md:2:9 CP016 the text holds a NUL character, which no page can carry",
        ),
        ("+++\na = " + "[" * 2000 + "\n+++\n", "content/posts/x.md:2:30 CP016 nested deeper than 24 levels"),
        ("+++\na" + ".a" * 2000 + " = 1\n+++\n", "content/posts/x.md:2:1 CP016 holds more than 1,000 dots in one line"),
        (
            "+++\na = " + "9" * 5000 + "\n+++\n",
            "content/posts/x.md:2:1 CP016 the TOML cannot be read: a number is too long",
        ),
        ('{\n  "title": x\n}\n', "content/posts/x.md:2:12 CP016 the JSON cannot be read: expecting value"),
        ('{"title": "a",\n "title": "b"}\n', "content/posts/x.md:2:2 CP015 the key 'title' is given twice"),
        ('{"title": "\\ud800"}\n', "content/posts/x.md:1:11 CP016 the text holds half a character"),
        ('{"title": NaN}\n', "content/posts/x.md:1:1 CP016 the JSON cannot be read: NaN is not a number"),
        ('{"a":' * 30 + "1" + "}" * 30, "content/posts/x.md:1:126 CP016 nested deeper than 24 levels"),
        ('{"a":' * 30_000, "content/posts/x.md:1:126 CP016 nested deeper than 24 levels"),
        ('{"a":' * 100_000, "content/posts/x.md:1:1 CP002 the front matter has over 262,144 bytes"),
    ],
)
def test_a_text_that_cannot_be_read_is_told_at_its_place(tmp_path: Path, text: str, fault: str) -> None:
    assert faults_of(tmp_path, text) == [fault]


def test_a_wrong_value_has_its_place_in_every_format(tmp_path: Path) -> None:
    for name, text, places in (("toml", TOML, ["4:8", "11:3"]), ("json", JSON, ["3:11", "4:58"])):
        faults = faults_of(
            tmp_path / name,
            text.replace('"2026-05-01"', "2026-05-01").replace("2026-05-01", '"sometime"').replace('"two"', "2"),
        )
        assert [line.split(" ")[0] for line in faults] == [f"content/posts/x.md:{place}" for place in places]


def test_a_setting_that_stands_in_a_table_has_its_place(tmp_path: Path) -> None:
    text = TOML.replace('text = "It holds."', 'text = "It holds."\n[[claims]]\nwords = """\ntext = 1\n"""')
    assert [line.split(" ")[0] for line in faults_of(tmp_path, text)] == [
        "content/posts/x.md:16:1",
        "content/posts/x.md:17:1",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "{{< figure src=a.png >}}\n\nText.",
        "{% raw %}\nText.",
        "{: .lead}\nText.",
        "{a set}\nText.",
        "++++\nText.",
        "+++ more\nText.",
        '{"a": 1} is a JSON text.',
        "{}abc",
    ],
)
def test_what_only_looks_like_front_matter_is_text(text: str) -> None:
    assert (split(text).front, split(text).body) == (None, text)


def test_the_lines_of_the_text_are_counted_below_every_format(tmp_path: Path) -> None:
    for name, text in {"yaml": YAML, "toml": TOML, "json": JSON}.items():
        root = folder(tmp_path / name, {"content/posts/x.md": f"{text}\n[a](javascript:b)\n"})
        (fault,) = [fault for fault in reading(root).faults if fault.code.id == "CP040"]
        assert fault.place.source == "[a](javascript:b)"
        assert fault.place.line == text.count("\n") + 2


@pytest.mark.parametrize(
    "text",
    [
        "---yaml\ntitle: A\ndraft: true\n---\nsecret\n",
        '---json\n{"title": "A", "draft": true}\n---\nsecret\n',
        '---toml\ntitle = "A"\ndraft = true\n---\nsecret\n',
        '---js\n{ title: "A", draft: true }\n---\nsecret\n',
        ';;;\n{"title": "A", "draft": true}\n;;;\nsecret\n',
        ';;;json\n{"title": "A", "draft": true}\n;;;\nsecret\n',
    ],
)
def test_front_matter_may_name_its_language_and_never_becomes_text(text: str) -> None:
    matter = split(text)
    assert matter.front is not None
    assert matter.body == "secret"
    assert matter.format.load(matter.front) == {"title": "A", "draft": True}


@pytest.mark.parametrize("control", ["\u202a", "\u202e", "\u2066", "\u2069"])
def test_a_title_and_a_tag_cannot_turn_the_line_of_a_list_that_shows_them(tmp_path: Path, control: str) -> None:
    written = YAML.replace("A note", f"A{control} note").replace("[one,", f'["{control}one",')
    record = assembled(folder(tmp_path, {"content/posts/x.md": written})).entries["posts/other"].record
    assert (record.title, record.tags[0]) == ("A note", "one")


@pytest.mark.parametrize("title", ['"\u202e"', '""'])
def test_a_title_of_controls_alone_is_missing(tmp_path: Path, title: str) -> None:
    (fault,) = reading(folder(tmp_path, {"content/posts/x.md": YAML.replace("A note", title)})).faults
    assert (fault.place.line, fault.code.id) == (2, "CP014")


def test_a_script_as_front_matter_is_a_fault_and_no_text(tmp_path: Path) -> None:
    root = folder(
        tmp_path, {"a.md": "---js\nconst title = 'A';\nmodule.exports = { draft: true };\n---\nsecret\n"}, None
    )
    archive, faults = checked(root)
    assert any(fault.place.file == "a.md" for fault in faults)
    assert archive is None or not archive.entries
