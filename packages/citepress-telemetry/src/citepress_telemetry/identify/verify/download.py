"""Downloads an operator's document: over TLS, bounded in size and time, never redirected to another host."""

from http import HTTPStatus

from citepress.base.outgoing import OutgoingClient, OutgoingError, Rules
from citepress_telemetry.identify.verify.refresh import DOCUMENT_BYTES, FetchError

DOWNLOAD_RULES = Rules("ranges", total_s=20.0, most_bytes=DOCUMENT_BYTES, redirects=3)


def download(url: str, *, rules: Rules = DOWNLOAD_RULES) -> bytes:
    """The document at an address. Raises ``FetchError``, whose message is for the operator."""
    try:
        answer = OutgoingClient(rules).get(url, {"Accept": "application/json"})
    except (OutgoingError, ValueError) as error:
        raise FetchError(str(error)) from None
    if answer.status != HTTPStatus.OK:
        raise FetchError(f"the server answered {answer.status}")
    return answer.body
