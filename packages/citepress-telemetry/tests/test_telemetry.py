"""The telemetry documents of an edition: every report is there, honest, live, and described by its schema."""

from functools import cache

import pytest

from citepress.archive.model import Archive, StaticPage
from citepress.contract.cache import Cache
from citepress.edition.compiler import render_units
from citepress.edition.leaf import Leaf
from citepress_telemetry import documents as telemetry
from citepress_telemetry.contract.words import CAVEATS, CLASS_DESCRIPTIONS, VERIFICATION
from support.archive import SITE, entry
from support.documents import desk, faults, json_of, leaves, whole

SCHEMAS = {
    "/machine-consumption.json": "/machine-consumption-schema.json",
    "/crawler-journeys.json": "/crawler-journeys-schema.json",
    "/page-readership/home.json": "/page-readership-schema.json",
    "/page-readership/posts/one.json": "/page-readership-schema.json",
    "/bot-traffic-latest.json": "/schemas/BotTrafficSnapshot.json",
    "/bot-traffic-history.json": "/schemas/BotTrafficHistory.json",
}


def archive() -> Archive:
    own = StaticPage("house-rules", "House rules", "How we work.", "Text.", None)
    return whole(entry("posts/one"), entry("posts/two"), entry("signals/three"), pages={"house-rules": own})


@cache
def edition() -> dict[str, Leaf]:
    return leaves(archive())


@pytest.mark.parametrize(("path", "schema"), SCHEMAS.items())
def test_a_report_fits_the_schema_that_it_names(path: str, schema: str) -> None:
    published = json_of(edition()[schema])
    document = json_of(edition()[path])
    assert published["$id"] == document["schema"] == SITE.url(schema)
    assert faults(published, document) == []
    assert f'<{SITE.url(schema)}>; rel="describedby"' in edition()[path].links


@pytest.mark.parametrize("path", SCHEMAS)
def test_a_report_may_be_replaced_while_serving_and_is_kept_a_minute(path: str) -> None:
    assert edition()[path].live
    assert edition()[path].cache == Cache.LIVE
    assert json_of(edition()[path])["status"] == "not_observed"


def test_a_schema_is_not_live() -> None:
    assert not any(edition()[schema].live for schema in SCHEMAS.values())


def test_a_report_may_gain_members_and_still_fit_its_schema() -> None:
    document = json_of(edition()["/machine-consumption.json"]) | {"later": 1}
    assert faults(json_of(edition()["/machine-consumption-schema.json"]), document) == []


def test_every_page_has_one_readership_report_and_nothing_else_has() -> None:
    reports = {
        path.removeprefix("/page-readership/").removesuffix(".json")
        for path in edition()
        if path.startswith("/page-readership/")
    }
    pages = {leaf.canonical for leaf in edition().values() if leaf.variants and leaf.canonical}
    assert reports <= pages
    assert {
        "home",
        "posts",
        "posts/one",
        "signals/three",
        "datasets",
        "presence",
        "sources/spec.example",
        "pages/house-rules",
    } <= reports
    assert all("/page/" in f"/{page}/" for page in pages - reports)


def test_a_readership_report_names_the_forms_of_its_page() -> None:
    for path, leaf in edition().items():
        if path.startswith("/page-readership/"):
            document = json_of(leaf)
            page = edition()[document["canonical_url"].removeprefix(SITE.base_url)]
            forms = {v.form: SITE.url(v.path) for v in page.variants if v.form in {"html", "markdown", "json"}}
            assert {name: url for name, url in document["representations"].items() if url} == forms
            assert page.canonical == document["canonical_path"]


def test_a_readership_report_tells_collection_and_publication_of_a_record() -> None:
    document = json_of(edition()["/page-readership/posts/one.json"])
    assert (document["kind"], document["published_at"]) == ("posts", "2026-03-01T00:00:00Z")
    assert json_of(edition()["/page-readership/posts.json"])["kind"] == "pages"


def test_a_readership_report_is_written_only_when_it_is_asked_for() -> None:
    """A hundred thousand of them must not lie in memory while the edition is planned."""
    document = next(item for item in telemetry.ALL if item.name == "page_readership")
    outputs = list(document.make(desk(archive())))
    assert all(callable(output.body) for output in outputs)


def test_a_new_record_leaves_the_reports_of_the_others_as_they_are() -> None:
    document = next(item for item in telemetry.ALL if item.name == "page_readership")

    def fingerprints(archive: Archive) -> set[bytes]:
        return {work.fingerprint for work in render_units(desk(archive), [document], b"")}

    records = [entry(f"posts/n{number}") for number in range(20)]
    before, after = fingerprints(whole(*records)), fingerprints(whole(*records, entry("posts/new")))
    assert before < after
    assert len(after - before) == 1


def test_the_page_has_the_method_and_every_caveat() -> None:
    text = edition()["/machine-consumption.md"].body.decode()
    html = edition()["/machine-consumption/"].body.decode()
    assert "Nothing has been observed yet" in text
    assert 'id="method"' in html
    for anchor, title, _, _ in telemetry.CHARTS:
        assert f'id="{anchor}"' in html
        assert title in text
    for words in (*CAVEATS.values(), *CLASS_DESCRIPTIONS.values(), *VERIFICATION.values()):
        assert words.replace("_", "") in text.replace("\\_", "").replace("_", "")
