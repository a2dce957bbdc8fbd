"""URLs as the source ledger compares them: one normal form, one registrable host."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from publicsuffixlist import PublicSuffixList

from citepress.base.errors import CitepressError

TRACKING = re.compile(
    r"utm_\w+|fbclid|gclid|dclid|msclkid|mc_[ce]id|igshid|yclid|_hs(enc|mi)|ref_src|ref_url", re.IGNORECASE
)
"""Query members that follow a reader and never change what is read; normalising drops them."""
DEFAULT_PORTS = {"http": 80, "https": 443}
URL_LENGTH = 2048
SAFE = "/:@!$&'()*+,;=-._~%"
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})|%")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

_PLAIN = re.compile(
    r"(https?://(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9])(/[A-Za-z0-9/:@!$&'()*+,;=._~-]*)?"
)
"""An address that needs no more than its closing slash dropped, as most do."""

_URI = re.compile(r"[A-Za-z]+://[A-Za-z0-9.:\[\]-]+(?:[/?#][A-Za-z0-9/?:@!$&'()*+,;=._~%#-]*)?")
"""An absolute http(s) address without a user that holds nothing but what a URI may hold."""
_URI_SAFE = "/?:@!$&'()*+,;=._~%-"


LAST_PORT = 65_535
"""The highest port there is."""


class UrlError(CitepressError, ValueError):
    """The text is not an absolute http or https URL; the message says why."""


def normalise(url: str) -> str:
    """The form under which a source is one source.

    Scheme and host in lower case (IDNA), default port, fragment and tracking parameters dropped, percent-encoding
    made minimal, an empty path made ``/``, and the trailing slash of any other path dropped.
    Raises ``UrlError`` when the text is no absolute http(s) URL of at most 2,048 characters.
    """
    if len(url) > URL_LENGTH:
        raise UrlError(f"longer than {URL_LENGTH} characters")
    if plain := _PLAIN.fullmatch(url):
        return plain[1] + ((plain[2] or "").rstrip("/") or "/")
    if any(ord(c) <= 32 or ord(c) == 127 for c in url):  # noqa: PLR2004
        raise UrlError("contains a space or control character")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise UrlError(str(error)) from None
    scheme = parts.scheme.lower()
    if scheme not in DEFAULT_PORTS or not parts.hostname:
        raise UrlError("not an absolute http or https URL")
    host = _ascii_host(parts.hostname)
    netloc = host if port in (None, DEFAULT_PORTS[scheme]) else f"{host}:{port}"
    path = quote(_ESCAPE.sub(_minimal_escape, parts.path), safe=SAFE).rstrip("/") or "/"
    query = urlencode([(k, v) for k, v in parse_qsl(parts.query, keep_blank_values=True) if not TRACKING.fullmatch(k)])
    return urlunsplit((scheme, netloc, path, query, ""))


def untracked(url: str) -> str:
    """The address as it is written, without what only follows a reader."""
    parts = urlsplit(url)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    wanted = [(name, value) for name, value in pairs if not TRACKING.fullmatch(name)]
    return url if len(wanted) == len(pairs) else urlunsplit(parts._replace(query=urlencode(wanted)))


def variants(url: str) -> Iterator[str]:
    """Other normalised addresses of what is usually the same page: the other scheme, with or without ``www.``."""
    scheme, _, rest = url.partition("://")
    other = "http" if scheme == "https" else "https"
    twin = rest.removeprefix("www.") if rest.startswith("www.") else f"www.{rest}"
    yield from (f"{other}://{rest}", f"{scheme}://{twin}", f"{other}://{twin}")


def own_path(url: str, base_url: str) -> str | None:
    """The path, decoded and below ``base_url``, of an address of the archive itself; ``None`` for any other text.

    Scheme, ``www.``, default ports, query and fragment make no difference. ``/`` stands for the base address.
    """
    base = urlsplit(base_url)
    try:
        parts = urlsplit(url)
        if parts.scheme.lower() not in DEFAULT_PORTS or _place(parts) != _place(base):
            return None
        path = unquote(parts.path, errors="strict") or "/"
    except ValueError:  # a malformed address
        return None
    prefix = base.path.rstrip("/")
    return path.removeprefix(prefix) or "/" if path == prefix or path.startswith(f"{prefix}/") else None


def _place(parts: SplitResult) -> tuple[str, str, int | None]:
    """User, host without ``www.``, and port unless it is a default one. Raises ``ValueError``."""
    port = None if parts.port in DEFAULT_PORTS.values() else parts.port
    return parts.netloc.rpartition("@")[0], _ascii_host(parts.hostname or "").removeprefix("www."), port


def opened(url: str) -> str:
    """The address to open for one that ``normalise`` takes: as it is written, with its slash, query and fragment.

    What no URI may hold is escaped, and a user name or password is left out.
    """
    if _URI.fullmatch(url):
        return url
    parts, plain = urlsplit(url), urlsplit(normalise(url))
    path, query, fragment = (quote(part, safe=_URI_SAFE) for part in (parts.path, parts.query, parts.fragment))
    return urlunsplit((plain.scheme, plain.netloc, path, query, fragment))


def _minimal_escape(match: re.Match[str]) -> str:
    """RFC 3986 section 6.2.2: decode what needs no escape, upper-case the rest, escape a stray percent sign."""
    digits = match[1]
    if digits is None:
        return "%25"
    char = chr(int(digits, 16))
    return char if char in _UNRESERVED else f"%{digits.upper()}"


def international_host(url: str) -> str:
    """The ASCII form (``xn--…``) of a URL's host where the URL writes it with other characters; empty otherwise."""
    host = urlsplit(url).hostname or ""
    return "" if host.isascii() else _ascii_host(host)


def _ascii_host(host: str) -> str:
    if ":" in host:
        return f"[{host.lower()}]"
    try:
        return host.rstrip(".").encode("idna").decode("ascii").lower()
    except UnicodeError:
        raise UrlError(f"{host!r} is not a host name") from None


@lru_cache(maxsize=65536)
def registrable_host(host: str) -> str:
    """``example.co.uk`` for ``docs.example.co.uk``: the host's public suffix and one label more.

    An address stays itself.
    """
    bare = host.strip("[]")
    if ":" in bare or bare.replace(".", "").isdigit():
        return bare
    return _suffixes().privatesuffix(bare) or bare


@cache
def _suffixes() -> PublicSuffixList:
    # Read when it is first needed: reading it takes a tenth of the time in which a command on the inbox ends.
    return PublicSuffixList()


def host_of(url: str) -> str:
    """The host of a normalised URL, without port."""
    return urlsplit(url).hostname or ""
