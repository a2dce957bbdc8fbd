"""Reports over an edition: they answer for live leaves only, one generation at a time, whole or not at all."""

import sys
import threading
from pathlib import Path
from types import FrameType

import pytest

from citepress.base.media import HTML, JSON
from citepress.contract.cache import Cache
from citepress.contract.limits import Limit
from citepress.edition.edition import Edition, open_edition
from citepress.edition.leaf import Leaf
from citepress.edition.overlay import Overlaid, Stamp, overlaid, overlay_pointer, print_overlay
from citepress.edition.response_headers import SiteFields
from citepress.http.message import Request, Response
from citepress.stores.local.counters import LocalCounters
from citepress.stores.local.overlay import LocalOverlay
from citepress.web.reload import EditionReloader
from citepress.web.site import SiteApp
from support.edition import BASE, leaf, printed, site_config, withdrawn

STYLE = "/theme/site.css"
REPORTS = tuple(f"/report-{number}.json" for number in range(8))
PAGE = "/machine-consumption/"
FILLER = "x" * 400


def leaves() -> tuple[Leaf, ...]:
    return (
        *(leaf(path, JSON, f'{{"none":"{path}{FILLER}"}}', live=True, cache=Cache.LIVE) for path in REPORTS),
        leaf(PAGE, HTML, f"nothing observed {FILLER}", live=True, cache=Cache.LIVE),
        leaf("/fixed.json", JSON, '{"fixed":1}'),
        leaf(STYLE, HTML, "body{}"),
        withdrawn("/page-readership/posts/gone.json", JSON, "It was withdrawn."),
    )


def put(
    state: Path, generation: int, *, base_url: str = BASE, style: str = STYLE, paths: tuple[str, ...] = (*REPORTS, PAGE)
) -> bytes:
    """Publish reports that all name their generation."""
    file = state / "next.pack"
    leaves = [
        leaf(path, HTML if path == PAGE else JSON, f'{{"generation":{generation},"text":"{FILLER}"}}', live=True)
        for path in paths
    ]
    assert print_overlay(file, leaves, Stamp(generation, base_url, style)) == len(leaves)
    LocalOverlay(state).put(generation, 100 + generation, file.read_bytes())
    return file.read_bytes()


def opened(state: Path) -> Edition:
    return overlaid(open_edition(state / "edition" / "current.json"), overlay_pointer(state))


def body(edition: Edition, path: str) -> bytes:
    leaf = edition.find(path)
    assert leaf is not None
    return bytes(leaf.coded["identity"].body)


def answer(site_app: SiteApp, target: str, *headers: tuple[bytes, bytes]) -> Response:
    return site_app.answer(Request("GET", target.encode(), b"", ((b"host", b"archive.test"), *headers), "192.0.2.1"))


def site_app(edition: Edition) -> SiteApp:
    return SiteApp(edition, LocalCounters(), SiteFields.of(site_config()), limit=Limit("rest", 1_000_000, 60))


@pytest.fixture
def state(tmp_path: Path) -> Path:
    printed(tmp_path, leaves())
    return tmp_path


def test_without_reports_an_edition_shows_its_own(state: Path) -> None:
    assert b'"none"' in body(opened(state), REPORTS[0])


def test_reports_answer_for_live_leaves_and_for_no_other(state: Path) -> None:
    put(state, 1, paths=(*REPORTS, "/fixed.json", "/invented.json", "/page-readership/posts/gone.json"))
    edition = opened(state)
    assert b'"generation":1' in body(edition, REPORTS[0])
    assert body(edition, "/fixed.json") == b'{"fixed":1}'
    assert edition.find("/invented.json") is None
    assert b"nothing observed" in body(edition, PAGE), "no report was rendered for it"
    assert answer(site_app(edition), "/page-readership/posts/gone.json").status == 410


def test_what_others_read_of_an_edition_is_the_report_too(state: Path) -> None:
    put(state, 1)
    assert b'"generation":1' in opened(state).body(REPORTS[0])


def test_reports_of_another_address_are_left_out(state: Path) -> None:
    put(state, 1, base_url="https://elsewhere.test")
    assert b'"none"' in body(opened(state), REPORTS[0])


def test_a_page_of_another_theme_is_left_out_and_its_numbers_are_not(state: Path) -> None:
    put(state, 1, style="/theme/site-of-another-version.css")
    assert b"nothing observed" in body(opened(state), PAGE)
    assert b'"generation":1' in body(opened(state), REPORTS[0])


