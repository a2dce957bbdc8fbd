import pytest
from hypothesis import given
from hypothesis import strategies as st

from citepress.contract.limits import SITE_QUOTA, Limit
from citepress.contract.site import ForwardedField
from citepress.http.client_address import ClientAddressResolver
from citepress.http.network_counters import NetworkCounters
from citepress.stores.local.counters import LocalCounters


def key(peer: str, proxies: tuple[str, ...] = (), field: ForwardedField = "X-Forwarded-For", **fields: str) -> str:
    return ClientAddressResolver(proxies, field).key(
        peer, {name.replace("_", "-").encode(): value.encode("latin-1") for name, value in fields.items()}
    )


def test_without_proxies_the_peer_is_the_client() -> None:
    assert key("192.0.2.1", x_forwarded_for="1.2.3.4", forwarded="for=1.2.3.4") == "192.0.2.1"
    assert key("2001:db8::1") == key("2001:db8::ffff") == "2001:db8::/64"
    assert key("::1") == "::/64"
    assert key("::ffff:192.0.2.1") == "192.0.2.1"
    assert key("") == ""


@pytest.mark.parametrize(
    "address", ["2002:c000:201:77::1", "2002:c000:201::", "64:ff9b::c000:201", "2001:0:1:2:3:4:3fff:fdfe"]
)
def test_an_address_that_embeds_another_one_counts_as_that(address: str) -> None:
    assert key(address) == "192.0.2.1"


def test_networks_of_one_site_share_a_larger_quota() -> None:
    counters, limit = NetworkCounters(LocalCounters()), Limit("rest", 2, 60)
    allowed = sum(counters.spend(limit, f"2001:db8:1:{number:x}::/64").allowed for number in range(100))
    assert allowed == 2 * SITE_QUOTA
    assert counters.spend(limit, "2001:db8:2:1::/64").allowed
    assert [counters.spend(limit, "2001:db8:3:1::/64").allowed for _ in range(3)] == [True, True, False]
    assert [counters.spend(limit, "192.0.2.1").allowed for _ in range(3)] == [True, True, False]
    assert counters.spend(limit, "").allowed


def test_proxies_are_passed_over_from_the_right() -> None:
    proxies = ("10.0.0.0/8", "2001:db8:f::/48")
    assert key("10.1.1.1", proxies, x_forwarded_for="8.8.8.8, 203.0.113.1, 10.2.2.2, 2001:db8:f::7") == "203.0.113.1"
    assert key("10.1.1.1", proxies, x_forwarded_for="10.2.2.2, 10.3.3.3") == "10.2.2.2"
    assert key("::ffff:10.1.1.1", proxies, x_forwarded_for="203.0.113.1") == "203.0.113.1"
    assert key("11.1.1.1", proxies, x_forwarded_for="203.0.113.1") == "11.1.1.1"


@pytest.mark.parametrize(
    "hop",
    ["", "unknown", "1.2.3", "1.2.3.4:port", "[::1", "::1]", "1.2.3.4 5.6.7.8", "1.2.3.4:123456", "<b>", "::1%eth0:80"],
)
def test_a_hop_that_is_no_address_leaves_the_proxy(hop: str) -> None:
    assert key("10.1.1.1", ("10.0.0.0/8",), x_forwarded_for=f"203.0.113.1, {hop}") == "10.1.1.1"


def test_forwarded_is_read_with_its_quotes() -> None:
    proxies = ("10.0.0.0/8",)
    field = 'for="203.0.113.1:80";proto="a,b;for=1.1.1.1", for=10.2.2.2'
    assert key("10.1.1.1", proxies, "Forwarded", forwarded=field) == "203.0.113.1"
    assert key("10.1.1.1", proxies, "Forwarded", forwarded='proto=http; FOR = "[2001:db8:1::1]"') == "2001:db8:1::/64"
    assert key("10.1.1.1", proxies, "Forwarded", forwarded="for=203.0.113.1, proto=http") == "10.1.1.1"


def test_a_field_that_the_proxies_do_not_write_is_never_believed() -> None:
    forged = {"x_forwarded_for": "203.0.113.1", "forwarded": "for=203.0.113.2"}
    assert key("10.1.1.1", ("10.0.0.0/8",), **forged) == "203.0.113.1"
    assert key("10.1.1.1", ("10.0.0.0/8",), "Forwarded", **forged) == "203.0.113.2"
    assert key("10.1.1.1", ("10.0.0.0/8",), "Forwarded", x_forwarded_for="203.0.113.1") == "10.1.1.1"
    assert key("10.1.1.1", ("10.0.0.0/8",), forwarded="for=203.0.113.2") == "10.1.1.1"


def test_a_proxy_that_is_no_network_is_refused() -> None:
    with pytest.raises(ValueError, match="does not appear"):
        ClientAddressResolver(["proxy.example"])


@given(st.text(alphabet='for=";,:[]0123456789abcdef. \\_%', max_size=200))
def test_any_field_gives_a_client(field: str) -> None:
    assert key("10.1.1.1", ("10.0.0.0/8",), "Forwarded", forwarded=field)
    assert key("10.1.1.1", ("10.0.0.0/8",), x_forwarded_for=field)
