"""What stands beside the notes of a plain folder: pictures, dates in Git, other people's files, settings."""

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from citepress.archive.links import follow_redirect
from citepress.content.cache import ReadCache
from support.folder import SVG, assembled, checked, folder, post, reading
from support.shapes import committed, git, png


def day(year: int, month: int, of_month: int) -> datetime:
    return datetime(year, month, of_month, tzinfo=UTC)


def plain(path: Path, files: dict[str, str | bytes]) -> Path:
    return folder(path, files, site=None)


def test_pictures_and_papers_beside_notes_are_published_where_they_lie(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "sub/a.md": (
            "![P](pic.png) ![S](<my shot.PNG>) [d](../docs/paper.pdf#page=2) ![r][r] <img src='pic.png'>\n\n[r]:"
            " ./pic.png 'T'\n\n![out](../../x.png) ![abs](/docs/x.svg) ![far](https://a.example/pic.png)"
            ' [set](settings.json) ![t](pic.png "pic.png")'
        ),
        "sub/pic.png": png(3, 2),
        "sub/my shot.PNG": png(4, 4),
        "docs/paper.pdf": b"%PDF",
        "docs/x.svg": SVG,
        "sub/settings.json": "{}",
        ".hidden.png": png(),
        ".folder/x.png": png(),
    }
    archive = assembled(plain(tmp_path, files))
    assert sorted(archive.static) == ["/docs/paper.pdf", "/docs/x.svg", "/sub/my shot.PNG", "/sub/pic.png"]
    assert tuple(archive.images["/sub/pic.png"]) == (3, 2)
    assert (
        archive.entries["posts/sub-a"].record.body_markdown
        == "![P](/sub/pic.png) ![S](</sub/my shot.PNG>) [d](/docs/paper.pdf#page=2) ![r][r] <img"
        " src='/sub/pic.png'>\n\n[r]: /sub/pic.png 'T'\n\n![out](/x.png) ![abs](/docs/x.svg)"
        ' ![far](https://a.example/pic.png) [set](settings.json) ![t](/sub/pic.png "pic.png")'
    )


def test_a_file_over_the_limit_is_set_aside(tmp_path: Path) -> None:
    archive, faults = checked(plain(tmp_path, {"a.md": "---\ndate: 2026-01-02\n---\nx", "big.pdf": b"0" * 5_242_881}))
    assert archive is not None
    assert not archive.static
    assert [(fault.code.id, fault.place.file) for fault in faults] == [("CP045", "big.pdf")]


def test_the_code_of_others_and_what_git_ignores_are_no_notes(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.md": "a",
        "node_modules/p/README.md": "x",
        "sub/vendor/g/README.md": "x",
        ".git/x.md": "x",
        "drafts/x.md": "x",
        "sub/b.tmp.md": "x",
        "sub/keep.tmp.md": "x",
        "sub/deep/only.md": "x",
        ".gitignore": "/drafts/\n*.tmp.md\n",
        "sub/.gitignore": "!keep.tmp.md\n/deep\n",
        "README.md": "# Hello\n\nWhat this is.\n",
        "LICENSE.md": "x",
        "CODE_OF_CONDUCT.md": "x",
        "sub/README.md": "x",
        "security.md": "A note on security.",
    }
    files |= {f"node_modules/{'d/' * 14}deep.md": "x"}
    content = reading(plain(tmp_path, files))
    assert [draft.file for draft in content.drafts] == ["a.md", "security.md", "sub/README.md", "sub/keep.tmp.md"]
    assert [(page.slug, page.body) for page in content.pages] == [("index", "What this is.")]
    assert {fault.code.id for fault in content.faults} == {"CP047"}


def test_settings_alone_leave_a_plain_folder_plain(tmp_path: Path) -> None:
    files = {
        "site.toml": 'title = "Garden"\nlicense = "CC0-1.0"\nbase_url = "https://e.org"\n',
        "a.md": "A",
        "static/x.txt": "x",
        "redirects.txt": "/old /posts/a/\n",
    }
    content = reading(plain(tmp_path, files))
    assert (content.plain, content.site.title, content.site.license, content.site.base_url) == (
        True,
        "Garden",
        "CC0-1.0",
        "https://e.org",
    )
    assert [draft.slug for draft in content.drafts] == ["a"]
    assert list(content.static) == ["/x.txt"]
    assert assembled(tmp_path).redirects["/old"] == "/posts/a/"


