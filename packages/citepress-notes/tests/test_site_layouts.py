"""Plain sites of Docusaurus, Astro and Eleventy: former addresses, redirects, languages and notation are theirs."""

from pathlib import Path

import pytest

from citepress.archive.links import follow_redirect
from citepress.archive.model import Archive
from citepress_notes.script_values import Script
from citepress_notes.site_layout import glob_matcher
from support.folder import assembled, folder
from support.shapes import png

DATED = "---\ndate: 2026-01-02\n---\n"
DOCUSAURUS = """export default {
  baseUrl: '/proj/', i18n: {defaultLocale: 'en', locales: ['en', 'fr']},
  presets: [['classic', {docs: {}, blog: {routeBasePath: 'news'}}]],
  plugins: [['@docusaurus/plugin-client-redirects', {
    fromExtensions: ['html'], redirects: [{to: '/docs/guides/setup', from: ['/old', '/older']}],
  }]],
};
"""


def docusaurus(root: Path, text: str = "Text.") -> Archive:
    files = {
        "docusaurus.config.js": DOCUSAURUS,
        "docs/01-guides/02-setup.md": f"{DATED}{text}\n",
        "docs/own.md": "---\ndate: 2026-01-02\nslug: /very/own\n---\nSee [it](/docs/guides/setup).\n",
        "blog/2021-02-03-hello.md": "Hello.\n",
        "i18n/fr/docusaurus-plugin-content-docs/current/01-guides/02-setup.md": f"{DATED}Texte.\n",
    }
    return assembled(folder(root, files, site=None))


def test_former_addresses_and_redirects_of_settings_lead_to_their_notes(tmp_path: Path) -> None:
    archive = docusaurus(tmp_path)
    setup, french = (
        "/posts/docs-01-guides-02-setup/",
        "i18n-fr-docusaurus-plugin-content-docs-current-01-guides-02-setup",
    )
    ends = {
        "/docs/guides/setup": setup,
        "/proj/docs/guides/setup": setup,
        "/docs/guides/setup.html": setup,
        "/old": setup,
        "/older": setup,
        "/docs/very/own": "/posts/very-own/",
        "/news/2021/02/03/hello": "/posts/blog-2021-02-03-hello/",
        "/fr/docs/guides/setup": f"/posts/{french}/",
    }
    assert {path: follow_redirect(archive.redirects, path) for path in ends} == ends


def test_translations_of_a_folder_for_languages_lead_to_each_other(tmp_path: Path) -> None:
    entries = docusaurus(tmp_path).entries
    english = entries["posts/docs-01-guides-02-setup"]
    french = next(entry for id_, entry in entries.items() if "i18n-fr" in id_)
    assert [text.language for text in english.record.translations] == ["en", "fr"]
    assert english.record.translations == french.record.translations


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (":::note\nInside.\n:::", "> [!NOTE]\n> Inside."),
        (":::tip[A *title*]{.x}\nInside.\n:::", "> [!TIP]\n> **A *title***\n>\n> Inside."),
        ("::::danger\n:::info\nDeep.\n:::\n::::", "> [!CAUTION]\n> > [!NOTE]\n> > Deep."),
        ("```js\n// highlight-next-line\na();\nb(); // highlight-line\n```", "```js\na();\nb();\n```"),
        ("```\n:::note\n```", "```\n:::note\n```"),
    ],
)
def test_containers_and_marks_of_code_are_no_text(text: str, expected: str, tmp_path: Path) -> None:
    body = docusaurus(tmp_path, text).entries["posts/docs-01-guides-02-setup"].record.body_markdown
    assert body.strip() == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A{% if false %}SECRET{% if x %}y{% endif %}SECRET{% else %}b{% endif %}c", "Abc"),
        ("A{% if true %}b{% else %}SECRET{% endif %}c", "Abc"),
        ("A{% unless true %}SECRET{% endunless %}c", "Ac"),
        ("A{% if site.x %}SECRET{% endif %}c", "A*(“if” is not shown here.)*c"),
        ("A{% if false %}SECRET", "A*(“if” is not shown here.)*"),
        ("A {{ page.url }}{% set y = 1 %}.", "A *(“page.url” is not shown here.)*."),
        ("{% include 'x' %}", "*(“include” is not shown here.)*"),
        ("{% raw %}{{ shown }}{% endraw %}", "{{ shown }}"),
        ("`{{ code }}`", "`{{ code }}`"),
    ],
)  # fmt: skip
def test_templates_of_eleventy_are_never_text(text: str, expected: str, tmp_path: Path) -> None:
    files = {"eleventy.config.js": "", "a.md": f"{DATED}{text}\n"}
    record = assembled(folder(tmp_path, files, site=None)).entries["posts/a"].record
    assert record.body_markdown.strip() == expected
    assert "SECRET" not in record.summary
    assert "{%" not in record.summary


