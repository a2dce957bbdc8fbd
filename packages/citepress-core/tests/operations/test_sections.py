"""Parts of a record, and addresses of its revisions and parts, as `get_record` takes them."""

from collections.abc import Callable
from typing import Any

import pytest

from citepress.contract.operation import Refusal

Call = Callable[..., Any]


def test_the_address_of_a_revision_leads_to_the_record(call: Call) -> None:
    current = call("get_record", id="posts/tokens").revision
    answer = call("get_record", id=f"https://archive.test/posts/tokens/@{current}/")
    assert (answer.id, answer.notes) == ("posts/tokens", ())
    with pytest.raises(Refusal) as caught:
        call("get_record", id=f"https://archive.test/posts/tokens/@{current + 1}/")
    assert caught.value.near[0] == "posts/tokens"


def test_the_fragment_of_an_address_selects_a_part(call: Call) -> None:
    address = "https://archive.test/posts/caching/"
    answer = call("get_record", id=f"{address}#first-part")
    assert answer.body_markdown == "## First part\n\nIt begins.\n\n### Inside\n\nDeeper."
    assert answer.notes == ("Only #first-part is shown, as the address says; posts/caching is the whole record.",)
    passage = call("get_record", id=f"{address}#{answer.paragraphs[0]}")
    assert passage.body_markdown == "It begins."
    whole = call("get_record", id="posts/caching")
    claim = whole.fields["claims"][0]
    answer = call("get_record", id=f"/posts/caching/#{claim['id']}")
    assert (answer.fields["claims"], answer.body_markdown) == ([claim], "")
    answer = call("get_record", id=f"{address}#sources")
    assert answer.body_markdown == whole.body_markdown
    assert "is not a section, paragraph or claim of posts/caching" in answer.notes[0]


def test_an_unknown_paragraph_is_answered_with_the_paragraphs_too(call: Call) -> None:
    with pytest.raises(Refusal) as caught:
        call("get_record", id="posts/caching", sections=["p-00000000"])
    assert caught.value.near[:4] == ("text", "first-part", "second-part", "second-part-2")
    passages = [call("get_record", id="posts/caching", sections=[id_]).body_markdown for id_ in caught.value.near[4:]]
    assert passages == ["Before the parts.", "It begins.", "Deeper.", "It ends.", "Again."]


def test_the_paragraphs_of_sections_are_read_by_their_ids(call: Call) -> None:
    assert call("get_record", id="posts/caching").paragraphs is None, "too many to list, but there are some"
    part = call("get_record", id="posts/caching", sections=["first-part"])
    passages = [call("get_record", id="posts/caching", sections=[id_]).body_markdown for id_ in part.paragraphs]
    assert passages == ["It begins.", "Deeper."]
    assert call("get_record", id="posts/tokens").paragraphs, "a text without sections"
