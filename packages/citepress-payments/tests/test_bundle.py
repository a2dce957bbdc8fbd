"""Research bundles: independent records, what they claim, how they agree, and when there is too little."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citepress.contract.record import Source
from citepress.search.index import SearchIndex
from citepress_payments.products.bundle.bundle import Bundle, bundle
from citepress_payments.products.details import details
from support.archive import archive_of, entry
from support.search import AS_OF, SUBJECTS, indexed, note, notes

QUESTION = "how do otters choose a weir at night"


def source(origin: str, page: str = "") -> Source:
    return Source(
        id=f"s-{page or origin}",
        url=f"https://{origin}/{page}",
        normalized_url=f"https://{origin}/{page}",
        title=f"Page of {origin}",
        publisher=None,
        origin=origin,
        published_at=None,
        accessed_at=None,
        role="primary",
    )


def otter(slug: str, rest: str, **members: object) -> object:
    return note(slug, f"Otters choose a weir at night. {rest}", **members)


def own_words(name: str) -> str:
    """A sentence that no other record shares a word with."""
    return " ".join(f"{name}word{n}" for n in range(20)).capitalize() + "."


def ids(result: Bundle) -> list[str]:
    return [source.id for source in result.sources]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> SearchIndex:
    claims = [
        {"text": "Otters prefer a weir.", "source_refs": ["s-river.example"]},
        {"text": "Rain is wet.", "source_refs": []},
    ]
    return indexed(
        tmp_path_factory.mktemp("search"),
        otter(
            "first",
            "A study counts seventy visits along the northern bank.",
            sources=[source("river.example")],
            claims=claims,
        ),
        otter("second", "Rangers disagree and name the southern pools instead.", sources=[source("ranger.example")]),
        otter("third", "Old maps show where mills once stood beside it.", sources=[source("maps.example")]),
        *notes(),
    )  # type: ignore[arg-type]


def test_a_bundle_holds_the_records_that_bear_on_the_question(index: SearchIndex) -> None:
    result = bundle(index, QUESTION, AS_OF)
    assert result.sufficient
    assert set(ids(result)) == {"posts/first", "posts/second", "posts/third"}
    assert result.missing == ()
    first = next(source for source in result.sources if source.id == "posts/first")
    assert first.passages == ("Otters choose a weir at night. A study counts seventy visits along the northern bank.",)
    assert [(statement.role, statement.text, statement.sources) for statement in first.statements] == [
        ("claims", "Otters prefer a weir.", ("https://river.example/",)),
        ("claims", "Rain is wet.", ()),
    ]


def test_known_records_are_left_out_with_their_near_duplicates(tmp_path: Path) -> None:
    text = "The study counts seventy visits along the northern bank and thirty along the southern bank of the river."
    index = indexed(
        tmp_path,
        otter("first", text, title="One", summary="One."),
        otter("copy", f"{text} Again.", title="One", summary="One."),
        otter("second", "Rangers disagree and name the pools instead."),
    )  # type: ignore[arg-type]
    result = bundle(index, QUESTION, AS_OF, known_ids=["posts/copy", "posts/none", "posts/copy"])
    assert ids(result) == ["posts/second"]
    assert result.known_excluded == ("posts/copy",)
    assert len(ids(bundle(index, QUESTION, AS_OF))) == 2


def test_a_known_record_takes_its_whole_group_with_it_however_large(tmp_path: Path) -> None:
    text = "The study counts seventy visits along the northern bank and thirty along the southern bank of the river."
    copies = [otter(f"copy{n}", text, title="One", summary="One.") for n in range(30)]
    index = indexed(tmp_path, *copies, otter("second", "Rangers disagree and name the pools instead."))  # type: ignore[arg-type]
    assert all(
        ids(bundle(index, QUESTION, AS_OF, known_ids=[f"posts/copy{n}"])) == ["posts/second"] for n in (0, 15, 29)
    )


def test_other_origins_come_before_one_that_has_a_third_of_the_places(tmp_path: Path) -> None:
    records = [otter(f"same{n}", own_words(f"same{n}"), sources=[source("one.example", str(n))]) for n in range(8)]
    records += [
        otter(f"other{n}", f"{own_words(f'other{n}')} {own_words(f'more{n}')}", sources=[source(f"o{n}.example")])
        for n in range(2)
    ]
    result = bundle(indexed(tmp_path, *records, *notes()), QUESTION, AS_OF, 6)  # type: ignore[arg-type]
    assert all(id_.startswith("posts/same") for id_ in ids(result)[4:])
    assert {"posts/other0", "posts/other1"} <= set(ids(result)[:4])


def test_what_is_called_as_asked_is_in_the_bundle_whatever_its_origin(tmp_path: Path) -> None:
    """A finding: the delta of the very revision was left out, because its origin had its third of the places."""
    own = [
        otter(
            f"near{n}",
            f"{own_words(f'near{n}')} Revision seven of the weir rules.",
            sources=[source("one.example", str(n))],
        )
        for n in range(4)
    ]
    far = [
        note(f"far{n}", f"Rules of a garden. {own_words(f'far{n}')}", sources=[source(f"o{n}.example")])
        for n in range(4)
    ]
    delta = note(
        "weir-rules-7",
        "They differ in three places.",
        title="Weir rules: what changed in revision seven",
        sources=[source("one.example", "d")],
    )
    result = bundle(
        indexed(tmp_path, *own, *far, delta, *notes()), "what changed in revision seven of the weir rules", AS_OF, 4
    )  # type: ignore[arg-type]
    assert ids(result)[0] == "posts/weir-rules-7"
    assert not [id_ for id_ in ids(result) if id_.startswith("posts/far")]


def test_fewer_than_two_independent_records_are_insufficient(tmp_path: Path) -> None:
    result = bundle(indexed(tmp_path, otter("only", "A study."), *notes()), QUESTION, AS_OF)  # type: ignore[arg-type]
    assert not result.sufficient
    assert ids(result) == ["posts/only"]
    assert "no other bears on it" in result.reason


@pytest.mark.parametrize("query", ["", "the of", "zzqx zzqy", "?"])
def test_a_question_without_known_content_gets_nothing(index: SearchIndex, query: str) -> None:
    result = bundle(index, query, AS_OF)
    assert (result.sufficient, result.sources) == (False, ())


def test_words_that_no_record_holds_are_told(index: SearchIndex) -> None:
    assert bundle(index, f"{QUESTION} according to astronauts", AS_OF).missing == ("according", "astronauts")


def test_agreement_and_conflict_among_the_records_are_told(tmp_path: Path) -> None:
    weir, text = source("river.example", "weir"), "Otters choose a weir at night."
    against = [{"summary": "Otters also choose ponds.", "source_refs": ["s-weir"]}]
    own = {"counter_evidence": against, "evidence": [{"text": text}]}
    index = indexed(
        tmp_path,
        entry("patterns/weirs", statement=text, sources=[weir], **own),
        entry(
            "signals/for", body_markdown=f"{text} {own_words('for')}", supports=["weirs"], sources=[source("a.example")]
        ),
        entry(
            "signals/against",
            body_markdown=f"{text} {own_words('against')}",
            contradicts=["weirs"],
            sources=[source("b.example")],
        ),
        entry(
            "signals/also",
            body_markdown=f"{text} {own_words('also')}",
            supports=["weirs"],
            sources=[source("c.example")],
        ),
        note("ponds", f"{text} Or rather a pond.", sources=[weir]),
        *notes(),
    )
    result = bundle(index, QUESTION, AS_OF, 12)
    (point,) = result.points
    assert point.id == "patterns/weirs"
    assert (point.supporting[0], set(point.supporting[1:])) == ("patterns/weirs", {"signals/for", "signals/also"})
    assert point.contradicting == ("signals/against",)
    assert [
        (objection.record, objection.against, objection.text, objection.sources) for objection in result.objections
    ] == [("patterns/weirs", ("posts/ponds",), "Otters also choose ponds.", (weir.url,))]
    weirs = next(source for source in result.sources if source.id == "patterns/weirs")
    assert [point.text for point in weirs.against] == ["Otters also choose ponds."]


def test_a_point_that_the_bundle_does_not_hold_is_told_with_those_who_take_a_side(tmp_path: Path) -> None:
    index = indexed(
        tmp_path,
        entry("patterns/mills", statement="Mills return."),
        entry("signals/for", body_markdown=f"Otters choose a weir at night. {own_words('for')}", supports=["mills"]),
        entry(
            "signals/against",
            body_markdown=f"Otters choose a weir at night. {own_words('against')}",
            contradicts=["mills"],
        ),
        *notes(),
    )
    (point,) = bundle(index, QUESTION, AS_OF, known_ids=["patterns/mills"]).points
    assert (point.id, point.supporting, point.contradicting) == (
        "patterns/mills",
        ("signals/for",),
        ("signals/against",),
    )


def test_passages_repeat_neither_each_other_nor_what_is_told_beside_them(tmp_path: Path) -> None:
    text = (
        "Otters choose a weir at night. Otters prefer a quiet weir.\n\nA weir at night is loud.\n\nOtters prefer a"
        " weir."
    )
    claims = [{"text": "Otters prefer a weir.", "source_refs": []}]
    index = indexed(tmp_path, note("first", text, claims=claims), otter("second", own_words("second")), *notes())  # type: ignore[arg-type]
    first = next(source for source in bundle(index, QUESTION, AS_OF).sources if source.id == "posts/first")
    assert first.passages == ("Otters choose a weir at night. Otters prefer a quiet weir.", "A weir at night is loud.")


def test_records_without_a_place_are_named_best_first(tmp_path: Path) -> None:
    records = [otter(f"n{n}", own_words(f"n{n}")) for n in range(5)]
    index = indexed(tmp_path, *records, *notes())  # type: ignore[arg-type]
    whole, short = ids(bundle(index, QUESTION, AS_OF, 8)), bundle(index, QUESTION, AS_OF, 2)
    assert (*ids(short), *short.further) == tuple(whole)
    assert short.independent == 5


def test_the_same_question_gives_the_same_bytes(index: SearchIndex) -> None:
    assert bundle(index, QUESTION, AS_OF).model_dump_json() == bundle(index, QUESTION, AS_OF).model_dump_json()


@given(st.text(max_size=600), st.integers(), st.lists(st.text(max_size=40), max_size=5))
def test_any_question_is_answered(index: SearchIndex, query: str, count: int, known_ids: list[str]) -> None:
    assert len(bundle(index, query, AS_OF, count, known_ids).sources) <= 20


def test_subjects_far_from_the_question_stay_out(index: SearchIndex) -> None:
    assert not {f"posts/{slug}" for slug in SUBJECTS} & set(ids(bundle(index, QUESTION, AS_OF, 20)))


def test_a_rewritten_report_takes_no_place_of_its_own(tmp_path: Path) -> None:
    letters = "bcdfghjklmnpqrtv"
    words = [
        "otters",
        "choose",
        "weir",
        "night",
        *(f"{first}a{second}u" for first in letters for second in letters[:4]),
    ]
    copies = [
        " ".join(f"{word}xo{'ie'[start]}" if place % 5 == 2 + start else word for place, word in enumerate(words)) + "."
        for start in (0, 1)
    ]
    reports = [note(f"report-{place}", text) for place, text in enumerate(copies)]
    index = indexed(tmp_path, *reports, note("second", f"Otters choose a weir at night. {own_words('second')}"))
    assert [index.record(report.record.id).cluster for report in reports if index.record(report.record.id)] == [
        None
    ] * 2
    places = {source.id: source.near_duplicates for source in bundle(index, QUESTION, AS_OF).sources}
    assert places.pop("posts/second") == ()
    assert [{id_, *others} for id_, others in places.items()] == [{"posts/report-0", "posts/report-1"}]
    assert ids(bundle(index, QUESTION, AS_OF, known_ids=["posts/report-1"])) == ["posts/second"]


def test_the_stance_of_a_record_is_kept_with_it() -> None:
    archive = archive_of(entry("signals/seen", supports=["moving"]), entry("patterns/moving"))
    assert details(archive.entries["signals/seen"])["edges"] == [("supports", "patterns/moving")]
