"""A card as SVG: its words, wrapped and shortened to fit, in the colours of the theme."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from citepress.base.languages import direction
from citepress_cards.faces import Face, faces, readable
from citepress_cards.words import HEIGHT, WIDTH, CardWords

MARGIN = 72
INNER = WIDTH - 2 * MARGIN
TITLE_SIZES = ((92, 2), (74, 3), (62, 4), (52, 5))
"""Sizes of a title, and the most lines that it has at each; the first that fits is taken."""
LEADING = 1.16
SUMMARY_PX, SUMMARY_LINE, SUMMARY_LINES = 33, 46, 4
HEAD_BASELINE, TITLE_TOP, BOTTOM = 104, 150, 506
"""Baseline of the first line, top of the title, and where title and summary end."""
BETWEEN = 26
"""Space between title and summary."""
RULE, FOOT = 528, 584
"""Top of the double line, and the baseline of the last line."""
SMALL, NAME = 28, 32
GAP = 48
TALL, DEEP = 0.78, 0.27
"""How far letters reach above and below their baseline, in units of the size."""
ISOLATE = {"rtl": "\u2067{}\u2069", "ltr": "{}"}
"""A line in its own direction: the renderer lays lines out from left to right by itself."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of text: where its baseline is, and how it looks."""

    text: str
    face: Face
    size: int
    top: float
    colour: str
    far: bool = False
    """Whether it stands at the side where lines end."""


def is_drawable(title: str, *, serif: bool) -> bool:
    """Whether there is a face for a title: without one there is no card."""
    return readable(_plain(title), _title_faces(serif=serif)) is not None


def card_svg(words: CardWords, tokens: Mapping[str, str], *, serif: bool) -> str:
    """The card. Raises ``ValueError`` where there is no face for its title."""
    flow = direction(words.language)
    body = "".join(_drawn(line, flow) for line in _lines(words, tokens, serif=serif))
    shapes = (
        (0, 0, WIDTH, HEIGHT, "--paper"),
        (0, 0, WIDTH, 14, "--accent"),
        (MARGIN, RULE, INNER, 2, "--rule"),
        (MARGIN, RULE + 5, INNER, 2, "--rule"),
    )
    rects = "".join(
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{tokens[colour]}"/>'
        for x, y, width, height, colour in shapes
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">{rects}{body}</svg>'


def _plain(title: str) -> str:
    """A title without the backticks that mark code."""
    return title.replace("`", "")


def _title_faces(*, serif: bool) -> Sequence[Face]:
    return faces().serif if serif else faces().sans


def _lines(words: CardWords, tokens: Mapping[str, str], *, serif: bool) -> Iterator[_Line]:
    ink, muted, accent = tokens["--ink"], tokens["--muted"], tokens["--accent"]
    bold, text = faces().sans, faces().text
    if label := readable(words.label.upper(), bold):
        yield _Line(_shortened(*label, SMALL, INNER / 2), label[1], SMALL, HEAD_BASELINE, accent)
    if by := readable(words.by, text):
        yield _Line(_shortened(*by, SMALL, INNER / 2 - GAP), by[1], SMALL, HEAD_BASELINE, muted, far=True)
    title = readable(_plain(words.title), _title_faces(serif=serif))
    if title is None:
        raise ValueError("no face has the letters of the title")
    size, wrapped = _title(*title)
    top = TITLE_TOP + TALL * size
    for place, line in enumerate(wrapped):
        yield _Line(line, title[1], size, top + place * LEADING * size, ink)
    below = top + (len(wrapped) - 1) * LEADING * size + DEEP * size + BETWEEN
    if summary := readable(_plain(words.summary), text):
        yield from _summary(*summary, below, muted)
    date = readable(words.date, text)
    if date:
        yield _Line(date[0], date[1], SMALL, FOOT, muted, far=True)
    if site := readable(words.site, _title_faces(serif=serif)):
        room = INNER - (date[1].width(date[0]) * SMALL + GAP if date else 0)
        yield _Line(_shortened(*site, NAME, room), site[1], NAME, FOOT, ink)


def _title(text: str, face: Face) -> tuple[int, list[str]]:
    """The size of a title and its lines; one that is too long for the smallest size is cut."""
    for size, most in TITLE_SIZES:
        lines = _wrapped(text, face, size)
        if len(lines) <= most:
            return size, _balanced(lines, text, face, size)
    size, most = TITLE_SIZES[-1]
    return size, _cut(lines, most, face, size)


def _balanced(lines: list[str], text: str, face: Face, size: int) -> list[str]:
    """As many lines of about one length."""
    for room in range(INNER - size, 0, -size):
        narrower = _wrapped(text, face, size, room)
        if len(narrower) > len(lines):
            break
        lines = narrower
    return lines


def _summary(text: str, face: Face, top: float, colour: str) -> Iterator[_Line]:
    """As many lines of the summary as the title leaves room for."""
    room = min(SUMMARY_LINES, int((BOTTOM - top) // SUMMARY_LINE))
    if room < 1:
        return
    for place, line in enumerate(_cut(_wrapped(text, face, SUMMARY_PX), room, face, SUMMARY_PX)):
        yield _Line(line, face, SUMMARY_PX, top + SUMMARY_PX * TALL + place * SUMMARY_LINE, colour)


def _wrapped(text: str, face: Face, size: int, room: int = INNER) -> list[str]:
    """The lines of a text; a word that is longer than a line is broken."""
    lines: list[str] = []
    line = ""
    for word in _words(text, face, room / size):
        longer = f"{line} {word}" if line else word
        if face.width(longer) * size <= room:
            line = longer
        else:
            lines.append(line)
            line = word
    return [*lines, line]


def _words(text: str, face: Face, most: float) -> Iterator[str]:
    """The words of a text, longer ones in parts; ``most`` is the width of a line in units of the size."""
    for word in text.split():
        part, width = "", 0.0
        for char in word:
            wider = face.width(char)
            if part and wider and width + wider > most:
                yield part
                part, width = "", 0.0
            part, width = part + char, width + wider
        yield part


def _cut(lines: list[str], most: int, face: Face, size: int) -> list[str]:
    """The first lines, the last of them ending in an ellipsis where more follow."""
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], _shortened(f"{lines[most - 1]} {lines[most]}", face, size, INNER)]


def _shortened(text: str, face: Face, size: int, room: float) -> str:
    """A text that fits, cut between words where it does not."""
    if face.width(text) * size <= room:
        return text
    end = len(text)
    while end and face.width(f"{text[:end]}…") * size > room:
        end -= 1
    space = text.rfind(" ", 0, end + 1)
    return f"{text[: space if space > end // 2 else end].rstrip(' ,.;:-')}…"


def _drawn(line: _Line, flow: str) -> str:
    at_end = line.far == (flow == "ltr")
    place = f'x="{WIDTH - MARGIN}" text-anchor="end"' if at_end else f'x="{MARGIN}"'
    look = f'font-family="{line.face.family}" font-weight="{line.face.weight}" font-size="{line.size}"'
    return (
        f'<text {place} y="{line.top:.1f}" {look} fill="{line.colour}">{escape(ISOLATE[flow].format(line.text))}</text>'
    )
