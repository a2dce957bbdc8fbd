"""Requests to services that may be away for a moment: sent again after growing pauses."""

from collections.abc import Callable, Iterable, Mapping

from citepress.base.outgoing import OutgoingClient, OutgoingError

SUCCESS = range(200, 300)


def failure_of(
    client: OutgoingClient,
    method: str,
    url: str,
    body: bytes | None,
    fields: Mapping[str, str],
    *,
    waits: Iterable[float],
    sleep: Callable[[float], object],
    refusal: str = "it answers {}",
) -> str:
    """Why no attempt succeeded; empty where one did.

    ``waits`` are the seconds between the attempts; ``refusal`` is what an answer with another status means.
    """
    reason = ""
    for wait in (*waits, None):
        try:
            answer = client.send(method, url, body, fields)
        except (OutgoingError, ValueError) as error:
            reason = str(error)
        else:
            if answer.status in SUCCESS:
                return ""
            reason = refusal.format(answer.status)
        if wait is not None:
            sleep(wait)
    return reason
