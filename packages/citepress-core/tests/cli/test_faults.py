"""Faults in the four forms that `check` writes."""

import json

import pytest

from citepress.cli.faults import written
from citepress.contract.fault import BAD_VALUE, ORPHAN, UNKNOWN_FOLDER, Fault, Span, all_codes

VALUE = Fault.at(
    BAD_VALUE, Span("content/posts/x.md", 7, 9, "date:   notadate"), "date: 'notadate' is not a date (write YYYY-MM-DD)"
)
LONE = Fault.at(ORPHAN, Span("content/posts/x.md", 1, 1, ""), "no record links here")
FOLDER = Fault.at(UNKNOWN_FOLDER, Span("content/psots"), "is not a kind of record", 'did you mean "posts"?')
EVERY = (FOLDER, VALUE, LONE)


def test_text_shows_the_line_with_a_caret_and_the_hint() -> None:
    assert written(EVERY, "text", records=None, terminal=False) == (
        "content/posts/x.md:7:9 error CP014 date: 'notadate' is not a date (write YYYY-MM-DD)\n"
        "    7 | date:   notadate\n"
        "      |         ^\n"
        "content/psots error CP005 is not a kind of record\n"
        '    hint: did you mean "posts"?\n'
        "content/posts/x.md:1:1 warning CP041 no record links here\n"
        "2 errors and 1 warning\n"
    )


def test_a_folder_without_faults_is_told_in_a_line() -> None:
    assert written((), "text", records=1, terminal=False) == "1 record, no faults\n"


def test_colour_is_for_terminals_only() -> None:
    assert "\x1b[31merror CP014\x1b[0m" in written(EVERY, "text", records=0, terminal=True)
    assert "\x1b" not in written(EVERY, "text", records=0, terminal=False)
    assert "\x1b" not in written(EVERY, "github", records=0, terminal=True)


def test_nothing_in_a_file_can_steer_the_terminal() -> None:
    fault = Fault.at(BAD_VALUE, Span("a\x1b[2J.md", 1, 1, "x \x1b]0;title\x07 \u202e"), "bad \x1b[31m", "\x9b1m")
    text = written((fault,), "text", records=0, terminal=False)
    assert all(character.isprintable() or character == "\n" for character in text)


def test_a_very_long_line_is_shown_around_its_place() -> None:
    fault = Fault.at(BAD_VALUE, Span("a.md", 1, 350, "x" * 349 + "Y" + "x" * 49), "bad")
    line, caret = written((fault,), "text", records=0, terminal=False).split("\n")[1:3]
    assert len(line) < 160
    assert line[caret.index("^")] == "Y"


def test_every_error_is_written_however_many_there_are() -> None:
    faults = [Fault.at(BAD_VALUE, Span("a.md", line, 1), "bad") for line in range(1, 601)]
    text = written(faults, "text", records=None, terminal=False)
    assert text.count(" error CP014 ") == 600
    assert text.endswith("a.md:600:1 error CP014 bad\n600 errors\n")


def test_many_warnings_of_one_code_are_folded_to_their_number_and_the_first() -> None:
    faults = [Fault.at(ORPHAN, Span(f"{name}.md", line, 1), "lonely") for name in "ab" for line in (1, 2, 3)]
    assert written([*faults, VALUE], "text", records=2, terminal=False).splitlines()[3:] == [
        f"warning CP041 x 6 in 2 files: {ORPHAN.about}",
        "    first: a.md:1:1 lonely",
        "`citepress check --all` shows each warning.",
        "2 records, 1 error and 6 warnings",
    ]
    assert written(faults, "text", records=2, terminal=False, every=True).count("lonely") == 6


def test_json_holds_every_member() -> None:
    report = json.loads(written(EVERY, "json", records=3, terminal=False))
    assert report["records"] == 3
    assert report["faults"][1] == {
        "code": "CP014",
        "name": "bad-value",
        "level": "error",
        "file": "content/posts/x.md",
        "line": 7,
        "column": 9,
        "message": "date: 'notadate' is not a date (write YYYY-MM-DD)",
        "hint": "",
        "source": "date:   notadate",
    }


def test_sarif_names_every_rule_and_every_place() -> None:
    log = json.loads(written(EVERY, "sarif", records=0, terminal=False))
    run = log["runs"][0]
    assert log["version"] == "2.1.0"
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [code.id for code in all_codes()]
    warning, error, folder = run["results"]
    assert (warning["level"], error["level"]) == ("warning", "error")
    assert rules[error["ruleIndex"]]["id"] == error["ruleId"] == "CP014"
    assert error["locations"][0]["physicalLocation"]["region"] == {"startLine": 7, "startColumn": 9}
    assert folder["locations"][0]["physicalLocation"] == {"artifactLocation": {"uri": "content/psots"}}
    assert folder["message"]["text"].endswith('(did you mean "posts"?)')


def test_sarif_writes_file_names_as_uris() -> None:
    fault = Fault.at(BAD_VALUE, Span("content/posts/My ü%.md"), "bad")
    log = json.loads(written((fault,), "sarif", records=0, terminal=False))
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "content/posts/My%20%C3%BC%25.md"


def test_github_annotations_escape_what_would_end_them() -> None:
    fault = Fault.at(BAD_VALUE, Span("a,b:c.md", 2, 3), "50% of\nit", "mend: it")
    assert (
        written((fault,), "github", records=0, terminal=False)
        == "::error file=a%2Cb%3Ac.md,line=2,col=3,title=CP014::50%25 of%0Ait (mend: it)\n"
    )


@pytest.mark.parametrize("form", ["json", "sarif", "github", "text"])
def test_the_same_faults_are_written_the_same_in_any_order(form: str) -> None:
    assert written(EVERY, form, records=0, terminal=False) == written(EVERY[::-1], form, records=0, terminal=False)
