"""Pages of ``docs/`` hold generated text between ``<!-- name -->`` and ``<!-- /name -->``; prose stands around it."""

import re
from collections.abc import Iterator, Mapping

SPAN = re.compile(r"(?:`[^`]*`|[^\s`])+")
"""A word, with the spans of code in it."""
MARK = re.compile(r"^<!-- ([a-z0-9-]+) -->$", re.MULTILINE)


def rewritten(text: str, places: Mapping[str, str]) -> str:
    """A page with its marked places written anew. Raises ``ValueError`` for a mark that nothing fills."""
    if left := [name for name in MARK.findall(text) if name not in places]:
        raise ValueError(f"nothing is generated for {', '.join(left)}: take the marks away")
    for name, part in places.items():
        start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->\n"
        before, mark, rest = text.partition(start)
        if not mark:
            raise ValueError(f"the page has no place for {name}: write {start.strip()} and {end.strip()}")
        text = f"{before}{start}\n{part}\n{end}{rest.partition(end)[2]}"
    return text


def filled(text: str, width: int = 100) -> str:
    """Paragraphs wrapped at word boundaries; spans of code stay whole."""
    paragraphs = text.strip().split("\n\n")
    return "\n\n".join("\n".join(_lines(SPAN.findall(each), width)) for each in paragraphs)


def _lines(tokens: list[str], width: int) -> Iterator[str]:
    line = ""
    for token in map(" ".join, map(str.split, tokens)):
        if line and len(line) + 1 + len(token) > width:
            yield line
            line = token
        else:
            line = f"{line} {token}".strip()
    yield line
