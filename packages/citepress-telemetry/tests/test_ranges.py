import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address, ip_network
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citepress_telemetry.identify.user_agents.table import BROWSER, Family, shipped
from citepress_telemetry.identify.verify import address_lists
from citepress_telemetry.identify.verify.address_lists import AddressList, AddressListError
from citepress_telemetry.identify.verify.intervals import cut
from citepress_telemetry.identify.verify.ranges import FORMAT, Ranges, RangesError, read_ranges
from citepress_telemetry.identify.verify.refresh import DOCUMENT_BYTES, FetchError, prefixes, refresh

NOW = datetime(2026, 11, 22, 5, tzinfo=UTC)
ONE = AddressList("one", "https://one.example/list.json", frozenset({"Onebot"}))
TWO = AddressList("two", "https://two.example/list.json", frozenset({"Twobot"}))
LISTS = (ONE, TWO)
ONEBOT = Family("Onebot", ranges=("one",), listed=True)
TWOBOT = Family("Twobot", ranges=("two",), listed=True)
BOTH = Family("Onebot", ranges=("one", "two"), listed=True)
OTHER = Family("Otherbot", ranges=("one",), listed=True)


def document(*networks: str) -> bytes:
    prefixes = [{"ipv6Prefix" if ":" in network else "ipv4Prefix": network} for network in networks]
    return json.dumps({"creationTime": "2026-11-20T10:00:00.000000", "prefixes": prefixes}).encode()


def giving(answers: dict[str, bytes | FetchError]) -> Callable[[str], bytes]:
    def fetch(url: str) -> bytes:
        answer = answers[url]
        if isinstance(answer, FetchError):
            raise answer
        return answer

    return fetch


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """Two lists that overlap, fetched now."""
    answers: dict[str, bytes | FetchError] = {
        ONE.url: document("192.0.2.0/24", "2001:db8::/48"),
        TWO.url: document("192.0.2.128/25", "198.51.100.7"),
    }
    refresh(tmp_path / "ranges.json", giving(answers), NOW, lists=LISTS)
    return tmp_path / "ranges.json"


def loaded(path: Path, *, after: timedelta = timedelta(0)) -> Ranges:
    return Ranges.load(path, NOW + after, lists=LISTS)


@pytest.mark.parametrize(
    ("address", "keys"),
    [
        ("192.0.2.1", {"one"}),
        ("192.0.2.127", {"one"}),
        ("192.0.2.128", {"one", "two"}),
        ("192.0.2.255", {"one", "two"}),
        ("192.0.3.0", set()),
        ("192.0.1.255", set()),
        ("198.51.100.7", {"two"}),
        ("198.51.100.8", set()),
        ("2001:db8::1", {"one"}),
        ("2001:db8:0:ffff::", {"one"}),
        ("2001:db8:1::", set()),
        ("::ffff:192.0.2.200", {"one", "two"}),
        ("::", set()),
        ("255.255.255.255", set()),
        ("not an address", set()),
        ("", set()),
        ("192.0.2", set()),
        ("fe80::1%eth0", set()),
        ("192.0.2.1\0", set()),
        ("\udcff", set()),
    ],
)
def test_an_address_is_on_every_list_that_covers_it(state: Path, address: str, keys: set[str]) -> None:
    assert loaded(state).lists(address) == keys


def test_a_member_of_a_fresh_list_is_confirmed_and_a_stranger_to_a_complete_one_contradicted(state: Path) -> None:
    ranges = loaded(state)
    assert ranges.state(ONEBOT, "192.0.2.1") == "ip_range"
    assert ranges.state(TWOBOT, "192.0.2.1") == "contradicted"
    assert ranges.state(ONEBOT, "203.0.113.1") == "contradicted"
    assert ranges.state(BROWSER, "192.0.2.1") == "claimed"


