"""Links and addresses of a former site lead to the records and pages that an import makes of them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from citepress.cli import run
from support.former_sites import written
from support.running_server import Server, serving

TITLED = "---\ntitle: My Great Title\ndate: 2020-01-01\n---\nText."
BY_HUGO = {
    "C++ tips": "/2021/c-tips/",
    "C++": "/2021/c-/",
    "x+y": "/2021/x-y/",
    "plus + alone": "/2021/plus--alone/",
    "Ends with emoji \U0001f389": "/2021/ends-with-emoji/",
    "\U0001f389 Starts": "/2021/starts/",
    "Gr\u00f6\u00dfe_und #5": "/2021/gr\u00f6\u00dfe_und-#5/",
    "alone #": "/2021/alone-/",
    "C# and F#": "/2021/c#-and-f#/",
    "50% off/on": "/2021/50-off/on/",
    "%20 encoded": "/2021/-encoded/",
    "Hello -- World": "/2021/hello--world/",
    "at @home": "/2021/at-@home/",
    "A & B": "/2021/a-b/",
    "a / b": "/2021/a-/-b/",
    "a \u2013 dash\u2014long": "/2021/a-dashlong/",
    "\u00bd cup": "/2021/cup/",
    "a.b.c v1.2": "/2021/a.b.c-v1.2/",
    "tilde ~ x": "/2021/tilde-~-x/",
    "dash end-": "/2021/dash-end-/",
    "\u0130stanbul": "/2021/istanbul/",
    "\u041c\u0438\u0440, d\u00e9j\u00e0!": "/2021/\u043c\u0438\u0440-d\u00e9j\u00e0/",
    "\u0939\u093f x": "/2021/\u0939\u093f-x/",
}
"""Titles, and the paths that Hugo 0.111.3 gives them by the rule ``/:year/:title/``."""
BY_OLDER_HUGO = {"Hello -- World": "/2021/hello-world/", "at @home": "/2021/at-home/"}
ALIASED = {
    "old-two": "/2021/old-two/",
    "rel/two/": "/2021/rel/two/",
    "../up": "/up/",
    "/old post/": "/old post/",
    "/v/1.2/": "/v/1.2/",
    "/Camel/Foo.html": "/Camel/Foo.html",
    "/50% off/": "/50% off/",
    "/Gr\u00f6\u00dfe #5/": "/Gr\u00f6\u00dfe #5/",
}
"""Aliases of a page at ``/2021/aliased/``, and the paths at which Hugo 0.111.3 publishes them."""


def imported(form: str, root: Path, files: dict[str, str | bytes]) -> dict[str, Any]:
    """Import the files into ``out`` below the root; the report."""
    source = written(root / "source", files)
    assert run(["import", form, str(source), str(root / "out"), "--report", str(root / "r.json")]) == 0
    report: dict[str, Any] = json.loads((root / "r.json").read_bytes())
    return report


@pytest.mark.parametrize("form", ["obsidian", "markdown"])
def test_wiki_links_lead_to_their_records_and_count_once(tmp_path: Path, form: str) -> None:
    report = imported(
        form,
        tmp_path,
        {
            "Alpha.md": "See [[Beta]], [[Is 5% odd?|the odd one]], [[Nobody]] and [[paper 5%.pdf]].",
            "Beta.md": "Back to [[Alpha#A part|its part]].",
            "deep/Is 5% odd?.md": "---\ntitle: Odd\n---\nText of [[deep/Is 5% odd?]].",
            "paper 5%.pdf": b"%PDF-1.4",
        },
    )
    posts = tmp_path / "out/content/posts"
    text = "".join(path.read_text("utf-8") for path in posts.iterdir())
    assert "[Beta](/posts/beta/)" in text
    assert "[its part](/posts/alpha/#a-part)" in text
    assert "[the odd one](/posts/is-5-odd/)" in text
    assert "[paper 5%.pdf](/files/alpha/paper-5.pdf)" in text
    assert report["links"] == {"to a record": 4, "to a file": 1, "dead, left as text": 1}
    assert report["dead_links"] == [{"source": "Alpha.md", "address": "[[Nobody]]"}]


@pytest.mark.parametrize(
    ("rule", "former"),
    [
        (":slug", "/2020/my-great-title/"),
        (":slugorfilename", "/2020/short/"),
        (":slugorcontentbasename", "/2020/short/"),
        (":contentbasename", "/2020/short/"),
        (":filename", "/2020/short/"),
    ],
)
def test_a_permalink_of_hugo_takes_the_title_only_for_a_slug(tmp_path: Path, rule: str, former: str) -> None:
    site = f'baseURL = "https://former.test/"\n[permalinks]\nposts = "/:year/{rule}/"\n'
    imported("hugo", tmp_path, {"hugo.toml": site, "content/posts/short.md": TITLED})
    post = (tmp_path / "out/content/posts/short.md").read_text("utf-8")
    assert f"aliases:\n- {former}\n" in post


def test_a_slug_in_the_front_matter_comes_before_the_title(tmp_path: Path) -> None:
    site = '[permalinks]\nposts = "/:year/:slug/"\n'
    text = TITLED.replace("date:", "slug: own\ndate:")
    imported("hugo", tmp_path, {"hugo.toml": site, "content/posts/short.md": text})
    assert "aliases:\n- /2020/own/\n" in (tmp_path / "out/content/posts/own.md").read_text("utf-8")


@pytest.mark.parametrize("file", ["about.md", "about/index.md"])
def test_a_dated_page_at_an_address_of_the_archive_itself_stays_there(tmp_path: Path, file: str) -> None:
    dated = "---\ntitle: About\ndate: 2020-01-01\n---\nAbout **us**."
    site: dict[str, str | bytes] = {
        "hugo.toml": "title = 'Site'",
        f"content/{file}": dated,
        "content/talk.md": dated,
        "content/posts/about.md": dated,
    }
    report = imported("hugo", tmp_path, site)
    assert "About **us**" in (tmp_path / "out/content/pages/about.md").read_text("utf-8")
    assert {path.name for path in (tmp_path / "out/content/posts").iterdir()} == {"talk.md", "about.md"}
    assert report["addresses_left_out"] == []


def test_a_name_that_no_address_can_hold_is_a_day_and_a_digest_whatever_its_folder(tmp_path: Path) -> None:
    words = ("\u65e5\u672c\u8a9e", "\u043f\u0440")
    files = {f"articles/{word}.md": TITLED.replace("My Great Title", word) for word in words}
    imported("markdown", tmp_path, files)
    names = [path.stem for path in (tmp_path / "out/content/posts").iterdir()]
    assert len(names) == 2
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d-[0-9a-f]{6}", name) for name in names), names


def test_the_words_of_a_lost_image_are_no_summary(tmp_path: Path) -> None:
    text = f"{TITLED}\n"[: TITLED.index("---", 3) + 4] + "![A screenshot](gone.png)\n\nThe first words."
    imported("markdown", tmp_path, {"one.md": text})
    assert "summary: The first words.\n" in (tmp_path / "out/content/posts/one.md").read_text("utf-8")


def test_an_import_that_deletes_files_says_how_many(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    imported("markdown", tmp_path, {"one.md": TITLED, "two.md": TITLED})
    assert "0 removed" in capsys.readouterr().out
    (tmp_path / "source/two.md").unlink()
    imported("markdown", tmp_path, {})
    assert "1 removed" in capsys.readouterr().out
    assert not (tmp_path / "out/content/posts/two.md").exists()


def test_redirects_to_other_sites_stay_and_those_to_nothing_are_reported(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "hugo.toml": 'baseURL = "https://former.test/"\n',
        "content/posts/short.md": TITLED,
        "static/_redirects": "/away https://b.example/x#part 301\n/mail mailto:a@b.example\n/far ftp://b.example/\n",
    }
    report = imported("hugo", tmp_path, files)
    assert "\n/away https://b.example/x#part\n" in (tmp_path / "out/redirects.txt").read_text("utf-8")
    assert {row["path"] for row in report["addresses_left_out"]} >= {"/mail", "/far"}
    assert run(["check", str(tmp_path / "out")]) == 0


def test_a_page_whose_address_the_archive_has_itself_is_reported_with_its_present_one(tmp_path: Path) -> None:
    page = "---\ntitle: Own sources\n---\nText."
    report = imported("hugo", tmp_path, {"hugo.toml": "title = 'Site'", "content/sources.md": page})
    rows = {row["path"]: row["reason"] for row in report["addresses_left_out"]}
    assert "and this one is at /pages/sources/" in rows["/sources/"], rows


@pytest.fixture(scope="module")
def below_a_path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A site of Hugo whose address has a path, imported and served."""
    root = tmp_path_factory.mktemp("below")
    posts = {
        f"content/posts/p{number}.md": json.dumps({"title": title, "date": "2021-05-04"}) + "\n\nText.\n"
        for number, title in enumerate(BY_HUGO)
    }
    aliased = {"title": "Aliased", "date": "2021-05-04", "slug": "aliased", "aliases": list(ALIASED)}
    site = 'baseURL = "https://former.test/blog/"\n[permalinks]\nposts = "/:year/:title/"\n'
    files: dict[str, str | bytes] = {
        "hugo.toml": site,
        **posts,
        "content/posts/aliased.md": f"{json.dumps(aliased)}\n\nText.\n",
        "content/posts/linking.md": f"{TITLED} [there](/old post/) [here](/blog/v/1.2/)".replace(" post/", "%20post/"),
    }
    imported("hugo", root, files)
    with serving(root / "out", tmp_path_factory.mktemp("state")) as running:
        yield running


