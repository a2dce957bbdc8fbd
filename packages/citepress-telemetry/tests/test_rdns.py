import time
from collections.abc import Sequence

import pytest

from citepress_telemetry.identify.user_agents.table import BROWSER, Family, shipped
from citepress_telemetry.identify.verify.rdns import ANSWER_LIFETIME_S, MAX_WAITING_ADDRESSES, ReverseDns
from support.waiting import PATIENCE_S

YANDEX = next(row.family for row in shipped().rows if row.family.name == "YandexBot")
OTHER = Family("Otherbot", rdns=("other.example",), listed=True)


class Names:
    """A resolver with fixed answers that counts what it is asked."""

    def __init__(self) -> None:
        self.lookups: list[str] = []
        self.reverse = {
            "192.0.2.1": ["spider-1.yandex.com."],
            "192.0.2.2": ["evil.example"],
            "192.0.2.3": ["fake.yandex.com"],
            "192.0.2.4": ["notyandex.com"],
            "2001:db8::1": ["v6.spider.yandex.com"],
            "192.0.2.5": ["broken.yandex.com"],
        }
        self.forward = {
            "spider-1.yandex.com.": ["192.0.2.99", "192.0.2.1"],
            "fake.yandex.com": ["198.51.100.1"],
            "v6.spider.yandex.com": ["2001:0db8:0::1"],
            "broken.yandex.com": ["not an address"],
            "notyandex.com": ["192.0.2.4"],
        }

    def names(self, address: str) -> Sequence[str]:
        self.lookups.append(address)
        if address not in self.reverse:
            raise OSError("no such host")
        return self.reverse[address]

    def addresses(self, name: str) -> Sequence[str]:
        return self.forward[name]


class Seconds:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def names() -> Names:
    return Names()


@pytest.fixture
def seconds() -> Seconds:
    return Seconds()


@pytest.mark.parametrize(
    ("address", "confirmed"),
    [
        ("192.0.2.1", True),
        ("2001:db8::1", True),
        ("192.0.2.2", False),
        ("192.0.2.3", False),
        ("192.0.2.4", False),
        ("192.0.2.5", False),
        ("192.0.2.6", False),
    ],
)
def test_a_name_under_the_domain_that_leads_back_confirms_later_requests(
    names: Names, seconds: Seconds, address: str, confirmed: bool
) -> None:
    side = ReverseDns(names, seconds)
    assert not side.confirmed(YANDEX, address)
    assert side.look_up()
    assert side.confirmed(YANDEX, address) is confirmed
    assert not side.confirmed(OTHER, address)
    assert not side.look_up()


def test_an_answer_stands_for_a_day_and_is_asked_for_once(names: Names, seconds: Seconds) -> None:
    side = ReverseDns(names, seconds)
    for _ in range(3):
        side.confirmed(YANDEX, "192.0.2.1")
    assert side.look_up()
    assert not side.look_up()
    seconds.now = ANSWER_LIFETIME_S - 1
    assert side.confirmed(YANDEX, "192.0.2.1")
    seconds.now = ANSWER_LIFETIME_S
    assert not side.confirmed(YANDEX, "192.0.2.1")
    assert side.look_up()
    assert names.lookups == ["192.0.2.1"] * 2


def test_a_family_without_domains_is_never_looked_up_and_the_queue_is_bounded(names: Names, seconds: Seconds) -> None:
    side = ReverseDns(names, seconds)
    assert not side.confirmed(BROWSER, "192.0.2.1")
    assert not side.look_up()
    for n in range(MAX_WAITING_ADDRESSES + 10):
        side.confirmed(YANDEX, f"10.0.{n // 256}.{n % 256}")
    looked_up = 0
    while side.look_up():
        looked_up += 1
    assert looked_up == MAX_WAITING_ADDRESSES


def test_the_side_thread_looks_up_no_faster_than_told_and_forgets_at_its_end(names: Names) -> None:
    side = ReverseDns(names, time.monotonic, per_second=20)
    began = time.monotonic()
    for last in range(1, 6):
        side.confirmed(YANDEX, f"192.0.2.{last}")
    side.start()
    side.start()
    while len(names.lookups) < 5 and time.monotonic() - began < PATIENCE_S:
        time.sleep(0.01)
    assert time.monotonic() - began >= 4 / 20
    while not side.confirmed(YANDEX, "192.0.2.1") and time.monotonic() - began < PATIENCE_S:
        time.sleep(0.01)
    assert side.confirmed(YANDEX, "192.0.2.1")
    side.stop()
    assert not side.confirmed(YANDEX, "192.0.2.1")
