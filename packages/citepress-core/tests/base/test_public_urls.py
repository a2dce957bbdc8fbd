"""Which hosts may be public, however they are written."""

import pytest

from citepress.base.public_urls import refuse_private
from citepress.base.urls import UrlError


@pytest.mark.parametrize(
    "host",
    [
        "example.org",
        "example.org.",
        "EXAMPLE.org:8443",
        "b\u00fccher.example",
        "xn--bcher-kva.example",
        "a_b.example",
        "10.example",
        "1.2.3.example",
        "8.8.8.8",
        "8.8.8.8:8443",
        "[2606:4700::1111]",
        "[2606:4700::1111]:8443",
        "[2001:200::1]",
        "[2002:808:808::]",
        "localhost.example",
        "internal.example",
    ],
)
def test_public_hosts_pass(host: str) -> None:
    refuse_private(f"https://{host}/path?query#part")


NETWORKS = [
    "0.0.0.0",  # noqa: S104  (nothing is bound to it)
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.9",
    "192.0.2.1",
    "192.168.0.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "224.0.1.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "168.63.129.16",
    "192.88.99.1",
    "[3fff::1]",
    "[2002:a83f:8110::]",
    "[::]",
    "[::1]",
    "[::127.0.0.1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::ffff:8.8.8.8]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "[2001::1]",
    "[2001:20::1]",
    "[2001:db8::1]",
    "[fc00::1]",
    "[fd00::1]",
    "[fe80::1]",
    "[fe80::1%25en0]",
    "[2606:4700::1111%25en0]",
    "[fec0::1]",
    "[ff02::1]",
]
SPELLINGS = [
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "017700000001",
    "0177.0.0.1",
    "127.1",
    "127.0.1",
    "0",
    "127.0.0.1.",
    "127.0.0.1.:443",
    "0x",
    "127.0.0.010",
    "1.2.3.4.5",
    "999.1.1.1",
    "%31%32%37.0.0.1",
    "\u2460\u2461\u2466.0.0.1",
    "127\u30020\u30020\u30021",
    "134744072",
]
NAMES = [
    "localhost",
    "LOCALHOST",
    "localhost.",
    "localhost:8443",
    "a.localhost",
    "nas.local",
    "nas.LOCAL.",
    "db.internal",
    "a.b.internal:5432",
    "router.home.arpa",
    "home.arpa",
    "intranet",
    "a.localhos%74",
    "10.0.0.1\\.example.org",
    "-a.example",
    "a-.example",
    "[v1.x]",
    "a,b.example",
]


@pytest.mark.parametrize("host", [*NETWORKS, *SPELLINGS, *NAMES])
def test_other_hosts_are_refused(host: str) -> None:
    with pytest.raises(UrlError, match="must name a public host"):
        refuse_private(f"https://{host}/")


@pytest.mark.parametrize(
    "url", ["example.org", "ftp://example.org/", "https://", "https://a b.example/", "https://[::1"]
)
def test_what_is_no_url_is_refused_as_such(url: str) -> None:
    with pytest.raises(UrlError):
        refuse_private(url)
