"""A dataset is read like a record, and is none: nothing is proposed about it, sold from it or said of its links."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from citepress.contract.json_body import InvalidArgumentsError
from citepress.operations import OperationContext
from support.folder import assembled, folder
from support.operation_context import operation_context
from support.otters import ASKED, BUNDLE, OTTERS, QUESTION

Call = Callable[..., Any]
NAME = "datasets/weirs"
README = """---
title: Otters at weirs
summary: {words}
date: 2026-05-01
sources: [https://rivers.example/weirs]
---
"""


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> OperationContext:
    """An archive with a dataset that has the words of its records."""
    path = tmp_path_factory.mktemp("beside")
    words = " ".join(dict.fromkeys(" ".join(OTTERS.values()).replace("\n", " ").split()))
    files = {
        **{f"content/{id_}.md": text for id_, text in OTTERS.items()},
        f"{NAME}/README.md": README.format(words="Otters and weirs.") + words.replace("---", ""),
        f"{NAME}/schema.json": json.dumps({"type": "object", "properties": {"otters": {"type": "integer"}}}),
        f"{NAME}/v1.csv": "otters\n1\n",
    }
    return operation_context(assembled(folder(path / "content", files)), path / "state")


def test_a_submission_about_a_dataset_is_refused_because_nobody_could_accept_it(
    call: Call, beside: OperationContext
) -> None:
    named = {"related_record": NAME, "correction": "One row is wrong.", "evidence_urls": ["https://proof.example/"]}
    with pytest.raises(InvalidArgumentsError) as refused:
        call("submit_correction", at=beside, caller="reader", **named)
    assert f'"{NAME}" is a dataset; name a record.' in refused.value.summary


def test_the_contextualizer_answers_for_the_page_of_a_dataset(call: Call, beside: OperationContext) -> None:
    answer = call("contextualize_url", at=beside, url=f"{beside.base_url}/{NAME}/")
    assert (answer.match, answer.record, answer.url) == ("page", None, f"{beside.base_url}/{NAME}/")


def test_a_bundle_is_sold_beside_a_dataset_with_its_words(beside: OperationContext) -> None:
    for query in (QUESTION, "otters", "weirs"):
        sold = BUNDLE.prepare(BUNDLE.ask.model_validate({"query": query}), beside, ASKED)
        assert isinstance(sold, bytes), sold
        assert NAME not in {source["id"] for source in json.loads(sold)["sources"]}


def test_its_description_is_read_by_its_id(call: Call, beside: OperationContext) -> None:
    answer = call("get_record", at=beside, id=NAME)
    assert (answer.id, answer.title, answer.fields["row_count"]) == (NAME, "Otters at weirs", 1)
