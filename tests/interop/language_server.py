"""A client of language servers over standard input and output: as much of the protocol as an editor needs to help."""

import json
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from workshop import HOME

ANSWER_S = 30
"""Seconds in which a server answers: the first question reads the schema."""
CAPABILITIES = {
    "workspace": {"configuration": True, "workspaceFolders": True},
    "textDocument": {
        "hover": {"contentFormat": ["markdown"]},
        "completion": {"completionItem": {"snippetSupport": True}},
        "publishDiagnostics": {},
    },
}


class LanguageServer:
    """One server of one folder."""

    def __init__(self, process: "subprocess.Popen[bytes]", root: Path, settings: dict[str, Any]) -> None:
        self.process, self.root, self.settings = process, root, settings
        self.number = 0
        self.answers: dict[int, Any] = {}
        self.marks: dict[str, list[dict[str, Any]]] = {}
        self.news = threading.Condition()
        threading.Thread(target=self._listen, daemon=True).start()
        folder = {"uri": root.as_uri(), "name": root.name}
        opening = {"processId": None, "rootUri": root.as_uri(), "workspaceFolders": [folder]}
        self.ask("initialize", {**opening, "capabilities": CAPABILITIES})
        self.tell("initialized", {})

    def open(self, path: str, language: str, text: str) -> None:
        """Open a file with this text, whatever the folder has."""
        document = {"uri": self._uri(path), "languageId": language, "version": 1, "text": text}
        self.tell("textDocument/didOpen", {"textDocument": document})

    def complete(self, path: str, line: int, column: int) -> set[str]:
        """The labels that are offered at a place; lines and columns count from 1, as in `check`."""
        answer = self.ask("textDocument/completion", self._place(path, line, column)) or []
        return {item["label"] for item in (answer["items"] if isinstance(answer, dict) else answer)}

    def hover(self, path: str, line: int, column: int) -> str:
        """What is shown over a place."""
        answer = self.ask("textDocument/hover", self._place(path, line, column))
        return str(answer["contents"]["value"]) if answer else ""

    def faults(self, path: str, count: int) -> list[tuple[int, str]]:
        """Line and message of each mark of a file, once there are so many."""
        uri = self._uri(path)
        with self.news:
            self.news.wait_for(lambda: len(self.marks.get(uri, [])) >= count, ANSWER_S)
            marks = self.marks.get(uri, [])
        return sorted((mark["range"]["start"]["line"] + 1, mark["message"]) for mark in marks)

    def ask(self, method: str, parameters: dict[str, Any]) -> Any:
        """The answer to a request."""
        self.number += 1
        number = self.number
        self._send({"id": number, "method": method, "params": parameters})
        with self.news:
            if not self.news.wait_for(lambda: number in self.answers, ANSWER_S):
                raise TimeoutError(f"{method} has no answer after {ANSWER_S} s")
        return self.answers[number].get("result")

    def tell(self, method: str, parameters: dict[str, Any]) -> None:
        """Send a notification."""
        self._send({"method": method, "params": parameters})

    def _uri(self, path: str) -> str:
        return (self.root / path).as_uri()

    def _place(self, path: str, line: int, column: int) -> dict[str, Any]:
        position = {"line": line - 1, "character": column - 1}
        return {"textDocument": {"uri": self._uri(path)}, "position": position}

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def _listen(self) -> None:
        while message := self._message():
            with self.news:
                if "method" in message and "id" in message:
                    self._send({"id": message["id"], "result": self._setting(message)})
                elif "id" in message:
                    self.answers[message["id"]] = message
                elif message["method"] == "textDocument/publishDiagnostics":
                    self.marks[message["params"]["uri"]] = message["params"]["diagnostics"]
                self.news.notify_all()

    def _setting(self, message: dict[str, Any]) -> Any:
        """What a server asks the editor for: its settings, by their sections."""
        if message["method"] != "workspace/configuration":
            return None
        return [self.settings.get(item.get("section", "")) for item in message["params"]["items"]]

    def _message(self) -> dict[str, Any] | None:
        assert self.process.stdout
        size = 0
        while field := self.process.stdout.readline().strip():
            if field.lower().startswith(b"content-length:"):
                size = int(field.split(b":")[1])
        message: dict[str, Any] | None = json.loads(self.process.stdout.read(size)) if size else None
        return message


@contextmanager
def language_server(command: Sequence[str], root: Path, settings: dict[str, Any]) -> Iterator[LanguageServer]:
    """A server in a process of its own, ended afterwards."""
    with (HOME / "reports" / "language-server.log").open("ab") as log:
        process = subprocess.Popen(command, cwd=HOME, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log)
        try:
            yield LanguageServer(process, root, settings)
        finally:
            process.kill()
            process.wait(10)
