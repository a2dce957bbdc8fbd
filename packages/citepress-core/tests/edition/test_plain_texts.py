"""A text without raw HTML is shown without a second cleaning, and is what the cleaner would pass on."""

import random

import pytest

from citepress.edition.prose import renderer
from citepress.edition.prose.renderer import clean_html

PLAIN = (
    "## A *b* `c` **d**",
    "word & \"word\" 'x' > y",
    "* one\n* two\n  * deep",
    "7. a\n8. b",
    "> quote\n> more",
    "```python\nx = '1' & \"2\"\n```",
    "    indented",
    "---",
    "a  \nb\\\nc ~~d~~",
    "[x](https://a-b.example/y?b=1&c=2#z) [y](/a/b(1)/) [z](#source-s1) [w](http://a.example)",
    "é 漢字 😀",
    '[x](/a"onclick=1)',
)
HOSTILE = (
    "[x](javascript:alert(1))",
    "[x](&#106;avascript:x)",
    "[x](JAVASCRIPT:x) [y](data:text/html,x) [z](vbscript:x)",
    "[x](//other.example/) [y](https:/a.example) [z](https:a.example)",
    "[x](https://user:word@a.example/) [y](https://a.example:99999/)",
    "[x](https://xn--a.example/) [y](https://1.2.3.400/) [z](https://[::1/)",
    '[x](/a "onclick=1") ![y](/i.png "\' onerror=1")',
    "&lt;script&gt; &#60;script&#62; &nbsp; \u00a0 \ufeff x",
    '```x" onclick="y\nz\n```',
    "\x01\x0b\x7f\u0085 \r x",
    "| a | b |\n|:-:|--|\n| [x](javascript:y) | `z` |",
    "- [x] done\n- [ ] open",
    "Term\n: [x](javascript:y)",
    "$x^2$ and $$</p>$$",
)
RAW = "<br>\n\n"
"""Raw HTML before a text, for which all of it is cleaned."""


def cleaned(text: str) -> str:
    """A text as it is shown where it is cleaned."""
    return clean_html(RAW + text, "note-").removeprefix("<br>\n")


@pytest.mark.parametrize("text", [*PLAIN, *HOSTILE])
def test_a_text_without_raw_html_is_shown_as_the_cleaner_passes_it_on(text: str) -> None:
    assert clean_html(text, "note-") == cleaned(text)


@pytest.mark.parametrize("seed", range(8))
def test_so_is_any_mixture_of_them(seed: int) -> None:
    drawn = random.Random(seed)  # noqa: S311
    for _ in range(60):
        signs = list("\n\n".join(drawn.choices((*PLAIN, *HOSTILE), k=3)))
        for sign in drawn.choices(["*", "[", "](", "\n\n", "\n> ", "`", '"', "&", "|", "\\"], k=3):
            signs.insert(drawn.randrange(len(signs)), sign)
        text = "".join(signs).lstrip()
        assert clean_html(text, "note-") == cleaned(text), text


@pytest.mark.parametrize("text", PLAIN)
def test_a_plain_text_needs_no_cleaning(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = cleaned(text)
    monkeypatch.setattr(renderer, "CLEANER", None)
    assert clean_html(text, "note-") == shown


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_hostile_goes_by_the_cleaner(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renderer, "CLEANER", None)
    with pytest.raises(AttributeError):
        clean_html(text, "note-")
