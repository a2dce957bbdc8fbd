"""MDX as Markdown: its text stays; imports, exports and components go, and unknown ones leave a visible note."""

import re
from collections.abc import Mapping
from typing import Any

from citepress_import.report import ImportReport
from citepress_notes import lenient_values, mdx
from citepress_notes.callout_marks import is_kind
from citepress_notes.callouts import callout
from citepress_notes.calls import ShortcodeCall, ShortcodeMark, replace_shortcodes
from citepress_notes.hidden_code import HiddenCode
from citepress_notes.shortcodes import Shortcodes, note_of, picture

_FRONT_VALUE = re.compile(r"\{\s*(?:frontMatter|frontmatter|props\.frontmatter)\.(\w+)\s*\}")


def from_mdx(text: str, front: Mapping[str, Any], report: ImportReport, code: HiddenCode) -> str:
    """The text as Markdown; code is out of reach already."""
    imported: dict[str, str] = {}

    def without(match: re.Match[str]) -> str:
        imported.update(dict(mdx.IMPORTED.findall(code.shown(match[0]))))
        return ""

    text = mdx.FORMULA.sub(lambda match: code.put(match[0]), text)
    text = mdx.MODULE.sub(without, text)
    text = mdx.FRAGMENT.sub("", text)
    text = mdx.ELEMENT.sub(lambda match: mdx.plain_element(match[0], imported), text)
    text = replace_shortcodes(text, _marks(text), _Components(imported, report), code.shown)
    text = mdx.TEXT.sub(r"\1", text)
    text = _FRONT_VALUE.sub(lambda match: lenient_values.words(front.get(match[1])), text)
    return mdx.EXPRESSION.sub(lambda match: _expression(match, report), text)


def _expression(match: re.Match[str], report: ImportReport) -> str:
    """An expression as a note; braces of attributes of Markdown and of formulas stay."""
    if mdx.is_attribute(match[1]):
        return match[0]
    report.shortcodes["{…}", "left out, with a note in the text"] += 1
    return note_of(mdx.shown_expression(match[1]))


def _marks(text: str) -> list[ShortcodeMark]:
    return [
        ShortcodeMark(match.start(), match.end(), match[2], match[3], bool(match[1]), alone=bool(match[4]))
        for match in mdx.COMPONENT.finditer(text)
    ]


class _Components:
    """Writes components of one text."""

    def __init__(self, imported: Mapping[str, str], report: ImportReport) -> None:
        self._imported, self._report = imported, report

    def __call__(self, call: ShortcodeCall) -> str:
        call = _with_plain_values(call)
        text = self._written(call)
        self._report.shortcodes[call.name, "mapped" if text is not None else "left out, with a note in the text"] += 1
        if text is not None:
            return text
        inner = (call.inner or "").strip("\n")
        note = note_of(call.name)
        return f"{note}\n\n{inner}" if inner.strip() else note

    def _written(self, call: ShortcodeCall) -> str | None:
        name, inner = call.name.rpartition(".")[2].lower(), (call.inner or "").strip("\n")
        if name in mdx.SILENT:
            return ""
        if name in mdx.PICTURES:
            return self._picture(call)
        if name in ("youtube", "vimeo", "video", "liteyoutube"):
            return Shortcodes(HiddenCode(), self._report.shortcodes, {})(call._replace(name=name.removeprefix("lite")))
        if name in ("aside", "admonition", "callout", "note", "caution") or is_kind(name):
            kind = call.argument("type", "kind", "variant") or (name if is_kind(name) else "note")
            return callout(kind, inner, call.argument("title"))
        if name in mdx.LINKS and call.argument("href", "to", "link"):
            words = call.argument("title", "label", "children", "text") or inner or call.argument("href", "to")
            about = f"\n\n{call.argument('description')}\n" if call.argument("description") else ""
            return f"[{words.strip()}]({call.argument('href', 'to', 'link')}){about}"
        return self._around(name, call, inner) if call.inner is not None else None

    def _around(self, name: str, call: ShortcodeCall, inner: str) -> str | None:
        """A component whose inside is what it shows."""
        title = call.argument("label", "title", "summary", "value") if name in mdx.TITLED else ""
        if name not in mdx.TITLED and name not in mdx.INSIDE:
            return None
        return f"\n\n**{title}**\n\n{_outdented(inner)}\n\n" if title else f"\n\n{_outdented(inner)}\n\n"

    def _picture(self, call: ShortcodeCall) -> str | None:
        source = call.argument("src", "source")
        source = self._imported.get(source.removesuffix(".src"), source)
        return picture(call._replace(named={**call.named, "src": source})) if source else None


def _with_plain_values(call: ShortcodeCall) -> ShortcodeCall:
    """A component whose values are texts: those in braces as what they hold."""
    named = dict(call.named)
    for key, value in re.findall(r"([A-Za-z][\w-]*)=\{\s*((?:[^{}]|\{[^{}]{0,500}\}){0,500})\s*\}", call.text):
        text = mdx.literal(value)
        named[key.lower()] = text if text is not None else value if re.fullmatch(r"\w+(?:\.src)?", value) else ""
    return call._replace(named=named)


def _outdented(text: str) -> str:
    """A text without the indent that all of its lines share, so that it is no code."""
    lines = [line for line in text.split("\n") if line.strip()]
    indent = min((len(line) - len(line.lstrip(" ")) for line in lines), default=0)
    return "\n".join(line[indent:] if line.strip() else "" for line in text.split("\n"))
