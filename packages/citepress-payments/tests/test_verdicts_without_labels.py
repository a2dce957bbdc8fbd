"""Verdicts of archives without labels: what is there is not called missing, nor what is missing covered."""

from itertools import product
from pathlib import Path

import pytest

from citepress.archive.model import Entry
from citepress.search.index import SearchIndex
from citepress_payments.products.coverage.confidence import logit, stated
from citepress_payments.products.coverage.own_questions import (
    PASSAGE_WORDS,
    UNSPACED_WORD_CHARS,
    chance_questions,
    own_questions,
    sample_records,
)
from citepress_payments.products.coverage.thresholds import LO, Judge, appoint, judge_of, packaged
from citepress_payments.products.coverage.verdict import MATERIAL, coverage
from support.search import AS_OF, indexed, note

VERBS, PARTS, DETAILS, GERMAN = map(
    str.split,
    (
        "clean repair replace order mount drain label store",
        "pump valve filter hose gauge motor belt lamp tank lid spring gasket wheel handle switch",
        "step tool glove cloth brush soap screw bolt washer nut clamp seal rod plate pin ring",
        "Häuser Gärten Brücken Straßen Schulen Märkte Bäche Wälder Felder Türme Burgen Höfe",
    ),
)


def question_on(verb: str, part: str) -> str:
    return f"How do I {verb} the {part}?"


def faq() -> list[Entry]:
    """Each question shares its words with others, so those seem to answer it when its record is away."""
    return [
        note(
            f"{verb}-{part}",
            f"Switch the machine off before you {verb} the {part}. {' '.join(f'{word}{n}' for word in DETAILS)}.",
            title=question_on(verb, part),
            published_at=AS_OF,
            updated_at=AS_OF,
        )
        for n, (verb, part) in enumerate(product(VERBS, PARTS))
    ]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> SearchIndex:
    return indexed(tmp_path_factory.mktemp("faq"), *faq())


def test_a_question_whose_answer_was_taken_away_is_not_called_covered(answers: SearchIndex) -> None:
    pairs = list(product(VERBS, PARTS))[::5]
    whole = [coverage(answers, question_on(*pair), AS_OF) for pair in pairs]
    removed = [
        coverage(answers, question_on(*pair), AS_OF, without=frozenset(["posts/" + "-".join(pair)])) for pair in pairs
    ]
    assert {verdict.verdict for verdict in whole} == {"covered"}
    assert sum(verdict.verdict == "covered" for verdict in removed) <= 0.15 * len(removed)
    assert {verdict.verdict for verdict in removed} <= {"covered", "partially_covered", "insufficient_evidence"}


def test_material_on_a_subject_is_sold_as_partial_coverage(answers: SearchIndex) -> None:
    calibration = judge_of(answers).calibration
    assert calibration.material < calibration.hi
    removed = [
        coverage(answers, question_on(*pair), AS_OF, without=frozenset(["posts/" + "-".join(pair)]))
        for pair in product(VERBS, PARTS)
    ]
    verdict = next(verdict for verdict in removed if verdict.verdict == "partially_covered")
    assert verdict.reason == MATERIAL
    assert "has material on this subject" in verdict.reason
    assert verdict.confidence
    assert stated(verdict.probability, calibration) < verdict.confidence.value < 1


def test_words_that_stand_together_in_the_first_record_are_never_not_covered(tmp_path: Path) -> None:
    """Not even where labels put the lower line high."""
    index = indexed(tmp_path, *faq())
    appoint(index, Judge(packaged().model_copy(update={"hi": 0.99, "lo": 0.98})))
    assert coverage(index, "drain the lakes of Greenland", AS_OF).verdict == "not_covered"
    assert coverage(index, "drain the tank of a submarine", AS_OF).verdict == "insufficient_evidence"


def test_the_lower_line_is_what_words_by_chance_reach(answers: SearchIndex) -> None:
    calibration = judge_of(answers).calibration
    assert calibration.lo == LO
    assert calibration.floor is not None
    assert 0 < calibration.floor < 1
    assert calibration.is_low(LO, calibration.floor)
    assert not calibration.is_low(LO, calibration.floor + 0.01)
    assert not calibration.is_low(LO + 0.01, 0.0)


def test_questions_by_chance_take_each_word_from_another_record_of_a_language(tmp_path: Path) -> None:
    records = [note(f"de-{n}", f"{' '.join(f'{word}{n}' for word in GERMAN)}.", language="de") for n in range(60)]
    japanese = [
        note(f"ja-{n}", "".join(chr(0x4E00 + 40 * n + at) for at in range(40)), language="ja") for n in range(60)
    ]
    index = indexed(tmp_path, *records, *japanese)
    ids = [*(f"posts/de-{n}" for n in range(60)), *(f"posts/ja-{n}" for n in range(60))]
    german, other = chance_questions(index, sample_records(index, ids), 4)
    for question in german:
        words = question.split()
        assert len({"".join(filter(str.isdecimal, word)) for word in words}) == len(words) == 4
    unspaced = [word for question in other for word in question.split() if word[0] >= "一"]
    assert {len(word) for word in unspaced} == {UNSPACED_WORD_CHARS}


