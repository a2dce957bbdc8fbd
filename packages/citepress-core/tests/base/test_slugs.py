"""Slugs of tags."""

import pytest

from citepress.base.slugs import tag_slug

SLUGS = {
    "C": "c",
    "C++": "cplusplus",
    "C#": "csharp",
    ".NET": "dotnet",
    "net": "net",
    "ASP.NET": "asp-net",
    "node.js": "node-js",
    "#hashtag": "hashtag",
    "a+b": "a-b",
    "Two words": "two-words",
}


@pytest.mark.parametrize("tag", SLUGS)
def test_tags_that_differ_in_a_sign_have_slugs_of_their_own(tag: str) -> None:
    assert tag_slug(tag) == tag_slug(SLUGS[tag]) == SLUGS[tag]
