import json
import subprocess
import sys
from importlib.resources import files

import pytest
from crawleruseragents import CRAWLER_USER_AGENTS_DATA
from hypothesis import example, given
from hypothesis import strategies as st

from citepress_telemetry.identify.user_agents.marks import MAX_USER_AGENT_CHARS, Patterns, plain
from citepress_telemetry.identify.user_agents.table import (
    AUTOMATION,
    BROWSER,
    NO_AGENT,
    UNLISTED_CLIENT,
    UNRESOLVED,
    load,
    shipped,
)
from citepress_telemetry.identify.user_agents.verdict import CACHE, UserAgentClassifier

TABLE = shipped()
INSTANCES = [
    text
    for entry in CRAWLER_USER_AGENTS_DATA
    if entry["pattern"] not in TABLE.not_crawlers
    for text in entry["instances"]
]
BROWSERS = sorted(
    {
        json.loads(line)["useragent"]
        for line in (files("fake_useragent") / "data" / "browsers.jsonl").read_text("utf-8").splitlines()
    }
)
BARE = """
import sys
sys.modules["ua_parser_rs"] = sys.modules["http_message_signatures"] = sys.modules["cryptography"] = None
from citepress_telemetry.identify.user_agents import marks, verdict
from citepress_telemetry.identify.verify import signatures
judge = verdict.UserAgentClassifier()
families = [judge.family(agent).name for agent in ("GPTBot/1.3", "(AhrefsBot)")]
print(marks.RUST, signatures.AVAILABLE, judge.version, *families)
"""
CHROME = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
)
PREVIEW = (
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1"
    " Safari/601.2.4"
)
IN_APP = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 12_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/16G77"
    " [FBAN/FBIOS;FBDV/iPhone8,1;FBCR/{};FBLC/de_DE;FBOP/5]"
)


@pytest.fixture(scope="module")
def judge() -> UserAgentClassifier:
    return UserAgentClassifier()


@pytest.fixture(scope="module")
def slow() -> UserAgentClassifier:
    return UserAgentClassifier(rust=False)


def test_the_sample_of_each_row_gives_that_row(judge: UserAgentClassifier) -> None:
    given_by = {row.family.name: judge.family(row.sample).name for row in TABLE.rows}
    assert {name: verdict for name, verdict in given_by.items() if verdict != name} == {}
    assert len(given_by) >= 200


def test_every_instance_of_the_public_list_is_seen_as_automation(judge: UserAgentClassifier) -> None:
    assert len(INSTANCES) > 2_000
    assert [text for text in INSTANCES if judge.family(text) in {BROWSER, UNLISTED_CLIENT, NO_AGENT}] == []


def test_without_the_public_list_ninety_nine_in_a_hundred_instances_are_still_not_taken_for_a_browser() -> None:
    alone = UserAgentClassifier(public=False)
    taken = [text for text in INSTANCES if alone.family(text) is BROWSER]
    assert len(taken) / len(INSTANCES) <= 0.01
    assert alone.family("Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)").name == "AhrefsBot"


def test_hardly_a_browser_is_taken_for_automation(judge: UserAgentClassifier) -> None:
    assert len(BROWSERS) > 500
    taken = [text for text in BROWSERS if judge.family(text) is not BROWSER]
    assert len(taken) / len(BROWSERS) <= 0.002
    assert taken == []


def test_the_verdicts_are_the_same_without_the_rust_set(judge: UserAgentClassifier, slow: UserAgentClassifier) -> None:
    for text in (*INSTANCES, *BROWSERS[::20], *(row.sample for row in TABLE.rows)):
        assert judge.explain(text) == slow.explain(text), text


@given(st.binary(max_size=700))
@example(b"")
@example(b"\xff" * 600)
@example(b"(compatible; ")
@example("\u017fpider \u212a gptbot".encode())
def test_any_bytes_get_a_verdict_and_the_same_one_without_the_rust_set(
    judge: UserAgentClassifier, slow: UserAgentClassifier, raw: bytes
) -> None:
    text = raw.decode("latin-1")
    assert judge.family(text).name
    assert judge.explain(text) == slow.explain(text)


