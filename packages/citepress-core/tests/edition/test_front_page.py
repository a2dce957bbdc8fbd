"""The front page: what it says and shows, of archives that hold much and of those that hold posts alone."""

import json
from pathlib import Path
from typing import Any

import pytest

from citepress.contract.page import Cards, Facts, Items, Nugget, Page
from citepress.edition import theme
from citepress.edition.forms import html, markdown
from citepress.edition.pages import home
from support.documents import desk
from support.folder import SITE, assembled, checked, fault_places, folder, forecast, pattern, post
from support.folder import markdown as record

MUCH = {
    "content/posts/new.md": post(title="The new one", date="2026-05-20", retrieval_nugget="Quote me."),
    "content/posts/old.md": post(
        title="The old one",
        date="2025-05-01",
        topics=["trains"],
        corrections=[{"date": "2026-05-19", "note": "The year was wrong."}],
    ),
    "content/posts/older.md": post(title="Unchanged", date="2024-05-01"),
    "content/topics/trains.md": record(
        {"title": "Trains", "summary": "On rails.", "date": "2025-01-01", "question": "When?", "short_answer": "Soon."}
    ),
    "content/patterns/sure.md": pattern(title="Sure", topics=["trains"], date="2026-05-01"),
    "content/patterns/doubtful.md": pattern(title="Doubtful", status="contested", statement="Some say so."),
    "content/forecasts/late.md": forecast(title="Late", probability=0.25, resolves_at="2027-01-01"),
    "content/forecasts/soon.md": forecast(title="Soon"),
    "content/forecasts/over.md": forecast(title="Over", status="resolved_no", resolved_at="2026-05-18"),
}


def front(path: Path, files: dict[str, Any], settings: str = "") -> Page:
    context = desk(assembled(folder(path, files, SITE + settings)))
    (draft,) = home.ALL[0].make(context)
    page = draft.page()
    for form in (html, markdown):
        written = form.write(page, context).decode()
        assert all(word in written for word in (page.title, page.description)), form.FORM.name
    return page


def block(page: Page, id_: str) -> Any:
    return next((block for block in page.blocks if block.id == id_), None)


def listed(page: Page, id_: str) -> list[tuple[str, str]]:
    items = block(page, id_)
    assert isinstance(items, Items)
    return [(item.title, item.text) for item in items.items]


def test_it_shows_what_is_new_what_is_open_and_what_is_in_doubt(tmp_path: Path) -> None:
    page = front(tmp_path, MUCH)
    lead, nugget, figures = block(page, "lead"), block(page, "lead-nugget"), block(page, "figures")
    assert isinstance(lead, Cards)
    assert isinstance(nugget, Nugget)
    assert isinstance(figures, Facts)
    assert ([card.title for card in lead.cards], nugget.text) == (["The new one"], "Quote me.")
    assert [card.title for card in block(page, "newest-posts").cards] == ["The old one", "Unchanged"]
    assert figures.facts[0].values[0].text == "9"
    assert listed(page, "changes") == [("The old one", "The year was wrong."), ("Over", "It resolved: no.")]
    assert listed(page, "open-forecasts") == [("Soon", "50 %, by 2026-06-01"), ("Late", "25 %, by 2027-01-01")]
    assert listed(page, "contested") == [("Doubtful", "Some say so.")]
    assert listed(page, "topics") == [("Trains", "2 records")]
    assert [title for title, _ in listed(page, "collections")] == [
        "Field notes (3)",
        "Patterns (2)",
        "Topics (1)",
        "Forecasts (3)",
    ]


def test_with_posts_alone_it_shows_posts(tmp_path: Path) -> None:
    page = front(tmp_path, {"content/posts/one.md": post(title="One"), "content/posts/two.md": post(title="Two")})
    assert [part.id for part in page.blocks] == [
        "figures",
        "lead",
        "lead-nugget",
        "newest-posts",
        "for-agents",
    ]
    assert {card.title for name in ("lead", "newest-posts") for card in block(page, name).cards} == {"One", "Two"}


def test_an_empty_archive_has_a_front_page(tmp_path: Path) -> None:
    assert [part.id for part in front(tmp_path, {}).blocks] == ["figures", "for-agents"]


