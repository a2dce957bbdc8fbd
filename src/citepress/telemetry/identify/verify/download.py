"""The one place of this room that reaches out: a document over https, bounded in size and time, never redirected to another host."""

import http.client
import urllib.error
import urllib.request
from typing import IO
from urllib.parse import urlsplit

from citepress import __version__
from citepress.telemetry.identify.verify.refresh import DOCUMENT_BYTES, FetchError

SECONDS = 20.0
AGENT = f"citepress-ranges/{__version__}"


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Follows a redirect only to the same scheme and host."""

    max_redirections = 3

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: http.client.HTTPMessage, newurl: str
    ) -> urllib.request.Request | None:
        """The next request. Raises ``FetchError`` for another host."""
        here, there = urlsplit(req.full_url), urlsplit(newurl)
        if (here.scheme, here.netloc) != (there.scheme, there.netloc):
            raise FetchError(f"{here.netloc} redirects to another host ({there.netloc or 'none'})")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def download(url: str, *, seconds: float = SECONDS) -> bytes:
    """The document at an address. Raises ``FetchError`` with the reason, in words for the operator."""
    opener = urllib.request.build_opener(_SameHost)
    request = urllib.request.Request(url, headers={"User-Agent": AGENT, "Accept": "application/json"})  # noqa: S310  (ranges.toml names https only)
    try:
        with opener.open(request, timeout=seconds) as answer:
            data: bytes = answer.read(DOCUMENT_BYTES + 1)
    except urllib.error.HTTPError as error:
        raise FetchError(f"the server answered {error.code}") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise FetchError(f"no answer: {error}") from None
    if len(data) > DOCUMENT_BYTES:
        raise FetchError(f"the document is larger than {DOCUMENT_BYTES} bytes")
    return data
