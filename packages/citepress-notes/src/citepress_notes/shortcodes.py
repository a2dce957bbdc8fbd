"""What common shortcodes become in Markdown, whatever their tool; unknown ones leave a visible note."""

import re
from collections import Counter
from collections.abc import Callable, Mapping

from citepress_notes.callout_marks import is_kind
from citepress_notes.callouts import callout
from citepress_notes.calls import ShortcodeCall
from citepress_notes.code_shortcodes import CodeTemplate, language_of, looks_like_code
from citepress_notes.hidden_code import HiddenCode
from citepress_notes.word_lists import word_list

SILENT_SHORTCODES = word_list("silent shortcodes")
"""Shortcodes that say nothing to a reader."""
INSIDE = word_list("shortcodes around text")
"""Shortcodes whose inside is what they show."""
TITLED = word_list("titled shortcodes")
"""Shortcodes whose inside stands under a title."""
CODE = word_list("shortcodes around code")
MATH = word_list("shortcodes around formulas")
QUOTES = word_list("shortcodes around quotations")
DIAGRAMS = word_list("diagrams")
PICTURES = word_list("pictures")
CARDS = word_list("cards")
POSTED = word_list("posts elsewhere")


def picture(call: ShortcodeCall) -> str:
    """An image with its words and its caption."""
    source = call.argument("src", "link_src", "path", "url", "image", "file", place=0)
    if not source:
        return ""
    title, by = call.argument("title"), call.argument("attr")
    caption = call.argument("caption") or (call.inner or "").strip() or by
    title, caption = (title, caption) if caption else ("", title)
    alt = call.argument("alt", place=1) or caption
    words = re.sub(r"\s+", " ", re.sub(r"[\[\]]", "", alt)).strip()
    image = f"![{words}]({address(source)})"
    if link := call.argument("link"):
        image = f"[{image}]({address(link)})"
    above = f"\n\n**{title.strip()}**" if title else ""
    credit = f" ({by})" if by and by != caption else ""
    below = f"\n\n*{caption.strip()}{credit}*" if caption and (title or credit or caption != alt) else ""
    return f"{image}{above}{below}"


def address(url: str) -> str:
    """An address as a link's destination."""
    url = url.strip()
    return f"<{url}>" if re.search(r"[\s()]", url) else url


def video(call: ShortcodeCall) -> str:
    """A link to a video."""
    id_ = call.argument("id", "src", "url", place=0)
    url = id_ if "://" in id_ else _VIDEO.get(call.name, "{}").format(id_)
    return f"[{call.argument('title', 'caption') or 'Video'}]({address(url)})" if id_ else ""


_VIDEO = {
    "youtube": "https://www.youtube.com/watch?v={}",
    "youtubelite": "https://www.youtube.com/watch?v={}",
    "vimeo": "https://vimeo.com/{}",
    "vimeo_simple": "https://vimeo.com/{}",
    "asciinema": "https://asciinema.org/a/{}",
    "bilibili": "https://www.bilibili.com/video/{}",
}


def post(call: ShortcodeCall) -> str:
    """A link to a post or a snippet on another site."""
    user = call.argument("user", "username", place=0)
    id_ = call.argument("id", place=1)
    if "://" in user:
        return f"[{user.partition('://')[2]}]({address(user)})"
    if call.name == "gist":
        path = f"{user}/{id_}" if id_ else user
        return f"[Gist {path}](https://gist.github.com/{path})" if path else ""
    if call.name == "instagram":
        return f"[Post on Instagram](https://www.instagram.com/p/{user}/)" if user else ""
    if not user:
        return ""
    path = f"{user}/status/{id_}" if id_ else f"i/status/{user}"
    return f"[Post on X](https://x.com/{path})"


def quoted(call: ShortcodeCall) -> str:
    """A quotation with its author."""
    by = call.argument("author", "cite", "source")
    lines = [*(call.inner or "").strip().split("\n"), *(["", f"\u2014 {by}"] if by else [])]
    return "\n\n" + "\n".join(f"> {line}".rstrip() for line in lines) + "\n\n"


def card(call: ShortcodeCall) -> str | None:
    """A button or a card as a link."""
    url = call.argument("href", "url", "link", "to", place=0)
    words = (call.argument("text", "title", "label") or call.inner or "").strip() or url
    return f"[{words}]({address(url)})" if url else call.inner


_ALONE: Mapping[str, Callable[[ShortcodeCall], str | None]] = {
    **dict.fromkeys(CARDS, card),
    **dict.fromkeys(POSTED, post),
    **dict.fromkeys(PICTURES, picture),
    **dict.fromkeys(_VIDEO, video),
}
"""Shortcodes that mean something without an inside."""
_NOTE = re.compile(r"[*_]?\(“[^”\n]{1,200}” of the former site is not shown here\.\)[*_]?")