@pytest.mark.parametrize(("title", "former"), [*BY_HUGO.items(), *BY_OLDER_HUGO.items()])
def test_a_title_in_a_permalink_of_hugo_leads_to_its_post(below_a_path: Server, title: str, former: str) -> None:
    present = f"/posts/p{list(BY_HUGO).index(title)}/"
    answer = below_a_path.ask(quote(f"/blog{former}"))
    assert (answer.status, answer.fields.get("location")) == (308, present)


@pytest.mark.parametrize("former", ALIASED.values())
def test_an_alias_of_hugo_begins_below_the_path_of_the_site_or_beside_its_page(
    below_a_path: Server, former: str
) -> None:
    answer = below_a_path.ask(quote(f"/blog{former}"))
    assert (answer.status, answer.fields.get("location")) == (308, "/posts/aliased/")
    assert below_a_path.ask(quote(former)).status == 404


def test_links_to_an_alias_lead_on_with_the_path_of_the_site_and_without(below_a_path: Server) -> None:
    text = below_a_path.ask("/posts/linking.md").body.decode()
    assert "[there](https://former.test/posts/aliased/)" in text
    assert "[here](https://former.test/posts/aliased/)" in text


@pytest.mark.parametrize(
    ("form", "files"),
    [
        (
            "zola",
            {
                "config.toml": 'base_url = "https://former.test/blog"\n',
                "templates/index.html": "",
                "content/one.md": "+++\ntitle = 'One'\ndate = 2020-01-01\naliases = ['old/one']\n+++\nText.\n",
            },
        ),
        (
            "jekyll",
            {
                "_config.yml": "url: https://former.test\nbaseurl: /blog\n",
                "_posts/2020-01-01-one.md": "---\ntitle: One\nredirect_from: /old/one\n---\nText.\n",
            },
        ),
    ],
)
def test_aliases_of_other_tools_begin_below_the_path_of_the_site_too(
    tmp_path: Path, form: str, files: dict[str, str | bytes]
) -> None:
    imported(form, tmp_path, files)
    text = (tmp_path / "out/content/posts/one.md").read_text("utf-8")
    assert "\n- /blog/old/one\n" in text
    assert "\n- /old/one\n" not in text


