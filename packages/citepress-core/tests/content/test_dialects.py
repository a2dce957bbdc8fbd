"""Markdown as other tools read it: published as it was meant, and positions stay those of the author's file."""
# ruff: noqa: RUF001  (punctuation of Chinese)

import re
from pathlib import Path
from typing import Any

import pytest

from citepress.admin.build import Builder
from citepress.base import clock
from citepress.edition.edition import open_edition
from citepress.settings import from_environment
from support.folder import checked, folder, post


def edition(root: Path, files: dict[str, str]) -> Any:
    settings = from_environment(folder(root / "archive", files), environ={})
    return open_edition(Builder(settings).build(clock.now()).pointer)


def shown(root: Path, text: str) -> str:
    """What the page of a record shows of its text."""
    body = edition(root, {"content/posts/a.md": post(f"Opening.\n\n{text}")}).body("/posts/a/").decode()
    inside = body.partition('<section class="block prose" id="text">')[2].partition("</section>")[0]
    return re.sub(r"\s+", " ", re.sub(r' id="p-[0-9a-f]+"', "", inside).partition("Opening.</p>")[2]).strip()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A paragraph.\n\n:warning: text", "<p>A paragraph.</p> <p>:warning: text</p>"),
        ("A paragraph.\n\n:::note", "<p>A paragraph.</p> <p>:::note</p>"),
        ("Term\n\n: meaning", "<dt>Term</dt> <dd> <p>meaning</p>"),
        ("**真，**她", "<p><strong>真，</strong>她</p>"),
        ("*日本語。*です", "<p><em>日本語。</em>です</p>"),
        ("**真，**她说**好**。", "<p><strong>真，</strong>她说<strong>好</strong>。</p>"),
        ("- **A：**b", "<li><strong>A：</strong>b</li>"),
        ("a **b,**c", "<p>a **b,**c</p>"),
        ("`**真，**她`", "<p><code>**真，**她</code></p>"),
        ("end\n\n^block-id", "<p>end</p>"),
        ("[[Note]] words ^abc123", "<p>[[Note]] words</p>"),
        ("area = r ^2", "<p>area = r ^2</p>"),
        ('<div markdown="1">\n**bold**\n</div>\n\nafter', "<div> <p><strong>bold</strong></p> </div> <p>after</p>"),
        ("a :smile: b", "<p>a :smile: b</p>"),
        (r"\[1\] and \(see below\)", "<p>[1] and (see below)</p>"),
    ],
)
def test_a_text_is_read_as_it_was_meant(tmp_path: Path, text: str, expected: str) -> None:
    assert expected in shown(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        *(r"\\(a\\)", r"\(a\)", "$`a`$", "```math\na\n```", r"\\[a\\]", r"\[a = a\]", "汉\\(a\\)字"),
        *("\\begin{equation}\na\n\\end{equation}", "\\begin{align*}\na &= 1 \\\\[2pt]\nb &= 2\n\\end{align*}"),
        "- item\n\n  ```math\n  - a\n  ```",
    ],
)
def test_a_formula_is_one_in_every_notation(tmp_path: Path, text: str) -> None:
    html = shown(tmp_path, text)
    assert "<mi>a</mi>" in html
    assert not re.search(r"\\[()\[\]]|\\begin|`", re.sub(r'alttext="[^"]*"', "", html))


def test_footnotes_come_last_and_each_has_an_id_of_its_own(tmp_path: Path) -> None:
    text = "One[^1] and two[^2].\n\n[^1]: first\n[^1]: again\n\nMore.\n\n[^2]: second <div>x</div>"
    html = shown(tmp_path, text)
    assert re.findall(r'class="footnote-definition" id="([^"]*)"', html) == [
        *("text-note-1", "text-note-1-2", "text-note-2")
    ]
    assert html.index("More.") < html.index("footnote-definition")
    assert "again" in html


def test_faults_have_the_places_of_the_file(tmp_path: Path) -> None:
    text = "```math\na\n\nb\n```\n\n**真，**她 [x](/posts/none/)"
    _, faults = checked(folder(tmp_path / "archive", {"content/posts/a.md": post(text)}))
    (dead,) = [fault for fault in faults if fault.code.id == "CP025"]
    assert (dead.place.source[dead.place.column - 1 :]) == "[x](/posts/none/)"
