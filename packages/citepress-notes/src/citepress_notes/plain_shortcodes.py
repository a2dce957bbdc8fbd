"""Shortcodes of Hugo and Zola and tag plugins of Hexo in a plain text, written as an import writes them."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import quote

from citepress.content.cjk_emphasis import Replacement
from citepress.content.dialects import as_byte_edits
from citepress.content.rewritten import AddressEdit
from citepress_notes.calls import ShortcodeCall, ShortcodeMark, outermost_marks, replace_shortcodes
from citepress_notes.hidden_code import HiddenCode
from citepress_notes.mdx import note_of, without_code
from citepress_notes.shortcode_marks import MARKS_OF, RAW, SHELTERED
from citepress_notes.shortcodes import Shortcodes, picture

Handlers = Mapping[str, Callable[[ShortcodeCall], str | None]]
_IN_ADDRESS = re.compile(r"(?:\]\([^()\s]{0,100}|(?:href|src)=[\"']?|\]:[ \t]*)\Z")
APART = frozenset({"link", "post_url", "post_link", "post_path", "highlight", "codeblock"})
"""Tags of templates that ``site_notation`` reads."""
_UNLINKABLE = re.compile(r"[\s()<>%?\"]")
_SIGN_OF = {"hugo": ("{{<", "{{%"), "zola": ("{{", "{%"), "templates": ("{%",), "tags": ("{%",)}


def shortcode_edits(text: str, notation: str) -> list[AddressEdit]:
    """What to put in place of the shortcodes of a text, in order and apart from each other."""
    if not any(sign in text for sign in _SIGN_OF.get(notation, ())):
        return []
    prose = without_code(text)
    if notation in ("templates", "tags"):
        prose = RAW.sub(lambda match: "\0" * len(match[0]), prose)
    parts = [*_written(text, prose, notation), *_sheltered(prose, notation)]
    return as_byte_edits(text, sorted(parts))


def _written(text: str, prose: str, notation: str) -> Iterator[Replacement]:
    code = HiddenCode()
    everything = notation in ("hugo", "zola")  # tags of templates may be anything: the others have rules of their own
    own: Handlers = {"ref": _reference, "relref": _reference} if notation == "hugo" else TAG_PLUGINS
    handler = Shortcodes(code, Counter(), own, note=note_of)
    marks = [
        mark
        for mark in MARKS_OF[notation](prose)
        if everything or (not _is_apart(mark) and (mark.closing or handler.knows(mark.name)))
    ]
    for group in outermost_marks(marks):
        start, end = group[0].start, group[-1].end
        inside = [mark._replace(start=mark.start - start, end=mark.end - start) for mark in group]
        put = code.shown(replace_shortcodes(text[start:end], inside, handler, code.shown))
        if group[0].name in ("ref", "relref") and not _IN_ADDRESS.search(text[max(start - 120, 0) : start]):
            put = f"[this page]({put})"
        yield Replacement(start, end, put)


def _is_apart(mark: ShortcodeMark) -> bool:
    """Whether another stage reads a tag; a link of Hexo has an address and one of Jekyll a file."""
    return mark.name in APART and not (mark.name == "link" and "://" in mark.arguments)


def _sheltered(prose: str, notation: str) -> Iterator[Replacement]:
    """Shortcodes that are shown and not run, without the marks that say so."""
    for match in SHELTERED.finditer(prose) if notation == "hugo" else ():
        yield Replacement(*match.span(), f"`{{{{{match[1]} {match[2].strip()} {match[3]}}}}}`")


def _reference(call: ShortcodeCall) -> str:
    """The file or page that a reference names, as an address."""
    target = call.argument("path", place=0)
    return _UNLINKABLE.sub(lambda match: quote(match[0], safe=""), target)


def asset_picture(call: ShortcodeCall) -> str | None:
    """A picture of the folder of a post, without its size."""
    words = [word for word in call.placed if not re.fullmatch(r"\d+%?|\d+x\d+", word)]
    at = next((place for place, word in enumerate(words) if "." in word or "/" in word), 0)
    alt = " ".join(words[at + 1 :])
    return picture(call._replace(named={"src": words[at], "alt": alt}, placed=[])) if words else None


def asset_link(call: ShortcodeCall) -> str:
    """A link to a file of the folder of a post."""
    file = call.argument(place=0)
    return f"[{' '.join(call.placed[1:]) or file}]({file})"


def linked_words(call: ShortcodeCall) -> str | None:
    """Words with the address behind them."""
    match = re.search(r"(?:^|\s)((?:[a-z]+:/)?/\S*)", call.text)
    return f"[{call.text[: match.start()].strip() or match[1]}]({match[1]})" if match else None


TAG_PLUGINS: Handlers = {
    "asset_img": asset_picture,
    "img": asset_picture,
    "asset_path": lambda call: call.argument(place=0),
    "asset_link": asset_link,
    "link": linked_words,
}
"""Tags of Hexo that name files, for imports too."""
