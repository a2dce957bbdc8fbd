"""Words that databases store as numbers: the numbers of earlier versions still mean the same words."""

import pytest

from citepress_telemetry.contract.head import VerificationCounts
from citepress_telemetry.contract.journeys import FormCounts
from citepress_telemetry.contract.traffic import ClassCounts
from citepress_telemetry.contract.words import SentForm, StoredWord, TrafficClass, VerificationState

STORED = {
    TrafficClass: ("crawler", "ai_user_agent", "human_page_view", "machine_route", "scanner_noise"),
    SentForm: ("html", "markdown", "json", "text", "xml", "mcp", "other"),
    VerificationState: ("signed", "ip_range", "fcrdns", "claimed", "contradicted"),
}
"""The words at the places under which released versions stored them: a change here makes old databases read wrong."""


@pytest.mark.parametrize("words", STORED)
def test_every_word_keeps_the_number_under_which_databases_hold_it(words: type[StoredWord]) -> None:
    assert words.numbers() == {word: number for number, word in enumerate(STORED[words])}
    assert tuple(words.by_number()) == STORED[words]


def test_the_models_have_a_member_for_each_word() -> None:
    assert [*ClassCounts.model_fields] == [*TrafficClass]
    assert {*VerificationCounts.model_fields} == {*VerificationState}
    assert {*FormCounts.model_json_schema(by_alias=True)["properties"]} == {*SentForm}
