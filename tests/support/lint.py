"""An independent judge of HTTP: what it has against an answer."""

from collections.abc import Mapping

from httplint import HttpRequestLinter, HttpResponseLinter, levels

from citepress.base import clock
from support.running_server import Answer


def remarks(url: str, method: str, sent: Mapping[str, str], answer: Answer) -> set[str]:
    """Names of everything that httplint finds bad or warns of, in an exchange over HTTP/1.1."""
    request = HttpRequestLinter(start_time=clock.now().timestamp())
    request.process_request_topline(method.encode(), url.encode(), b"1.1")
    request.process_headers([(name.encode(), value.encode()) for name, value in sent.items()])
    request.finish_content(True)
    response = HttpResponseLinter(start_time=clock.now().timestamp())
    response.request, response.is_head_response = request, method == "HEAD"
    response.process_response_topline(b"1.1", str(answer.status).encode(), b"")
    response.process_headers([(name.encode(), value.encode()) for name, value in answer.lines])
    response.feed_content(answer.body)
    response.finish_content(True)
    return {type(note).__name__ for note in response.notes if note.level in (levels.BAD, levels.WARN)}
