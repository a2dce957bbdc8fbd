"""Links of texts to other sites as sources of role ``mentioned``."""

from pathlib import Path
from typing import Any

import pytest

from citepress.archive.model import Archive
from citepress.content.links import inspect
from citepress.search.fields import index_entry
from support.folder import SITE, assembled, folder, post

SPEC = "https://spec.example/one"


def archive_of(tmp_path: Path, body: str, site: str = "", **members: Any) -> Archive:
    return assembled(folder(tmp_path, {"content/posts/a.md": post(body, **members)}, SITE + site))


def mentions(archive: Archive) -> list[tuple[str, str]]:
    return [(mention.url, mention.title) for mention in archive.entries["posts/a"].record.mentions]


@pytest.mark.parametrize(
    ("markdown", "links"),
    [
        ("[The *words*](https://a.example/x)", [("https://a.example/x", "The words")]),
        ("See https://a.example/x_y.", [("https://a.example/x_y", "")]),
        ("<https://a.example/x>", [("https://a.example/x", "")]),
        ("[it][r]\n\n[r]: https://a.example/x", [("https://a.example/x", "it")]),
        ('<p><a href="//a.example/x">It &amp; that</a></p>', [("https://a.example/x", "It & that")]),
        ('A <a href="https://a.example/x">`code` word</a>.', [("https://a.example/x", "code word")]),
        ("| a |\n|---|\n| [t](https://a.example/x) |", [("https://a.example/x", "t")]),
        ("A[^1].\n\n[^1]: [n](https://a.example/x)", [("https://a.example/x", "n")]),
        ("https://a.example/ then [words](https://a.example/)", [("https://a.example/", "words")]),
        ("[![CI](https://badge.example/x.svg)](https://a.example/ci)", []),
        ("![An image](https://a.example/x.png)", []),
        ("<someone@a.example> and [mail](mailto:someone@a.example)", []),
        ("`https://a.example/x`\n\n    https://a.example/y\n\n```\nhttps://a.example/z\n```", []),
        ("<code>https://a.example/x</code> <pre>https://a.example/y</pre>", []),
        ("[own](/posts/a/) [part](#part) [file](x.md)", []),
        ('<script>"https://a.example/x"</script><!-- https://a.example/y -->', []),
    ],
)
def test_links_to_other_sites_are_gathered_with_their_words(markdown: str, links: list[tuple[str, str]]) -> None:
    assert [tuple(link) for link in inspect(markdown).external] == links


def test_a_link_is_a_mention_unless_it_is_a_source_or_leads_to_the_site_or_nowhere_public(tmp_path: Path) -> None:
    body = (
        "[one](https://spec.example/one#part) [www](http://www.spec.example/one/) [other](https://mirror.example/)"
        " [own](https://archive.test/x) [own too](https://www.archive.test/) [machine](http://localhost:8000/)"
        " [net](http://10.0.0.1/) [name](http://printer/) [bad](https://exa mple/) [it](https://b.example/x?utm_source=f)"
    )
    source = {"url": SPEC, "aliases": ["https://mirror.example/"]}
    archive = archive_of(tmp_path, body, sources=[source])
    assert mentions(archive) == [("https://b.example/x?utm_source=f", "it")]
    assert list(archive.ledger) == ["https://b.example/x", SPEC]
    assert archive.ledger["https://b.example/x"].mentioned_by == ["posts/a"]
    assert archive.entries["posts/a"].record.source_urls == [SPEC]


@pytest.mark.parametrize(
    "host", ["0x7f.1", "127.1", "0177.0.0.1", "[::1]", "a.local", "a.onion", "a.example%00.b.example"]
)
def test_a_host_that_the_public_cannot_reach_is_never_a_mention(tmp_path: Path, host: str) -> None:
    assert mentions(archive_of(tmp_path, f"[there](https://{host}/) [here](https://[2606:4700::1]/x)")) == [
        ("https://[2606:4700::1]/x", "here")
    ]


@pytest.mark.parametrize(
    ("settings", "hosts"),
    [
        ("limit = 2", ["a", "b"]),
        ("limit = 0", []),
        ('deny = ["b.example", "c.example/other"]', ["a", "c", "d"]),
        ('allow = ["b.example", "c.example/in"]', ["b", "c"]),
        ('allow = ["c.example/i"]', []),
        ('allow = ["BÜCHER.example", "C.example/in/"]', ["c", "d"]),
    ],
)
def test_the_site_bounds_its_mentions_and_chooses_their_hosts(tmp_path: Path, settings: str, hosts: list[str]) -> None:
    body = (
        "[a](https://a.example/) [b](https://www.b.example/) [c](https://c.example/in/x) [d](https://bücher.example/x)"
    )
    archive = archive_of(tmp_path, body, f"[mentions]\n{settings}\n")
    assert [title for _, title in mentions(archive)] == hosts


def test_the_ledger_and_the_origins_tell_mentions_from_sources(tmp_path: Path) -> None:
    link = "[The words](https://spec.example/one) and [more](https://spec.example/two)"
    files = {
        "content/posts/a.md": post(sources=[SPEC]),
        "content/posts/b.md": post(link, date="2026-06-01"),
        "content/posts/c.md": post("[Older words](https://spec.example/two)", date="2026-03-01"),
    }
    archive = assembled(folder(tmp_path, files))
    source, link_only = archive.ledger[SPEC], archive.ledger["https://spec.example/two"]
    assert (source.role, source.title, source.cited_by, source.mentioned_by) == (
        "primary",
        "spec.example",
        ["posts/a"],
        ["posts/b"],
    )
    assert (link_only.role, link_only.title) == ("mentioned", "more")
    assert (link_only.cited_by, link_only.mentioned_by) == ([], ["posts/b", "posts/c"])
    origin = archive.origins["spec.example"]
    assert (origin.sources, origin.mentions) == ((SPEC,), ("https://spec.example/two",))
    assert (origin.records, origin.mentioning) == (("posts/a",), ("posts/b", "posts/c"))


def test_a_mention_of_another_address_of_a_source_is_one_of_the_source(tmp_path: Path) -> None:
    files = {
        "content/posts/a.md": post(sources=[{"url": SPEC, "aliases": ["https://mirror.example/one"]}]),
        "content/posts/b.md": post("[There](https://mirror.example/one)"),
        "content/posts/c.md": post("[There](https://mirror.example/one)", sources=[SPEC]),
    }
    archive = assembled(folder(tmp_path, files))
    assert archive.aliases == {"https://mirror.example/one": SPEC}
    assert archive.ledger.keys() == {SPEC}
    assert archive.ledger[SPEC].mentioned_by == ["posts/b"]
    (mention,) = archive.entries["posts/b"].record.mentions
    assert (mention.url, mention.normalized_url, mention.origin) == ("https://mirror.example/one", SPEC, "spec.example")
    assert archive.entries["posts/c"].record.mentions == []


def test_no_figure_of_evidence_rises_by_a_mention(tmp_path: Path) -> None:
    with_link = archive_of(tmp_path / "with", "Words [here](https://b.example/x).", sources=[SPEC])
    without = archive_of(tmp_path / "without", "Words here.", sources=[SPEC])
    assert len(mentions(with_link)) == 1
    entries = [index_entry(archive.entries["posts/a"], archive) for archive in (with_link, without)]
    assert entries[0] == entries[1]
