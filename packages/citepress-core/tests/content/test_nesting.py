"""How deep a text is nested is bounded while its links are read, so that few texts are parsed a second time."""

import random

import pytest

from citepress.content import nesting
from citepress.content.commonmark import PARSER
from citepress.content.links import inspect

WRAPPERS = (
    *(
        "> {}",
        "* {}",
        "1. {}",
        "**{}**",
        "*{}*",
        "~~{}~~",
        "[{}](/x)",
        "![{}](/x.png)",
        "# {}",
        "<div>\n\n{}",
        "a <b>{}",
    ),
    *("Term\n: {}", "| {} | b |\n|---|---|\n| c | d |", "    {}", "`{}`", "${}$", "{}[^1]\n\n[^1]: {}", "```\n{}\n```"),
    *(
        "> [!NOTE]\n> {}",
        "- [x] {}",
        "<details><summary>{}</summary>\n\n</details>",
        "{}\n\n<ul><li>x</ul>",
        "- {}\n\n- b",
    ),
)


def exact_depth(markdown: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How deep the HTML of a text is nested, as the limit is held against it."""
    html = PARSER.html(markdown)
    for depth in range(1_000):
        with monkeypatch.context() as limited:
            limited.setattr(nesting, "MAX_DEPTH", depth)
            if not nesting.too_deep(html):
                return depth
    raise AssertionError("no depth")


@pytest.mark.parametrize("seed", range(20))
def test_no_text_is_nested_deeper_than_the_bound(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = random.Random(seed)  # noqa: S311
    for _ in range(40):
        text = "word"
        for wrapper in drawn.choices(WRAPPERS, k=drawn.randrange(1, 12)):
            text = wrapper.replace("{}", text)
        assert exact_depth(text, monkeypatch) <= inspect(text).depth, text


def test_the_bound_of_a_usual_text_is_far_below_the_limit() -> None:
    text = "## A part\n\n* a *b* [c](/d/)\n* > `e`\n\n<b>f</b>\n\n"
    assert inspect(text * 20).depth < nesting.MAX_DEPTH / 2
    assert inspect("Only words.").depth <= 3
    assert inspect("").depth == 0
