"""Wiki links and other notation of note-taking tools, as Markdown."""

import re
from collections.abc import Callable
from urllib.parse import quote

from citepress.content.headings import anchor_of
from citepress.content.images import is_image
from citepress_import.address_book import AddressBook
from citepress_import.former_site import FormerPage
from citepress_import.report import ImportReport
from citepress_notes.foreign_markup import DAY_NAME

_LINK = re.compile(r"(!?)\[\[([^\[\]\n]{1,300})\]\](?!\(|\[(?!\^))")
_BLOCK_ID = re.compile(r"[ \t]+\^[A-Za-z0-9-]+[ \t]*$|^\^[A-Za-z0-9-]+[ \t]*$", re.MULTILINE)
_MARKED = re.compile(r"(?<![=\w])==(?=\S)([^=\n]{1,400}?)(?<=\S)==(?![=\w])")


def without_marks(text: str) -> str:
    """The text without names of blocks, and with marked words as HTML; code is out of reach already."""
    text = _BLOCK_ID.sub("", text) if "^" in text else text
    return _MARKED.sub(r"<mark>\1</mark>", text) if "==" in text else text


def link_wiki_words(
    text: str, page: FormerPage, book: AddressBook, report: ImportReport, heading_id: Callable[[str], str] | None = None
) -> str:
    """The text with wiki links as Markdown links to files of the source, which are led on with all other links."""
    anchored = heading_id or anchor_of

    def written(match: re.Match[str]) -> str:
        target, _, label = (part.strip() for part in match[2].replace("\\|", "|").partition("|"))
        name, _, part = target.partition("#")
        words = re.sub(r"[\[\]]", "", label or (f"{name}: {part}" if name and part else target)).strip("# ")
        is_named = any(map(str.isalpha, target)) or DAY_NAME.match(target)
        if not is_named and not (len(name) > 1 and book.page_named(name, page.source)):
            return match[0]  # footnotes and matrices
        if match[1] and is_image(name):
            return _image(name, label, book, page, report)
        if not name:
            return f"[{words}](#{anchored(part)})"
        if source := book.page_named(name, page.source):
            # An embed of what is held back shows nothing, not even its name.
            hides = match[1] and book.page_of(source) in book.private and not page.front.get("draft")
            anchor = f"#{anchored(part.rpartition('#')[2])}" if part and not part.startswith("^") else ""
            return "" if hides else f"[{words}](/{quote(source)}{anchor})"
        file = book.file_named(name) if "." in name else ""
        if file:
            return f"[{words}](/{quote(file)})"
        report.links["dead, left as text"] += 1
        report.dead_links.append((page.source, match[0]))
        return "" if match[1] else words

    return _LINK.sub(written, text) if "[[" in text else text


def _image(name: str, label: str, book: AddressBook, page: FormerPage, report: ImportReport) -> str:
    file = book.file_named(name)
    words = "" if re.fullmatch(r"\d+(?:x\d+)?", label) else label
    if not file:
        report.images["not in the source"] += 1
        report.missing_images.append((page.source, name))
        return words
    return f"![{words}](/{quote(file)})"
