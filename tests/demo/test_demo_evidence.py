"""The demo quotes only what its own records hold as words of that source, and says that nobody has checked them."""

from demo.test_demo_sells import archive
from support.documents import json_of, leaves

LEAST = 10
"""Quotes and excerpts of the demo."""


def test_each_quote_of_a_claim_stands_in_quotation_marks_in_the_text_of_its_record() -> None:
    for entry in archive().entries.values():
        for claim in getattr(entry.record, "claims", ()):
            assert not claim.quote or f'"{claim.quote}"' in entry.record.body_markdown, entry.record.id


def test_quotes_and_excerpts_that_nobody_could_check_here_are_never_checked() -> None:
    shown = leaves(archive())
    health = json_of(shown["/evidence-health.json"])
    assert health["sources"]["never_checked"] == health["source_count"]
    assert health["quote_count"] == health["quotes"]["unverifiable"] >= LEAST
    quoting = [
        record
        for path in shown
        if path.startswith("/signals/") and path.endswith(".json")
        if (record := json_of(shown[path])).get("excerpt")
    ]
    assert quoting
    for record in quoting:
        check = record["excerpt_check"]
        assert (check["state"], check["reason"]) == ("unverifiable", "never_checked")
        assert "**Excerpt:** not checked yet" in shown[f"/{record['id']}.md"].body.decode()
