"""``make docs``: the documentation is an archive without faults, whose links lead somewhere and whose search finds."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import lxml.html
import orjson
import pytest

from support.commands import citepress
from support.decision_docs import decisions
from support.demo import Demo
from support.docs_site import page_sources, write_site
from support.running_server import serving
from support.tree import ROOT

pytestmark = pytest.mark.long
SUGGESTIONS = {"CP040", "CP062"}
"""Warnings that the pages may have: a word in angle brackets, and a first paragraph that is no sentence to quote."""
QUESTIONS = {
    "How do I install citepress?": {"guides-deploy", "tutorial", "citepress"},
    "How do I put it behind nginx?": {"tutorial", "guides-deploy"},
    "How do I move my Hugo blog?": {"guides-moving-in", "tutorial"},
    "What does CP035 mean?": {"reference-faults", "guides-datasets"},
    "How do I back up and restore?": {"guides-back-up", "guides-upgrade"},
    "How do I accept a correction?": {"guides-review", "tutorial"},
    "How do I sell research bundles?": {"guides-sell", "tutorial", "reference-payments"},
    "Which environment variables are there?": {"reference-environment"},
    "How do I upgrade to a newer version?": {"guides-upgrade", "guides-back-up"},
    "How do I cite a source of a claim?": {"guides-sources", "guides-write", "tutorial"},
}
"""What a newcomer asks, and the pages that answer it: one of them is on the first screen."""
SHOWN_FIRST = 5
MIN_LINKS = 5_000


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "site"
    write_site(folder)
    return folder


@pytest.fixture(scope="module")
def docs(site: Path) -> Iterator[Demo]:
    with serving(site, site.parent / "state") as server:
        yield Demo(server)


@pytest.fixture(scope="module")
def export(site: Path) -> Mapping[str, lxml.html.HtmlElement]:
    """Every page of a static export, by its path."""
    target = site.parent / "export"
    state = site.parent / "export-state"
    done = citepress("build", str(site), "-o", str(target), "--state", str(state), "--base-url", "https://docs.example")
    assert done.returncode == 0, done.stderr
    return {
        "/" + path.relative_to(target).as_posix().removesuffix("index.html"): lxml.html.parse(path).getroot()
        for path in target.rglob("*.html")
    }


def test_the_pages_have_no_fault_and_no_link_that_leads_nowhere(site: Path) -> None:
    checked = citepress("check", str(site), "--all")

    assert checked.returncode == 0, checked.stdout
    faults = re.findall(r"^(.+:\d+:\d+ (?:error|warning) (CP\d+) .+)$", checked.stdout, re.MULTILINE)
    assert [line for line, code in faults if code not in SUGGESTIONS] == []


def test_every_page_and_every_decision_has_an_address(site: Path) -> None:
    addresses = [source.address for source in page_sources().values()]
    assert len(set(addresses)) == len(addresses)
    entries = sum(len(page) for page in decisions().values())
    assert entries > 120
    assert len(list((site / "content" / "posts").iterdir())) == len(addresses) + entries + 1, "and that of the examples"


def test_every_internal_link_of_every_page_leads_to_a_page_and_a_part_of_it(
    export: Mapping[str, lxml.html.HtmlElement], site: Path
) -> None:
    ids = {path: set(page.xpath("//@id")) for path, page in export.items()}
    others = {f"/{path.relative_to(site.parent / 'export').as_posix()}" for path in (site.parent / "export").rglob("*")}
    broken = {
        f"{path}: {href}"
        for path, page in export.items()
        for href in page.xpath("//main//a/@href | //main//img/@src")
        if not _leads(path, href.removeprefix("https://docs.example"), ids, others)
    }
    assert sum(len(page.xpath("//main//a/@href")) for page in export.values()) > MIN_LINKS
    assert broken == set()


def _leads(page: str, href: str, ids: Mapping[str, set[str]], files: set[str]) -> bool:
    """Whether a link of a page leads to a page and a part that are there, or elsewhere."""
    target, _, part = href.partition("#")
    if re.match(r"[a-z]+:", target):
        return True
    target = target.partition("?")[0] or page
    return part in ids[target] or not part if target in ids else target in files


@pytest.mark.parametrize("question", QUESTIONS)
def test_search_finds_what_a_newcomer_asks(docs: Demo, question: str) -> None:
    hits = docs.json(f"/search.json?q={question.replace(' ', '+').rstrip('?')}")["results"]
    first = [hit["id"].removeprefix("posts/") for hit in hits[:SHOWN_FIRST]]
    assert QUESTIONS[question] & set(first), first


def test_the_guide_for_models_lists_every_guide(docs: Demo) -> None:
    listed = set(re.findall(r"/posts/(guides-[a-z-]+)\.md\)", docs.get("/llms.txt").text))
    assert listed == {f"guides-{path.stem}" for path in (ROOT / "docs" / "guides").glob("*.md")}


def test_a_client_of_mcp_reads_a_guide(docs: Demo) -> None:
    call = {"name": "get_record", "arguments": {"id": "posts/guides-write"}}
    message = orjson.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call})
    types = {"content_type": "application/json", "accept": "application/json, text/event-stream"}

    answer = docs.server.ask("/mcp", "POST", message, **types).json()

    assert "Write records" in answer["result"]["content"][0]["text"]