def test_the_publisher_says_what_it_is_what_leads_and_what_is_shown(tmp_path: Path) -> None:
    settings = '[home]\npurpose = "What runs on rails. And when."\nlead = "patterns/sure"\nparts = ["topics", "lead"]\n'
    page = front(tmp_path, MUCH, settings)
    assert page.description == "What runs on rails. And when."
    assert [part.id for part in page.blocks] == ["topics", "lead", "lead-nugget"]
    assert block(page, "lead").cards[0].title == "Sure"


def test_a_lead_that_does_not_exist_is_a_fault(tmp_path: Path) -> None:
    _, faults = checked(folder(tmp_path, MUCH, f'{SITE}[home]\nlead = "posts/nwe"\n'))
    (fault,) = [fault for fault in faults if fault.place.file == "site.toml"]
    assert (fault_places([fault]), fault.hint) == (["site.toml:4:1 CP030"], 'did you mean "posts/new"?')


@pytest.mark.parametrize(
    ("statuses", "shown"),
    [(["unchanged", "changed", "changed", "gone", "blocked"], "75 % of those that answered"), (["blocked"], None)],
)
def test_the_share_of_living_sources_is_of_those_that_answered(
    tmp_path: Path, statuses: list[str], shown: str | None
) -> None:
    sources = [f"https://a.example/{number}" for number in range(len(statuses))]
    checks = "".join(
        json.dumps({"url": url, "status": status, "checked_at": "2026-05-02T00:00:00Z"}) + "\n"
        for url, status in zip(sources, statuses, strict=True)
    )
    page = front(tmp_path, {"content/posts/one.md": post(sources=sources), "observations.jsonl": checks})
    facts = {fact.label: fact.values[0].text for fact in block(page, "figures").facts}
    assert facts.get("Sources alive") == shown
    assert facts["Sources cited" if len(sources) > 1 else "Source cited"] == str(len(sources))


def test_figures_read_as_a_sentence_where_they_stand_before_their_nouns() -> None:
    style = theme.assets()["paper.css"][0].decode()
    rules = [rule for rule in style.split("}") if "#figures" in rule]
    assert any("row-reverse" in rule for rule in rules)
    assert any("#figures dt" in rule and "text-transform: lowercase" in rule for rule in rules)


def test_a_list_of_one_kind_does_not_name_it_on_every_card(tmp_path: Path) -> None:
    page = front(tmp_path, MUCH)
    assert {card.label for card in block(page, "newest-posts").cards} == {""}
    assert {card.label for card in block(page, "lead").cards} == {"Field note"}


def test_open_forecasts_are_bars(tmp_path: Path) -> None:
    context = desk(assembled(folder(tmp_path, MUCH, SITE)))
    (draft,) = home.ALL[0].make(context)
    assert '<rect class="c1" width="25.0" height="4"/>' in html.write(draft.page(), context).decode()


def test_the_search_field_keeps_a_name_on_small_screens() -> None:
    style = theme.assets()["paper.css"][0].decode()
    hidden = [rule for rule in style.split("}") if "display: none" in rule and ".searchfield label" in rule]
    assert hidden == []


def test_a_description_that_repeats_the_title_is_not_shown_below_it() -> None:
    assert (Page("/", "Notes", "Notes", ()).dek, Page("/", "Notes", "On rails.", ()).dek) == ("", "On rails.")


def test_a_day_is_named_once_above_its_changes(tmp_path: Path) -> None:
    corrected = {"corrections": [{"date": "2026-05-19", "note": "Mended."}]}
    files = {f"content/posts/{n}.md": post(title=f"Post {n}", date=f"2025-05-0{n}", **corrected) for n in range(1, 4)}
    files["content/posts/4.md"] = post(
        title="Post 4", date="2025-05-04", corrections=[{"date": "2026-05-18", "note": "A."}]
    )
    context = desk(assembled(folder(tmp_path, files, SITE)))
    (draft,) = home.ALL[0].make(context)
    written = html.write(draft.page(), context).decode().partition('id="changes"')[2].partition("</section>")[0]
    assert written.count('<span class="date">') == 2
    assert written.count("<li>") == 4
