"""The origin of a source follows from its address alone."""

import pytest

from citepress.archive.origins import Origins
from citepress.content.sources_file import SharedSources

HTTP, HTTPS = "http://papers.example/1", "https://papers.example/1"


@pytest.mark.parametrize("before", [(), (HTTP,), (HTTPS,)])
def test_the_origin_of_an_address_does_not_depend_on_what_was_looked_up_before(before: tuple[str, ...]) -> None:
    origins = Origins(SharedSources())
    for url in before:
        origins.of(url)
    assert (origins.of(HTTP).url, origins.of(HTTPS).url) == ("http://papers.example/", "https://papers.example/")