@pytest.mark.parametrize(
    ("below", "text", "expected"),
    [
        (
            "",
            "[b]({% post_url 2024-05-06-b %}#s) {{ page.x }}",
            "[b](/posts/posts-2024-05-06-b/#s) *(“page.x” is not shown here.)*",
        ),
        ("", "[b]({{ site.baseurl }}{% link _posts/2024-05-06-b.md %} 'T')", "[b](/posts/posts-2024-05-06-b/ 'T')"),
        ("", "[b]({{ '/_posts/2024-05-06-b.md' | relative_url }})", "[b](/posts/posts-2024-05-06-b/)"),
        ("", "[b]({% post_url 2024-05-07-zqdraft %})", "b"),
        (
            "",
            "{% if site.x %}zqhidden [b]({% post_url 2024-05-06-b %}){% endif %}",
            "*(“if” is not shown here.)*",
        ),
        ("", "{% if false %}{% raw %}zqhidden{% endraw %}{% endif %}c", "c"),
        ("", "A CSS page.\n\n*[CSS]: Style sheets\n", "A CSS page."),
        (
            "",
            "{% highlight ruby linenos %}\nputs '{{ x }}'\n{% endhighlight %}",
            "~~~~ruby\nputs '{{ x }}'\n~~~~",
        ),
        ("source/", "{% note info %}\nIn.\n{% endnote %}", "> [!NOTE]\n> In."),
        ("source/", "{% post_link b 'The b' %}, {% post_link zqdraft %}", "[The b](</posts/source-posts-b/>), zqdraft"),
    ],
)
def test_tags_in_plain_texts_of_jekyll_and_hexo_are_links_code_or_notes(
    below: str, text: str, expected: str, tmp_path: Path
) -> None:
    files = {
        "_config.yml": "",
        f"{below}_posts/2024-05-05-a.md": f"---\nslug: a\n---\n{text}\n",
        f"{below}_posts/{'2024-05-06-' if not below else ''}b.md": f"{DATED}B.\n",
        f"{below}_posts/{'2024-05-07-' if not below else ''}zqdraft.md": f"{DATED[:-4]}draft: true\n---\nC.\n",
    }
    record = assembled(folder(tmp_path, files, site=None)).entries["posts/a"].record
    assert record.body_markdown.strip() == expected
    assert "zqhidden" not in record.summary


def test_languages_of_starlight_are_those_of_its_settings(tmp_path: Path) -> None:
    settings = """import starlight from '@astrojs/starlight';
export default defineConfig({ base: '/docs', redirects: { '/was': '/docs/one/', '/x/[a]': '/y/[a]' }, integrations: [
  starlight({ title: 'T', locales: { root: { label: 'Deutsch', lang: 'de' }, 'zh-cn': { lang: 'zh-CN' } } }),
] });
"""
    files = {
        "astro.config.mjs": settings,
        "src/content/docs/one.md": f"{DATED}Eins.\n",
        "src/content/docs/zh-cn/one.md": f"{DATED}One.\n",
    }
    archive = assembled(folder(tmp_path, files, site=None))
    german, chinese = archive.entries["posts/src-content-docs-one"], archive.entries["posts/src-content-docs-zh-cn-one"]
    assert (archive.site.language, chinese.record.language) == ("de", "zh-CN")
    assert [text.language for text in chinese.record.translations] == ["de", "zh-CN"]
    assert follow_redirect(archive.redirects, "/was") == german.path
    assert follow_redirect(archive.redirects, "/docs/zh-cn/one/") == chinese.path


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (
            "const a = 'x';\nexport default { a, b: [1, ...[2]], c: { d: `e` } };",
            {"a": "x", "b": [1, 2], "c": {"d": "e"}},
        ),
        ("module.exports = { a: false /* b: true */, // c: 1\n 'd-e': null };", {"a": False, "d-e": None}),
        ("export default defineConfig({ a: 1 } satisfies X);", {"a": 1}),
        ("module.exports = async function (c) { if (c) { return 1; }\n return { a: !true }; };", {"a": False}),
        ("export default { a: /[}\"']/.test(x), b: (1, 2) };".replace("(1, 2)", "2"), {"b": 2}),
    ],
)
def test_code_is_read_for_its_values(code: str, expected: dict[str, object]) -> None:
    members = Script(code).exported()
    assert {key: members[key] for key in expected} == expected


@pytest.mark.parametrize("piece", ["{", "[", "a=>", "return {", "function(){return {a:", "`", "!", "const a=a;", "x."])
def test_hostile_code_ends(piece: str) -> None:
    assert Script(f"export default {piece * (100_000 // len(piece))}").exported() is not None


