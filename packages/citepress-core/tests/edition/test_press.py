"""Printing and opening editions: the same content gives the same bytes, and only what changed is written again."""

import hashlib
from functools import partial
from pathlib import Path

import brotli
import pytest

from citepress.base.media import HTML, JSON
from citepress.edition.compiler import RenderUnit
from citepress.edition.edition import Edition, open_edition
from citepress.edition.leaf import Leaf
from citepress.edition.pack import LARGE_BYTES, RECORD, Pack, PackError
from citepress.edition.pack_writer import PENDING_BYTES
from citepress.edition.publisher import Notes, PublishResult, publish
from support.edition import SHELLS, leaf, site_config

LONG = "A sentence that compresses well. " * 20
FRAME = " ".join(str(number * number) for number in range(600))


def work(*leaves: Leaf) -> RenderUnit:
    return RenderUnit(hashlib.blake2b(repr(leaves).encode(), digest_size=16).digest(), partial(tuple, leaves))


def texts(**bodies: str) -> list[RenderUnit]:
    """One unit a record: its page and its JSON."""
    return [
        work(
            leaf(f"/{slug}/", HTML, f"<p>{body}{LONG}</p>", title=slug),
            leaf(f"/{slug}.json", JSON, f'{{"body":"{body}{LONG}"}}'),
        )
        for slug, body in bodies.items()
    ]


def many(count: int, **changed: str) -> list[RenderUnit]:
    return texts(**{f"r{number:03d}": "as before" for number in range(count)} | changed)


def print_(folder: Path, works: list[RenderUnit]) -> PublishResult:
    return publish(works, folder, Notes(site_config(), SHELLS), {})


def test_the_same_content_gives_the_same_bytes_in_another_folder(tmp_path: Path) -> None:
    first, two = (print_(tmp_path / name, many(30)) for name in ("one", "two"))
    assert first.digest == two.digest
    packs = [next(printed.pointer.parent.glob("base-*.pack")).read_bytes() for printed in (first, two)]
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
    assert b"as now" in edition.body("/r007.json")
    assert b"as before" in edition.body("/r008.json")
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
    assert b"as before" in old.body("/r001.json")


def test_a_rendering_that_fails_leaves_the_former_edition(tmp_path: Path) -> None:
    first = print_(tmp_path, many(30))

    def fail() -> tuple[Leaf, ...]:
        raise RuntimeError("the template is broken")

    with pytest.raises(RuntimeError):
        print_(tmp_path, [*many(30), RenderUnit(b"\0" * 16, fail)])
    assert open_edition(first.pointer).digest == first.digest
    assert not list(tmp_path.glob("*.part"))


def test_a_first_edition_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def fail() -> tuple[Leaf, ...]:
        raise RuntimeError("the template is broken")

    with pytest.raises(RuntimeError):
        print_(tmp_path, [*many(30), RenderUnit(b"\0" * 16, fail)])
    assert not list(tmp_path.iterdir())


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


def opened(folder: Path, *leaves: Leaf) -> Edition:
    return open_edition(print_(folder, [work(leaf) for leaf in leaves]).pointer)


def test_codings_are_offered_only_where_they_save_bytes(tmp_path: Path) -> None:
    edition = opened(tmp_path, leaf("/tiny.json", JSON, "{}"), leaf("/page.json", JSON, f'"{LONG}"'))
    tiny, page = edition.find("/tiny.json"), edition.find("/page.json")
    assert tiny
    assert page
    assert tiny.codings == ("identity",)
    assert page.codings == ("zstd", "gzip", "br", "identity")
    assert all(len(page.coded[coding].body) < len(page.leaf.body) for coding in ("br", "zstd", "gzip"))


def test_a_coding_is_made_once_when_it_is_first_asked_for(tmp_path: Path) -> None:
    page = opened(tmp_path, leaf("/page.json", JSON, f'"{LONG}"')).find("/page.json")
    assert page
    assert set(page.coded) == set()
    assert page.coded["br"] is page.coded["br"]
    assert set(page.coded) == {"br"}
    assert brotli.decompress(page.coded["br"].body) == page.leaf.body


