"""The coverage verdict, its thresholds, and what they are measured on."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citepress.contract.record import Source
from citepress.search.index import SearchIndex
from citepress_payments.products.coverage.calibration import (
    MIN_UPPER_THRESHOLD,
    Label,
    calibrated,
    foreign_questions,
    labels,
)
from citepress_payments.products.coverage.confidence import stated
from citepress_payments.products.coverage.query_run import Features, run_query
from citepress_payments.products.coverage.thresholds import HI, LO, MIN_CALIBRATED_RECORDS, judge_of
from citepress_payments.products.coverage.verdict import coverage, facets_of
from citepress_research.kinds.probes import RecallProbeSet
from support.archive import archive_of, entry
from support.search import AS_OF, SUBJECTS, indexed, note, notes

FILLER = [
    note(
        f"filler-{n}",
        f"Plain filler number{n} speaks of gardens{n}, rivers{n} and the weather on hill{n} beside house{n}.",
    )
    for n in range(20)
]
SANDBOX = "kernel namespaces and seccomp filters confine a coding agent"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> SearchIndex:
    fresh = [note(slug, text, published_at=AS_OF, updated_at=AS_OF) for slug, text in SUBJECTS.items()]
    return indexed(tmp_path_factory.mktemp("search"), *fresh, *FILLER)


def test_a_topic_that_a_fresh_record_treats_is_covered(index: SearchIndex) -> None:
    verdict = coverage(index, SANDBOX, AS_OF)
    assert verdict.verdict == "covered"
    assert verdict.probability >= verdict.calibration.hi
    assert [match.id for match in verdict.evidence] == ["posts/sandbox"]
    assert verdict.evidence[0].passage == SUBJECTS["sandbox"]
    assert (verdict.missing, verdict.newest_evidence_at, verdict.as_of) == ((), AS_OF, AS_OF)


def test_the_same_topic_is_stale_when_the_evidence_is_old(tmp_path: Path) -> None:
    old = [
        note(slug, text, published_at=AS_OF - timedelta(days=31), updated_at=AS_OF) for slug, text in SUBJECTS.items()
    ]
    index = indexed(tmp_path, *old, *FILLER)
    assert coverage(index, SANDBOX, AS_OF, 30).verdict == "stale"
    assert coverage(index, SANDBOX, AS_OF, 31).verdict == "covered"


def test_a_topic_with_a_treated_and_an_untreated_part_is_partially_covered(index: SearchIndex) -> None:
    verdict = coverage(index, f"{SANDBOX}; filler about volcanic islands in Oceania", AS_OF)
    assert verdict.verdict == "partially_covered"
    assert [facet.probability >= HI for facet in verdict.facets] == [True, False]
    assert verdict.facets[1].missing == ("volcanic", "islands", "oceania")


def test_a_topic_that_shares_but_a_word_or_two_is_not_covered(index: SearchIndex) -> None:
    verdict = coverage(index, "agent memory of migrating geese over Siberian wetlands", AS_OF)
    assert verdict.verdict == "not_covered"
    assert verdict.probability <= LO
    assert "geese" in verdict.missing


@pytest.mark.parametrize("topic", ["", "  \n ", "the of and", "?!"])
def test_a_topic_without_content_is_invalid(index: SearchIndex, topic: str) -> None:
    verdict = coverage(index, topic, AS_OF)
    assert verdict.verdict == "invalid"
    assert verdict.reason.startswith("The topic ")


def test_a_topic_of_words_that_no_record_holds_is_not_covered(index: SearchIndex) -> None:
    verdict = coverage(index, "quantum chromodynamics", AS_OF)
    assert (verdict.verdict, verdict.probability, verdict.evidence) == ("not_covered", 0, ())
    assert verdict.missing == ("quantum", "chromodynamics")


@pytest.mark.parametrize("topic", ["benchmraks poisonnig", "sandboks"])
def test_a_topic_that_may_be_misspelt_is_left_open(index: SearchIndex, topic: str) -> None:
    verdict = coverage(index, topic, AS_OF)
    assert verdict.verdict == "insufficient_evidence"
    assert "misspelt" in verdict.reason


@pytest.mark.parametrize("topic", ["knitted sandboks", "memoirs knitted"])
def test_a_topic_with_a_word_that_is_like_none_is_not_taken_for_a_misspelt_one(index: SearchIndex, topic: str) -> None:
    assert index.suggestions(index.weigh(topic))
    assert coverage(index, topic, AS_OF).verdict == "not_covered"


def test_a_part_without_a_topic_is_no_part(index: SearchIndex) -> None:
    verdict = coverage(index, f"{SANDBOX} vs the of; vs", AS_OF)
    assert (verdict.verdict, verdict.facets) == (coverage(index, SANDBOX, AS_OF).verdict, ())


def test_between_the_thresholds_there_is_no_verdict(index: SearchIndex) -> None:
    verdict = coverage(index, "agent memory under quarantine", AS_OF)
    assert verdict.calibration.lo < verdict.probability < verdict.calibration.hi
    assert verdict.verdict == "insufficient_evidence"


def test_the_same_topic_gives_the_same_bytes(tmp_path: Path) -> None:
    first, other = indexed(tmp_path / "a", *notes(), *FILLER), indexed(tmp_path / "b", *reversed(FILLER), *notes())
    assert coverage(first, SANDBOX, AS_OF).model_dump_json() == coverage(other, SANDBOX, AS_OF).model_dump_json()


@given(st.text(max_size=300), st.integers(-5, 4000))
def test_any_topic_gets_a_verdict(index: SearchIndex, topic: str, days: int) -> None:
    assert 0 <= coverage(index, topic, AS_OF, days).probability <= 1


@pytest.mark.parametrize(
    ("topic", "facets"),
    [
        ("agent memory", ()),
        ("x402 vs AP2", ("x402", "AP2")),
        ("x402 VS. AP2 versus ACP", ("x402", "AP2", "ACP")),
        ("one; two\nthree", ("one", "two", "three")),
        ("agent memory and tool poisoning", ("agent memory", "tool poisoning")),
        ("search and rescue", ()),
        ("a;b;c;d;e;f", ("a", "b", "c", "d")),
        (";;", ()),
    ],
)
def test_a_topic_is_split_into_its_parts(topic: str, facets: tuple[str, ...]) -> None:
    assert facets_of(topic) == facets


def test_more_of_the_topic_held_is_more_probable() -> None:
    whole, half = Features(0.6, 1.0, 0.3, 1.8), Features(0.3, 0.5, 0.1, 1.8)
    assert 0 < half.probability < whole.probability < 1


def test_taking_records_away_leaves_the_rest(index: SearchIndex) -> None:
    assert run_query(index, SANDBOX).results[0].stored.id == "posts/sandbox"
    assert "posts/sandbox" not in [
        result.stored.id for result in run_query(index, SANDBOX, frozenset(["posts/sandbox"])).results
    ]


def test_few_labels_leave_the_thresholds_of_the_package(index: SearchIndex) -> None:
    calibration = calibrated(index, [Label(SANDBOX, frozenset(["posts/sandbox"]))])
    assert (calibration.basis, calibration.hi, calibration.lo, calibration.present, calibration.absent) == (
        "package",
        HI,
        LO,
        1,
        1,
    )
    assert calibration.errors is not None
    assert (calibration.errors.absent_auc, calibration.errors.off_topic_called_covered) == (1.0, 0.0)


def test_an_empty_archive_has_the_thresholds_of_the_package(tmp_path: Path) -> None:
    assert judge_of(indexed(tmp_path)).calibration.basis == "package"


def test_labels_of_the_archive_set_the_thresholds(index: SearchIndex) -> None:
    questions = [Label(f"gardens{n} rivers{n} hill{n} house{n}", frozenset([f"posts/filler-{n}"])) for n in range(20)]
    questions += [Label(" ".join(text.split()[3:11]), frozenset([f"posts/{slug}"])) for slug, text in SUBJECTS.items()]
    calibration = calibrated(index, questions)
    assert (calibration.basis, calibration.present, calibration.absent) == ("archive", 26, 26)
    assert 0 <= calibration.lo <= calibration.hi <= 1
    assert calibration.errors is not None
    assert calibration.errors.present_missed <= 0.1
    assert calibration.errors.off_topic_called_covered <= 0.05
    assert calibration.errors.absent_auc > 0.95
    assert calibration == calibrated(index, reversed(questions))


def test_off_topic_questions_set_the_upper_threshold_where_there_are_too_few_labels(tmp_path: Path) -> None:
    """An archive that shares more words with them calls less covered."""
    general = [question for questions in foreign_questions()["long"].values() for question in questions]
    subjects = [f"Sun{n} moon{n} star{n} cloud{n} rain{n} snow{n}." for n in range(MIN_CALIBRATED_RECORDS)]
    low = indexed(tmp_path / "own", *(note(f"note-{n}", text) for n, text in enumerate(subjects)))
    high = indexed(
        tmp_path / "general",
        *(note(f"note-{n}", f"{text} {general[n % len(general)]}") for n, text in enumerate(subjects)),
    )
    few = indexed(tmp_path / "few", *(note(f"note-{n}", text) for n, text in enumerate(subjects[1:])))
    calibration = judge_of(high).calibration
    assert (calibration.basis, calibration.off_topic, calibration.lo) == ("off_topic", 120, LO)
    assert calibration.hi > judge_of(low).calibration.hi >= MIN_UPPER_THRESHOLD
    assert (judge_of(few).calibration.basis, judge_of(few).calibration.hi) == ("package", HI)


def test_a_few_off_topic_questions_that_are_answered_do_not_set_the_threshold(tmp_path: Path) -> None:
    answers = [
        note(f"answer-{n}", questions[0]) for n, questions in enumerate(list(foreign_questions()["long"].values())[:4])
    ]
    others = [
        note(f"note-{n}", f"Sun{n} moon{n} star{n} cloud{n} rain{n} snow{n}.") for n in range(MIN_CALIBRATED_RECORDS)
    ]
    calibration = judge_of(indexed(tmp_path, *answers, *others)).calibration
    assert (calibration.basis, calibration.hi) == ("off_topic", MIN_UPPER_THRESHOLD)


def test_an_archive_without_labels_calls_covered_what_it_holds(tmp_path: Path) -> None:
    subjects = [note(slug, text, published_at=AS_OF, updated_at=AS_OF) for slug, text in SUBJECTS.items()]
    others = [
        note(f"note-{n}", f"Sun{n} moon{n} star{n} cloud{n} rain{n} snow{n}.") for n in range(MIN_CALIBRATED_RECORDS)
    ]
    index = indexed(tmp_path, *subjects, *others)
    calibration = judge_of(index).calibration
    assert calibration.basis == "off_topic"
    verdict = coverage(index, SANDBOX, AS_OF)
    assert verdict.verdict == "covered"
    assert verdict.confidence
    assert verdict.confidence.value == round(stated(verdict.probability, calibration), 4) != verdict.probability
    assert coverage(index, "the effect of the number of books on small children", AS_OF).verdict == "not_covered"


def test_labels_whose_records_are_not_published_are_no_labels(index: SearchIndex) -> None:
    assert calibrated(index, [Label(SANDBOX, frozenset(["posts/none"]))]).present == 0


def test_the_field_that_the_archive_treats_itself_is_not_foreign(index: SearchIndex) -> None:
    foreign = {"own": [SANDBOX], "other": ["rings of Saturn"], "third": ["boiling an egg"]}
    calibration = calibrated(index, [Label(SANDBOX, frozenset(["posts/sandbox"]))], off_topic_questions=foreign)
    assert calibration.off_topic == 2
    assert calibration.errors is not None
    assert calibration.errors.off_topic_called_covered == 0.0


def test_probes_topics_and_patterns_are_labels() -> None:
    probe = {
        "id": "q1",
        "question": "Who?",
        "canonical_citations": [{"canonical_path": "posts/one", "role": "primary"}],
        "reference_answer": "We.",
    }
    probes = RecallProbeSet.model_validate(
        {
            "id": "set",
            "version": "1",
            "frozen_at": "2026-01-01",
            "probes": [probe],
            "scoring": {"rules": [{"id": "hit", "points": 1}]},
        }
    )
    archive = archive_of(
        entry("posts/one", topics=["moving"], related=["posts/two"]),
        entry("posts/two"),
        entry("topics/moving"),
        entry("patterns/things", statement="Things move."),
        entry("signals/seen", supports=["things"]),
        registered={"probes": (probes,)},
    )
    by_question = {label.question: label for label in labels(archive)}
    assert by_question["Who?"].records == {"posts/one", "posts/two"}
    assert (by_question["What moves?"].records, by_question["What moves?"].itself) == ({"posts/one"}, {"topics/moving"})
    assert (by_question["Things move."].records, by_question["Things move."].itself) == (
        {"signals/seen"},
        {"patterns/things"},
    )


def test_age_is_counted_from_the_day_of_the_question(index: SearchIndex) -> None:
    later = AS_OF + timedelta(days=40, hours=9)
    assert coverage(index, SANDBOX, AS_OF + timedelta(hours=23), 0).verdict == "covered"
    verdict = coverage(index, SANDBOX, later, 39)
    assert (verdict.verdict, verdict.evidence[0].age_days, verdict.as_of) == ("stale", 40, AS_OF)
    assert verdict.asked_at == AS_OF + timedelta(days=40)
    assert coverage(index, SANDBOX, later, 40).verdict == "covered"


def test_a_bare_edit_makes_nothing_fresh_and_a_source_that_was_read_again_does(tmp_path: Path) -> None:
    old, text = AS_OF - timedelta(days=400), SUBJECTS["sandbox"]
    edited = indexed(tmp_path / "edited", note("sandbox", text, published_at=old, updated_at=AS_OF), *FILLER)
    assert coverage(edited, SANDBOX, AS_OF).evidence[0].age_days == 400
    assert coverage(edited, SANDBOX, AS_OF).verdict == "stale"
    read = [source_of(accessed_at=AS_OF - timedelta(days=3))]
    checked = indexed(
        tmp_path / "checked", note("sandbox", text, published_at=old, updated_at=AS_OF, sources=read), *FILLER
    )
    assert coverage(checked, SANDBOX, AS_OF).evidence[0].age_days == 3
    frozen = indexed(
        tmp_path / "frozen", note("sandbox", text, published_at=old, updated_at=old, sources=read), *FILLER
    )
    assert coverage(frozen, SANDBOX, AS_OF).evidence[0].age_days == 400


def test_evidence_dated_after_the_question_does_not_count(tmp_path: Path) -> None:
    old, late = AS_OF - timedelta(days=400), datetime(2062, 1, 1, tzinfo=UTC)
    typed = note(
        "sandbox", SUBJECTS["sandbox"], published_at=old, updated_at=late, sources=[source_of(published_at=late)]
    )
    assert coverage(indexed(tmp_path, typed, *FILLER), SANDBOX, AS_OF).evidence[0].age_days == 400


def source_of(**dates: datetime) -> Source:
    members = {"published_at": None, "accessed_at": None, **dates}
    return Source(
        id="s",
        url="https://s.example/",
        normalized_url="https://s.example/",
        title="S",
        publisher=None,
        origin="s.example",
        role="primary",
        **members,
    )  # type: ignore[arg-type]
