"""A note's slug: ``slug:`` where it is written, else that of its path; every name has an address."""

from pathlib import Path

from citepress.base.slugs import SLUG_LENGTH
from support.folder import checked, folder


def test_a_plain_note_takes_its_written_slug_and_is_found_by_its_name(tmp_path: Path) -> None:
    files = {
        "Deep/My note.md": "---\nslug: Better Name\ndate: 2026-01-02\n---\nText",
        "b.md": "---\ndate: 2026-01-02\n---\n[note](<Deep/My note.md>)",
    }
    archive, faults = checked(folder(tmp_path, files, site=None))
    assert archive is not None, faults
    assert archive.redirects["/posts/deep-my-note/"] == "/posts/better-name/"
    assert [edge.target for edge in archive.entries["posts/b"].edges] == ["posts/better-name"]


def test_letters_with_marks_stay_letters_and_the_former_slug_leads_on(tmp_path: Path) -> None:
    archive, _ = checked(folder(tmp_path, {"Größe & Ævi.md": "---\ndate: 2026-01-02\n---\nText"}, site=None))
    assert archive is not None
    assert list(archive.entries) == ["posts/grosse-aevi"]
    assert archive.redirects["/posts/gr-e-vi/"] == "/posts/grosse-aevi/"


def test_notes_whose_names_no_slug_can_hold_have_addresses_of_their_own(tmp_path: Path) -> None:
    names = ["ru/порт.md", "ru/паром.md", "Ru.md", "2022-01-02 港口.md", "2022-01-02 港.md", "港/a.md", "口/a.md"]
    names += [f"{'minutes of the committee ' * 5}{part}.md" for part in (1, 2)]
    files = {name: f"---\ndate: 2026-01-02\n---\n{name}" for name in names}
    links = " ".join(f"[x](<{name}>)" for name in names)
    root = folder(tmp_path, {**files, "b.md": f"---\ndate: 2026-01-02\n---\n{links}"}, site=None)
    archive, faults = checked(root)
    assert archive is not None
    assert faults == ()
    assert sorted(entry.record.body_markdown for id_, entry in archive.entries.items() if id_ != "posts/b") == sorted(
        names
    )
    assert {edge.target for edge in archive.entries["posts/b"].edges} == archive.entries.keys() - {"posts/b"}
    assert "posts/ru" in archive.entries
    assert max(map(len, archive.entries)) <= len("posts/") + SLUG_LENGTH
