"""Callouts between colons and marks of layout: read alike in plain folders and imports, and in no summary."""

from pathlib import Path

import pytest

from citepress_notes.callout_marks import callout_edits
from support.folder import assembled
from support.former_sites import written
from support.whole_builds import folder_in_mode

FRONT = "---\ntitle: T\ndate: 2024-01-02\n---\n"


@pytest.mark.parametrize(
    ("text", "expected", "summary"),
    [
        (":::info\nFirst.\n:::\n", "> [!NOTE]\n> First.", "First."),
        (':::note{title="Own" .x}\nIn.\n:::\n', "> [!NOTE]\n> **Own**\n>\n> In.", "Own"),
        ("::: warning Own title\nIn.\n:::\n", "> [!WARNING]\n> **Own title**\n>\n> In.", "Own title"),
        (":::tip[Label]\nIn.\n:::\n", "> [!TIP]\n> **Label**\n>\n> In.", "Label"),
        ('::::{.callout-tip collapse="true"}\nIn.\n::::\n', "> [!TIP]\n> In.", "In."),
        ("::: danger\nA.\n\n::: tip\nB.\n:::\n:::\n", "> [!CAUTION]\n> A.\n> \n> > [!TIP]\n> > B.", "A."),
        ("> [!note]- Folded\n> In.\n", "> [!NOTE]\n> **Folded**\n>\n> In.", "Folded"),
        ("[TOC]\n\n{: .lead }\nWords{: .x }.\n", "Words.", "Words."),
        ("Words.\n\n```\n:::note\nCode.\n:::\n```\n", "Words.\n\n```\n:::note\nCode.\n:::\n```", "Words."),
    ],
)
@pytest.mark.parametrize("mode", ["plain", "import"])
def test_a_callout_is_one_of_github(mode: str, text: str, expected: str, summary: str, tmp_path: Path) -> None:
    folder = written(tmp_path / "site", {"a.md": FRONT + text})
    record = assembled(folder_in_mode(mode, folder, tmp_path)).entries["posts/a"].record
    lines = [line.rstrip() for line in record.body_markdown.strip().splitlines() if line.strip("> ")]
    assert lines == [line.rstrip() for line in expected.splitlines() if line.strip("> ")]
    assert record.summary == summary


def test_a_container_that_is_never_closed_is_text(tmp_path: Path) -> None:
    record = (
        assembled(written(tmp_path, {"a.md": f"{FRONT}Words.\n\n:::note\nNever closed.\n"})).entries["posts/a"].record
    )
    assert (record.body_markdown, record.summary) == ("Words.\n\n\\:::note\nNever closed.", "Words.")


def test_many_containers_take_no_more_time_than_their_lines() -> None:
    text = ":::note\n" * 3_000 + "x\n" + ":::\n" * 3_000
    edits = callout_edits(text)
    assert sum(len(edit.address) for edit in edits) < 10 * len(text)
