import tomllib
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citepress_telemetry.identify.user_agents.probes import CATEGORIES, Probes, ProbesError, category, decoded, shipped
from citepress_telemetry.identify.user_agents.referrers import Referrers, ReferrersError, operator
from citepress_telemetry.identify.user_agents.table import shipped as families


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("/.env", "dotfile"),
        ("/app/.git/config", "dotfile"),
        ("/.aws/credentials", "dotfile"),
        ("/.htpasswd", "dotfile"),
        ("/wp-login.php", "wordpress"),
        ("//WP-Admin/", "wordpress"),
        ("/xmlrpc.php", "wordpress"),
        ("/blog/wp-includes/wlwmanifest.xml", "wordpress"),
        ("/index.php", "script"),
        ("/a/login.aspx?x=1", "script"),
        ("/shell.jsp", "script"),
        ("/cgi-bin/test", "script"),
        ("/phpMyAdmin/", "console"),
        ("/actuator/health", "console"),
        ("/solr/admin", "console"),
        ("/manager/html", "console"),
        ("/server-status", "console"),
        ("/_ignition/execute-solution", "console"),
        ("/nacos/v1", "console"),
        ("/jenkins/login", "console"),
        ("/backup.zip", "backup"),
        ("/db.sql", "backup"),
        ("/site.tar.gz", "backup"),
        ("/config.bak", "backup"),
        ("/x.old", "backup"),
        ("/../../etc/passwd", "traversal"),
        ("/%2e%2e/%2e%2e/x", "traversal"),
        ("/%252e%252e%252f%252e%252e%252fx", "traversal"),
        ("/.well-known/../.env", "dotfile"),
        ("/?id=1%20UNION%20ALL%20SELECT%20x", "injection"),
        ("/?q=1;sleep(5)--", "injection"),
        ("/?a=%3Cscript%3E", "injection"),
        ("/?x=${jndi:ldap://a}", "injection"),
        ("/download?f=/etc/passwd", "injection"),
        ("/?q=1+union+select+2", "injection"),
        ("/boaform/admin", "device"),
        ("/HNAP1/", "device"),
        ("/owa/auth", "device"),
        ("/autodiscover/autodiscover.xml", "device"),
    ],
)
def test_a_probe_is_known_by_its_decoded_path_and_query(target: str, expected: str) -> None:
    assert category(target.encode()) == expected


@pytest.mark.parametrize(
    "target",
    [
        "/.well-known/assetlinks.json",
        "/.well-known/acme-challenge/x.php",
        "/favicon.ico",
        "/apple-touch-icon-120x120-precomposed.png",
        "/ads.txt",
        "/app-ads.txt",
        "/humans.txt",
        "/security.txt",
        "/robots.txt",
        "/posts/gone/",
        "/posts/select-committees-and-the-union/",
        "/learn/sleep/",
        "/posts/a-backup-plan/",
        "/feed.xml",
        "/posts/php-in-2026/",
        "/",
        "",
        "/topics/environment/",
        "/posts/x.html",
        "/data/table.csv",
    ],
)
def test_what_is_asked_for_by_custom_or_was_once_a_page_is_no_probe(target: str) -> None:
    assert category(target.encode()) is None


def test_a_query_takes_the_protection_of_custom_away() -> None:
    assert category(b"/.well-known/x?a=<script>") == "injection"


@given(st.binary(max_size=3000))
def test_any_bytes_have_a_category_or_none_and_the_same_without_the_rust_set(raw: bytes) -> None:
    kind = category(raw)
    assert kind is None or kind in CATEGORIES
    assert SLOW.category(raw) == kind
    assert decoded(raw).isascii()


def test_a_broken_file_of_probes_is_refused_with_a_sentence() -> None:
    for raw in (
        b"\xff",
        b"",
        b"x=" + b"[" * 3_000,
        b"never = ['(']\n[category]\n",
        b"never = []\n[category]\nother = []\n",
    ):
        with pytest.raises(ProbesError, match=r"probes\.toml"):
            Probes(raw)
    assert shipped() is shipped()


@pytest.mark.parametrize(
    ("referer", "query", "name"),
    [
        ("https://chatgpt.com/c/1", "", "OpenAI"),
        ("https://www.perplexity.ai/search?q=x", "", "Perplexity"),
        ("https://claude.ai", "", "Anthropic"),
        ("https://gemini.google.com/app", "", "Google"),
        ("https://www.google.co.uk/", "", "Google"),
        ("https://google.de:443/", "", "Google"),
        ("https://copilot.microsoft.com/", "", "Microsoft"),
        ("https://www.bing.com/search", "", "Microsoft"),
        ("https://duckduckgo.com/", "", "DuckDuckGo"),
        ("https://www.meta.ai/", "", "Meta"),
        ("https://chat.mistral.ai/", "", "Mistral AI"),
        ("https://you.com/", "", "You.com"),
        ("https://grok.com/", "", "xAI"),
        ("https://kagi.com/", "", "Kagi"),
        ("https://search.brave.com/", "", "Brave"),
        ("android-app://com.google.android.gm/", "", "Google"),
        (None, "utm_source=chatgpt.com&x=1", "OpenAI"),
        ("", "a=b&utm_source=Perplexity", "Perplexity"),
        ("https://other.example/", "utm_source=chatgpt.com", "OpenAI"),
        ("https://evilgoogle.com/", "", None),
        ("https://chatgpt.com.evil.example/", "", None),
        ("https://chatgpt.com@evil.example/", "", None),
        ("chatgpt.com", "", None),
        ("https://mistral.ai/", "", None),
        (None, "utm_source=", None),
        (None, "xutm_source=chatgpt.com", None),
        ("https://google.example/", "", None),
        ("https://com/", "", None),
    ],
)
def test_an_operator_is_known_by_the_host_of_the_referer_or_by_utm_source(
    referer: str | None, query: str, name: str | None
) -> None:
    assert operator(referer, query) == name


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_referer_and_query_have_an_operator_or_none(referer: str, query: str) -> None:
    assert operator(f"https://{referer}", f"utm_source={query}") in {*OPERATORS, None}


def test_a_broken_file_of_referrers_is_refused_with_a_sentence() -> None:
    for raw in (b"\xff", b"", b"x=" + b"[" * 3_000, b"[[operator]]\nname = 'x'"):
        with pytest.raises(ReferrersError, match=r"referrers\.toml"):
            Referrers(raw)


SLOW = Probes(files("citepress_telemetry.identify.user_agents").joinpath("probes.toml").read_bytes(), rust=False)
OPERATORS = {
    row["name"]
    for row in tomllib.loads(
        files("citepress_telemetry.identify.user_agents").joinpath("referrers.toml").read_text("utf-8")
    )["operator"]
}


def test_referring_operators_are_written_as_in_the_table() -> None:
    assert {row.family.operator for row in families().rows} >= OPERATORS
