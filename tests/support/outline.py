"""Reads an outline back: the text form of an answer, by the types of the structure it was written from."""

import json
from typing import Any

STEP = 2


class Reader:
    """Walks the lines of an outline."""

    def __init__(self, text: str, last: str = "") -> None:
        head, _, self.markdown = text.partition("\n\n") if last else (text, "", "")
        self.lines = head.split("\n")
        self.at = 0
        self.last = last

    def whole(self, like: dict[str, Any]) -> dict[str, Any]:
        """The structure, with its Markdown member."""
        tree = self.object({name: value for name, value in like.items() if name != self.last}, 0)
        assert self.at == len(self.lines)
        return {**tree, self.last: self.markdown} if self.last in like else tree

    def object(self, like: dict[str, Any], depth: int) -> dict[str, Any]:
        """Members at this depth, in the order in which they stand."""
        result = {}
        for name, example in like.items():
            line = self.lines[self.at][depth:]
            assert line.startswith(f"{name}:"), (line, name)
            self.at += 1
            result[name] = self.value(line[len(name) + 1 :].removeprefix(" "), example, depth)
        return result

    def value(self, word: str, example: Any, depth: int) -> Any:
        """What stands behind a name."""
        if isinstance(example, str):
            return self.text(word, depth)
        if isinstance(example, dict):
            return self.object(example, depth + STEP) if word != "none" else {}
        if isinstance(example, list):
            return self.items(word, example, depth)
        return json.loads(word)

    def text(self, first: str, depth: int) -> str:
        """A text and its further lines."""
        lines = [first]
        while self.at < len(self.lines) and self.lines[self.at].startswith(" " * (depth + STEP)):
            lines.append(self.lines[self.at][depth + STEP :])
            self.at += 1
        return "\n".join(lines)

    def items(self, word: str, examples: list[Any], depth: int) -> list[Any]:
        """A list on one line, or item by item."""
        if word:
            words = word.split(", ") if word != "none" else []
            return [
                word if isinstance(like, str) else json.loads(word) for word, like in zip(words, examples, strict=True)
            ]
        values = []
        for like in examples:
            line = self.lines[self.at]
            assert line[depth:].startswith("- "), line
            if isinstance(like, dict):
                self.lines[self.at] = " " * (depth + STEP) + line[depth + STEP :]
                values.append(self.object(like, depth + STEP))
                continue
            self.at += 1
            value = self.text(line[depth + STEP :], depth)
            values.append(value if isinstance(like, str) else json.loads(value))
        return values


def read(text: str, like: dict[str, Any], last: str = "") -> dict[str, Any]:
    """The structure that an outline tells."""
    return Reader(text, last).whole(like)