def around_code(templates: Mapping[str, CodeTemplate | None]) -> frozenset[str]:
    """Names of the shortcodes that stand around code; a common name keeps its common meaning."""
    common = _ALONE.keys() | SILENT_SHORTCODES | INSIDE | TITLED | MATH | QUOTES
    own = {name for name, template in templates.items() if template and name not in common and not is_kind(name)}
    return CODE | DIAGRAMS | own


def note_of(name: str) -> str:
    """The visible note in place of something of a former site that cannot be shown."""
    words = name.replace("{{", "").replace("}}", "").replace("{%", "").replace("%}", "").strip()
    return f"*(“{words}” of the former site is not shown here.)*"


def without_notes(text: str) -> str:
    """The text without the notes that unknown shortcodes leave, which say nothing about its subject."""
    return _NOTE.sub("", text)


class Shortcodes:
    """Writes shortcodes of one text.

    ``own`` are those of a format or a site, by name; ``templates`` are those whose templates were read.
    """

    def __init__(
        self,
        code: HiddenCode,
        counts: Counter[tuple[str, str]],
        own: Mapping[str, Callable[[ShortcodeCall], str | None]],
        templates: Mapping[str, CodeTemplate | None] | None = None,
        note: Callable[[str], str] = note_of,
    ) -> None:
        """``note``: what is left of one that is not known."""
        self._note = note
        self._code, self._counts, self._own, self._templates = code, counts, own, templates or {}

    def __call__(self, call: ShortcodeCall) -> str:
        """The Markdown in place of a shortcode."""
        handler = self._own.get(call.name)
        text = handler(call) if handler else None
        if text is None:
            text = self._common(call)
        if text is None and call.inner and call.inner.strip():
            text = self._as_code(call, call.inner)
        if text is None:
            return self._unknown(call)
        self._counts[call.name, "mapped" if text.strip() or call.name not in SILENT_SHORTCODES else "left out"] += 1
        return text

    def knows(self, name: str) -> bool:
        """Whether a shortcode of this name has a meaning, as many sites have it or as its tool."""
        bare = name.lower().rpartition("/")[2]
        around = INSIDE | TITLED | MATH | QUOTES | DIAGRAMS
        return name in self._own or bare in _ALONE or bare in SILENT_SHORTCODES | around or is_kind(bare)

    def _common(self, call: ShortcodeCall) -> str | None:
        """A shortcode that many sites have; ``None`` for any other."""
        name = call.name.lower().rpartition("/")[2]
        if name in _ALONE:
            return _ALONE[name](call) or None
        if name in SILENT_SHORTCODES:
            return ""
        return None if call.inner is None else self._around(name, call, call.inner)

    def _around(self, name: str, call: ShortcodeCall, inner: str) -> str | None:
        """A shortcode with an inside."""
        if name in CODE or name in DIAGRAMS:
            language = call.argument("lang", "language", place=0).partition(":")[0]
            return self._code.fence(inner, name if name in DIAGRAMS else language)
        if name in MATH:
            block = "display" in call.text or "\n" in inner.strip()
            return f"$${inner.strip()}$$" if block else f"${inner.strip()}$"
        if name in TITLED:
            title = call.argument("title", "name", "summary", "header", place=0)
            return f"\n\n**{title}**\n\n{inner.strip()}\n\n" if title else f"\n\n{inner.strip()}\n\n"
        if name in QUOTES:
            return quoted(call)
        if is_kind(name):
            return self._callout(call, name)
        return inner if name in INSIDE else None

    def _callout(self, call: ShortcodeCall, name: str) -> str:
        kind = call.argument("type", "kind", "level", "context", "style")
        first = call.placed[0] if call.placed else ""
        if not kind and is_kind(first):
            kind, first = first, (call.placed[1] if len(call.placed) > 1 else "")
        return callout(kind or name, call.inner or "", call.argument("title") or first)

    def _as_code(self, call: ShortcodeCall, inner: str) -> str | None:
        """The inside as code, where the template of the shortcode shows it so, or where it has none and looks so."""
        template = self._templates.get(call.name)
        shown = self._code.shown(inner).strip("\n")
        if not template and (call.name in self._templates or not looks_like_code(shown)):
            return None
        if shown.lstrip().startswith(("```", "~~~")):
            return inner
        if template and template.among_words and "\n" not in shown.strip():
            return self._code.span(shown.strip())
        language = language_of(call.argument("lang", "language"), *call.placed[:1])
        return self._code.fence(inner, (template.language if template else "") or language)

    def _unknown(self, call: ShortcodeCall) -> str:
        self._counts[call.name, "left out, with a note in the text"] += 1
        note = self._note(call.name)
        return f"{note}\n\n{call.inner}" if call.inner and call.inner.strip() else note
