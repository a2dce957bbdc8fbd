"""HTTP requests to a running server, as a buyer sends them."""

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from citepress.base.errors import CitepressError
from citepress.base.outgoing import OutgoingClient, Rules, check_address
from citepress_payments import wire
from citepress_payments.ports.rows import Json

ANSWER_TIMEOUT_S = 60.0
"""More than a server holds an answer for a settlement."""
MAX_ANSWER_BYTES = 1 << 20


class TrialError(CitepressError):
    """A trial purchase cannot be made, for a reason that the message names."""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An answer."""

    status: int
    fields: Mapping[str, str]
    """Names in lower case."""
    body: bytes

    def json(self) -> Any:  # noqa: ANN401  (JSON is any shape)
        """The body as JSON; an empty object where it is not JSON."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return {}

    def object(self, name: str) -> dict[str, Any]:
        """The object in an x402 header; empty where there is none."""
        try:
            document = json.loads(base64.b64decode(self.fields.get(name, ""), validate=True))
        except (ValueError, RecursionError):
            return {}
        return document if isinstance(document, dict) else {}

    @property
    def code(self) -> str:
        """The code of a problem document."""
        return str(self._problem().get("code", ""))

    @property
    def sentence(self) -> str:
        """Status, code and detail, for a person to read."""
        return f"{self.status} {self.code} {self._problem().get('detail', '')}".strip()

    def _problem(self) -> dict[str, Any]:
        document = self.json()
        return document if isinstance(document, dict) else {}


class RemoteServer:
    """A server at an address that the operator names, which may be plain HTTP on a private network."""

    def __init__(self, url: str) -> None:
        """Raises ``TrialError`` unless ``url`` is an http or https address."""
        try:
            self._base = check_address(url, plain_http=True).geturl().rstrip("/")
        except ValueError as error:
            raise TrialError(f"{url} cannot be used ({error}); write one such as http://127.0.0.1:8000") from None
        self._client = OutgoingClient(
            Rules("payments-test", total_s=ANSWER_TIMEOUT_S, most_bytes=MAX_ANSWER_BYTES, plain_http=True)
        )

    def get(self, path: str) -> HttpAnswer:
        """Read a document. Raises ``OutgoingError``."""
        return self._exchanged("GET", path, None, {})

    def post(self, path: str, body: bytes, signature: Json | None = None) -> HttpAnswer:
        """Ask for a product, signed or not. Raises ``OutgoingError``."""
        signed = {"PAYMENT-SIGNATURE": wire.encode_header(signature).decode()} if signature else {}
        return self._exchanged("POST", path, body, {"Content-Type": "application/json", **signed})

    def _exchanged(self, method: str, path: str, body: bytes | None, fields: Mapping[str, str]) -> HttpAnswer:
        answer = self._client.send(method, self._base + path, body, {"Accept": "application/json", **fields})
        return HttpAnswer(answer.status, answer.fields, answer.body)
