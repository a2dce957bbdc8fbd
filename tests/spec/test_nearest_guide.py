"""Each page names the nearest guide for models, llms.txt, in its Link field and in its head."""

import re

import lxml.html
import pytest

from support.demo import Demo

PAGES = {
    "/": "/llms.txt",
    "/posts/": "/posts/llms.txt",
    "/posts/<slug>/": "/posts/llms.txt",
    "/posts/<slug>.md": "/posts/llms.txt",
    "/sources/<origin>/": "/sources/llms.txt",
    "/topics/<slug>/": "/topics/llms.txt",
    "/about/": "/llms.txt",
    "/datasets/<codehost>-projects-for-ai-engineers/": "/llms.txt",
}


@pytest.mark.parametrize(("page", "guide"), PAGES.items())
def test_the_first_description_of_a_page_is_the_nearest_guide(demo: Demo, page: str, guide: str) -> None:
    answer = demo.get(page)
    links = re.findall(r'<([^>]+)>; rel="describedby"(?:; type="([^"]+)")?', answer.fields["link"])
    assert links[0] == (f"{demo.base}{guide}", "text/plain")
    assert demo.get(guide).status == 200
    if answer.type.startswith("text/html"):
        head = lxml.html.fromstring(answer.text).xpath("/html/head/link[@rel='describedby']")
        assert (head[0].get("href"), head[0].get("type")) == links[0]


def test_json_is_described_by_its_schema(demo: Demo) -> None:
    for path in ("/posts.json", "/posts/<slug>.json"):
        assert "llms.txt" not in demo.get(path).fields["link"]