def borrowing(*, apart: bool) -> list[Entry]:
    """Records that have the words of the next one's title: in one sentence, or too far apart to be a passage."""
    names = [f"{verb}{part}" for verb, part in product(VERBS, PARTS)][:110]
    titles = [" ".join(f"{name}{n}" for n in range(4)) for name in names]
    gap = f" {' '.join(['Nothing else is written here.'] * 4)} "
    texts = [". ".join(title.split()).replace(". ", f".{gap}") if apart else title for title in titles]
    return [
        note(f"r{n}", f"On {texts[(n + 1) % 110]}.", title=title, published_at=AS_OF, updated_at=AS_OF)
        for n, title in enumerate(titles)
    ]


def test_the_line_of_covered_follows_what_could_be_called_covered(tmp_path: Path) -> None:
    """A title whose words another record holds far apart is never called covered without its record."""
    thresholds = {
        apart: judge_of(indexed(tmp_path / str(apart), *borrowing(apart=apart))).calibration for apart in (True, False)
    }
    assert thresholds[True].hi == thresholds[True].material
    assert thresholds[False].hi > thresholds[False].material


def test_passages_of_the_length_of_a_question_are_asked_not_whole_sentences(tmp_path: Path) -> None:
    long, unspaced = " ".join(f"word{n}" for n in range(40)), "".join(chr(0x4E00 + 7 * n) for n in range(90))
    index = indexed(tmp_path, note("long", f"{long} ends."), note("ja", f"{unspaced}。", language="ja"))
    passages = {
        each.record: each.text for each in own_questions(index, sample_records(index, ["posts/long", "posts/ja"]))[2]
    }
    assert len(passages["posts/long"].split()) == PASSAGE_WORDS
    assert passages["posts/long"] in f"{long} ends."
    assert len(passages["posts/ja"]) == PASSAGE_WORDS * UNSPACED_WORD_CHARS
    assert passages["posts/ja"] in unspaced


def test_a_handful_of_titles_does_not_set_the_line_of_covered(tmp_path: Path) -> None:
    """Records that repeat each other's sentences would be called covered by the titles of a few that do not."""
    pool = [
        f"Keepers {verb} every {part} beside that {detail} before winter."
        for verb, part, detail in zip(VERBS * 4, PARTS * 2, DETAILS * 2, strict=False)
    ]
    repeating = [
        note(
            f"s{n}",
            f"{pool[n % 28]} {pool[(n * 5 + 3) % 28]} {' '.join(f'{word}{n}' for word in (*DETAILS, *PARTS))}",
            title="",
        )
        for n in range(120)
    ]
    titled = [note(f"t{n}", f"Zebra{n} stands alone.", title=f"Quagga{n} herd{n}") for n in range(5)]
    without = judge_of(indexed(tmp_path / "untitled", *repeating)).calibration
    few = judge_of(indexed(tmp_path / "few", *repeating, *titled)).calibration
    assert without.hi > without.material
    assert few.hi > few.material


def test_confidence_rises_steeply_above_the_line_of_covered_and_little_below_it(answers: SearchIndex) -> None:
    calibration = judge_of(answers).calibration.model_copy(update={"hi": 0.9, "partly": 0.5})
    chances = [stated(place / 100, calibration) for place in range(1, 100)]
    assert chances == sorted(chances)
    assert len(set(chances)) == len(chances)
    at = {probability: logit(stated(probability, calibration)) for probability in (0.1, 0.5, 0.9, 0.99)}
    steps = [(at[high] - at[low]) / (logit(high) - logit(low)) for low, high in ((0.9, 0.99), (0.5, 0.9), (0.1, 0.5))]
    assert steps[0] > steps[2] > steps[1] > 0


@pytest.mark.parametrize(
    ("topic", "language"),
    [
        ("wie reinige ich die Pumpe und das Ventil", "German"),
        ("ポンプの掃除", "Japanese"),
        ("как почистить насос", "Russian"),
    ],
)
def test_a_topic_in_a_language_of_no_record_is_invalid(answers: SearchIndex, topic: str, language: str) -> None:
    verdict = coverage(answers, topic, AS_OF)
    assert verdict.verdict == "invalid"
    assert verdict.reason.startswith(f"The topic seems to be in {language}")
