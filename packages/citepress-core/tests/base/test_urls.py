"""The one form of an address, as browsers read it."""

import pytest

from citepress.base.urls import UrlError, normalise, opened


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("https://a.example/one/../two/./three/", "https://a.example/two/three"),
        ("https://a.example/one/%2E%2e/%2e/two", "https://a.example/two"),
        ("https://a.example/../..", "https://a.example/"),
        ("https://a.example/.well-known/x", "https://a.example/.well-known/x"),
        ("https://a%2Eexample/x", "https://a.example/x"),
        ("https://a.exampl%C3%A9/", "https://a.xn--exampl-gva/"),
        ("https:\\\\a.example\\x?y=\\", "https://a.example/x?y=%5C"),
        ("https://Stra\u00dfe.example/", "https://xn--strae-oqa.example/"),
        ("https://\u2603.example/", "https://xn--n3h.example/"),
        ("https://example.com\u3002/", "https://example.com/"),
        ("https://[2001:DB8:0:0::1]/", "https://[2001:db8::1]/"),
        ("https://\uff11\uff12\uff17.0.0.1/", "https://127.0.0.1/"),
    ],
)
def test_spellings_that_browsers_open_alike_are_one_address(written: str, normal: str) -> None:
    assert normalise(written) == normal
    assert normalise(normal) == normal
    assert normalise(opened(written)) == normal


@pytest.mark.parametrize(
    "host",
    ["127.1", "0177.0.0.1", "0x7f.1", "2130706433", "%31%32%37.1", "a%00.example", "a%2Fb.example", "a..b", "%ff"],
)
def test_hosts_that_browsers_read_as_others_and_what_is_no_host_are_refused(host: str) -> None:
    with pytest.raises(UrlError):
        normalise(f"https://{host}/")
