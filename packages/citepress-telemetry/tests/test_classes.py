import pytest
from hypothesis import given
from hypothesis import strategies as st

from citepress_telemetry.contract.words import CLASS_DESCRIPTIONS as REPORTED
from citepress_telemetry.identify.user_agents.classes import classify
from citepress_telemetry.identify.user_agents.table import (
    AUTOMATION,
    BROWSER,
    NO_AGENT,
    SPECIAL,
    UNLISTED_CLIENT,
    UNRESOLVED,
    Family,
    shipped,
)
from citepress_telemetry.model import REPRESENTATIONS, VERIFY
from citepress_telemetry.ports import GET, HEAD_FLAG, IMPORTED, MALFORMED, NAVIGATION

ROWS = {row.family.name: row.family for row in shipped().rows}
CLAIMED, SIGNED = VERIFY.index("claimed"), VERIFY.index("signed")
HTML, JSON = REPRESENTATIONS.index("html"), REPRESENTATIONS.index("json")
PAGE = GET | NAVIGATION


def said(
    family: Family,
    *,
    verify: int = CLAIMED,
    route: int = 5,
    rep: int = HTML,
    status: int = 200,
    flags: int = PAGE,
    probe: int = 0,
    burst: bool = False,
) -> str:
    return classify(family, verify, route, rep, status, flags, probe, burst)


@pytest.mark.parametrize(
    ("family", "class_"),
    [
        (ROWS["GPTBot"], "crawler"),
        (ROWS["Browserbase"], "crawler"),
        (ROWS["Slackbot"], "crawler"),
        (ROWS["ChatGPT-User"], "ai_user_agent"),
        (ROWS["curl"], "machine_route"),
        (ROWS["HeadlessChrome"], "machine_route"),
        (ROWS["Nikto"], "scanner_noise"),
        (BROWSER, "human_page_view"),
        (AUTOMATION, "machine_route"),
        (UNLISTED_CLIENT, "machine_route"),
        (NO_AGENT, "machine_route"),
        (UNRESOLVED, "machine_route"),
    ],
)
def test_a_page_request_falls_into_the_class_of_its_family(family: Family, class_: str) -> None:
    assert said(family) == class_


@pytest.mark.parametrize(
    "change",
    [
        {"flags": GET},
        {"flags": HEAD_FLAG | NAVIGATION},
        {"rep": JSON},
        {"status": 404},
        {"status": 301},
        {"status": 206},
    ],
)
def test_a_browser_that_gets_no_page_is_no_page_view(change: dict[str, int]) -> None:
    assert said(BROWSER, **change) == "machine_route"  # type: ignore[arg-type]


def test_a_current_copy_is_a_page_view_and_a_line_of_a_log_needs_no_navigation() -> None:
    assert said(BROWSER, status=304) == "human_page_view"
    assert said(BROWSER, flags=GET | IMPORTED) == "human_page_view"


@pytest.mark.parametrize("family", [BROWSER, UNLISTED_CLIENT, ROWS["curl"], ROWS["Googlebot"], ROWS["ChatGPT-User"]])
def test_a_malformed_request_and_a_probe_of_an_unmatched_path_are_noise(family: Family) -> None:
    assert said(family, flags=MALFORMED) == "scanner_noise"
    assert said(family, route=0, probe=2, status=404) == "scanner_noise"
    assert said(family, route=3, probe=2, status=404) != "scanner_noise"


@pytest.mark.parametrize(
    ("family", "noise"),
    [(BROWSER, True), (UNLISTED_CLIENT, True), (AUTOMATION, True), (ROWS["curl"], True), (ROWS["Googlebot"], False)],
)
def test_a_burst_is_held_against_unnamed_clients_and_libraries_on_unmatched_paths_alone(
    family: Family, noise: bool
) -> None:
    assert (said(family, route=0, status=404, burst=True) == "scanner_noise") is noise
    assert said(family, burst=True) != "scanner_noise"


@pytest.mark.parametrize("state", ["signed", "ip_range", "fcrdns"])
def test_a_confirmed_client_is_never_noise(state: str) -> None:
    assert said(ROWS["Googlebot"], verify=VERIFY.index(state), route=0, probe=1, flags=MALFORMED) == "crawler"
    assert said(ROWS["Googlebot"], verify=VERIFY.index("contradicted"), route=0, probe=1, status=404) == "scanner_noise"


def test_a_client_whose_address_contradicts_its_name_is_no_crawler_and_no_agent() -> None:
    for name in ("Googlebot", "ChatGPT-User"):
        assert said(ROWS[name], verify=VERIFY.index("contradicted")) == "machine_route"
        assert said(ROWS[name], verify=VERIFY.index("contradicted"), route=0, status=404, burst=True) == "scanner_noise"


@given(
    st.sampled_from([*ROWS.values(), *SPECIAL]),
    st.integers(0, len(VERIFY) - 1),
    st.integers(0, 9),
    st.integers(0, len(REPRESENTATIONS) - 1),
    st.integers(0, 999),
    st.integers(0, 127),
    st.integers(0, 8),
    st.booleans(),
)
def test_every_request_falls_into_one_of_the_five_classes(
    family: Family, verify: int, route: int, rep: int, status: int, flags: int, probe: int, burst: bool
) -> None:
    assert classify(family, verify, route, rep, status, flags, probe, burst) in REPORTED
