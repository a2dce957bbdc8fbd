"""A running server as a buyer meets it: plain HTTP, strictly bounded."""

import base64
import binascii
import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import urlsplit

from citepress import __version__
from citepress.payments import wire
from citepress.payments.ports import Json

SECONDS = 60.0
"""More than a server holds an answer for a settlement."""
MOST_BYTES = 1 << 20
DEFAULT_PORTS = {"http": 80, "https": 443}


class RemoteError(Exception):
    """The server does not answer, or not as a server of citepress would."""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An answer."""

    status: int
    fields: Mapping[str, str]
    """Names in lower case."""
    body: bytes

    def json(self) -> Any:  # noqa: ANN401  (JSON is any shape)
        """The body as JSON; an empty object where it is none."""
        try:
            return json.loads(self.body)
        except ValueError:
            return {}

    def object(self, name: str) -> dict[str, Any]:
        """The object in an x402 header; empty where there is none."""
        try:
            told = json.loads(base64.b64decode(self.fields.get(name, ""), validate=True))
        except (binascii.Error, ValueError):
            return {}
        return told if isinstance(told, dict) else {}

    @property
    def code(self) -> str:
        """The code of a problem document."""
        told = self.json()
        return str(told.get("code", "")) if isinstance(told, dict) else ""

    @property
    def sentence(self) -> str:
        """What it says, for a person to read."""
        told = self.json()
        return f"{self.status} {self.code} {told.get('detail', '') if isinstance(told, dict) else ''}".strip()


class RemoteServer:
    """A server at an address; every request has a connection of its own."""

    def __init__(self, url: str) -> None:
        """Raises ``RemoteError`` for what is no http or https address."""
        parts = urlsplit(url)
        try:
            self._port = parts.port or DEFAULT_PORTS[parts.scheme]
        except (KeyError, ValueError):
            raise RemoteError(f"{url} is no address; write one such as http://127.0.0.1:8000") from None
        if not parts.hostname:
            raise RemoteError(f"{url} names no host")
        self._tls, self._host, self._prefix, self._url = parts.scheme == "https", parts.hostname, parts.path.rstrip("/"), url

    def get(self, path: str) -> HttpAnswer:
        """Read a document. Raises ``RemoteError``."""
        return self._ask("GET", path, None, {})

    def post(self, path: str, body: bytes, signature: Json | None = None) -> HttpAnswer:
        """Ask for a product, signed or not. Raises ``RemoteError``."""
        signed = {"PAYMENT-SIGNATURE": wire.encoded(signature).decode()} if signature else {}
        return self._ask("POST", path, body, {"Content-Type": "application/json", **signed})

    def _ask(self, method: str, path: str, body: bytes | None, fields: Mapping[str, str]) -> HttpAnswer:
        link = (
            HTTPSConnection(self._host, self._port, timeout=SECONDS, context=ssl.create_default_context())
            if self._tls
            else HTTPConnection(self._host, self._port, timeout=SECONDS)
        )
        told = {"Accept": "application/json", "User-Agent": f"citepress-payments-test/{__version__}", **fields}
        try:
            link.request(method, self._prefix + path, body, told)
            answer = link.getresponse()
            data = answer.read(MOST_BYTES + 1)
        except (OSError, HTTPException) as error:
            raise RemoteError(f"{self._url} does not answer: {error}") from None
        finally:
            link.close()
        if len(data) > MOST_BYTES:
            raise RemoteError(f"{self._url}{path} answers more than {MOST_BYTES:,} bytes")
        return HttpAnswer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, data)