def test_aliases_of_a_language_and_of_ugly_addresses_are_those_of_hugo(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "hugo.toml": "uglyURLs = true\ndefaultContentLanguage = 'en'\n[languages.en]\n[languages.fr]\n",
        "content/posts/one.fr.md": TITLED.replace("date:", "aliases: [old, /was/]\ndate:"),
    }
    imported("hugo", tmp_path, files)
    text = next((tmp_path / "out/content/posts").iterdir()).read_text("utf-8")
    for path in ("/fr/posts/old.html", "/was.html", "/fr/was.html"):
        assert f"\n- {path}\n" in text


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ("/notes/{{ title | slugify }}/", "/notes/my-great-title/"),
        ("/notes/{{ title | slug }}.html", "/notes/my-great-title.html"),
        ("/notes/{{ title | ownFilter }}/", "/posts/one/"),
    ],
)
def test_a_permalink_of_a_folder_of_eleventy_is_the_address_and_links_begin_there(
    rule: str, path: str, tmp_path: Path
) -> None:
    files: dict[str, str | bytes] = {
        "eleventy.config.js": "",
        "posts/posts.json": json.dumps({"permalink": rule}),
        "posts/one.md": TITLED,
        "posts/two.md": f"---\ntitle: Two\ndate: 2020-01-02\n---\n[one]({path}) [beside](../{Path(path).name}/)\n",
    }
    imported("eleventy", tmp_path, files)
    post = (tmp_path / "out/content/posts/one.md").read_text()
    assert f"- {path}\n" in post or path == "/posts/one/"
    assert "- /notes/\n" not in post
    assert "[one](/posts/one/)" in (tmp_path / "out/content/posts/two.md").read_text()


def test_aliases_and_permalinks_of_quartz_answer_and_lead_wiki_links(tmp_path: Path) -> None:
    front = "aliases: [The First, '1st']\npermalink: /perma/first\ndate: 2020-01-01"
    files: dict[str, str | bytes] = {
        "quartz.config.ts": "export default {}",
        "content/First Note.md": f"---\n{front}\n---\nText.\n",
        "content/Other.md": "---\ndate: 2020-01-01\n---\n[[1st|a]] [[The First|b]] [[First Note|c]]\n",
    }
    imported("quartz", tmp_path, files)
    post = (tmp_path / "out/content/posts/first-note.md").read_text()
    assert [f"- {path}\n" in post for path in ("/First-Note", "/The-First", "/1st", "/perma/first")] == [True] * 4
    other = (tmp_path / "out/content/posts/other.md").read_text()
    assert "[a](/posts/first-note/) [b](/posts/first-note/) [c](/posts/first-note/)" in other
