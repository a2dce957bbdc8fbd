"""Responses with the header fields that follow from their bodies."""

from citepress.base.headers import Headers
from citepress.http.message import Response


def with_body(status: int, content_type: str, body: bytes, fields: Headers, *, head: bool = False) -> Response:
    """A response of this type, with the length of its body; ``head`` leaves the body out."""
    entity = [(b"content-type", content_type.encode()), (b"content-length", b"%d" % len(body))]
    return Response(status, [*entity, *fields], b"" if head else body)


def without_body(status: int, fields: Headers) -> Response:
    """A response that has no body although its status allows one."""
    return Response(status, [(b"content-length", b"0"), *fields], b"")
