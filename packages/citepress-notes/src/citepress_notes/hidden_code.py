"""Code in a Markdown text, put out of reach while notations around it are replaced, and put back unchanged."""

import re

_FENCE = re.compile(r"^([ \t>]*(?:[-*+] +|\d{1,4}[.)] +)?)(`{3,}|~{3,})([^\n]*)$")
_INLINE = re.compile(r"(?<!`)(`{1,4})(?!`)(?:(?!\n[ \t]*\n)[^\x02\x03]){1,1000}?(?<!`)\1(?!`)")
_PLACE = re.compile("\x02(\\d+)\x03")
_LEAD = re.compile(r"[ \t>]*")


class HiddenCode:
    """Pieces of code of one text; a piece stays on its line, so that lines can be indented and quoted around it."""

    def __init__(self, unescape: tuple[tuple[str, str], ...] = ()) -> None:
        """``unescape``: notation that shows a shortcode without running it, and what it shows."""
        self._pieces: list[str] = []
        self._unescape = unescape

    def put(self, piece: str) -> str:
        """The mark that stands for a piece of text."""
        for written, shown in self._unescape:
            piece = piece.replace(written, shown)
        self._pieces.append(piece)
        return f"\x02{len(self._pieces) - 1}\x03"

    def blocks(self, text: str) -> str:
        """The text with each line of fenced code hidden; the text may not hold the characters U+0002 and U+0003."""
        lines, fence = [], ""
        for line in text.split("\n"):
            match = _FENCE.match(line)
            if fence:
                lines.append(self._line(line))
                bare = line.strip(" \t>")
                if bare and not bare.strip(fence[0]) and len(bare) >= len(fence):
                    fence = ""
            elif match and not (match[2][0] == "`" and "`" in match[3]):
                fence = match[2]
                lines.append(match[1] + self.put(line[len(match[1]) :]))
            else:
                lines.append(line)
        return "\n".join(lines)

    def _line(self, line: str) -> str:
        lead = _LEAD.match(line)
        at = lead.end() if lead else 0
        return line[:at] + self.put(line[at:]) if at < len(line) else line

    def spans(self, text: str) -> str:
        """The text with code among its words hidden."""
        return _INLINE.sub(lambda match: self.put(match[0]), text)

    def fence(self, code: str, language: str = "") -> str:
        """A block of code as Markdown, hidden."""
        code = self.shown(code).strip("\n")
        marks = "```"
        while marks in code:
            marks += "`"
        language = re.sub(r"[^A-Za-z0-9+#._-]", "", language)
        return self.blocks(f"\n\n{marks}{language}\n{code}\n{marks}\n\n")

    def span(self, code: str) -> str:
        """Code among words as Markdown, hidden."""
        marks = "`"
        while marks in code:
            marks += "`"
        space = " " if code.startswith("`") or code.endswith("`") else ""
        return self.put(f"{marks}{space}{code}{space}{marks}")

    def shown(self, text: str) -> str:
        """The text with every piece back in its place."""
        while "\x02" in text:
            put_back = _PLACE.sub(lambda match: self._pieces[int(match[1])], text)
            if put_back == text:
                return text.replace("\x02", "")
            text = put_back
        return text
