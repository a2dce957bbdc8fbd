"""The source ledger and its origins."""

from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from citepress.archive.model_patch import DROPPED, apply_patch
from citepress.archive.origins import Origins
from citepress.base.urls import UrlError, normalise
from citepress.content.sources_file import NO_SOURCES, OriginInput, SharedSources
from citepress.contract.record import Claim
from support.folder import assembled, folder, post

URL = "https://docs.a.example/x"


def test_a_source_stands_once_with_every_record_that_cites_it(tmp_path: Path) -> None:
    old = {
        "url": URL,
        "title": "Old title",
        "publisher": "A",
        "role": "secondary",
        "aliases": ["http://a.example/other/"],
    }
    new = {"url": f"{URL}/", "published_at": "2026-01-01", "aliases": ["https://b.example/"]}
    files = {
        "content/posts/b.md": post(date="2026-06-01", sources=[new, "https://b.example/"]),
        "content/posts/a.md": post(date="2026-05-01", sources=[old], related=["posts/b"]),
    }
    archive = assembled(folder(tmp_path, files))
    entry = archive.ledger[URL]
    assert (entry.title, entry.publisher, entry.role, entry.published_at) == (
        "Old title",
        "A",
        "primary",
        datetime(2026, 1, 1, tzinfo=UTC),
    )
    assert [citation.record for citation in entry.citations] == ["posts/a", "posts/b"]
    assert archive.aliases == {"http://a.example/other": URL}
    assert entry.aliases == ("http://a.example/other",)
    assert list(archive.ledger) == sorted(archive.ledger)


def test_origins_are_the_longest_match_or_the_registrable_host(tmp_path: Path) -> None:
    declared = """origins:
- {id: code, title: Code host, url: https://code.example/}
- {id: makers, title: The makers, url: https://makers.example/, match: [code.example/makers, makers.example]}
"""
    urls = [
        "https://code.example/other",
        "https://code.example/makers/tool",
        "https://code.example/makersx",
        "https://www.rest.co.uk/x",
    ]
    archive = assembled(folder(tmp_path, {"content/sources.yaml": declared, "content/posts/a.md": post(sources=urls)}))
    assert [source.origin for source in archive.entries["posts/a"].record.sources] == [
        "code",
        "makers",
        "code",
        "rest.co.uk",
    ]
    assert list(archive.origins) == ["code", "makers", "rest.co.uk"]
    assert archive.origins["code"].sources == ("https://code.example/makersx", "https://code.example/other")
    assert archive.origins["makers"].title == "The makers"
    assert archive.origins["rest.co.uk"].records == ("posts/a",)


@given(st.from_regex(r"https?://[a-z0-9._~:\[\]-]{1,30}(/[a-z%]{0,8})?", fullmatch=True))
def test_every_source_has_an_origin_that_can_stand_in_a_path(url: str) -> None:
    try:
        address = normalise(url)
    except UrlError:
        return
    id_ = Origins(NO_SOURCES).of(address).id
    OriginInput(id=id_, title="T", url="https://x.example/")
    assert Origins(SharedSources(origins=(OriginInput(id=id_, title="T", url=address),))).of(address).title == "T"


def test_a_model_is_rewritten_where_it_is_told_and_shared_elsewhere() -> None:
    claim = Claim(text="T", source_refs=["a", "b", "c"])
    changed = apply_patch(claim, {("source_refs", 0): "z", ("source_refs", 1): DROPPED})
    assert changed.source_refs == ["z", "c"]
    assert claim.source_refs == ["a", "b", "c"]
    assert apply_patch(claim, {("text",): DROPPED}).text is None
