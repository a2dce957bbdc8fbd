"""URLs as the source ledger compares them: one normal form, one registrable host."""

import re
from functools import cache, lru_cache
from importlib import import_module
from ipaddress import AddressValueError, IPv4Address, IPv6Address
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
DOTS = ".\u3002\uff0e\uff61"
"""Full stops of several scripts, which all part the labels of a host."""
LAST_LABEL_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
"""A last label with which clients read the whole host as an IPv4 address (the URL standard, "ends in a number")."""
_NO_HOST = re.compile(r"[\x00-\x20\x7f%#/:<>?@\[\\\]^|]")
"""What no host may hold (the URL standard, "forbidden domain code points")."""
_UNWANTED = re.compile(r"[\x00-\x20\x7f]")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

_PLAIN = re.compile(
    r"(https?://(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9])(/[A-Za-z0-9/:@!$&'()*+,;=._~-]*)?"
)
"""An address that needs no more than its closing slash dropped, as most do."""

_PLAIN_HOST = re.compile(r"https?://([a-z0-9.-]+)(?![^/?#])")

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
    made minimal, segments of dots led where they lead, an empty path made ``/``, and the trailing slash of any other
    path dropped. As in browsers, a host may be percent-encoded and a backslash is a slash.
    Raises ``UrlError`` when the text is no absolute http(s) URL of at most 2,048 characters, and where its host is an
    IPv4 address that is not written as four decimal numbers.
    """
    if len(url) > URL_LENGTH:
        raise UrlError(f"longer than {URL_LENGTH} characters")
    if "/." not in url and (plain := _PLAIN.fullmatch(url)):
        return plain[1] + ((plain[2] or "").rstrip("/") or "/")
    if _UNWANTED.search(url):
        raise UrlError("contains a space or control character")
    try:
        parts = urlsplit(_slashed(url))
        port = parts.port
    except ValueError as error:
        raise UrlError(str(error)) from None
    scheme = parts.scheme.lower()
    if scheme not in DEFAULT_PORTS or not parts.hostname:
        raise UrlError("not an absolute http or https URL")
    host = _ascii_host(parts.hostname)
    netloc = host if port in (None, DEFAULT_PORTS[scheme]) else f"{host}:{port}"
    path = quote(_without_dots(_ESCAPE.sub(_minimal_escape, parts.path)), safe=SAFE).rstrip("/") or "/"
    query = urlencode([(k, v) for k, v in parse_qsl(parts.query, keep_blank_values=True) if not TRACKING.fullmatch(k)])
    return urlunsplit((scheme, netloc, path, query, ""))


def variants(url: str) -> tuple[str, str, str]:
    """Other normalised addresses of what is usually the same page: the other scheme, with or without ``www.``."""
    scheme, _, rest = url.partition("://")
    other = "http" if scheme == "https" else "https"
    twin = rest.removeprefix("www.") if rest.startswith("www.") else f"www.{rest}"
    return f"{other}://{rest}", f"{scheme}://{twin}", f"{other}://{twin}"


def without_variant(url: str) -> str:
    """What a normalised address has in common with its ``variants``."""
    return url.partition("://")[2].removeprefix("www.")


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
    parts, plain = urlsplit(_slashed(url)), urlsplit(normalise(url))
    path, query, fragment = (quote(part, safe=_URI_SAFE) for part in (parts.path, parts.query, parts.fragment))
    return urlunsplit((plain.scheme, plain.netloc, path, query, fragment))


def _slashed(url: str) -> str:
    """The address with slashes for the backslashes before its query, as browsers read it."""
    if "\\" not in url:
        return url
    end = min((place for place in map(url.find, "?#") if place >= 0), default=len(url))
    return url[:end].replace("\\", "/") + url[end:]


def _without_dots(path: str) -> str:
    """RFC 3986 section 5.2.4: the path that segments of one dot or two lead to."""
    if "/." not in path:
        return path
    segments: list[str] = []
    for segment in path.split("/")[1:]:
        if segment == "..":
            segments[-1:] = []
        elif segment != ".":
            segments.append(segment)
    return f"/{'/'.join(segments)}"


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
    """The host as browsers write it. Raises ``UrlError``."""
    try:
        if ":" in host:
            return f"[{IPv6Address(host)}]"
        name = _ascii_labels(unquote(host, errors="strict").rstrip(DOTS))
        if LAST_LABEL_NUMBER.fullmatch(name.rpartition(".")[2]):
            return str(IPv4Address(name))
    except AddressValueError:
        wanted = (
            "an IPv4 address is written as four decimal numbers" if ":" not in host else "this is not an IPv6 address"
        )
        raise UrlError(f"must name a public host; {wanted}") from None
    except UnicodeError:
        name = ""
    if host and (not name or _NO_HOST.search(name)):
        raise UrlError(f"{host!r} is not a host name")
    return name


def _ascii_labels(name: str) -> str:
    """The name by IDNA 2008 with the mapping of UTS 46, which browsers use. Raises ``UnicodeError``."""
    if not name.isascii():
        idna = import_module("idna")  # its tables take 25 ms, and few hosts need them
        try:
            return str(idna.encode(name, uts46=True), "ascii")
        except idna.IDNAError:
            pass  # Browsers take symbols that IDNA 2008 leaves out, such as a snowman, as IDNA 2003 writes them.
    return name.encode("idna").decode("ascii").lower()


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
    # Read when it is first needed: reading it takes a tenth of the time in which a short command ends.
    return PublicSuffixList()


def host_of(url: str) -> str:
    """The host of a normalised URL, without port."""
    # Each address of an archive comes here: most have neither a port nor anything else beside their host.
    plain = _PLAIN_HOST.match(url)
    return plain[1] if plain else urlsplit(url).hostname or ""
