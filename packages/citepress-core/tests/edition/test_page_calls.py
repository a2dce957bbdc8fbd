"""What rendering a record calls is bounded: a large archive is mostly records. Calls repeat, which time does not."""

from typing import Any

from citepress.edition.compiler import render_units
from citepress.edition.documents import declared
from citepress.kinds import ALL as KINDS
from support.archive import SOURCE, entry
from support.calls import calls
from support.documents import desk, whole

BODY = "\n\n".join(f"Paragraph {number} [of a text](https://site.example/{number}) on *agents*." for number in range(9))
CLAIMS = [{"text": f"Claim {number}.", "source_refs": ["spec"]} for number in range(3)]


def test_the_three_forms_of_a_record_take_a_bounded_number_of_calls() -> None:
    members: dict[str, Any] = {"claims": CLAIMS, "body_markdown": BODY, "sources": [SOURCE], "tags": ["agents"]}
    related = {"related": ["posts/b"], "topics": ["agents"]}
    records = (entry("posts/a", **members, **related), entry("posts/b", **members), entry("topics/agents"))
    context = desk(whole(*records))
    family = next(item for item in declared(KINDS) if item.name == "posts_record")
    units = list(render_units(context, [family], b""))

    async def render() -> None:
        assert [leaf.kind for leaf in units[0].render()] == ["html", "markdown", "json"]

    assert calls(render) <= 1_930
