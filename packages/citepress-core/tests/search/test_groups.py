"""One record of each near-duplicate group: the same as from every match, in few searches however large the groups."""

from pathlib import Path

import pytest

from citepress.archive.model import Entry
from citepress.search.index import SearchIndex
from citepress.search.models import Query
from support.search import AS_OF, indexed, note

GROUPS = {"giant": 150, "large": 40, "small": 5, "pair": 2}
ALONE = 30


def _text(name: str, times: int) -> str:
    """A text of its own words, in which the otter stands as often as told."""
    own = " ".join(f"{name}word{n}" for n in range(30))
    return f"{own}. {'Otter. ' * times}"


def _entries() -> list[Entry]:
    groups = [
        note(f"{name}-{n}", _text(name, 3 + n % 4), summary="Of a river.")
        for name, count in GROUPS.items()
        for n in range(count)
    ]
    return [*groups, *(note(f"alone-{n}", _text(f"alone{n}", 1 + n % 3), summary="Of a river.") for n in range(ALONE))]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> SearchIndex:
    return indexed(tmp_path_factory.mktemp("distinct"), *_entries())


@pytest.fixture
def fetched(index: SearchIndex, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many matches each search of the engine was asked for."""
    reads: list[int] = []
    for name in ("search", "newest"):
        real = getattr(index.engine, name)

        def counted(match: object, limit: int, offset: int = 0, real: object = real) -> object:
            reads.append(limit)
            return real(match, limit, offset)  # type: ignore[operator]

        monkeypatch.setattr(index.engine, name, counted)
    return reads


def _every(index: SearchIndex, text: str) -> list[str]:
    """What looking at every match gives: the first of each group, best first."""
    groups: set[str] = set()
    hits = index.top(index.weigh(text), 1000) if text else []
    _, rows = index.engine.search(index.engine.term("text", "otter"), 1000)
    ids = [index.engine.stored(row.address) for row in rows]
    assert len(ids) == sum(GROUPS.values()) + ALONE
    firsts = [hit.id for hit in ids if not ((group := hit.cluster or hit.id) in groups or groups.add(group))]  # type: ignore[func-returns-value]
    assert [hit.stored.id for hit in hits] == firsts
    return firsts


@pytest.mark.parametrize("limit", [1, 2, 4, 10, 33])
def test_a_page_lists_the_first_of_each_group_in_the_order_of_all_matches(index: SearchIndex, limit: int) -> None:
    whole = _every(index, "otter")
    assert len(whole) == len(GROUPS) + ALONE
    for offset in (0, 1, 5, 30):
        answer = index.search(Query("otter", limit=limit, offset=offset))
        assert [hit.id for hit in answer.hits] == whole[offset : offset + limit]
        assert (answer.total, answer.more) == (sum(GROUPS.values()) + ALONE, offset + limit < len(whole))


@pytest.mark.parametrize(("limit", "text"), [(1, "otter"), (4, "otter"), (7, "otter alone3"), (40, "otter"), (10, "")])
def test_listed_and_unlisted_records_are_all_matches(index: SearchIndex, limit: int, text: str) -> None:
    listed = unlisted = 0
    while True:
        answer = index.search(Query(text, limit=limit, offset=listed))
        listed, unlisted = listed + len(answer.hits), unlisted + answer.unlisted
        if not answer.more:
            break
    assert listed == len(GROUPS) + ALONE
    assert listed + unlisted == answer.total == sum(GROUPS.values()) + ALONE


def test_records_without_near_duplicates_leave_none_unlisted(index: SearchIndex) -> None:
    assert index.search(Query("alone3word1 alone4word2")).unlisted == 0
    assert index.search(Query("pairword1 alone4word2")).unlisted == 1


def test_however_large_a_group_is_it_is_met_once(index: SearchIndex, fetched: list[int]) -> None:
    index.search(Query("otter", limit=10))
    assert len(fetched) <= 3
    assert sum(fetched) < sum(GROUPS.values())


def test_the_list_without_words_is_as_short_of_searches(index: SearchIndex, fetched: list[int]) -> None:
    answer = index.search(Query(limit=30))
    assert len({hit.cluster or hit.id for hit in answer.hits}) == 30
    assert len(fetched) <= 4


def test_related_records_of_a_member_are_none_of_its_group_however_large(
    index: SearchIndex, fetched: list[int]
) -> None:
    assert not [hit.id for hit in index.related("posts/giant-3") if hit.id.startswith("posts/giant")]
    assert len([limit for limit in fetched if limit > 1]) <= 3


def test_a_look_without_a_record_is_without_its_whole_group(index: SearchIndex) -> None:
    hits = index.top(index.weigh("otter"), 10, without=["posts/giant-149", "posts/alone-2"])
    ids = [hit.stored.id for hit in hits]
    assert len(ids) == 10
    assert not [id_ for id_ in ids if id_.startswith("posts/giant") or id_ == "posts/alone-2"]


def test_records_of_one_group_do_not_hide_the_tenth_match(index: SearchIndex) -> None:
    assert len(index.top(index.weigh("otter"), 10)) == 10


def test_everything_alike_is_one_hit_in_two_searches(tmp_path: Path) -> None:
    index = indexed(
        tmp_path,
        *(note(f"same-{n}", _text("same", 2), title="Same", summary="Same.", updated_at=AS_OF) for n in range(300)),
    )
    reads: list[int] = []
    real = index.engine.search
    index.engine.search = lambda match, limit, offset=0: reads.append(limit) or real(match, limit, offset)  # type: ignore[method-assign,func-returns-value]
    answer = index.search(Query("otter", limit=10))
    assert (answer.total, len(answer.hits), answer.more) == (300, 1, False)
    assert len(reads) == 2