@given(
    st.lists(
        st.sampled_from(
            ["bot", "Mozilla/5.0 (", "compatible; ", "MSIE 9", "curl/8", "(", ")", " ", "GPTBot", "x", "\n", "é"]
        ),
        max_size=12,
    )
)
def test_any_mixture_of_marks_gets_the_same_verdict_without_the_rust_set(
    judge: UserAgentClassifier, slow: UserAgentClassifier, parts: list[str]
) -> None:
    text = "".join(parts)
    assert judge.explain(text) == slow.explain(text)


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (None, "(no user agent)"),
        ("", "(no user agent)"),
        ('" "', "(no user agent)"),
        (CHROME, "(browser-like)"),
        (f'"{CHROME}"', "(browser-like)"),
        ("Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2; Trident/6.0)", "(browser-like)"),
        ("Opera/9.80 (Windows NT 6.1; U; en) Presto/2.10.229 Version/11.62", "(browser-like)"),
        (
            (
                "Mozilla/5.0 (Linux; Android 11; CUBOT_NOTE 20) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0"
                " Mobile Safari/537.36"
            ),
            "(browser-like)",
        ),
        (
            (
                "Mozilla/5.0 (iPad; CPU OS 6_1_3 like Mac OS X) AppleWebKit/536.26 (KHTML, like Gecko) Mobile/10B329"
                " [Pinterest/iOS]"
            ),
            "(browser-like)",
        ),
        (
            (
                "Mozilla/5.0 (Linux; U; en-US) AppleWebKit/528.5+ (KHTML, like Gecko, Safari/528.5+) Version/4.0"
                " Kindle/3.0 (screen 600x800; rotate)"
            ),
            "(browser-like)",
        ),
        ("Mozilla/5.0 (compatible; Zwackelmann)", "(unlisted automation)"),
        ("zwackel-crawler", "(unlisted automation)"),
        ("Zwackelmann 7 (Linux; something or other of a name)", "(unlisted client)"),
        ("Mozilla/5.0 (compatible; Google-Extended/1.0)", "(unlisted automation)"),
        ("Mozilla/5.0 (compatible; SemrushBot-BA; +http://www.semrush.com/bot.html)", "SemrushBot"),
        ("Googlebot-Image/1.0", "Googlebot-Image"),
        ("AdsBot-Google-Mobile", "AdsBot-Google"),
        ("Claude-User (claude-code/2.1.0; +https://support.anthropic.com/)", "Claude-User"),
        (f"{PREVIEW} facebookexternalhit/1.1 Facebot Twitterbot/1.0", "Apple Messages preview"),
        ("facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)", "facebookexternalhit"),
        ("w3af.org", "w3af"),
        (IN_APP.format("congstar.de"), "(browser-like)"),
        (IN_APP.format("o2 - de"), "(browser-like)"),
        (IN_APP.format("x") + " zwackel-crawler", "(unlisted automation)"),
    ],
)
def test_a_user_agent_is_told_by_the_first_step_that_knows_it(
    judge: UserAgentClassifier, agent: str | None, name: str
) -> None:
    assert judge.family(agent).name == name


@pytest.mark.parametrize(
    ("agent", "family"),
    [
        ("Feedly/1.0 (+http://www.feedly.com/fetcher.html; 16 subscribers; like FeedFetcher-Google)", "Feedly"),
        ("ReaderX/2.0 (like Googlebot/2.1)", AUTOMATION.name),
        ("FeedFetcher-Google; (+http://www.google.com/feedfetcher.html)", "FeedFetcher-Google"),
        (CHROME, BROWSER.name),
        ("Mozilla/5.0 (Windows NT 6.1; WOW64; Trident/7.0; rv:11.0) like Gecko", BROWSER.name),
        (IN_APP.format("Any"), BROWSER.name),
    ],
)
def test_a_client_that_likens_itself_to_another_is_not_the_other(
    judge: UserAgentClassifier, agent: str, family: str
) -> None:
    assert judge.family(agent).name == family


@pytest.mark.parametrize(
    "agent",
    [
        "Mozilla/2.0 (compatible; MSIE 3.02; Windows 95)",
        "Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1; SV1)",
        "Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0; .NET CLR 2.0.50727)",
        "Mozilla/5.0 (compatible; MSIE 10.0; Windows NT 6.2; WOW64; Trident/6.0)",
        "Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1; en) Opera 8.50",
    ],
)
def test_an_old_browser_is_a_browser(judge: UserAgentClassifier, agent: str) -> None:
    assert judge.family(agent) is BROWSER


@pytest.mark.parametrize(
    "agent",
    [
        "Mozilla/4.0 (compatible; MSIE 5.0; YANDEX)",
        "Mozilla/4.0 (compatible; MSIE 7.0; Win32) Link Commander 4.0",
    ],
)
def test_a_program_in_the_frame_of_an_old_browser_is_automation(judge: UserAgentClassifier, agent: str) -> None:
    assert judge.family(agent) is not BROWSER


@pytest.mark.parametrize(
    ("agent", "family", "purpose"),
    [
        ("MistralAI-Index/1.0", "MistralAI-Index", "search_index"),
        (
            "ModelContextProtocol/1.0 (User-Specified; +https://github.com/modelcontextprotocol/servers)",
            "MCP Fetch",
            "user_action",
        ),
    ],
)
def test_clients_that_document_themselves_are_named(
    judge: UserAgentClassifier, agent: str, family: str, purpose: str
) -> None:
    assert (judge.family(agent).name, judge.family(agent).purpose) == (family, purpose)


