"""A text as a page shows it, in lines without marks: what two revisions are compared by.

Where a link or an image leads is in brackets behind its words, so that a new address is a change too.
"""

from typing import Any

from citepress.content.commonmark import PARSER, formula

BETWEEN_CELLS = " | "
_CLOSED_BY_A_LINE = frozenset({"Item", "TableRow", "TableHead", "DefinitionListTitle", "DefinitionListDefinition"})
_CLOSED_BY_A_SPACE = frozenset(
    {"Paragraph", "Heading", "CodeBlock", "HtmlBlock", "List", "Table", "FootnoteDefinition"}
)


def plain_text(markdown: str) -> str:
    """The words of a text, a paragraph or a row a line, with an empty line between its blocks."""
    writer = _PlainText()
    event: Any  # the parser's own union of strings and dictionaries
    for event in PARSER.events(markdown):
        writer.take(event)
    return writer.text()


class _PlainText:
    """Gathers the words of a text from the events of the parser."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._targets: list[str] = []
        """Addresses of the links and images that are open."""
        self._numbers: list[int | None] = []
        """The next number of each list that is open; ``None`` where its items have none."""

    def text(self) -> str:
        """The words so far."""
        lines = (line.rstrip() for line in "".join(self._parts).split("\n"))
        joined: list[str] = []
        for line in lines:
            if line or (joined and joined[-1]):
                joined.append(line)
        return "\n".join(joined).strip("\n")

    def take(self, event: Any) -> None:  # noqa: ANN401  (the parser's own union)
        """One event."""
        if isinstance(event, str):
            self._parts.append({"SoftBreak": " ", "HardBreak": "\n", "Rule": "\n* * *\n\n"}.get(event, ""))
        elif "Start" in event:
            self._open(*_named(event["Start"]))
        elif "End" in event:
            self._close(_named(event["End"])[0])
        elif "TaskListMarker" in event:
            self._parts.append("[x] " if event["TaskListMarker"] else "[ ] ")
        elif "FootnoteReference" in event:
            self._parts.append(f"[{event['FootnoteReference']}]")
        else:
            words = (str(event[sort]) for sort in ("Text", "Code", "Html", "InlineHtml") if sort in event)
            self._parts += [*words, formula(event)]

    def _open(self, name: str, about: Any) -> None:  # noqa: ANN401
        if name in ("Link", "Image"):
            self._targets.append(about["dest_url"])
        elif name == "List":
            self._parts.append("\n")
            self._numbers.append(about)
        elif name == "Item":
            number = self._numbers[-1]
            self._parts.append("• " if number is None else f"{number}. ")
            self._numbers[-1] = None if number is None else number + 1
        elif name == "FootnoteDefinition":
            self._parts.append(f"[{about}] ")

    def _close(self, name: str) -> None:
        if name in ("Link", "Image"):
            self._parts.append(f" ({self._targets.pop()})")
        elif name == "TableCell":
            self._parts.append(BETWEEN_CELLS)
        elif name in _CLOSED_BY_A_LINE:
            if self._parts[-1:] == [BETWEEN_CELLS]:
                self._parts.pop()
            self._parts.append("\n")
        elif name in _CLOSED_BY_A_SPACE:
            self._parts.append("\n" if self._numbers and name != "List" else "\n\n")
        if name == "List":
            self._numbers.pop()


def _named(sort: Any) -> tuple[str, Any]:  # noqa: ANN401
    """The name of what begins or ends, and what is said of it."""
    return (sort, None) if isinstance(sort, str) else next(iter(sort.items()))
