"""Printing and opening editions: the same content gives the same bytes, and only what changed is written again."""

import hashlib
from functools import partial
from pathlib import Path

import pytest

from citepress.base.media import HTML, JSON
from citepress.edition.compiler import RenderUnit
from citepress.edition.edition import open_edition
from citepress.edition.leaf import Leaf
from citepress.edition.pack import Pack, PackError
from citepress.edition.publisher import PublishResult, publish
from support.edition import BASE, SHELLS, leaf

LONG = "A sentence that compresses well. " * 20


def work(*leaves: Leaf) -> RenderUnit:
    return RenderUnit(hashlib.blake2b(repr(leaves).encode(), digest_size=16).digest(), partial(tuple, leaves))


def texts(**bodies: str) -> list[RenderUnit]:
    """One unit a record: its page and its JSON."""
    return [
        work(leaf(f"/{slug}/", HTML, f"<p>{body}{LONG}</p>", title=slug), leaf(f"/{slug}.json", JSON, f'{{"body":"{body}{LONG}"}}'))
        for slug, body in bodies.items()
    ]


def many(count: int, **changed: str) -> list[RenderUnit]:
    return texts(**{f"r{number:03d}": "as before" for number in range(count)} | changed)


def print_(folder: Path, works: list[RenderUnit]) -> PublishResult:
    return publish(works, folder, {"base_url": BASE}, SHELLS, {})


def test_the_same_content_gives_the_same_bytes_in_another_folder(tmp_path: Path) -> None:
    one, two = (print_(tmp_path / name, many(30)) for name in ("one", "two"))
    assert one.digest == two.digest
    packs = [next(printed.pointer.parent.glob("base-*.pack")).read_bytes() for printed in (one, two)]
    assert packs[0] == packs[1]


def test_a_pack_is_for_its_owner_alone_because_its_facts_hold_settings(tmp_path: Path) -> None:
    printed = print_(tmp_path, many(3))
    assert {pack.stat().st_mode & 0o777 for pack in printed.pointer.parent.glob("*.pack")} == {0o600}


def test_nothing_is_rendered_again_when_nothing_changed(tmp_path: Path) -> None:
    first = print_(tmp_path, many(30))
    second = print_(tmp_path, many(30))
    assert (first.rendered, first.reused) == (30, 0)
    assert (second.rendered, second.reused, second.digest) == (0, 30, first.digest)


def test_one_changed_record_is_one_rendered_unit_and_the_digest_of_a_full_build(tmp_path: Path) -> None:
    print_(tmp_path / "grown", many(30))
    changed = print_(tmp_path / "grown", many(30, r007="as now"))
    full = print_(tmp_path / "full", many(30, r007="as now"))
    assert changed.rendered == 1
    assert changed.digest == full.digest
    assert changed.leaves == full.leaves == 60
    edition = open_edition(changed.pointer)
    assert len(edition.layers) == 2
    assert b"as now" in edition.bodies("/r007.json")["identity"]
    assert b"as before" in edition.bodies("/r008.json")["identity"]
    assert list(edition.paths()) == list(open_edition(full.pointer).paths())


def test_a_change_taken_back_gives_the_first_digest_again(tmp_path: Path) -> None:
    first = print_(tmp_path, many(30))
    print_(tmp_path, many(30, r007="as now"))
    assert print_(tmp_path, many(30)).digest == first.digest


def test_a_change_beside_an_earlier_change_reuses_it(tmp_path: Path) -> None:
    print_(tmp_path, many(30))
    print_(tmp_path, many(30, r007="as now"))
    both = print_(tmp_path, many(30, r007="as now", r008="too"))
    assert both.rendered == 1
    assert both.digest == print_(tmp_path / "full", many(30, r007="as now", r008="too")).digest


