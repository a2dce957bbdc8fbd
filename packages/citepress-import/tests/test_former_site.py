"""Former addresses with spaces and other signs answer over HTTP, and the report names what was cut or invented."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from citepress.cli import run
from citepress_notes.calls import ShortcodeCall
from citepress_notes.shortcodes import picture
from support.former_sites import PNG, written
from support.running_server import Server, serving

LONG = "A title of many words " * 9
POST = "---\ntitle: Spaced\ndate: 2020-01-01\naliases: [/old post/, /gr\u00fc\u00dfe/, 'Another name']\n---\nText.\n"
FILES: dict[str, str | bytes] = {
    "hugo.toml": 'baseURL = "https://former.test/"\ntitle = "Site"\n',
    "content/posts/spaced.md": POST + "![A photo](/photos/My%20photo%20(1).png)\n",
    "content/posts/trip/index.md": "---\ntitle: Trip\ndate: 2020-02-02\n---\nText.\n",
    "content/posts/trip/the map.png": PNG,
    "content/posts/trip/plain.png": PNG,
    "content/posts/undated.md": f"---\ntitle: '{LONG.strip()}'\ndate: someday\n---\nText.\n",
    "content/posts/heading.md": f"---\ndate: 2020-03-03\n---\n# {LONG.strip()}\n\nText.\n",
    "static/photos/My photo (1).png": PNG,
    "static/b\u00e4r & co.png": PNG,
    "static/100% paper.pdf": b"%PDF-1.4",
    "static/plain.png": PNG,
    "static/huge one.pdf": b"0" * 5_242_881,
}


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], str]:
    """The folder that is imported, and its report as JSON and as Markdown."""
    root = tmp_path_factory.mktemp("files")
    source = written(root / "source", FILES)
    for name in ("r.json", "r.md"):
        assert run(["import", "hugo", str(source), str(root / "out"), "--report", str(root / name)]) == 0
    assert run(["check", str(root / "out")]) == 0
    return root / "out", json.loads((root / "r.json").read_bytes()), (root / "r.md").read_text("utf-8")


@pytest.fixture(scope="module")
def server(imported: tuple[Path, dict[str, Any], str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(imported[0], tmp_path_factory.mktemp("state")) as running:
        yield running


@pytest.mark.parametrize(
    ("former", "present"),
    [
        ("/old post/", "/posts/spaced/"),
        ("/old post", "/posts/spaced/"),
        ("/gr\u00fc\u00dfe/", "/posts/spaced/"),
        ("/photos/My photo (1).png", "/img/spaced/my-photo-1.png"),
        ("/b\u00e4r & co.png", "/img/site/bar-co.png"),
        ("/100% paper.pdf", "/files/site/100-paper.pdf"),
        ("/posts/trip/the map.png", "/img/site/the-map.png"),
    ],
)
def test_a_former_address_with_a_space_or_another_sign_leads_to_the_present_one(
    server: Server, former: str, present: str
) -> None:
    answer = server.ask(quote(former))
    assert (answer.status, answer.fields.get("location")) == (308, present)
    assert server.ask(present).status == 200


def test_a_file_whose_address_can_stay_has_it(server: Server) -> None:
    assert server.ask("/plain.png").body == PNG
    assert server.ask("/posts/trip/plain.png").body == PNG


def test_a_second_import_of_the_same_site_changes_nothing(imported: tuple[Path, dict[str, Any], str]) -> None:
    assert imported[1]["files"]["unchanged"] == 0
    assert imported[2].count("0 files written") == 1


def test_the_report_names_what_was_cut_invented_or_left(imported: tuple[Path, dict[str, Any], str]) -> None:
    _, report, text = imported
    assert report["shortened_titles"] == [
        {"source": "content/posts/heading.md", "title": LONG.strip()},
        {"source": "content/posts/undated.md", "title": LONG.strip()},
    ]
    undated = report["undated"]
    assert [row["source"] for row in undated] == ["content/posts/undated.md"]
    assert "its date 'someday' cannot be read" in undated[0]["reason"]
    assert {row["path"] for row in report["addresses_left_out"]} == {"/huge one.pdf"}
    assert "## Posts with the day of the import for a date (1)\n\n- `content/posts/undated.md`: 20" in text
    assert f"- `content/posts/heading.md`: {LONG.strip()}\n" in text


def test_a_bare_word_with_a_space_is_another_name_in_yaml_and_a_path_in_toml(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "config.toml": "title = 'Site'\n",
        "templates/index.html": "",
        "content/a.md": "+++\ntitle = 'A'\ndate = 2020-01-01\n"
        "aliases = ['old post', '/std::vec/', '/:year/:title/']\n+++\n",
        "content/b.md": "---\ntitle: B\ndate: 2020-01-01\naliases: [Another name, One / two, sub/path]\n---\n",
    }
    source = written(tmp_path / "zola", files)
    assert run(["import", "zola", str(source), str(tmp_path / "out")]) == 0
    toml = (tmp_path / "out/content/posts/a.md").read_text("utf-8")
    assert "aliases:\n- /a/\n- /old%20post\n- /std::vec/\n" in toml
    source = written(tmp_path / "vault", {"b.md": files["content/b.md"]})
    assert run(["import", "markdown", str(source), str(tmp_path / "notes")]) == 0
    assert "aliases:\n- /sub/path\n" in (tmp_path / "notes/content/posts/b.md").read_text("utf-8")


def test_a_figure_keeps_its_title_its_caption_and_its_credit() -> None:
    image = {"src": "a.png", "alt": "Words"}

    def shown(**more: str) -> str:
        return picture(ShortcodeCall("figure", {**image, **more}, [], None))

    assert shown(title="T", caption="C") == "![Words](a.png)\n\n**T**\n\n*C*"
    assert shown(caption="C", attr="Ada") == "![Words](a.png)\n\n*C (Ada)*"
    assert shown(title="T") == "![Words](a.png)\n\n*T*"
    assert picture(ShortcodeCall("figure", {"src": "a.png", "title": "T", "caption": "C"}, [], None)) == (
        "![C](a.png)\n\n**T**\n\n*C*"
    )


def test_a_post_whose_name_no_slug_can_hold_is_named_after_its_former_address(tmp_path: Path) -> None:
    front = "title: 你好\ndate: 2024-01-02"
    files: dict[str, str | bytes] = {
        "_config.yml": "title: T\n",
        "_posts/2024-01-02-你好.md": f"---\n{front}\npermalink: /blog/hello-there.html\n---\n文字\n",
    }
    assert run(["import", "jekyll", str(written(tmp_path / "jekyll", files)), str(tmp_path / "out")]) == 0
    assert [file.name for file in (tmp_path / "out" / "content" / "posts").iterdir()] == ["hello-there.md"]
