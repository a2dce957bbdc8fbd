"""Searching an index: words, phrases, filters, pages, passages, suggestions, and any text whatever."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citepress.archive.contents import Contents
from citepress.contract.record import RecordClaim, Source
from citepress.search.foreign import foreign_language
from citepress.search.index import SearchIndex
from citepress.search.models import Query
from support.archive import entry
from support.search import SUBJECTS, indexed, note, notes


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> SearchIndex:
    return indexed(tmp_path_factory.mktemp("search"), *notes())


def ids(index: SearchIndex, text: str, **query: object) -> list[str]:
    return [hit.id for hit in index.search(Query(text, **query)).hits]  # type: ignore[arg-type]


def day(number: int) -> datetime:
    return datetime(2026, 1, number, tzinfo=UTC)


def source(origin: str) -> Source:
    return Source(
        id=origin,
        url=f"https://{origin}/",
        normalized_url=f"https://{origin}/",
        title=origin,
        publisher=None,
        origin=origin,
        published_at=None,
        accessed_at=None,
        role="primary",
    )


@pytest.mark.parametrize("subject", SUBJECTS)
def test_each_text_is_found_by_its_own_words(index: SearchIndex, subject: str) -> None:
    assert ids(index, " ".join(SUBJECTS[subject].split()[2:8]))[0] == f"posts/{subject}"


def test_other_forms_of_a_word_are_found(index: SearchIndex) -> None:
    assert ids(index, "confining benchmarked crawler") == ids(index, "confines benchmarks crawlers")


def test_a_hit_tells_which_words_match_and_which_do_not(index: SearchIndex) -> None:
    (hit,) = index.search(Query("seccomp unicorns")).hits
    assert (hit.matched, hit.missing) == (("seccomp",), ("unicorns",))


def test_a_sentence_that_summary_and_text_repeat_counts_once(tmp_path: Path) -> None:
    sentence = "A narwhal surfaces here."
    index = indexed(
        tmp_path,
        note("repeated", sentence, summary=sentence, retrieval_nugget=sentence),
        note("twice", "Whalers met a narwhal, and no narwhal feared them.", summary="Of whalers."),
        *notes(),
    )
    stored = index.record("posts/repeated")
    assert stored is not None
    assert stored.terms.split().count("narwhal") == 1
    assert ids(index, "narwhal") == ["posts/twice", "posts/repeated"]
    assert index.search(Query("narwhal surfaces")).hits[0].snippet == sentence


def test_the_cut_end_of_a_summary_is_no_passage_and_a_sentence_that_trails_off_is(tmp_path: Path) -> None:
    text = "Cargo sails here. The season brought otters to the weir, and herons with them. Car…"
    index = indexed(tmp_path, note("cut", text, summary="Cargo sails here. The season…"))
    snippets = [hit.snippet for word in ("season", "car") for hit in index.search(Query(word)).hits]
    assert snippets == ["The season brought otters to the weir, and herons with them. Car…", "Car…"]


def test_stop_words_do_not_make_a_record_longer(tmp_path: Path) -> None:
    index = indexed(
        tmp_path,
        note("wordy", "It is what it is, and so it was that there was a narwhal here and there and then.", title="N"),
        note("terse", "Narwhal sea ice bay ship wave storm gull rock.", title="M"),
    )
    assert ids(index, "narwhal") == ["posts/wordy", "posts/terse"]


def test_a_text_of_stop_words_alone_is_found_by_them(tmp_path: Path) -> None:
    index = indexed(tmp_path, note("band", title="The Who"), note("other", title="Others"))
    assert ids(index, "the who") == ["posts/band"]


def test_an_identifier_votes_once(tmp_path: Path) -> None:
    index = indexed(
        tmp_path,
        note("parts", "Pack the hub and hub the git; a git hub has a git hub and a hub git.", title="Parts"),
        note("whole", "Release notes appear on GitHub for each version of these packages.", title="Packaging"),
        *notes(),
    )
    assert ids(index, "GitHub")[0] == "posts/whole"


def test_adjacent_words_are_preferred(tmp_path: Path) -> None:
    index = indexed(
        tmp_path,
        note("apart", "Memory serves people as well as an agent may.", updated_at=day(9), title="A"),
        note("beside", "People serve agent memory as well as they may.", updated_at=day(1), title="B"),
    )
    assert ids(index, "agent memory")[0] == "posts/beside"


def test_a_short_title_weighs_more_than_a_text_unless_the_question_is_long(tmp_path: Path) -> None:
    paddled = "A kayak passes at dawn. A kayak passes at noon. A kayak at night. No kayak in winter."
    index = indexed(tmp_path, note("text", paddled, title="Bays"), note("title", SUBJECTS["memory"], title="Kayak"))

    assert ids(index, "kayak rental") == ["posts/title", "posts/text"]
    assert ids(index, f"kayak {' '.join(f'rental{n}' for n in range(16))}") == ["posts/text", "posts/title"]


def test_a_title_with_every_word_of_the_question_comes_first(tmp_path: Path) -> None:
    repeated = "A signed bot request is verified: verify the signed request of a bot. " * 3
    index = indexed(
        tmp_path,
        note("guide", "Fetch the key and check it.", title="Verify a signed bot request, step by step"),
        *(note(f"n{n}", f"{repeated} number{n} " * 3, title=f"Signed bot request number{n}") for n in range(4)),
    )
    assert ids(index, "How do I verify a signed bot request?")[0] == "posts/guide"


def test_titles_weigh_more_than_bodies(tmp_path: Path) -> None:
    index = indexed(tmp_path, note("first", "All about quokkas."), note("quokkas", "All about firsts."))
    assert ids(index, "quokka")[0] == "posts/quokkas"


def test_tags_sources_and_own_members_are_searched(tmp_path: Path) -> None:
    index = indexed(
        tmp_path,
        note("tagged", tags=["wombat"]),
        note("sourced", sources=[source("platypus.example")]),
        entry("patterns/moving"),
    )
    assert ids(index, "wombat") == ["posts/tagged"]
    assert ids(index, "platypus") == ["posts/sourced"]
    assert ids(index, "stood still") == ["patterns/moving"]


def test_filters_narrow_by_kind_topic_origin_and_date(tmp_path: Path) -> None:
    index = indexed(
        tmp_path,
        note("old", "Ferrets dig.", topics=["digging"], updated_at=day(1)),
        note("new", "Ferrets sleep.", sources=[source("ferret.example")], updated_at=day(9)),
        entry("signals/seen", body_markdown="Ferrets were seen.", updated_at=day(5)),
    )
    assert ids(index, "ferrets", kinds=("signals", "learn")) == ["signals/seen"]
    assert ids(index, "ferrets", topic="digging") == ["posts/old"]
    assert ids(index, "ferrets", origin="ferret.example") == ["posts/new"]
    assert set(ids(index, "ferrets", since=day(5))) == {"posts/new", "signals/seen"}
    assert set(ids(index, "ferrets", until=day(5))) == {"posts/old", "signals/seen"}
    assert ids(index, "ferrets", since=day(2), until=day(8)) == ["signals/seen"]
    assert ids(index, "ferrets", kinds=("posts",), topic="sleeping") == []


def test_without_text_the_records_of_a_filter_are_listed_newest_first(tmp_path: Path) -> None:
    index = indexed(
        tmp_path,
        *(note(f"n{place}", topics=["t"] if place % 2 else [], updated_at=day(place)) for place in (3, 9, 5, 4)),
    )
    assert ids(index, "", topic="t") == ["posts/n9", "posts/n5", "posts/n3"]
    assert ids(index, "  ") == ["posts/n9", "posts/n5", "posts/n4", "posts/n3"]


def test_text_without_a_word_finds_nothing(index: SearchIndex) -> None:
    assert index.search(Query("?!")).total == 0


def test_equal_scores_are_listed_newest_first_and_then_by_id(tmp_path: Path) -> None:
    records = [
        note(slug, updated_at=day(date), title="Same", summary="Same.", retrieval_nugget="Same.")
        for slug, date in (("b", 1), ("a", 1), ("c", 2))
    ]
    index = indexed(tmp_path, *records)
    assert ids(index, "same") == ["posts/c", "posts/a", "posts/b"]


def test_pages_join_without_gap_or_repeat(tmp_path: Path) -> None:
    records = (note(f"n{place}", f"Badger number{place} " + f"unique{place} " * 20) for place in range(25))
    index = indexed(tmp_path, *records)
    pages = [index.search(Query("badger", limit=10, offset=offset)) for offset in (0, 10, 20, 30)]
    assert [len(page.hits) for page in pages] == [10, 10, 5, 0]
    assert [page.more for page in pages] == [True, True, False, False]
    assert {page.total for page in pages} == {25}
    assert len({hit.id for page in pages for hit in page.hits}) == 25


def test_limits_out_of_bounds_are_brought_within_them(index: SearchIndex) -> None:
    assert len(index.search(Query("a process model description", limit=-3)).hits) == 1
    assert index.search(Query("process", offset=-1)).hits
    assert index.search(Query("process", limit=10**9, offset=10**9)).hits == ()


def test_near_duplicates_are_listed_under_one_hit(tmp_path: Path) -> None:
    text = SUBJECTS["sandbox"]
    index = indexed(
        tmp_path,
        note("sandbox-one", text, published_at=day(1), title="Sandbox", summary="Sandbox."),
        note("sandbox-two", f"{text} Again.", published_at=day(2), title="Sandbox", summary="Sandbox."),
        note("memory", SUBJECTS["memory"]),
    )
    answer = index.search(Query("sandbox seccomp agent"))
    assert {hit.id for hit in answer.hits} & {"posts/sandbox-one", "posts/sandbox-two"} == {answer.hits[0].id}
    assert answer.hits[0].cluster == "posts/sandbox-one"
    assert {answer.hits[0].id, *answer.hits[0].more_in_cluster} == {"posts/sandbox-one", "posts/sandbox-two"}
    assert (answer.total, index.stats.clusters) == (3, 1)


def test_the_snippet_is_the_passage_with_most_of_the_words(tmp_path: Path) -> None:
    text = (
        "Rivers are wide.\n\nA heron waits by the weir. It eats fish.\n\nOtters and herons share a weir at night. Few"
        " see it.\n\nThe end."
    )
    (hit,) = indexed(tmp_path, note("river", text)).search(Query("otters weir")).hits
    assert hit.snippet == "Otters and herons share a weir at night. Few see it."


def test_a_long_sentence_is_cut_near_its_match(tmp_path: Path) -> None:
    text = "Nothing " + "of note happens here " * 25 + "until a narwhal surfaces in the bay and leaves."
    (hit,) = indexed(tmp_path, note("bay", text)).search(Query("narwhal")).hits
    assert "narwhal surfaces" in hit.snippet
    assert len(hit.snippet) <= 240
    assert hit.snippet.startswith("…")


def test_where_only_a_tag_matches_the_summary_is_shown(tmp_path: Path) -> None:
    (hit,) = indexed(tmp_path, note("tagged", "A text.", tags=["wombat"])).search(Query("wombat")).hits
    assert hit.snippet == hit.summary == "On tagged."


def test_markdown_syntax_is_no_part_of_a_passage(tmp_path: Path) -> None:
    text = "See **the [ibex](https://x.example/)** on `rock`.\n\n| a | b |\n|---|---|\n| kudu | 2 |\n"
    index = indexed(tmp_path, note("goats", text))
    assert index.search(Query("ibex")).hits[0].snippet == "See the ibex on rock."
    assert index.search(Query("kudu")).hits[0].snippet == "kudu"


def test_a_misspelt_query_without_match_is_answered_with_near_words(tmp_path: Path) -> None:
    index = indexed(tmp_path, note("sandbox-defaults", "Which are on."))
    assert index.search(Query("sandbx defalts")).suggestions[0] == "sandbox defaults"
    assert index.near_terms(["sandbx", "which", "qqqq"]) == {"sandbx": ("sandbox",)}


def test_a_word_that_no_record_holds_is_named_and_near_words_are_suggested_although_others_match(
    tmp_path: Path,
) -> None:
    index = indexed(tmp_path, note("sandbox-defaults", "Which are on."), *notes())
    results = index.search(Query("sandbx namespaces kernel"))
    assert results.hits
    assert (results.unknown, results.suggestions) == (("sandbx",), ("sandbox namespaces kernel",))
    assert index.search(Query("sandbox namespaces")).unknown == ()


def test_a_version_is_found_with_and_without_its_v_and_is_no_other_version(tmp_path: Path) -> None:
    index = indexed(
        tmp_path,
        note("with", "Release v2.4.1 ends it.", summary="On v2.4.1."),
        note("without", "Release 2.4.0 has it.", summary="On 2.4.0."),
        note("model", "GPT-4.1 reads pictures.", summary="On GPT-4.1."),
    )
    assert ids(index, "2.4.1") == ids(index, "v2.4.1") == ["posts/with"]
    assert ids(index, "2.4.0") == ids(index, "V2.4.0") == ["posts/without"]
    assert ids(index, "gpt 4.1")[0] == ids(index, "gpt4.1")[0] == "posts/model"
    missing = index.search(Query("v2.4.2"))
    assert (missing.total, missing.unknown, missing.suggestions) == (0, ("2.4.2",), ())


def test_stop_words_are_neither_unknown_nor_suggested(tmp_path: Path) -> None:
    index = indexed(tmp_path, note("acid", "Oxalic acid.", title="Acid and then ten of them"))
    results = index.search(Query("the"))
    assert (results.total, results.unknown, results.suggestions) == (0, (), ())
    assert index.search(Query("oxalic acd")).suggestions == ("oxalic acid",)
    assert index.near_terms(["acd", "thez"]) == {"acd": ("acid",)}


def test_only_what_a_search_would_find_is_suggested(tmp_path: Path) -> None:
    index = indexed(tmp_path, note("sandbox-defaults", "Which are on."))
    assert index.search(Query("sandbx", kinds=("posts",))).suggestions == ("sandbox",)
    assert index.search(Query("sandbx", kinds=("signals",))).suggestions == ()


def test_a_hit_tells_when_it_was_published_observed_and_updated(tmp_path: Path) -> None:
    index = indexed(
        tmp_path,
        entry("signals/otter", body_markdown="An otter.", published_at=day(2), updated_at=day(9)),
        note("otter", "Another otter.", published_at=day(3), updated_at=day(4)),
    )
    dates = {hit.id: (hit.published_at, hit.observed_at, hit.updated_at) for hit in index.search(Query("otter")).hits}
    assert dates["signals/otter"] == (day(2), datetime(2026, 2, 1, tzinfo=UTC), day(9))
    assert dates["posts/otter"] == (day(3), None, day(4))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Wie bezahlt ein Agent für die Anfrage?", "German"),
        ("¿Cómo paga un agente por cada solicitud?", "Spanish"),
        ("エージェントの記憶", "Japanese"),
        ("how does an agent pay", ""),
        ("webarenna tasks", ""),
        ("", ""),
    ],
)
def test_a_question_in_a_language_that_the_archive_lacks_is_recognised(text: str, language: str) -> None:
    assert foreign_language(text, ("en",)) == language
    assert foreign_language(text, ("en", "de", "es", "ja")) == ""


def test_a_query_that_matches_has_no_suggestions(index: SearchIndex) -> None:
    assert index.search(Query("seccomp unicrons")).suggestions == ()


def test_document_frequency_counts_records_that_hold_the_rarest_word(index: SearchIndex) -> None:
    assert (index.document_frequency("seccomp"), index.document_frequency("nothere"), index.document_frequency("")) == (
        1,
        0,
        0,
    )
    assert index.document_frequency("notes") == len(SUBJECTS)


def test_related_records_share_rare_terms_and_are_not_the_record_itself(tmp_path: Path) -> None:
    index = indexed(
        tmp_path,
        note("otter", "Otters dive by the weir."),
        note("heron", "Herons fish by the weir."),
        note("desert", "Dunes drift."),
    )
    assert [hit.id for hit in index.related("posts/otter", 1)] == ["posts/heron"]
    assert "posts/otter" not in [hit.id for hit in index.related("posts/otter", 10)]
    assert index.related("posts/none") == ()


def test_records_of_two_languages_are_found_by_forms_of_either(tmp_path: Path) -> None:
    index = indexed(tmp_path, note("one", "The houses burn."), note("zwei", "Die Häuser brennen.", language="de-AT"))
    assert index.stats.languages == ("de", "en")
    assert ids(index, "house") == ["posts/one"]
    assert ids(index, "Haus") == ["posts/zwei"]


@given(st.text(max_size=600), st.text(max_size=60), st.integers(), st.integers())
def test_any_query_is_answered(index: SearchIndex, text: str, value: str, limit: int, offset: int) -> None:
    answer = index.search(Query(text, (value,) if value else (), value, value, limit=limit, offset=offset))
    assert len(answer.hits) <= 100
    index.search(Query(text))
    index.related(value)
    index.near_terms([value, text])


@pytest.mark.parametrize(
    "text", ["\ud800", "a\x00b", '"', '"" ""', "AND OR NOT", "title:x^2~", "*:*", "((", "\\", "x" * 5000, "-" * 500]
)
def test_hostile_text_is_only_text(index: SearchIndex, text: str) -> None:
    assert index.search(Query(text, kinds=(text,), topic=text, origin=text)).total == 0
    assert index.record(text) is None


def test_the_anchor_of_a_claim_is_no_word_of_its_record(tmp_path: Path) -> None:
    bees = note("bees", "They fly.", claims=[{"text": "Bees dance.", "source_refs": []}])
    anchored = [RecordClaim(text="Bees dance.", source_refs=[], id="claim-0a1b2c3d")]
    bees = replace(bees, contents=Contents(bees.record.model_copy(update={"claims": anchored}), bees.fields))
    index = indexed(tmp_path, bees, *notes())
    assert index.search(Query("dance")).total == 1
    assert index.search(Query("0a1b2c3d")).total == 0


@pytest.mark.parametrize("text", ["of-to", "to_be", "x-y", "it-is not-on", "the.a; of-to"])
def test_an_identifier_of_words_that_do_not_count_is_looked_up_joined(tmp_path: Path, text: str) -> None:
    assert indexed(tmp_path, *notes()).search(Query(text)).hits == ()
    named = indexed(tmp_path, note("named", f"Call {text} before any tool runs."), *notes())
    assert ids(named, text) == ["posts/named"]
