"""A page of contents that an author writes gives the reading order, the breadcrumbs and what an edit renders anew."""

from pathlib import Path

from citepress.archive.edit import edit_between
from citepress.kinds.contents import Place, place_of
from citepress.kinds.record_page import record_inputs, record_page, records_to_render
from support.folder import assembled, folder, post

BODY = """Read these in turn.

## Beginners

1. [First \\*steps\\*](/posts/a/)
2. Tools
   - [Tool](</posts/b/>)
   - [About](/pages/about/#part)

## Others

- [Last](/posts/c/)
- [Again](/posts/a/)
- [Elsewhere](https://e.example/)
"""
FILES = {f"content/posts/{slug}.md": post(title=slug.upper()) for slug in "abcd"} | {
    "content/pages/about.md": "---\ntitle: About us\n---\nText.\n",
    "content/pages/contents.md": f"---\ntitle: Contents\n---\n{BODY}",
}


def beside(place: Place | None) -> tuple[str, str, tuple[str, ...]]:
    assert place is not None
    before, after = (link.href if link else "" for link in (place.previous, place.next))
    return before, after, tuple(crumb.text for crumb in place.crumbs)


def test_lists_of_links_are_a_reading_order_anew_below_each_heading(tmp_path: Path) -> None:
    archive = assembled(folder(tmp_path, FILES))
    assert beside(place_of("/posts/a/", archive)) == ("", "/posts/b/", ("Home", "Beginners"))
    assert beside(place_of("/posts/b/", archive)) == ("/posts/a/", "/pages/about/", ("Home", "Beginners", "Tools"))
    assert beside(place_of("/pages/about/", archive)) == ("/posts/b/", "", ("Home", "Beginners", "Tools"))
    assert beside(place_of("/posts/c/", archive)) == ("", "", ("Home", "Others"))
    assert place_of("/posts/d/", archive) is None


def test_the_page_of_a_record_leads_to_the_previous_and_the_next_one(tmp_path: Path) -> None:
    archive = assembled(folder(tmp_path, FILES))
    page, other = (record_page(archive.entries[f"posts/{slug}"], archive) for slug in "bd")
    assert page.links == page.data_links == {"prev": "/posts/a/", "next": "/pages/about/"}
    assert page.blocks[-1].newer.text == "First *steps*"  # type: ignore[attr-defined]
    assert other.data_links == {}
    assert [crumb.text for crumb in other.crumbs] == ["Home", "Field notes"]


def test_an_edit_of_the_contents_renders_what_they_order_and_nothing_else(tmp_path: Path) -> None:
    before = assembled(folder(tmp_path, FILES))
    folder(tmp_path, {"content/pages/contents.md": f"---\ntitle: Contents\n---\n{BODY.replace('First', 'Own')}"})
    after, edit = edit_between(before, assembled(tmp_path))
    assert edit is not None
    ids = records_to_render(edit)
    assert {"posts/a", "posts/b", "posts/c"} <= ids
    differ = {
        id_ for id_ in ids if record_inputs(before.entries[id_], before) != record_inputs(after.entries[id_], after)
    }
    assert differ == {"posts/b"}