@pytest.mark.parametrize(
    ("globs", "fitting", "others"),
    [
        (["**/*.{md,mdx}", "!**/private/**"], ["a.md", "b/c.mdx"], ["private/a.md", "b/private/c/d.md", "a.txt"]),
        (["[^_]*.md"], ["a.md"], ["_a.md", "b/a.md"]),
        (["./docs/**"], ["docs/a/b.md"], ["other/docs/a.md"]),
    ],
)
def test_globs_fit_paths_as_the_tools_read_them(globs: list[str], fitting: list[str], others: list[str]) -> None:
    fits = glob_matcher(globs)
    assert ([path for path in fitting if not fits(path)], [path for path in others if fits(path)]) == ([], [])


def test_links_of_a_wiki_have_their_words_first_and_hyphens_for_spaces(tmp_path: Path) -> None:
    text = "[[Two Words]], [[other words|Two Words]], [a](Two-Words#part), [[img/pic.png|alt=Pic]].\n"
    files = {
        "Home.md": DATED + text,
        "Two-Words.md": f"{DATED}Two.\n",
        "_Sidebar.md": "[[Home]]",
        "img/pic.png": png(3, 2),
    }
    archive = assembled(folder(tmp_path, files, site=None))
    two = "/posts/two-words/"
    expected = f"[Two Words]({two}), [other words]({two}), [a]({two}#part), ![Pic](/img/pic.png)."
    assert archive.entries["posts/home"].record.body_markdown.strip() == expected
    assert len(archive.entries) == 2


def test_links_from_the_top_of_a_site_and_redirects_that_lead_nowhere_stop_nothing(tmp_path: Path) -> None:
    text = "[a](@site/docs/b.md) [b](pathname:///pic.png)"
    config = DOCUSAURUS.replace("from: ['/old'", "from: ['/dead'").replace("to: '/docs/guides/setup'", "to: '/nowhere'")
    files = {"docusaurus.config.js": config, "docs/a.md": DATED + text, "docs/b.md": f"{DATED}B.", "pic.png": png(3, 2)}
    archive = assembled(folder(tmp_path, files, site=None))
    assert archive.entries["posts/docs-a"].record.body_markdown == "[a](/posts/docs-b/) [b](/pic.png)"
    assert follow_redirect(archive.redirects, "/dead") is None


@pytest.mark.parametrize(
    ("glob", "hidden", "shown"),
    [
        ("{a,b}/{x,y}.md", ["a/x.md", "b/y.md"], ["a/z.md"]),
        ("+(a|b)/*.md", ["a/x.md", "b/x.md"], ["c/x.md"]),
        ("@(a|b).md", ["a.md"], ["c.md"]),
        ("!(a|b)/x.md", ["c/x.md"], ["a/x.md"]),
        ("{" + ",".join(f"long-name-of-a-page-{number}" for number in range(300)) + "}.md",
         ["long-name-of-a-page-299.md"], ["other.md"]),
        ("{a,b}" * 14, ["a" * 14, "b" * 14], ["c"]),
    ],
)  # fmt: skip
def test_globs_with_choices_match_what_their_tools_match(glob: str, hidden: list[str], shown: list[str]) -> None:
    matches = glob_matcher([glob])
    assert [path for path in hidden if not matches(path)] == []
    assert [path for path in shown if matches(path)] == []


@pytest.mark.parametrize(
    "files",
    [
        {
            "docusaurus.config.js": "",
            "blog/authors.yml": "ann:\n  name: Ann Lee\n  title: Boss\n  url: https://ann.example/\n",
            "blog/2021-02-03-a.md": "---\nauthors: [ann, Bob]\n---\nText.\n",
        },
        {
            "mkdocs.yml": "site_name: S\nplugins: [blog]\n",
            "docs/blog/.authors.yml": "authors:\n  ann:\n    name: Ann Lee\n    url: https://ann.example/\n",
            "docs/blog/posts/a.md": "---\ndate: 2021-02-03\nauthors: [ann, Bob]\n---\nText.\n",
        },
    ],
)
def test_authors_are_those_that_the_site_describes_by_their_names(files: dict[str, str], tmp_path: Path) -> None:
    (entry,) = assembled(folder(tmp_path, files, site=None)).entries.values()
    authors = [(author.name, author.url) for author in entry.record.authors]
    assert authors == [("Ann Lee", "https://ann.example/"), ("Bob", None)]


def test_titles_of_a_navigation_are_those_of_documents_that_give_none(tmp_path: Path) -> None:
    files = {
        "mkdocs.yml": "site_name: S\nnav:\n- P:\n  - Named: a/b.md\n  - Other: c.md\n- a/index.md\n- O: https://x.example/\n",
        "docs/a/b.md": "# Heading\n\nText.\n",
        "docs/c.md": "---\ntitle: Own\n---\nText.\n",
        "docs/a/index.md": "Text.\n",
    }
    titles = {
        entry.file: entry.record.title for entry in assembled(folder(tmp_path, files, site=None)).entries.values()
    }
    assert titles == {"docs/a/b.md": "Named", "docs/c.md": "Own", "docs/a/index.md": "a"}
