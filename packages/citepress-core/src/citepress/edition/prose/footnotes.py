"""The footnotes of a text below it, wherever its author wrote them, each under an id of its own."""

import re

FOOTNOTE = '<div class="footnote-definition" id="'
_TAG = re.compile(r"<(/?)div\b[^>]*>")


def footnotes_last(html: str) -> str:
    """Clean HTML with its footnotes at the end, in their order; what is written twice has two ids."""
    text, notes, at = list[str](), list[str](), 0
    while (start := html.find(FOOTNOTE, at)) >= 0:
        end = _end(html, start)
        text.append(html[at:start])
        notes.append(html[start:end])
        at = end + html.startswith("\n", end)
    above, below = "".join(text), html[at:]
    counts: dict[str, int] = {}
    for place, note in enumerate(notes):
        id_ = note[len(FOOTNOTE) :].partition('"')[0]
        counts[id_] = number = counts.get(id_, 0) + 1
        if number > 1:
            notes[place] = note.replace(f'{FOOTNOTE}{id_}"', f'{FOOTNOTE}{id_}-{number}"', 1)
    rest = f"{above}{below}" if below.strip() else above
    return f"{rest}{chr(10).join(notes)}\n" if notes else html


def _end(html: str, start: int) -> int:
    """Where the element ends that starts here."""
    depth = 0
    for tag in _TAG.finditer(html, start):
        depth += -1 if tag[1] else 1
        if depth == 0:
            return tag.end()
    return len(html)