def test_a_list_that_is_not_the_familys_whole_never_contradicts(state: Path) -> None:
    assert loaded(state).state(OTHER, "203.0.113.1") == "claimed"
    assert loaded(state).state(OTHER, "192.0.2.1") == "ip_range"
    assert loaded(state).state(BOTH, "203.0.113.1") == "claimed"
    assert loaded(state).state(BOTH, "198.51.100.7") == "ip_range"


def test_a_stale_list_neither_confirms_nor_contradicts(state: Path) -> None:
    ranges = loaded(state)
    for after, member, stranger in (
        (timedelta(days=7), "ip_range", "contradicted"),
        (timedelta(days=7, seconds=1), "claimed", "claimed"),
    ):
        later = ranges.aged(NOW + after)
        assert (later.state(ONEBOT, "192.0.2.1"), later.state(ONEBOT, "203.0.113.1")) == (member, stranger)
        assert loaded(state, after=after).fresh == later.fresh
    assert ranges.aged(NOW) is ranges
    assert ranges.aged(NOW + timedelta(days=9)).lists("192.0.2.1") == {"one"}
    assert ranges.aged(NOW - timedelta(days=2)).fresh == frozenset()


def test_without_a_file_everything_is_claimed(tmp_path: Path) -> None:
    ranges = Ranges.load(tmp_path / "ranges.json", NOW)
    assert ranges.lists("192.0.2.1") == frozenset()
    assert ranges.state(ONEBOT, "192.0.2.1") == "claimed"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"format":2,"lists":{}}',
        '{"format":1,"lists":{"one":{}}}',
        '{"format":1,"lists":{"one":{"url":"","fetched_at":"x","digest":"","prefixes":[]}}}',
        '{"format":1,"lists":{"one":{"url":"","fetched_at":"2026-11-22T05:00:00","digest":"","prefixes":[]}}}',
        '{"format":1,"lists":{"one":{"url":"","fetched_at":"2026-11-22T05:00:00Z","digest":"","prefixes":["x"]}}}',
    ],
)
def test_a_broken_file_is_refused_with_a_sentence(tmp_path: Path, text: str) -> None:
    path = tmp_path / "ranges.json"
    path.write_text(text)
    with pytest.raises(RangesError, match=r"ranges\.json"):
        read_ranges(path)


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 255), st.integers(24, 32)), max_size=12),
    st.lists(st.integers(0, 255), min_size=1, max_size=8),
)
def test_the_cut_says_what_the_ranges_one_by_one_say(
    given_ranges: list[tuple[str, int, int]], hosts: list[int]
) -> None:
    networks = [(key, ip_network(f"10.0.0.{start}/{length}", strict=False)) for key, start, length in given_ranges]
    intervals = cut(networks)
    assert list(intervals.v4.starts) == sorted(set(intervals.v4.starts))
    for host in hosts:
        address = f"10.0.0.{host}"
        assert intervals.lists(address) == {key for key, network in networks if ip_address(address) in network}


@given(st.text(max_size=50))
def test_any_text_is_on_some_lists_or_none(address: str) -> None:
    assert cut([("all", ip_network("::/16"))]).lists(address) in {frozenset(), frozenset({"all"})}


def test_a_refresh_tells_of_each_list_and_keeps_what_stood_before(state: Path) -> None:
    answers: dict[str, bytes | FetchError] = {
        ONE.url: document("192.0.2.0/24", "2001:db8::/48"),
        TWO.url: FetchError("the server answered 503"),
    }
    outcomes = refresh(state, giving(answers), NOW + timedelta(days=1), lists=LISTS)
    assert [(outcome.key, outcome.outcome, outcome.reason) for outcome in outcomes] == [
        ("one", "same", ""),
        ("two", "refused", "the server answered 503"),
    ]
    held = read_ranges(state)
    assert held["one"].fetched_at == NOW + timedelta(days=1)
    assert held["two"].fetched_at == NOW
    assert held["one"].digest.startswith("sha-256:")
    assert json.loads(state.read_text())["format"] == FORMAT
    assert [path.name for path in state.parent.iterdir()] == ["ranges.json"]