def test_a_removed_record_is_gone_from_paths_and_look_up(tmp_path: Path) -> None:
    print_(tmp_path, many(30))
    printed = print_(tmp_path, many(29))
    edition = open_edition(printed.pointer)
    assert edition.find("/r029/") is None
    assert "/r029/" not in set(edition.paths())
    assert printed.leaves == 58
    assert all(path != "/r029/" for path, _ in edition.near("/r029x/"))


def test_a_removed_record_that_comes_back_is_found_again(tmp_path: Path) -> None:
    print_(tmp_path, many(30))
    print_(tmp_path, many(29))
    assert open_edition(print_(tmp_path, many(30)).pointer).find("/r029/") is not None


def test_many_changes_write_a_new_base(tmp_path: Path) -> None:
    print_(tmp_path, many(30))
    printed = print_(tmp_path, many(30, **{f"r{number:03d}": "as now" for number in range(20)}))
    assert printed.rendered == 20
    assert len(open_edition(printed.pointer).layers) == 1


def test_packs_that_nobody_needs_are_swept(tmp_path: Path) -> None:
    for text in "abcdefgh":
        print_(tmp_path, many(30, r001=text))
    assert len(list(tmp_path.glob("*.pack"))) <= 3


def test_an_open_edition_outlives_its_files(tmp_path: Path) -> None:
    old = open_edition(print_(tmp_path, many(30)).pointer)
    for text in "abc":
        print_(tmp_path, many(30, **{f"r{number:03d}": text for number in range(20)}))
    assert b"as before" in old.bodies("/r001.json")["identity"]


def test_a_rendering_that_fails_leaves_the_former_edition(tmp_path: Path) -> None:
    first = print_(tmp_path, many(30))

    def fail() -> tuple[Leaf, ...]:
        raise RuntimeError("the template is broken")

    with pytest.raises(RuntimeError):
        print_(tmp_path, [*many(30), RenderUnit(b"\0" * 16, fail)])
    assert open_edition(first.pointer).digest == first.digest
    assert not list(tmp_path.glob("*.part"))


def test_two_leaves_at_one_path_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PackError, match="/x/"):
        print_(tmp_path, [work(leaf("/x/", HTML, "a")), work(leaf("/x/", HTML, "b"))])


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "foreign"])
def test_a_damaged_pack_is_refused_and_built_anew(tmp_path: Path, damage: str) -> None:
    first = print_(tmp_path, many(30))
    pack = next(tmp_path.glob("base-*.pack"))
    data = bytearray(pack.read_bytes())
    if damage == "flip":
        data[-20] ^= 1
    pack.write_bytes({"cut": data[: len(data) // 2], "flip": data, "empty": b"", "foreign": b"x" * 4096}[damage])
    with pytest.raises(PackError):
        Pack(pack)
    again = print_(tmp_path, many(30))
    assert (again.rendered, again.digest) == (30, first.digest)


def test_codings_are_kept_only_where_they_save_bytes(tmp_path: Path) -> None:
    tiny, large = leaf("/tiny.json", JSON, "{}"), leaf("/large.json", JSON, f'"{LONG}"')
    edition = open_edition(print_(tmp_path, [work(tiny), work(large)]).pointer)
    assert set(edition.bodies("/tiny.json")) == {"identity"}
    bodies = edition.bodies("/large.json")
    assert set(bodies) == {"identity", "br", "zstd", "gzip"}
    assert all(len(body) < len(bodies["identity"]) for coding, body in bodies.items() if coding != "identity")


def test_near_finds_a_misspelt_page_and_nothing_in_an_empty_edition(tmp_path: Path) -> None:
    edition = open_edition(print_(tmp_path, many(30)).pointer)
    assert edition.near("/r0070/", 3)
    assert open_edition(print_(tmp_path / "none", []).pointer).near("/x/") == ()


def test_every_path_is_found_in_a_full_table(tmp_path: Path) -> None:
    edition = open_edition(print_(tmp_path, many(500)).pointer)
    assert all(edition.find(path) for path in edition.paths())
    assert edition.find("/none/") is None
