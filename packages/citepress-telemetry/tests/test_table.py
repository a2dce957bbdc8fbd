from datetime import date
from typing import Any

import pytest

from citepress_telemetry.identify.explain import check, diff, explain
from citepress_telemetry.identify.user_agents.table import FamilyTableError, due, load, shipped

TODAY = date(2026, 11, 22)
ROW: dict[str, Any] = {
    "name": "Newbot",
    "operator": "New",
    "tokens": ["newbot"],
    "purpose": "search",
    "class": "crawler",
    "operation": "direct",
    "source": "https://new.example/bot",
    "reviewed_at": TODAY,
    "sample": "Newbot/1.0",
}
HEAD = 'version = "2026.11.1"\nrobots_only = ["New-Extended"]\nnot_crawlers = []\n'


def text(*rows: dict[str, Any], head: str = HEAD) -> bytes:
    def toml_value(value: object) -> str:
        return value.isoformat() if isinstance(value, date) else repr(value)

    return (
        head
        + "\n".join(
            "[[family]]\n" + "\n".join(f"{key} = {toml_value(value)}" for key, value in row.items()) for row in rows
        )
    ).encode()


def test_the_shipped_table_is_sound() -> None:
    problems = check(TODAY)
    assert (problems.faults, problems.warnings) == ((), ())
    assert problems.families >= 200
    assert problems.version.startswith("2026.11.")


def test_every_row_says_where_it_is_from_and_when_it_was_reviewed() -> None:
    for row in shipped().rows:
        assert row.source.startswith("http")
        assert row.reviewed_at >= date(2026, 11, 21)
        assert (
            row.family.operator
            or row.family.operation == "intermediary"
            or row.source.startswith("https://github.com/")
        ), row.family.name


def test_a_row_reviewed_over_a_year_ago_is_due_and_a_warning_says_so() -> None:
    old = text(ROW | {"reviewed_at": date(2025, 11, 1)})
    assert due(load(old), TODAY) == ["Newbot"]
    assert check(TODAY, old).warnings == ("family 'Newbot' was last reviewed over a year ago",)
    assert due(load(text(ROW)), TODAY) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"purpose": "fun"}, "purpose is one of"),
        ({"class": "human_page_view"}, "class is one of"),
        ({"operation": "odd"}, "operation is one of"),
        ({"tokens": ["NewBot"]}, "lower-case ASCII"),
        ({"tokens": ["new"]}, "at least 4"),
        ({"tokens": ["spider"]}, "a word that others use"),
        ({"tokens": []}, "tokens is a list"),
        ({"tokens": "newbot"}, "tokens is a list"),
        ({"source": "the web"}, "source is the address"),
        ({"name": "(mine)"}, "name is a name"),
        ({"name": "New-Extended"}, "is a token of robots.txt"),
        ({"reviewed_at": "yesterday"}, "reviewed_at is a date"),
        ({"colour": "red"}, "colour is not a key"),
        ({"purpose": "user_action"}, "go together"),
        ({"purpose": "library"}, "go together"),
    ],
)
def test_a_fault_of_a_row_is_told_in_a_sentence(change: dict[str, Any], fault: str) -> None:
    with pytest.raises(FamilyTableError, match=fault):
        load(text(ROW | change))


def test_every_fault_of_a_table_is_told_at_once() -> None:
    missing = {key: value for key, value in ROW.items() if key != "source"}
    with pytest.raises(FamilyTableError) as error:
        load(text(ROW, missing | {"name": "Other"}, ROW, head=HEAD.replace("2026.11.1", "7")))
    said = str(error.value)
    for fault in (
        "version is written YYYY.M.n",
        "family 'Other': source is missing",
        "the name 'Newbot' occurs twice",
        "the token 'newbot' occurs twice",
    ):
        assert fault in said


@pytest.mark.parametrize("raw", [b"", b"\xff", b"family = 1", b"[[family", HEAD.encode(), b"x=" + b"[" * 3_000])
def test_a_file_that_is_no_table_is_refused_and_check_does_not_raise(raw: bytes) -> None:
    with pytest.raises(FamilyTableError):
        load(raw)
    assert check(TODAY, raw).faults


def test_check_tells_of_a_sample_that_gives_another_row_and_of_an_unknown_list() -> None:
    problems = check(TODAY, text(ROW | {"sample": "curl/8", "ranges": ["nobody"]}))
    assert "family 'Newbot': its sample gives 'curl'" in problems.faults
    assert "family 'Newbot': 'nobody' is not a list of ranges.toml" in problems.faults


def test_diff_names_clients_that_newer_lists_have_and_we_have_not() -> None:
    named = {"GPTBot": {"operator": "OpenAI"}, "Zwackelbot": {}, "Google-Extended": {}, "Linguee Bot": {}}
    rows = [
        {"pattern": "Hotzenplotz\\/", "instances": ["Hotzenplotz/1.0"]},
        {"pattern": "bingbot", "instances": ["bingbot/2.0"]},
        "ClaudeBot",
    ]
    difference = diff([named, rows])
    assert difference.unnamed == ("Hotzenplotz\\/", "Zwackelbot")
    assert difference.only_listed == ("Linguee Bot",)


@pytest.mark.parametrize("odd", [7, "GPTBot", [7], [{}]])
def test_diff_refuses_what_is_no_list(odd: Any) -> None:
    with pytest.raises(ValueError, match="list"):
        diff([odd])


def test_explain_gives_the_reason_of_a_verdict() -> None:
    explanation = explain("Mozilla/5.0 (compatible; GPTBot/1.3)")
    assert (explanation.family, explanation.step, explanation.mark, explanation.purpose) == (
        "GPTBot",
        "table",
        "gptbot",
        "training",
    )
    assert explanation.source == "https://platform.openai.com/docs/bots"
    assert explain("Linguee Bot").step == "public list"
    assert explain("my-own-crawler").step == "generic pattern"
    assert explain("").family == "(no user agent)"