def test_a_list_that_shrinks_by_more_than_half_is_refused_until_it_is_accepted(tmp_path: Path) -> None:
    path = tmp_path / "state" / "ranges.json"
    full = document(*(f"192.0.2.{n * 2}/32" for n in range(10)))
    half, less = (document(*(f"192.0.2.{n * 2}/32" for n in range(count))) for count in (5, 2))
    assert [outcome.outcome for outcome in refresh(path, giving({ONE.url: full}), NOW, lists=(ONE,))] == ["new"]
    assert [outcome.outcome for outcome in refresh(path, giving({ONE.url: half}), NOW, lists=(ONE,))] == ["changed"]
    (refused,) = refresh(path, giving({ONE.url: less}), NOW, lists=(ONE,))
    assert (refused.outcome, refused.prefixes) == ("refused", 5)
    assert "it shrank from 5 networks to 2" in refused.reason
    assert len(read_ranges(path)["one"].prefixes) == 5
    (accepted,) = refresh(path, giving({ONE.url: less}), NOW, lists=(ONE,), accept=["one"])
    assert (accepted.outcome, accepted.before, accepted.prefixes) == ("changed", 5, 2)


def test_only_the_lists_asked_for_are_fetched_and_an_unknown_one_is_refused(state: Path) -> None:
    assert [
        outcome.key
        for outcome in refresh(
            state, giving({TWO.url: document("192.0.2.128/25", "198.51.100.7")}), NOW, lists=LISTS, only=["two"]
        )
    ] == ["two"]
    with pytest.raises(RangesError, match="no such list: three"):
        refresh(state, giving({}), NOW, lists=LISTS, only=["three"])


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"<html>", "not JSON"),
        (b'{"prefixes":[]}', "contains no network"),
        (document("0.0.0.0/0"), "too wide"),
        (document("::/8"), "too wide"),
        (b'"' + b"x" * DOCUMENT_BYTES + b'"', "larger than"),
        (b"[" * 50 + b'"10.0.0.1"' + b"]" * 50, "nested too deeply"),
        (json.dumps([f"10.{n // 65536}.{n // 256 % 256}.{n % 256}" for n in range(50_001)]).encode(), "more than"),
    ],
)
def test_a_document_that_cannot_be_believed_is_refused(raw: bytes, reason: str) -> None:
    with pytest.raises(FetchError, match=reason):
        prefixes(raw)


def test_the_shapes_of_several_operators_are_read() -> None:
    assert prefixes(document("192.0.2.0/25", "192.0.2.128/25", "2001:db8::/32")) == ("192.0.2.0/24", "2001:db8::/32")
    assert prefixes(b'{"prefixes":[{"ip_prefix":"192.0.2.1"}],"made":"2026-11-20T10:00:00Z"}') == ("192.0.2.1/32",)
    assert prefixes(b'["192.0.2.77/24"]') == ("192.0.2.0/24",)


def test_the_lists_known_of_are_the_operators_own_and_belong_to_families() -> None:
    families = {row.family.name: row.family for row in shipped().rows}
    for address_list in address_lists.shipped():
        assert address_list.url.startswith("https://")
        for name in address_list.complete_for:
            assert address_list.key in families[name].ranges
    assert {key for family in families.values() for key in family.ranges} == {
        address_list.key for address_list in address_lists.shipped()
    }
    assert not any("Claude-User" in address_list.complete_for for address_list in address_lists.shipped())


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\xff",
        b"[[list]]\nkey='a'",
        b"[[list]]\nkey='a'\nurl='http://a.example'\ncomplete_for=[]",
        b"[[list]]\nkey='a'\nurl='https://a.example'\ncomplete_for=[]\n" * 2,
    ],
)
def test_a_broken_file_of_lists_is_refused_with_a_sentence(raw: bytes) -> None:
    with pytest.raises(AddressListError, match=r"ranges\.toml"):
        address_lists.load(raw)