def test_two_generations_are_kept_and_the_one_before_stands_in_for_a_damaged_one(state: Path) -> None:
    for generation in (1, 2, 3):
        put(state, generation)
    folder = overlay_pointer(state).parent
    assert sorted(file.name for file in folder.iterdir()) == ["2.pack", "3.pack", "current.json"]
    (folder / "3.pack").write_bytes(b"damaged")
    edition = opened(state)
    assert isinstance(edition, Overlaid)
    assert edition.generation == 2


@pytest.mark.parametrize("written", [b"", b"{", b"[]", b'{"generations":7}'])
def test_a_damaged_pointer_leaves_the_edition_as_it_is(state: Path, written: bytes) -> None:
    put(state, 1)
    overlay_pointer(state).write_bytes(written)
    assert b'"none"' in body(opened(state), REPORTS[0])
    assert LocalOverlay(state).newest() is None


def test_a_pack_is_given_back_as_it_was_put(state: Path) -> None:
    pack, store = put(state, 7), LocalOverlay(state)
    assert (store.newest(), store.get(7), store.get(6)) == (7, pack, None)


def test_the_etag_changes_if_and_only_if_the_bytes_do(state: Path) -> None:
    def tag() -> object:
        leaf = opened(state).find(REPORTS[0])
        assert leaf is not None
        return leaf.coded["identity"].etag, leaf.coded["br"].etag

    put(state, 1)
    first = tag()
    put(state, 1)
    assert tag() == first
    put(state, 2)
    assert tag() != first


def test_an_unchanged_report_is_not_sent_again(state: Path) -> None:
    put(state, 1)
    opened_app = site_app(opened(state))
    tag = dict(answer(opened_app, REPORTS[0]).headers)[b"etag"]
    reply = answer(opened_app, REPORTS[0], (b"if-none-match", tag))
    assert (reply.status, reply.body) == (304, b"")


def calls(shown: SiteApp, path: str) -> int:
    """Python functions entered for an answer."""
    count = 0

    def note(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal count
        count += event == "call"

    answer(shown, path)
    sys.setprofile(note)
    try:
        answer(shown, path)
    finally:
        sys.setprofile(None)
    return count


def test_a_report_costs_the_door_no_call_more_than_a_leaf(state: Path) -> None:
    put(state, 1)
    alone, over = site_app(open_edition(state / "edition" / "current.json")), site_app(opened(state))
    assert calls(over, REPORTS[0]) == calls(alone, REPORTS[0])
    assert calls(over, "/fixed.json") == calls(alone, "/fixed.json")


def test_a_worker_shows_new_reports_without_a_new_edition(state: Path) -> None:
    pointed, beside = state / "edition" / "current.json", overlay_pointer(state)
    shown = site_app(open_edition(pointed))
    follower = EditionReloader(shown, pointed, lambda path: overlaid(open_edition(path), beside), beside=beside)
    assert follower.look()
    assert not follower.look(), "nothing changed"
    put(state, 1)
    assert follower.look()
    assert b'"generation":1' in answer(shown, REPORTS[0]).body
    put(state, 2)
    assert follower.look()
    assert b'"generation":2' in answer(shown, REPORTS[0]).body


def test_a_swap_under_load_never_mixes_two_generations(state: Path) -> None:
    """Each answer is one generation's, whole, under that generation's ETag, and no client goes back in time."""
    pointed, beside = state / "edition" / "current.json", overlay_pointer(state)
    put(state, 1)
    tags = {1: dict(answer(site_app(opened(state)), REPORTS[0]).headers)[b"etag"]}
    shown = site_app(opened(state))
    follower = EditionReloader(shown, pointed, lambda path: overlaid(open_edition(path), beside), beside=beside)
    follower.look()
    faults: list[str] = []
    ended = threading.Event()
    generations: set[int] = set()

    def read() -> None:
        last = 0
        while not ended.is_set():
            for path in REPORTS:
                reply = answer(shown, path)
                text = bytes(reply.body)
                generation = int(text.split(b":")[1].split(b",")[0])
                length = int(dict(reply.headers)[b"content-length"])
                whole = text == f'{{"generation":{generation},"text":"{FILLER}"}}'.encode()
                if not whole or length != len(text) or generation < last:
                    faults.append(f"{path}: {generation} after {last}, {length} bytes announced, {len(text)} sent")
                if path == REPORTS[0] and dict(reply.headers)[b"etag"] != tags[generation]:
                    faults.append(f"{path}: the ETag is not that of generation {generation}")
                last = generation
                generations.add(generation)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for generation in range(2, 12):
        put(state, generation)
        tags[generation] = dict(answer(site_app(opened(state)), REPORTS[0]).headers)[b"etag"]
        follower.look()
        while generation not in generations and not faults:
            threading.Event().wait(0.001)
    ended.set()
    for reader in readers:
        reader.join()
    assert faults == []
    assert generations == set(range(1, 12))