def test_settings_without_a_title_keep_the_folders_name(tmp_path: Path) -> None:
    assert (
        reading(plain(tmp_path / "my-garden", {"site.toml": 'license = "CC0-1.0"\n', "a.md": "A"})).site.title
        == "My garden"
    )


def test_an_archive_warns_once_of_markdown_outside_its_folders(tmp_path: Path) -> None:
    files = {"content/posts/a.md": post(), "notes/b.md": "b", "c.md": "c", "README.md": "r", "node_modules/x/y.md": "y"}
    problems = [fault for fault in reading(folder(tmp_path, files)).faults if fault.code.id == "CP048"]
    assert [fault.message for fault in problems] == [
        "2 Markdown files are outside content/<kind>/ and will not be published; the first is c.md"
    ]
    assert not reading(folder(tmp_path / "clean", {"content/posts/a.md": post(), "README.md": "r"})).faults


@pytest.mark.parametrize(
    ("name", "front", "published", "updated"),
    [
        ("x.md", "date: 2020-01-02", day(2020, 1, 2), day(2020, 1, 2)),
        ("2013-09-03-x.md", "", day(2013, 9, 3), day(2013, 9, 3)),
        (
            "2013-09-03-x.md",
            "date: 2014-01-02 10:00:00 -0500",
            datetime(2014, 1, 2, 15, tzinfo=UTC),
            datetime(2014, 1, 2, 15, tzinfo=UTC),
        ),
        ("x.md", "path: 2022/10/28/x", day(2022, 10, 28), day(2022, 10, 28)),
        ("2022/10/28/x.md", "", day(2022, 10, 28), day(2022, 10, 28)),
        ("x.md", "created: 2021-02-03\nmodified: 2021-02-04", day(2021, 2, 3), day(2021, 2, 4)),
        ("x.md", "", day(2018, 1, 2), day(2019, 1, 2)),
    ],
)
def test_a_date_comes_from_the_note_its_path_or_its_commits(
    tmp_path: Path, name: str, front: str, published: datetime, updated: datetime
) -> None:
    root = plain(tmp_path, {})
    first = (
        "2018-01-02T00:00:00Z",
        lambda: plain(root, {f"old-{Path(name).name}": f"---\ntitle: X\n{front}\n---\n" + "Text.\n" * 30}),
    )
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    committed(root, first, ("2019-01-02T00:00:00Z", lambda: (root / f"old-{Path(name).name}").rename(root / name)))
    record = next(iter(assembled(root).entries.values())).record
    assert (record.published_at, record.updated_at) == (published, updated)
    assert not checked(root)[1]


def test_the_time_of_a_file_is_a_date_only_with_a_warning(tmp_path: Path) -> None:
    root = plain(tmp_path, {"a.md": "A"})
    os.utime(root / "a.md", (1_700_000_000, 1_700_000_000))
    (fault,) = reading(root).faults
    assert (fault.code.id, "2023-11-14, the day of the file, is used" in fault.message) == ("CP047", True)


def test_a_note_is_published_no_later_than_the_last_change_that_it_tells(tmp_path: Path) -> None:
    root = plain(tmp_path, {"a.md": "---\nlastmod: 2020-02-02\n---\nA"})
    record = assembled(root).entries["posts/a"].record
    assert (record.published_at, record.updated_at) == (day(2020, 2, 2), day(2020, 2, 2))
    (fault,) = reading(root).faults
    assert (fault.code.id, "2020-02-02, the day of its last change, is used" in fault.message) == ("CP047", True)


