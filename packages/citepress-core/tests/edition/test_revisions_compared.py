"""What changed between two revisions: complete whatever the texts, and bounded in work."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from citepress.contract.page import Prose
from citepress.edition.memento import ListedRevision
from citepress.edition.revisions import comparison
from citepress.edition.revisions.comparison import compared
from citepress.edition.revisions.comparison_page import MARKED, _difference, _words_of
from citepress.edition.revisions.models import MemberComparison, WordOperation
from citepress.edition.revisions.pages import ListedRecord, _history_table
from citepress.edition.revisions.plain_text import plain_text
from support.documents import desk, whole

TEXT = st.lists(st.sampled_from(["one ", "two ", "three. ", "\n", "\n\n", "- ", "ä", "<b>"]), max_size=40).map("".join)


def sides(former: str, later: str) -> tuple[str, str]:
    """Both texts, put together from the operations that lead from one to the other."""
    (change,) = compared({"text": former}, {"text": later})
    runs = change.operations
    assert all(run.text for run in runs)
    assert all(run.op != following.op for run, following in pairwise(runs))
    before = "".join(run.text for run in runs if run.op != "insert")
    return before, "".join(run.text for run in runs if run.op != "delete")


@given(TEXT, TEXT)
def test_the_operations_give_both_texts(former: str, later: str) -> None:
    if former == later:
        assert compared({"text": former}, {"text": later}) == []
    else:
        assert sides(former, later) == (former, later)


def test_a_word_that_changed_is_one_operation() -> None:
    (change,) = compared({"title": "The quick fox runs"}, {"title": "The slow fox runs"})
    assert [(run.op, run.text) for run in change.operations] == [
        ("equal", "The "),
        ("delete", "quick "),
        ("insert", "slow "),
        ("equal", "fox runs"),
    ]


def test_members_that_are_no_texts_are_compared_as_json() -> None:
    changes = compared({"tags": ["a"], "doi": None, "same": 1}, {"tags": ["a", "b"], "doi": "10.5555/x", "same": 1})
    assert [change.member for change in changes] == ["tags", "doi"]
    assert [run.op for run in changes[1].operations] == ["insert"]


def test_texts_too_long_to_compare_word_by_word_are_replaced() -> None:
    lines = [f"{number} " + "word " * 60 for number in range(comparison.MAX_COMPARED_LINES + 1)]
    former, later = "\n".join(lines), "\n".join(line[::-1] for line in lines)
    assert sides(former, later) == (former, later)
    (change,) = compared({"text": former}, {"text": later})
    assert len(change.operations) < 10_000


def test_texts_that_differ_in_every_other_word_have_a_bound_of_operations() -> None:
    former, later = (
        "\n".join(" ".join(f"{side}{place}" if place % 2 else "same" for place in range(12)) for _ in range(1_990))
        for side in "ab"
    )
    assert sides(former, later) == (former, later)
    (change,) = compared({"text": former}, {"text": later})
    assert 100 < len(change.operations) <= comparison.RUNS + 2


def test_a_page_marks_a_bounded_number_of_lines_and_names_where_the_rest_is() -> None:
    def shown(lines: int) -> str:
        operations = [WordOperation(op="insert", text="word\n" * lines)]
        block = _difference(MemberComparison(member="body_markdown", operations=operations), "Text", "en")
        assert isinstance(block, Prose)
        return block.markdown

    assert "JSON twin" not in shown(MARKED - 1)
    assert shown(MARKED * 3).count("<ins>") == MARKED
    assert shown(MARKED * 3).endswith("The rest is in the JSON twin.")


def test_lines_that_both_texts_have_stay_however_many_others_change() -> None:
    former = "".join(f"Line {number} stays.\n" if number % 2 else f"Former {number}.\n" for number in range(4_000))
    later = "".join(f"Line {number} stays.\n" if number % 2 else f"Later {number}.\n" for number in range(4_000))
    assert sides(former, later) == (former, later)
    (change,) = compared({"text": former}, {"text": later})
    assert sum(run.text.count("stays") for run in change.operations[:500] if run.op == "equal") > 100


def test_lines_that_moved_are_taken_out_and_put_in() -> None:
    former, later = "one\ntwo\nthree\nfour\n", "three\none\ntwo\nfour\n"
    assert sides(former, later) == (former, later)
    (change,) = compared({"text": former}, {"text": later})
    assert [(run.op, run.text) for run in change.operations] == [
        ("insert", "three\n"),
        ("equal", "one\ntwo\n"),
        ("delete", "three\n"),
        ("equal", "four\n"),
    ]


def test_a_member_is_compared_in_words_for_people() -> None:
    note = {"id": "n-1", "date": "2026-05-01T00:00:00Z", "minor": True, "note": "Read again."}
    assert _words_of([note, "Two."]) == "date: 2026-05-01; minor: yes; note: Read again.\nTwo."
    assert _words_of("One.\nTwo.") == "One.\nTwo."
    assert _words_of(None) == ""


def test_a_history_has_no_column_that_would_say_nothing() -> None:
    def columns(*rows: ListedRevision) -> tuple[str, ...]:
        return _history_table(ListedRecord("/posts/x/", rows, desk(whole())), rows).columns

    first = ListedRevision(1, 0, "A title", [], [], "")
    assert columns(first) == ("Revision", "Since")
    assert columns(first, first._replace(number=2)) == ("Revision", "Since", "Changes")
    renamed = first._replace(number=2, title="Another", notes=["Why."], credits=["Ada"])
    assert columns(first, renamed) == ("Revision", "Since", "Headline", "Note", "Credit", "Changes")


def test_indentation_that_alone_changed_in_code_is_seen() -> None:
    former, later = ("def f():\n    if x:\n        y()\n", "def f():\n    if x:\n\ty()\n")
    texts = ({"text": plain_text(f"```python\n{code}```")} for code in (former, later))
    block = _difference(compared(*texts)[0], "Text", "en")
    assert isinstance(block, Prose)
    assert "<del>········</del>" in block.markdown
    assert "<ins>→</ins>" in block.markdown


def test_a_word_that_came_stands_apart_from_the_one_that_went() -> None:
    block = _difference(compared({"note": "minor: no;"}, {"note": "minor: yes;"})[0], "Note", "en")
    assert isinstance(block, Prose)
    assert block.markdown == "minor: <del>no</del> <ins>yes</ins>;"


def test_a_last_word_stands_on_the_line_of_the_one_that_it_replaces() -> None:
    (change,) = compared({"text": "| Ice | 98\n| Other | 43\n"}, {"text": "| Ice | 97\n| Other | 44\n"})
    assert [(operation.op, operation.text) for operation in change.operations] == [
        ("equal", "| Ice | "),
        ("delete", "98"),
        ("insert", "97"),
        ("equal", "\n| Other | "),
        ("delete", "43"),
        ("insert", "44"),
        ("equal", "\n"),
    ]