def test_a_token_inside_another_word_is_not_found(judge: UserAgentClassifier) -> None:
    assert judge.family("mygptbotish/1.0 (a thing)").name == "(unlisted automation)"
    assert judge.family("my-gptbot/1.0 (a thing)").name == "GPTBot"


def test_a_library_names_a_client_only_where_nothing_else_does(judge: UserAgentClassifier) -> None:
    assert judge.family("python-requests/2.32.3").name == "python-requests"
    assert judge.family("Mozilla/5.0 (compatible; ClaudeBot/1.0) python-requests/2.32.3").name == "ClaudeBot"
    assert judge.family("SeznamHomepageCrawler/3.9 axios/1.7").name == "SeznamHomepageCrawler"
    assert judge.family("WordPress/6.6.2; https://devinbooks.example").purpose == "library"


def test_families_of_the_public_list_have_no_invented_purpose_or_operator(judge: UserAgentClassifier) -> None:
    names = {family.name: family for family in judge._crawlers}  # noqa: SLF001  (the list as it is asked)
    assert names["Linguee Bot"].operator == ""
    assert names["ToutiaoSpider"].purpose == "unknown"
    assert (names["XoviOnpageCrawler"].purpose, names["XoviOnpageCrawler"].cls) == ("seo", "crawler")
    assert (names["Nessus"].purpose, names["Nessus"].cls) == ("security", "scanner_noise")
    assert names["GPTBot"] is judge.family("GPTBot/1.0")
    assert all(len(name) > 1 and not name.startswith("(") for name in names)


def test_no_visitor_has_the_name_of_a_robots_token(judge: UserAgentClassifier) -> None:
    named = {family.name.lower() for family in judge._crawlers} | {row.family.name.lower() for row in TABLE.rows}  # noqa: SLF001
    assert named.isdisjoint(token.lower() for token in TABLE.robots_only)
    assert {"google-extended", "applebot-extended", "webzio-extended"} <= {token.lower() for token in TABLE.robots_only}


def test_a_batch_looks_up_only_so_many_unseen_user_agents() -> None:
    judge = UserAgentClassifier(public=False)
    judge.family(CHROME)
    judge.unseen_budget(2)
    assert [judge.family(f"Zwackelmann {n} (something long enough)") for n in range(4)] == [
        UNLISTED_CLIENT,
        UNLISTED_CLIENT,
        UNRESOLVED,
        UNRESOLVED,
    ]
    assert judge.family(CHROME) is BROWSER
    assert judge.family("Zwackelmann 0 (something long enough)") is UNLISTED_CLIENT
    judge.unseen_budget(1)
    assert judge.family("Zwackelmann 3 (something long enough)") is UNLISTED_CLIENT
    judge.unseen_budget(None)
    assert judge.family("bot 99").name == AUTOMATION.name


def test_what_is_remembered_is_bounded() -> None:
    judge = UserAgentClassifier(public=False)
    long = "x" * 10_000
    assert judge.family(long) is judge.family(long[:MAX_USER_AGENT_CHARS])
    info = judge._cached.cache_info()  # noqa: SLF001  (the bound is what is tested)
    assert (info.maxsize, info.currsize) == (CACHE, 1)


def test_the_version_changes_with_the_table_and_not_with_the_engine(
    judge: UserAgentClassifier, slow: UserAgentClassifier
) -> None:
    number, _, digest = judge.version.partition("+")
    assert number == TABLE.version
    assert len(digest) == 8
    assert slow.version == judge.version
    changed = load(TABLE.text.replace(b'purpose = "training"', b'purpose = "mixed"', 1))
    assert UserAgentClassifier(changed).version.partition("+")[0] == number
    assert UserAgentClassifier(changed).version != judge.version


def test_odd_characters_and_quotes_are_taken_out_of_a_user_agent() -> None:
    assert plain("'a\tbé\0c' ") == "a?b??c"
    assert len(plain("y" * 600)) == MAX_USER_AGENT_CHARS


@pytest.mark.parametrize("rust", [True, False])
def test_the_first_pattern_in_the_lists_order_is_the_one_found(rust: bool) -> None:
    many = Patterns([*(f"never{n}" for n in range(60)), "later", "sooner"], rust=rust)
    assert many.first("sooner or later") == 60
    assert many.first("sooner") == 61
    assert many.first("nothing") is None
    assert Patterns(["BOT"], fold=True, rust=rust).first("a robot") == 0


def test_a_machine_without_the_rust_set_and_the_signatures_extra_gives_the_same_verdicts(
    judge: UserAgentClassifier,
) -> None:
    output = subprocess.run(
        [sys.executable, "-c", BARE], capture_output=True, text=True, check=True, timeout=300
    ).stdout
    assert output.split() == ["False", "False", judge.version, "GPTBot", "AhrefsBot"]