def test_a_part_of_the_history_is_no_history(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    committed(
        whole,
        ("2018-01-02T00:00:00Z", lambda: plain(whole, {"a.md": "A"})),
        ("2019-01-02T00:00:00Z", lambda: plain(whole, {"b.md": "B"})),
    )
    git(tmp_path, "clone", "--depth", "1", f"file://{whole}", "part")
    assert "CP047" in {fault.code.id for fault in reading(tmp_path / "part").faults}


def test_a_new_commit_is_seen_by_a_reader_that_keeps_what_it_read(tmp_path: Path) -> None:
    cache = ReadCache()
    root = plain(tmp_path, {})
    committed(root, ("2018-01-02T00:00:00Z", lambda: plain(root, {"a.md": "A"})))
    assert reading(root, cache=cache).drafts[0].front.lastmod is None
    (root / "a.md").write_text("A, changed")
    git(root, "commit", "-am", "Change", at="2019-01-02T00:00:00Z")
    assert reading(root, cache=cache).drafts[0].front.lastmod == day(2019, 1, 2)


def test_without_git_a_folder_is_read_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = plain(tmp_path, {})
    committed(root, ("2018-01-02T00:00:00Z", lambda: plain(root, {"a.md": "A"})))
    monkeypatch.setenv("PATH", "")
    assert shutil.which("git") is None
    assert {fault.code.id for fault in reading(root).faults} == {"CP047"}


PNG = png(3, 2)
PUBLISHED: dict[str, tuple[dict[str, str | bytes], dict[str, str]]] = {
    "hugo": (
        {
            "hugo.toml": 'baseURL = "https://x.test/sub/"\n',
            "content/posts/b/index.md": post(),
            "static/img/a.png": PNG,
            "content/posts/b/sub/a.png": PNG,
        },
        {"/sub/img/a.png": "/img/a.png", "/posts/b/sub/a.png": "/content/posts/b/sub/a.png"},
    ),
    "docusaurus": (
        {"docusaurus.config.js": "export default {baseUrl: '/x/'};", "docs/a.md": post(), "static/img/a.png": PNG},
        {"/img/a.png": "/static/img/a.png", "/x/img/a.png": "/static/img/a.png"},
    ),
    "astro": (
        {"astro.config.mjs": "export default {};", "src/content/blog/a.md": post(), "public/a.png": PNG},
        {"/a.png": "/public/a.png"},
    ),
    "hexo": (
        {
            "_config.yml": "permalink: :year/:title/\n",
            "scaffolds/x.md": "",
            "source/_posts/p.md": post(),
            "source/_posts/p/a.png": PNG,
            "source/img/b.png": PNG,
        },
        {"/2026/p/a.png": "/source/_posts/p/a.png", "/img/b.png": "/source/img/b.png"},
    ),
    "mkdocs": (
        {"mkdocs.yml": "site_name: S\n", "docs/a.md": post(), "docs/i/a.png": PNG},
        {"/i/a.png": "/docs/i/a.png"},
    ),
    "eleventy": (
        {
            "eleventy.config.js": "module.exports = () => ({dir: {input: 'src'}});",
            "src/a.md": post(),
            "src/i/a.png": PNG,
        },
        {"/i/a.png": "/src/i/a.png"},
    ),
    "jekyll": (
        {"_config.yml": "baseurl: /b\n", "a.md": post(), "assets/a.png": PNG},
        {"/b/assets/a.png": "/assets/a.png"},
    ),
    "quartz": ({"quartz.config.ts": "", "content/a.md": post(), "content/a.png": PNG}, {"/a.png": "/content/a.png"}),
    "pelican": (
        {
            "pelicanconf.py": "PATH = 'text'\n",
            "text/a.md": "Title: A\nDate: 2026-01-02\n\nText.\n",
            "text/images/a.png": PNG,
        },
        {"/images/a.png": "/text/images/a.png"},
    ),
    "dendron": (
        {"dendron.yml": "workspace:\n  vaults:\n  - fsPath: vault\n", "vault/a.md": post(), "vault/assets/a.png": PNG},
        {"/assets/a.png": "/vault/assets/a.png"},
    ),
}
"""Files of sites, and the former paths of their pictures with the present ones."""


@pytest.mark.parametrize("tool", PUBLISHED)
def test_files_answer_at_the_paths_at_which_their_tool_published_them(tool: str, tmp_path: Path) -> None:
    files, ends = PUBLISHED[tool]
    archive = assembled(folder(tmp_path, files, site=None))
    assert {path: follow_redirect(archive.redirects, path) for path in ends} == ends
    assert set(ends.values()) <= archive.static.keys()


def test_the_former_path_of_a_picture_of_a_draft_leads_nowhere(tmp_path: Path) -> None:
    draft = post(body="![z](/img/zq.png)", draft=True)
    files = {"docusaurus.config.js": "", "docs/a.md": draft, "docs/b.md": post(), "static/img/zq.png": PNG}
    archive, faults = checked(folder(tmp_path, files, site=None))
    assert archive is not None
    assert not [path for path in (*archive.redirects, *archive.redirects.values(), *archive.static) if "zq" in path]
    assert not [fault for fault in faults if fault.code.id == "CP045"]
