"""Sites of Pelican, read as a plain folder and imported: links, languages, zones, HTML and reStructuredText."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from citepress.cli import run
from support.folder import assembled, checked
from support.former_sites import written
from support.whole_builds import built, folder_in_mode, leaked

ENGLISH = "This is a note about the way that we write software and what it means for people who read it later.\n"
FRENCH = "Ceci est le texte de la page pour les lecteurs qui ne lisent que le français dans cette ville.\n"
SETTINGS = (
    "SITENAME = 'T'\nPATH = 'content'\nDEFAULT_LANG = 'en'\nTIMEZONE = 'Asia/Tokyo'\nARTICLE_PATHS = ['articles']\n"
)
SITE: dict[str, str | bytes] = {
    "pelicanconf.py": SETTINGS,
    "content/articles/first.md": "Title: First\nDate: 2024-01-02 03:04\nTags: big ideas\nAuthors: A B\n\n"
    f"{ENGLISH}\n[zqosecond]({{filename}}second.md) [zqoabout]({{filename}}/pages/about.md) [tag]({{tag}}big ideas) "
    "[who]({author}A B) [home]({index}) [old](|filename|/articles/second.md)\n\n![zqopic]({static}/images/pic.png)\n\n"
    "[hidden]({filename}zqpdraft.md)\n\n    :::python\n    zqocode = 1\n",
    "content/articles/second.md": f"Title: Second\nDate: 2024-01-03\nSlug: same\n\n{ENGLISH}",
    "content/articles/second-fr.md": f"Title: Deux\nDate: 2024-01-03\nSlug: same\nLang: fr\n\n{FRENCH}",
    "content/articles/zqpdraft.md": "Title: zqpdraft\nDate: 2024-01-03\nStatus: draft\n\nzqpbody\n",
    "content/pages/about.md": f"Title: About\nSlug: about\n\n{ENGLISH}",
    "content/images/pic.png": b"\x89PNG",
}
TEXTS: dict[str, str | bytes] = {
    "pelicanconf.py": "SITENAME = 'T'\n",
    "content/a.html": "<html><head><title>zqohtml</title><meta name='date' content='2012-07-09 22:28'>"
    "<meta name='tags' content='one, two'><meta name='authors' content='Conan Doyle'></head>"
    "<body>zqolead <p>zqobody <a href='{filename}/b.rst'>b</a></p></body></html>",
    "content/zqpdraft.html": "<html><head><title>zqpdraft</title><meta name='status' content='draft'></head>"
    "<body>zqpbody</body></html>",
    "content/b.rst": "Title\n#####\n\n:date: 2020-01-01\n\n.. code-block:: python\n   :linenos: inline\n"
    "   :hl_lines: 1\n\n   zqocode = 1\n\n.. sourcecode:: js\n   :linenostart: 3\n\n   zqosource()\n\n"
    ".. note::\n\n   zqonote\n\n"
    ".. figure:: /x.png\n   :alt: zqoalt\n\n   zqocaption\n\n.. youtube:: abc\n   :width: 3\n\n"
    ".. raw:: html\n\n   <b>zqoraw</b><script>zqpscript</script>\n\n.. raw:: html\n   :file: /etc/passwd\n\n"
    ".. include:: /etc/passwd\n\n.. seealso:: zqosee\n\n.. versionadded:: 2\n\n   zqoversion\n\n"
    "An :abbr:`zqoabbr (long)` and :kbd:`zqokey`.\n\n.. contents::\n\nPart\n----\n\nzqopart `home <{index}>`_ [#f]_\n\n"
    ".. comment zqpcomment\n\n.. [#f] zqofoot\n",
    "content/d.rst": "Title\n#####\n\n:date: 2020-01-01\n\nzqosection\n==========\n\nzqobelow\n",
    "content/c.rst": "zqpdraft\n########\n\n:date: 2020-01-01\n:status: draft\n\nzqpbody\n",
}


def records(dist: Path) -> dict[str, Any]:
    rows = (
        json.loads(path.read_text())
        for path in (dist / "posts").glob("*.json")
        if path.stem.isidentifier() or "-" in path.stem
    )
    return {row["title"]: row for row in rows if isinstance(row, dict) and "body_markdown" in row}


@pytest.mark.parametrize("mode", ["plain", "import"])
def test_links_languages_and_hours_are_those_of_the_author(mode: str, tmp_path: Path) -> None:
    folder = written(tmp_path / "site", dict(SITE))
    data = built(folder_in_mode(mode, folder, tmp_path), tmp_path / "dist")
    assert (
        leaked(
            ["zqpdraft", "zqpbody", "{filename}", "{static}", "{tag}big", "{author}", "|filename|", ":::python"], data
        )
        == []
    )
    rows = records(tmp_path / "dist")
    assert rows["First"]["published_at"] == "2024-01-01T18:04:00Z"
    assert {row["language"] for title, row in rows.items() if title in ("First", "Second")} == {"en"}
    assert [text["language"] for text in rows["Second"]["translations"]] == ["en", "fr"]
    addresses = re.findall(r"\]\(<?([^)>]*)>?\)", rows["First"]["body_markdown"])
    assert not [address for address in addresses if "{" in address or "%7B" in address]
    dist, redirects = tmp_path / "dist", (tmp_path / "dist/_redirects").read_text()
    for address in addresses:
        path = re.sub(r"^https?://[^/]*", "", address).strip("/")
        assert (dist / path).exists() or f"/{path}/ " in redirects, address


@pytest.mark.parametrize("mode", ["plain", "import"])
def test_texts_that_are_no_markdown_are_published_whole(mode: str, tmp_path: Path) -> None:
    folder = written(tmp_path / "site", dict(TEXTS))
    data = built(folder_in_mode(mode, folder, tmp_path), tmp_path / "dist")
    public = {word for text in TEXTS.values() if isinstance(text, str) for word in re.findall(r"zqo\w+", text)}
    assert sorted(public - set(leaked(public, data))) == []
    assert (
        leaked(
            ["zqpdraft", "zqpbody", "zqpscript", "zqpcomment", "root:x", ":abbr:", ".. ", "linenos", "{index}"], data
        )
        == []
    )
    html = records(tmp_path / "dist")["zqohtml"]
    assert (html["published_at"], [author["name"] for author in html["authors"]]) == (
        "2012-07-09T22:28:00Z",
        ["Conan Doyle"],
    )
    assert sorted(tag["name"] if isinstance(tag, dict) else tag for tag in html["tags"]) == ["one", "two"]


def test_two_notes_with_one_slug_are_both_published_and_told(tmp_path: Path) -> None:
    note = "---\ntitle: {}\ndate: 2024-01-02\nslug: same\n---\n{}"
    files: dict[str, str | bytes] = {"a.md": note.format("A", ENGLISH), "b/c.md": note.format("B", ENGLISH[::-1])}
    archive, faults = checked(written(tmp_path / "site", files))
    assert archive is not None
    assert sorted(archive.entries) == ["posts/b-c", "posts/same"]
    assert [(fault.place.file, fault.place.line) for fault in faults] == [("b/c.md", 4)]


def test_a_page_in_another_language_says_so(tmp_path: Path) -> None:
    files = {**SITE, "content/pages/apropos.md": f"Title: Apropos\nLang: fr\n\n{FRENCH}"}
    assert run(["import", "auto", str(written(tmp_path / "site", files)), str(tmp_path / "out")]) == 0
    built(tmp_path / "out", tmp_path / "dist")
    assert '<html lang="fr"' in (tmp_path / "dist/pages/apropos/index.html").read_text()


@pytest.mark.parametrize(
    ("settings", "path", "front"),
    [
        (
            {"_config.yml": "title: T\ntimezone: Asia/Tokyo\n", "scaffolds/x.md": "x"},
            "source/_posts/a.md",
            "---\n{}---\n",
        ),
        ({"hugo.toml": "title = 'T'\ntimeZone = 'Asia/Tokyo'\n"}, "content/posts/a.md", "---\n{}---\n"),
    ],
)
def test_hours_without_an_offset_are_in_the_zone_of_the_settings(
    settings: dict[str, str | bytes], path: str, front: str, tmp_path: Path
) -> None:
    def day(value: str) -> str:
        text = front.format(f"title: A\ndate: {value}\n") + ENGLISH
        (entry,) = assembled(written(tmp_path / value[-6:].replace(":", ""), {**settings, path: text})).entries.values()
        return entry.record.published_at.isoformat() if entry.record.published_at else ""

    assert day("2024-01-02 03:04:05") == "2024-01-02T03:04:05+09:00"
    assert day("2024-01-02T03:04:05Z") == "2024-01-02T03:04:05+00:00"
    assert day("2024-01-02") == "2024-01-02T00:00:00+00:00"
