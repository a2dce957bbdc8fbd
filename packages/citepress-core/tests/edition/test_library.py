"""The bibliography: every record and dataset once, bounded, and steady where others are added."""

from pybtex.database import parse_string

from citepress.edition.documents import declared
from citepress.edition.leaf import Leaf
from citepress.kinds import ALL as KINDS
from support.archive import entry
from support.documents import leaves, whole

FAMILIES = [family for family in declared(KINDS) if family.name.startswith("library")]


def library(count: int) -> dict[str, Leaf]:
    """The bibliography of an archive of so many notes."""
    return leaves(whole(*(entry(f"posts/p{number}") for number in range(count))), FAMILIES)


def keys(leaf: Leaf) -> list[str]:
    """Keys of the entries of a file, as a reader of BibTeX finds them."""
    return list(parse_string(bytes(leaf.body).decode(), "bibtex").entries)


def test_a_small_archive_has_one_file_with_everything() -> None:
    (path,) = published = library(20)
    assert path == "/library.bib"
    assert sorted(keys(published[path])) == sorted(f"posts:p{number}" for number in range(20))
    assert library(20)[path].body == published[path].body


def test_a_large_archive_has_parts_that_hold_every_record_once() -> None:
    published = library(1_100)
    first = published.pop("/library.bib")
    assert len(keys(first)) == 500
    assert "/library/1.bib" in bytes(first.body).decode().partition("@")[0]
    assert any('rel="first"' in link for link in first.links)
    assert sorted(published) == [f"/library/{number}.bib" for number in range(1, 5)]
    every = [key for leaf in published.values() for key in keys(leaf)]
    assert sorted(every) == sorted(f"posts:p{number}" for number in range(1_100))
    assert max(len(keys(leaf)) for leaf in published.values()) < 400


def test_a_new_record_changes_one_part_alone() -> None:
    before, after = library(1_100), library(1_101)
    assert before.keys() == after.keys()
    changed = [path for path in before if path != "/library.bib" and before[path].body != after[path].body]
    assert len(changed) == 1
