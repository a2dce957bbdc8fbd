"""The text of a former page as Markdown that citepress renders: no notation of another tool is left in it."""

import re
from collections import Counter

from citepress.content import text_links
from citepress.content.rewritten import apply_edits
from citepress_import import wiki_links
from citepress_import.address_book import AddressBook
from citepress_import.former_site import FormerPage, FormerSite
from citepress_import.heading_ids import with_former_ids
from citepress_import.mdx import from_mdx
from citepress_import.relinking import Relinker
from citepress_import.report import ImportReport
from citepress_notes import callouts, plain_html
from citepress_notes.document_texts import from_html
from citepress_notes.hidden_code import HiddenCode
from citepress_notes.site_notation import VAULT, notation_edits
from citepress_notes.tool_comments import without_hidden

_HEADING = re.compile(r"\A# +([^\n]+?)(?: *\{[^}\n]*\})? *#*\n*(?=\n|\Z)")
_BLOCK_ATTRIBUTES = re.compile(r"^[ \t>]*\{:[^}\n]*\}[ \t]*$|\{:[^}\n]{1,200}\}", re.MULTILINE)
_SPAN_ATTRIBUTES = re.compile(r"(?<=[)\]*_~`\x03])\{ *[.#:][^}\n]{0,200}\}")
_HEADING_ATTRIBUTES = re.compile(r"^([ \t>]*#{1,6} [^\n]*?)[ \t]*\{ *([^}\n]{1,200}) *\}[ \t]*$", re.MULTILINE)
_ID = re.compile(r"#([A-Za-z][\w:.-]*)")
_MORE = re.compile(r"<!--\s*(?:more|excerpt|truncate|read-?more)\s*-->|\{/\*\s*truncate\s*\*/\}", re.IGNORECASE)
_TOC = re.compile(r"^[ \t]*(?:\[TOC\]|\[\[_?TOC_?\]\]|\[\[toc\]\]|\* toc|1\. toc)[ \t]*$", re.MULTILINE | re.IGNORECASE)
_AUTOLINK = re.compile(r"<(https?://[^\s<>()\[\]\\]{1,2000})>", re.IGNORECASE)
_SHELTERED = (("{{</*", "{{<"), ("*/>}}", ">}}"), ("{{%/*", "{{%"), ("*/%}}", "%}}"), ("{{/*", "{{"), ("*/}}", "}}"))
"""How Hugo and Zola show a shortcode without running it."""
_NOT_SHOWN = re.compile("“(.*)” is not shown")
_SHOWN = re.compile(r"\{\{([<%]?)/\*([^\n]{0,2000}?)\*/([>%]?)\}\}")


class TextConverter:
    """Converts the texts of one site."""

    def __init__(self, site: FormerSite, book: AddressBook, links: Relinker, report: ImportReport) -> None:
        self._site, self._book, self._links, self._report = site, book, links, report

    def converted(self, page: FormerPage, slug: str, title: str) -> str:
        """The text of a page, without a heading that repeats its title."""
        text = page.body.replace("\x02", "").replace("\x03", "")
        if page.html:
            text = from_html(text, self._report.html_left_out, templated=page.templated)
        text = without_hidden(text)
        if self._site.wiki:
            text = self._without_queries(text)
        text = self._markdown(page, text)
        text = text_links.relink(text, lambda href, image: self._links.address(page, slug, href, image=image))
        match = _HEADING.match(text)
        if match and title and _same(match[1], title):
            text = text[match.end() :]
        text = re.sub(r"\n{4,}", "\n\n\n", text).strip("\n")
        return with_former_ids(text, self._site.heading_id) if self._site.heading_id and not page.html else text

    def _without_queries(self, text: str) -> str:
        """The text with a note in place of each block that a plugin of a vault runs, and with plain footnotes."""
        edits = notation_edits(text, VAULT)
        for edit in edits:
            if match := _NOT_SHOWN.search(edit.address.decode()):
                self._report.shortcodes[match[1], "left out, with a note in the text"] += 1
        return apply_edits(text, edits)

    def _markdown(self, page: FormerPage, text: str) -> str:
        code = HiddenCode(_SHELTERED)
        text = code.blocks(text)
        if page.mdx or page.source.lower().endswith(".mdx"):
            text = from_mdx(code.spans(text), page.front, self._report, code)
        text = self._site.expand(page, code, text) if page.templated or not page.html else code.spans(text)
        text = _SHOWN.sub(lambda match: code.put(f"{{{{{match[1]}{match[2]}{match[3]}}}}}".replace("<", "&lt;")), text)
        text = _MORE.sub("", text)
        text = plain_html.without_comments(text)
        if not page.html:
            text = self._notation(page, code, text)
        lost: Counter[str] = Counter()
        text = plain_html.harmless(text, lost)
        self._report.html_left_out.update(lost)
        # The address of an automatic link is its words: as any other link it can be led on, or become words.
        text = _AUTOLINK.sub(
            lambda match: (self._links.is_own(match[1]) and f"[{match[1]}]({match[1]})") or match[0], text
        )
        return code.shown(text)

    def _notation(self, page: FormerPage, code: HiddenCode, text: str) -> str:
        text = code.spans(text)
        text = _TOC.sub("", text)
        text = callouts.from_indented(callouts.from_colons(callouts.from_obsidian(text)))
        if self._site.wiki:
            text = wiki_links.without_marks(text)
        text = (
            wiki_links.link_wiki_words(text, page, self._book, self._report, self._site.heading_id)
            if self._site.wiki
            else text
        )
        text = _HEADING_ATTRIBUTES.sub(_with_id, text)
        return _SPAN_ATTRIBUTES.sub("", _BLOCK_ATTRIBUTES.sub("", text)) if "{" in text else text


def _with_id(match: re.Match[str]) -> str:
    """A heading with nothing but its id."""
    id_ = _ID.search(match[2])
    if "=" not in match[2] and not id_ and not match[2].lstrip().startswith((".", ":")):
        return match[0]
    return f"{match[1]} {{#{id_[1]}}}" if id_ else match[1]


def _same(heading: str, title: str) -> bool:
    return re.sub(r"\W+", " ", heading).strip().casefold() == re.sub(r"\W+", " ", title).strip().casefold()
