"""What checks of sources found, as pages tell it: the health of evidence, and the list of sources of a record."""

from pathlib import Path
from typing import Any

import lxml.html
import pytest

from citepress.archive.model import Archive
from citepress.base.quotation import quote_digest
from citepress.contract.fault import UNHELD_QUOTE
from citepress.contract.observation import Observation, QuoteObservation
from citepress_sources.observations_writing import write_observations
from support.documents import json_of, leaves
from support.folder import NOW, SITE, assembled, checked, folder, post, signal

A, B = "https://a.example/page", "https://b.example/page"
PAGE_FORMS = ("/", ".md", ".json")
HELD, NEAR = "Words that one holds.", "Words that both hold nearly."
SOURCES = [{"id": "a", "url": A, "title": "Source A"}, {"id": "b", "url": B, "title": "Source B"}]


def observation(
    url: str, status: Any = "unchanged", share: float | None = None, **quotes: tuple[Any, int | None]
) -> Any:
    """An observation; ``quotes``: the state and the likeness of HELD and NEAR."""
    searched = {
        quote_digest({"held": HELD, "near": NEAR}[name]): QuoteObservation(state=state, likeness=likeness)
        for name, (state, likeness) in quotes.items()
    }
    return Observation(url=url, status=status, checked_at=NOW, captured_at=NOW, changed_share=share, quotes=searched)


def archive(root: Path, observations: list[Observation], records: int = 1) -> Archive:
    claims = [{"text": f"It says {quote}", "source_refs": ["a", "b"], "quote": quote} for quote in (HELD, NEAR)]
    files = {f"content/posts/{number}.md": post(sources=SOURCES, claims=claims) for number in range(records)}
    folder(root, files, SITE)
    write_observations(root, observations)
    return assembled(root)


def test_a_quote_of_several_sources_counts_once_by_its_best_state(tmp_path: Path) -> None:
    observations = [
        observation(A, held=("verified", None), near=("drifted", 86)),
        observation(B, held=("not_found", 20), near=("drifted", 97)),
    ]
    shown = leaves(archive(tmp_path, observations))
    health = json_of(shown["/evidence-health.json"])
    assert health["quotes"] == {"verified": 1, "drifted": 1, "not_found": 0, "unverifiable": 0}
    (quote,) = health["unheld"]
    assert (health["unheld_count"], quote["quote"], quote["url"], quote["likeness"]) == (1, NEAR, B, 97)
    assert [(source["url"], source["state"], source["likeness"]) for source in quote["sources"]] == [
        (A, "drifted", 86), (B, "drifted", 97)
    ]  # fmt: skip
    (task,) = health["tasks"]
    assert task["input"] == (
        f"posts/0 quotes “{NEAR}” from {A} (drifted in the copy of 2026-11-21)"
        f" and {B} (drifted in the copy of 2026-11-21)."
    )
    (own,) = [claim for claim in json_of(shown["/posts/0.json"])["claims"] if claim["quote"] == NEAR]
    assert (own["quote_check"]["source"], own["quote_check"]["likeness"]) == ("b", 97)
    for path in ("/evidence-health/", "/evidence-health.md"):
        page = shown[path].body.decode()
        assert HELD not in page
        assert "Source A" in page
        assert "Source B" in page


def test_a_source_that_was_not_asked_is_told_from_those_that_do_not_hold_a_quote(tmp_path: Path) -> None:
    health = json_of(leaves(archive(tmp_path, [observation(A, near=("not_found", 10))]))["/evidence-health.json"])
    (quote,) = health["unheld"]
    assert [(source["url"], source["state"], source["reason"]) for source in quote["sources"]] == [
        (A, "not_found", None), (B, "unverifiable", "never_checked")
    ]  # fmt: skip
    assert health["tasks"][0]["input"].endswith(f"{B} (not checked yet).")


@pytest.mark.parametrize(
    ("state", "said"),
    [("verified", "verified on 2026-11-21"), ("not_found", "not found on 2026-11-21, likeness 20 of 100")],
)
def test_the_excerpt_of_a_signal_is_checked_like_the_quote_of_a_claim(tmp_path: Path, state: Any, said: str) -> None:
    provenance = {"collected_by": "us", "method": "reading", "source_url": A, "captured_at": "2026-05-01"}
    folder(tmp_path, {"content/signals/x.md": signal(sources=SOURCES, excerpt=HELD, provenance=provenance)}, SITE)
    never = json_of(leaves(assembled(tmp_path))["/signals/x.json"])["excerpt_check"]
    assert (never["state"], never["reason"], never["source"]) == ("unverifiable", "never_checked", "a")
    likeness = None if state == "verified" else 20
    write_observations(tmp_path, [observation(A, held=(state, likeness))])
    archive = assembled(tmp_path)
    shown = leaves(archive)
    record, health = json_of(shown["/signals/x.json"]), json_of(shown["/evidence-health.json"])
    assert (record["excerpt_check"]["state"], record["excerpt_check"]["likeness"]) == (state, likeness)
    assert f"- **Excerpt:** {said}\n" in shown["/signals/x.md"].body.decode()
    assert (health["quote_count"], health["quotes"][state], health["unheld_count"]) == (1, 1, state != "verified")
    warnings = [fault.message for fault in checked(tmp_path)[1] if fault.code is UNHELD_QUOTE]
    assert warnings == ["excerpt: the copy of a of 2026-11-21 holds not these words"][: state != "verified"]