def test_a_large_leaf_is_stored_in_every_coding(tmp_path: Path) -> None:
    body = "\n".join(f"{number} {LONG}" for number in range(LARGE_BYTES // len(LONG)))
    large = opened(tmp_path, leaf("/large.json", JSON, f'"{body}"')).find("/large.json")
    assert large
    assert set(large.codings) == {"identity", "br", "zstd", "gzip"}
    assert len({large.coded[coding].etag for coding in large.codings}) == 4


def pages(count: int, **changed: str) -> list[RenderUnit]:
    """Many pages of one route, which share most of their bytes."""
    texts = {f"r{number:04d}": f"page {number}" for number in range(count)} | changed
    return [
        work(leaf(f"/{slug}/", HTML, f"<p>{text}</p>{LONG}{FRAME}", route="/{slug}/", title=slug))
        for slug, text in texts.items()
    ]


def test_a_body_is_stored_once_and_small_beside_others_of_its_route(tmp_path: Path) -> None:
    printed = print_(tmp_path, pages(1000))
    pack = next(tmp_path.glob("base-*.pack"))
    edition = open_edition(printed.pointer)
    bodies = sum(len(edition.body(path) or b"") for path in edition.paths())
    assert pack.stat().st_size < bodies / 8


def test_pages_get_a_dictionary_however_many_bytes_of_large_documents_wait(tmp_path: Path) -> None:
    large = [
        work(leaf(f"/feeds/{number}.xml", HTML, f"{number} {LONG}" * 1200, route="/feeds/{name}.xml"))
        for number in range(50)
    ]
    small = pages(300)
    assert sum(len(unit.render()[0].body) for unit in large) > PENDING_BYTES
    print_(tmp_path, [*small[:60], *large, *small[60:]])
    dictionaries = Pack(next(tmp_path.glob("base-*.pack"))).dictionaries
    assert dictionaries.number("/{slug}/")
    assert not dictionaries.number("/feeds/{name}.xml")


def test_a_change_is_written_with_the_dictionaries_of_its_base(tmp_path: Path) -> None:
    print_(tmp_path, pages(300))
    changed = print_(tmp_path, pages(300, r0007="as now"))
    newest, base = open_edition(changed.pointer).layers
    assert newest.dictionaries is base.dictionaries
    assert base.dictionaries.number("/{slug}/")
    assert newest.path.stat().st_size < 8_000
    with pytest.raises(PackError, match="without the pack"):
        Pack(newest.path)


def test_a_flipped_bit_in_a_body_is_never_sent(tmp_path: Path) -> None:
    printed = print_(tmp_path, many(30))
    pack = next(tmp_path.glob("base-*.pack"))
    start, length, _ = Pack(pack).meta("/r007/")["packed"]  # type: ignore[index]
    data = bytearray(pack.read_bytes())
    data[start + length // 2] ^= 1
    pack.write_bytes(data)
    with pytest.raises(ValueError, match="damaged"):
        open_edition(printed.pointer).find("/r007/")


def test_a_damaged_record_of_the_former_edition_is_built_anew(tmp_path: Path) -> None:
    print_(tmp_path, many(30))
    pack = next(tmp_path.glob("base-*.pack"))
    start, length, _ = Pack(pack).meta("/r007/")["packed"]  # type: ignore[index]
    data = bytearray(pack.read_bytes())
    data[start + length + RECORD.size + 12] ^= 1
    pack.write_bytes(data)
    again = print_(tmp_path, many(30, r007="as now"))
    assert (again.rendered, again.digest) == (30, print_(tmp_path / "full", many(30, r007="as now")).digest)


@pytest.mark.parametrize("place", range(8, 72, 8))
def test_a_damaged_header_is_an_error_of_the_pack(tmp_path: Path, place: int) -> None:
    print_(tmp_path, many(30))
    pack = next(tmp_path.glob("base-*.pack"))
    data = bytearray(pack.read_bytes())
    data[place] ^= 8
    pack.write_bytes(data)
    with pytest.raises(PackError):
        Pack(pack)


def test_what_stays_the_same_stays_ready_in_the_next_edition(tmp_path: Path) -> None:
    former = open_edition(print_(tmp_path, many(30)).pointer)
    same, other = former.find("/r008/"), former.find("/r007/")
    edition = open_edition(print_(tmp_path, many(30, r007="as now")).pointer)
    edition.inherit(former)
    assert edition.find("/r008/") is same
    assert edition.find("/r007/") is not other


def test_near_finds_a_misspelt_page_and_nothing_in_an_empty_edition(tmp_path: Path) -> None:
    edition = open_edition(print_(tmp_path, many(30)).pointer)
    assert edition.near("/r0070/", 3)
    assert open_edition(print_(tmp_path / "none", []).pointer).near("/x/") == ()


def test_every_path_is_found_in_a_full_table(tmp_path: Path) -> None:
    edition = open_edition(print_(tmp_path, many(500)).pointer)
    assert all(edition.find(path) for path in edition.paths())
    assert edition.find("/none/") is None


def test_codings_made_on_demand_stay_within_the_limit_of_the_cache(tmp_path: Path) -> None:
    edition = open_edition(print_(tmp_path, many(30)).pointer)
    leaves = [edition.find(f"/r{number:03}/") for number in range(30)]
    size = edition.cached_bytes
    edition.limit_cache(size + 500)
    coded = 0
    for ready in leaves:
        assert ready is not None
        identity = len(ready.coded["identity"].body)
        coded += sum(len(ready.coded[coding].body) for coding in ready.codings) - identity
        assert edition.cached_bytes <= size + 500
    assert coded > 1000, "the cache was never full"
    assert edition.find("/r029/") is edition.find("/r029/")


def test_what_is_asked_for_again_and_again_stays_in_a_full_cache(tmp_path: Path) -> None:
    edition = open_edition(print_(tmp_path, many(30)).pointer)
    edition.find("/r000/")
    edition.limit_cache(edition.cached_bytes * 20)  # ten of thirty at a time, in each of its halves
    hot, cold = edition.find("/r001/"), edition.find("/r002/")
    for number in range(3, 30):
        edition.find(f"/r{number:03}/")
        assert edition.find("/r001/") is hot
    assert edition.find("/r002/") is not cold
    assert edition.cached_bytes <= edition._budget.limit  # noqa: SLF001  (what a worker holds shows nowhere else)


def test_the_next_edition_keeps_the_limit_of_the_cache(tmp_path: Path) -> None:
    former = open_edition(print_(tmp_path, many(30)).pointer)
    former.limit_cache(100_000)
    edition = open_edition(print_(tmp_path, many(30, r007="as now")).pointer)
    edition.inherit(former)
    for path in edition.paths():
        edition.find(path)
    assert 0 < edition.cached_bytes <= 100_000


@pytest.mark.parametrize("text", ["[]", "null", "5", '{"layers": 5}', '{"layers": [5]}', '{"layers": []}', "{"])
def test_a_damaged_pointer_names_no_edition(tmp_path: Path, text: str) -> None:
    (tmp_path / "current.json").write_text(text)
    with pytest.raises(PackError):
        open_edition(tmp_path / "current.json")
