"""Tags of templates in a text, as of Jekyll, Hexo and Eleventy: found, and written as Markdown."""

from collections import Counter
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from citepress_notes.calls import ShortcodeCall, replace_shortcodes
from citepress_notes.hidden_code import HiddenCode
from citepress_notes.liquid import Liquid
from citepress_notes.shortcode_marks import RAW, template_marks
from citepress_notes.shortcodes import Shortcodes, note_of


def template_tags(
    counts: Counter[tuple[str, str]],
    code: HiddenCode,
    text: str,
    scope: Mapping[str, Any],
    own: Mapping[str, Callable[[ShortcodeCall], str | None]] = MappingProxyType({}),
    *,
    closed: bool = False,
) -> str:
    """The tags and values of templates in a text, of whichever tool, as Markdown."""
    raw: Mapping[str, Callable[[ShortcodeCall], str | None]] = {"raw": lambda call: call.inner or "", **own}
    handler = Shortcodes(code, counts, raw)

    def note(what: str) -> str:
        counts[what, "left out, with a note in the text"] += 1
        return note_of(what)

    if "{%" in text:
        text = RAW.sub(lambda match: code.put(code.shown(match[1])), text)
        around = ("highlight", "codeblock", "code")
        text = replace_shortcodes(
            text, (mark for mark in template_marks(text) if mark.name in around), handler, code.shown
        )
    text = code.spans(text)
    output = lambda words: note(f"{{{{ {code.shown(words)[:40]} }}}}")  # noqa: E731
    text = Liquid(dict(scope), output, note, closed=closed).render(text)
    return replace_shortcodes(text, template_marks(text), handler, code.shown) if "{%" in text else text