def test_an_excerpt_whose_source_the_record_does_not_list_is_not_checked(tmp_path: Path) -> None:
    folder(tmp_path, {"content/signals/x.md": signal(sources=SOURCES, excerpt=HELD)}, SITE)
    shown = leaves(assembled(tmp_path))
    assert json_of(shown["/signals/x.json"])["excerpt_check"] is None
    assert json_of(shown["/evidence-health.json"])["quote_count"] == 0


def test_the_same_words_in_two_claims_are_one_quote_and_both_claims_tell_its_state(tmp_path: Path) -> None:
    claims = [{"text": f"Claim {number}", "source_refs": ["a"], "quote": HELD} for number in range(2)]
    folder(tmp_path, {"content/posts/0.md": post(sources=SOURCES, claims=claims)}, SITE)
    write_observations(tmp_path, [observation(A, held=("not_found", 10))])
    shown = leaves(assembled(tmp_path))
    states = [claim["quote_check"]["state"] for claim in json_of(shown["/posts/0.json"])["claims"]]
    health, ledger = json_of(shown["/evidence-health.json"]), json_of(shown["/source-ledger.json"])
    assert states == ["not_found", "not_found"]
    assert (health["quote_count"], health["unheld_count"], health["task_count"]) == (1, 1, 1)
    assert ledger["sources"][0]["quotes"]["not_found"] == 1


def test_the_document_is_not_older_than_the_checks_that_it_tells(tmp_path: Path) -> None:
    shown = leaves(archive(tmp_path, [observation(A)]))
    health = json_of(shown["/evidence-health.json"])
    assert health["as_of"] == health["newest_check_at"] == "2026-11-21T00:00:00Z"
    assert "updated 2026-11-21" in shown["/evidence-health.md"].body.decode()
    for path in ("/source-ledger.json", "/sources/a.example.json"):
        assert json_of(shown[path])["as_of"] == "2026-11-21T00:00:00Z", path
    assert json_of(shown["/sources/b.example.json"])["as_of"] == "2026-05-01T00:00:00Z", "nobody checked its source"
    assert "updated 2026-11-21" in shown["/sources/a.example.md"].body.decode()
    assert "updated 2026-05-01" in shown["/sources/b.example.md"].body.decode()


def test_what_tells_the_state_of_sources_changes_with_their_check(tmp_path: Path) -> None:
    before = leaves(archive(tmp_path / "before", []))
    after = leaves(archive(tmp_path / "after", [observation(A, "gone", near=("not_found", 40))]))
    differing = {path for path, leaf in after.items() if path in before and leaf.body != before[path].body}
    pages = {f"{path}{form}" for path in ("/posts/0", "/sources/a.example", "/evidence-health") for form in PAGE_FORMS}
    assert pages | {"/", "/index.md", "/source-ledger.json"} <= differing


def test_a_task_says_a_claim_once_however_many_records_make_it(tmp_path: Path) -> None:
    shown = leaves(archive(tmp_path, [observation(A, "gone")], records=3))
    (task,) = json_of(shown["/evidence-health.json"])["tasks"]
    assert task["input"].endswith(f"It carries: It says {HELD} / It says {NEAR}")


@pytest.mark.parametrize(
    ("status", "share", "words"),
    [
        ("gone", 0.4, "gone on"),
        ("unchanged", 0.0, "unchanged on"),
        ("changed", None, "changed on"),
        ("changed", 0.123, "changed by 12 % on"),
        ("changed", 0.001, "changed by less than 1 % on"),
    ],
)
def test_a_record_and_an_origin_say_how_a_source_was_found(
    tmp_path: Path, status: str, share: float | None, words: str
) -> None:
    shown = leaves(archive(tmp_path, [observation(A, status, share)]))
    page, text = (shown[path].body.decode() for path in ("/posts/0/", "/posts/0.md"))
    assert f'primary · {words} <time datetime="2026-11-21">21 November 2026</time> · origin' in page
    assert f"primary · {words} 2026-11-21 · origin" in text
    assert page.count("primary · origin") == text.count("primary · origin") == 1, "the other was never checked"
    first, second = json_of(shown["/posts/0.json"])["sources"]
    assert (first["changed_share"], second["changed_share"]) == (share, None)
    assert f"{words.capitalize()} 2026-11-21" in shown["/sources/a.example.md"].body.decode()


def test_the_health_of_evidence_is_one_bar_of_the_states_that_there_are(tmp_path: Path) -> None:
    html = lxml.html.fromstring(leaves(archive(tmp_path, [observation(A)]))["/evidence-health/"].body.decode())
    part = html.get_element_by_id("sources")
    assert part.find_class("summary")[0].text_content() == "Of 2 sources: 1 unchanged, 1 not checked yet."
    assert len(part.xpath(".//figure/svg/rect[starts-with(@class, 'c')]")) == 1
    folded = [[cell.text for cell in row] for row in part.xpath(".//details//tbody/tr")]
    assert ["Gone", "0"] in folded


def test_what_nobody_checked_is_no_verdict(tmp_path: Path) -> None:
    rendered = leaves(archive(tmp_path, []))
    for path in ("/evidence-health/", "/posts/0/"):
        page = rendered[path].body.decode()
        assert "ot checked yet" in page, path
        assert "never checked" not in page, path
    health = rendered["/evidence-health/"].body.decode()
    assert "2 sources, not checked yet" in health
    assert "2 quotes, not checked yet" in health
