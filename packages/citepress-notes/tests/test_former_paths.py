"""Plain sites of other tools: every address and alias that a text had leads to it, and links to these stay links."""

import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import pytest

from citepress.archive.links import follow_redirect
from support.folder import checked, folder


class Site(NamedTuple):
    """A site of one tool; a text names what it links to, and each text says where it was."""

    files: dict[str, str]
    paths: dict[str, str]
    """Former path, and the title of the text that has to answer."""
    dead: tuple[str, ...] = ()
    """Former paths that answered nothing."""


def post(title: str, more: str = "", text: str = "Text.") -> str:
    return f"---\ntitle: {title}\ndate: 2024-05-06\n{more}---\n{text}\n"


LINKS = "[a](/2024/second/) [b](../second/) [c](../../about/) [d](/blog/2024/second/#part) [e](second.md)"
HUGO = Site(
    {
        "hugo.toml": 'title = "T"\nbaseURL = "https://t.test/blog/"\ndefaultContentLanguage = "en"\n'
        "[languages.en]\n[languages.de]\n"
        '[permalinks]\nposts = "/:year/:slug/"\n[permalinks.page]\nnotes = "/n/:title"\n',
        "content/_index.md": "---\ntitle: Home\n---\nWelcome.\n",
        "content/docs/_index.md": "---\ntitle: All docs\n---\nA section with a text.\n",
        "content/posts/first.md": post("First", "aliases: [/old/, older.html, ../up/]\n", LINKS),
        "content/posts/second.md": post("Second"),
        "content/posts/second.de.md": post("Zweitens"),
        "content/posts/named.md": post("Named", "slug: own-name\n"),
        "content/notes/one.md": post("Big Note!"),
        "content/docs/deep/page.md": post("Page"),
        "content/docs/bundle/index.md": post("Bundle"),
        "content/docs/Größe.md": post("Size"),
        "content/about.md": post("About"),
        "content/given.md": post("Given", "url: /my/own.html\n"),
        "content/docs/toml.md": '+++\ntitle = "Toml"\ndate = 2024-05-06\naliases = ["bare"]\n+++\nText.\n',
    },
    {
        "/2024/first/": "First", "/old/": "First", "/2024/older.html": "First", "/up/": "First",
        "/2024/second/": "Second", "/blog/2024/second/": "Second", "/de/2024/zweitens/": "Zweitens",
        "/2024/own-name/": "Named", "/n/big-note/": "Big Note!", "/docs/deep/page/": "Page",
        "/docs/bundle/": "Bundle", "/docs/gr%C3%B6%C3%9Fe/": "Size", "/about/": "About", "/my/own.html": "Given",
        "/docs/bare": "Toml", "/docs/": "All docs", "/blog/docs/toml": "Toml",
    },
)  # fmt: skip
JEKYLL = Site(
    {
        "_config.yml": "title: T\nbaseurl: /base\npermalink: /:categories/:year/:title:output_ext\n"
        "collections:\n  recipes: {output: true, permalink: /eat/:name/}\n  plays: {output: true}\n"
        "defaults:\n- scope: {path: '', type: posts}\n  values: {categories: [news]}\n"
        "- scope: {path: notes, type: pages}\n  values: {permalink: /n/:basename/}\n",
        "_posts/2024-01-02-first.md": post(
            "First", "redirect_from: [/was/, /were.html]\n", "[a](/news/2024/second.html) [b](./second.html)"
        ).replace("date: 2024-05-06\n", ""),
        "_posts/2024-01-03-second.md": post("Second").replace("date: 2024-05-06\n", ""),
        "_posts/2024-01-04-third.md": post("Third", "permalink: /own/:year/:title/\n"),
        "_posts/2024-01-05-fourth.md": post("Fourth", "categories: [Big, two]\n"),
        "team/_posts/2024-01-06-fifth.md": post("Fifth", "slug: five\n"),
        "_recipes/soup.md": post("Soup"),
        "_plays/act/one.md": post("Play"),
        "about.md": post("About", "permalink: /about/\n"),
        "docs/page.md": post("Page"),
        "docs/index.md": post("Docs"),
        "help/README.md": post("Help"),
    },
    {
        "/news/2024/first.html": "First", "/news/2024/first": "First", "/was/": "First", "/were.html": "First",
        "/base/was/": "First",
        "/news/2024/second.html": "Second", "/base/news/2024/second.html": "Second", "/own/2024/third/": "Third",
        "/big/two/2024/fourth.html": "Fourth", "/team/news/2024/five.html": "Fifth", "/eat/soup/": "Soup",
        "/plays/act/one.html": "Play", "/about/": "About", "/docs/page.html": "Page", "/docs/": "Docs",
        "/help/": "Help",
    },
)  # fmt: skip
HEXO = Site(
    {
        "_config.yml": "title: T\nurl: https://t.test/blog\npermalink: :year/:month/:category/:title/\n",
        "scaffolds/post.md": "x",
        "source/_posts/first.md": post(
            "First", "categories: [Big words, Two]\n", "[a](/2024/05/uncategorized/second/)"
        ),
        "source/_posts/second.md": post("Second", "alias: /was/second/\n", "[a](../../Big-words/Two/first/)"),
        "source/_posts/deep/third.md": post("Third", "permalink: my/third.html\n"),
        "source/_posts/2023-04-05-fourth.md": "---\ntitle: Fourth\n---\nText.\n",
        "source/about/index.md": post("About"),
        "source/page.md": post("Page"),
    },
    {
        "/2024/05/Big-words/Two/first/": "First", "/2024/05/uncategorized/second/": "Second", "/was/second/": "Second",
        "/blog/2024/05/uncategorized/second/": "Second", "/my/third.html": "Third",
        "/2023/04/uncategorized/fourth/": "Fourth", "/about/": "About", "/page.html": "Page",
    },
)  # fmt: skip
PELICAN = Site(
    {
        "pelicanconf.py": "PATH = 'content'\nSITEURL = 'https://t.test'\nARTICLE_URL = '{date:%Y}/{category}/{slug}/'\n"
        "ARTICLE_SAVE_AS = ARTICLE_URL + 'index.html'\nDEFAULT_LANG = 'en'\n",
        "content/news/first.md": "Title: First words\nDate: 2024-05-06\n\n[a](/2024/misc/own/) [b](../../misc/own/)\n",
        "content/second.md": "Title: Second\nSlug: own\nDate: 2024-05-06\n\nText.\n",
        "content/2023-01-02-third.md": "---\nTitle: Third\nCategory: Big Words\n---\n\nText.\n",
        "content/fr.md": "Title: Quatre\nDate: 2024-05-06\nLang: fr\n\nText.\n",
        "content/pages/about.md": "Title: About us\n\nText.\n",
        "content/pages/own.md": "Title: Own\nurl: my/page.html\nsave_as: my/page.html\n\nText.\n",
    },
    {
        "/2024/news/first-words/": "First words", "/2024/misc/own/": "Second", "/2023/big-words/third/": "Third",
        "/quatre-fr.html": "Quatre", "/pages/about-us.html": "About us", "/my/page.html": "Own",
    },
)  # fmt: skip
QUARTZ = Site(
    {
        "quartz.config.ts": "export default { configuration: { baseUrl: 'q.test' } }\n",
        "content/index.md": post("Home"),
        "content/Folder/My Note.md": post("My", "aliases: [An old name]\n", "[a](/Folder/Other) [b](Other)"),
        "content/Folder/Other.md": post("Other", "permalink: was/other\n"),
        "content/Folder/index.md": post("Folder"),
    },
    {
        "/Folder/My-Note": "My", "/An-old-name": "My", "/Folder/Other": "Other", "/was/other": "Other",
        "/Folder/": "Folder",
    },
)  # fmt: skip
ZOLA = Site(
    {
        "config.toml": 'base_url = "https://t.test"\n[languages.de]\n',
        "content/blog/_index.md": "+++\ntitle = 'Blog'\n+++\nWords.\n",
        "content/blog/2024-05-06-One Word.md": "+++\ntitle = 'One'\naliases = ['a/b']\n+++\n"
        "[a](/blog/two/) [b](@/blog/two/index.md)\n",
        "content/blog/two/index.md": "+++\ntitle = 'Two'\ndate = 2024-05-06\n+++\nText.\n",
        "content/blog/two/index.de.md": "+++\ntitle = 'Zwei'\ndate = 2024-05-06\n+++\nText.\n",
        "content/own.md": "+++\ntitle = 'Own'\npath = 'x/own'\ndate = 2024-05-06\n+++\nText.\n",
    },
    {
        "/blog/one-word/": "One", "/a/b/": "One", "/blog/two/": "Two", "/de/blog/two/": "Zwei", "/x/own/": "Own",
        "/blog/": "Blog",
    },
)  # fmt: skip
MKDOCS = Site(
    {
        "mkdocs.yml": "site_name: T\nsite_url: https://t.test/docs/\nplugins:\n- blog\n- redirects:\n"
        "    redirect_maps: {old.md: guide/start.md}\n",
        "docs/index.md": "# Home\n",
        "docs/guide/start.md": "# Start\n\n[a](../other/) [b](/docs/guide/other/)\n",
        "docs/guide/other.md": "# Other\n",
        "docs/blog/posts/p.md": "---\ndate: {created: 2023-04-05}\n---\n# A post!\n\nText.\n",
    },
    {
        "/guide/start/": "Start", "/docs/guide/start/": "Start", "/old/": "Start", "/docs/guide/other/": "Other",
        "/docs/old/": "Start",
        "/blog/2023/04/05/a-post/": "A post!",
    },
)  # fmt: skip
ELEVENTY = Site(
    {
        "eleventy.config.js": "export default function (c) {}\nexport const config = {dir: {input: 'src'}};\n",
        "src/posts/posts.json": '{"permalink": "/blog/{{ page.date | date: \'%Y\' }}/{{ title | slugify }}/"}',
        "src/posts/first.md": post("First Words", text="[a](/blog/2024/second/) [b](../second/)"),
        "src/posts/second.md": post("Second"),
        "src/posts/own.md": post("Own", "permalink: /own.html\n"),
        "src/pages/about.md": post("About"),
        "src/pages/plain/plain.md": post("Plain"),
    },
    {
        "/blog/2024/first-words/": "First Words", "/blog/2024/second/": "Second", "/own.html": "Own",
        "/pages/about/": "About", "/pages/plain/": "Plain",
    },
)  # fmt: skip
FOAM = Site(
    {".vscode/foam.json": "{}", "Deep/My note.md": post("My", text="[a](Other)"), "Deep/Other.md": post("Other")},
    {"/Deep/My%20note/": "My", "/Deep/My%20note.html": "My", "/Deep/Other": "Other"},
)
DENDRON = Site(
    {
        "dendron.yml": "version: 5\nworkspace:\n  vaults:\n  - {fsPath: vault}\n"
        "publishing:\n  siteNotesDir: docs\n  siteHierarchies: [a, root]\n",
        "vault/a.b.md": post("B", "id: xyz123\n"),
        "vault/a.md": post("A", "id: abc\n"),
    },
    {"/docs/xyz123/": "B", "/docs/a.b/": "B", "/docs/abc.html": "A"},
)
SITES = {
    "hugo": HUGO, "jekyll": JEKYLL, "hexo": HEXO, "pelican": PELICAN, "quartz": QUARTZ, "zola": ZOLA, "mkdocs": MKDOCS,
    "eleventy": ELEVENTY, "foam": FOAM, "dendron": DENDRON,
}  # fmt: skip


@pytest.mark.parametrize("name", SITES)
def test_every_former_address_leads_to_its_text_and_links_to_it_stay_links(name: str, tmp_path: Path) -> None:
    site = SITES[name]
    archive, faults = checked(folder(tmp_path / "site", dict(site.files), site=None))
    assert archive is not None
    titles = {entry.path: entry.record.title for entry in archive.entries.values()}
    ends = {path: follow_redirect(archive.redirects, unquote(path)) or path for path in site.paths}
    assert {path: titles.get(end, end) for path, end in ends.items()} == site.paths
    assert [(fault.place.file, fault.message) for fault in faults if fault.code.id in ("CP045", "CP046")] == []
    texts = "\n".join(entry.record.body_markdown for entry in archive.entries.values())
    sources = "\n".join(site.files.values())
    assert len(re.findall(r"\]\(", texts)) == len(re.findall(r"\]\(", sources))
