"""JSON over HTTP with one pinned host: TLS, or plain HTTP on loopback; redirects are not followed."""

from typing import Any

import orjson

from citepress.base import fast_json
from citepress.base.outgoing import Authorize, OutgoingClient, OutgoingError, Rules, check_address

UNKNOWN = (401, 403)
"""Statuses of a host that rejects our credentials; their bodies need not be JSON."""


class JsonClient:
    """One address; safe to share between threads."""

    def __init__(
        self, url: str, *, seconds: float, most_bytes: int, keep: bool = False, authorize: Authorize | None = None
    ) -> None:
        """``authorize`` returns the header fields that authenticate a request.

        ``keep`` keeps connections open and repeats a request whose connection had gone stale: for requests that may be
        sent twice.

        Raises ``ValueError`` for an address that is neither TLS nor on loopback.
        """
        self._address = check_address(url)
        rules = Rules("payments", total_s=seconds, most_bytes=most_bytes, keep=keep)
        self._client = OutgoingClient(rules, authorize)

    @property
    def name(self) -> str:
        """The host, for messages."""
        return self._address.hostname or ""

    def post(self, document: Any, path: str = "") -> tuple[int, Any]:  # noqa: ANN401  (JSON is any shape)
        """Status and JSON of the answer to a POST of ``document``. Raises ``OutgoingError``."""
        return self._exchanged("POST", path, orjson.dumps(document))

    def get(self, path: str = "") -> tuple[int, Any]:
        """Status and JSON of the answer to a GET. Raises ``OutgoingError``."""
        return self._exchanged("GET", path, None)

    def _exchanged(self, method: str, path: str, body: bytes | None) -> tuple[int, Any]:
        fields = {"Accept": "application/json"} | ({"Content-Type": "application/json"} if body else {})
        answer = self._client.send(method, self._url(path), body, fields)
        try:
            return answer.status, fast_json.loads(answer.body)
        except ValueError:
            if answer.status in UNKNOWN:
                return answer.status, None
            raise OutgoingError(self.name, f"answered {answer.status} without JSON") from None

    def _url(self, path: str) -> str:
        base = self._address.path
        return self._address._replace(path=base.rstrip("/") + path if path else base, fragment="").geturl()
