"""Small blogs of every format that can be imported, written here, with the traps that real ones hold."""

import json
import zlib
from dataclasses import dataclass, field
from pathlib import Path

PNG = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x04\x00\x00\x00\x03\x08\x02\x00\x00\x00"
    + zlib.crc32(b"IHDR\x00\x00\x00\x04\x00\x00\x00\x03\x08\x02\x00\x00\x00").to_bytes(4)
    + b"\x00\x00\x00\x00IEND\xaeB\x60\x82"
)
OUT = "https://out.example"


@dataclass(frozen=True)
class FormerPost:
    """What a post of the former site says about itself."""

    title: str
    date: str
    """The beginning of its date of publication in UTC."""
    description: str = ""
    """Empty where its author gave none."""
    authors: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    """Paths that have to lead to it."""
    words: tuple[str, ...] = ()
    """What its page has to show."""


@dataclass
class FormerBlog:
    """A blog on disk, and what its import has to give."""

    source: Path
    format: str
    posts: list[FormerPost]
    pages: dict[str, str] = field(default_factory=dict)
    """Paths of pages that stay where they are, and a word of each."""
    redirects: dict[str, str] = field(default_factory=dict)
    """Former path of a page, and the path that it leads to."""
    links: tuple[str, ...] = ()
    """External links of its texts."""
    images: int = 0
    """Files that have to be copied."""


def written(root: Path, files: dict[str, str | bytes]) -> Path:
    """Files below a folder."""
    for name, content in files.items():
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


COMMON = f"""\
Words with [a link out]({OUT}/one?a=1&b=2), `code` and a footnote[^1].

<!-- a comment -->
<details><summary>More</summary>inside <kbd>Ctrl</kbd></details>

<script>alert(1)</script><iframe src="https://www.youtube.com/embed/abc123" title="A talk"></iframe>
A Vec<T> and a <my-card>card</my-card>, and [dead](/never/was/) and ![gone](gone.png).

```rust
let x = "{{{{< not a shortcode >}}}} [[not a link]]";
```

[^1]: The note.
"""


FIRST = f"""\
+++
title = "First: a post"
date = 2019-03-04T23:06:07-02:00
lastmod = 2020-01-02
description = "What the first post says."
aliases = ["/old/first/", "older.html", "/ünï/cödé/"]
tags = ["one"]
categories = ["two"]
authors = ["Ada Example", "Bo Beispiel"]
weight = 3
+++
{COMMON}
A [reference]({{{{< ref "blog/second.md#part" >}}}}), a [relative](../blog/second.md)
and an [old path](/2020/05/second-slug/).

{{{{< figure src="/images/pic.png" alt="A picture" caption="The caption" >}}}}

{{{{< highlight go "linenos=true" >}}}}
x := `raw` // {{{{ y }}}}
{{{{< /highlight >}}}}

{{{{% notice warning "Careful" %}}}}
Inside the notice, {{{{< param city >}}}}.
{{{{% /notice %}}}}

> [!TIP]
> A tip.

{{{{< unheard-of a="b" >}}}} and {{{{</* shown */>}}}} in code: `{{{{</* shown */>}}}}`.

## Part {{#own-id .cls}}

See [the part](#own-id). {{{{< include "shared.md" >}}}}
"""


HUGO_LISTS = {
    "/index.xml": "/rss.xml",
    "/posts/index.xml": "/rss.xml",
    "/blog/": "/posts/",
    "/blog/page/1/": "/posts/",
    "/page/1": "/posts/",
    "/categories/": "/tags/",
    "/categories/two/": "/tags/two/",
    "/tags/one/index.xml": "/rss.xml",
}
"""Lists and feeds of the site of Hugo, and where they lead."""


def hugo(root: Path) -> FormerBlog:
    """TOML and YAML and JSON front matter, bundles, permalinks, shortcodes, cascades, aliases, a form feed."""
    files: dict[str, str | bytes] = {
        "hugo.toml": 'baseURL = "https://former.test/"\ntitle = "Former site"\nlanguageCode = "en-gb"\n'
        '[params]\ndescription = "A site."\ncity = "Utrecht"\n[permalinks]\nblog = "/:year/:month/:slug/"\n',
        "content/posts/first.md": FIRST,
        "content/posts/shared.md": "---\nheadless: true\n---\nThe shared words.",
        "content/posts/bundle/index.md": "---\ntitle: 2020\ndate: 2020-02-03\n---\nBeside ![beside](My%20Pic.png)",
        "content/posts/bundle/My Pic.png": PNG,
        "content/blog/_index.md": "---\ntitle: Blog\ncascade:\n  author: Cas Cade\n---\n",
        "content/blog/second.md": "---\ntitle: Second\ndate: 2020-05-06\nslug: second-slug\n---\nText.\n\n## Part\n",
        "content/blog/third.md": '{"title": "Third", "date": "2021-01-01T00:00:00Z", "url": "/own/third.html"}\nA\fB.',
        "content/about.md": "---\ntitle: About\n---\nAbout **us**.",
        "content/posts/draft.md": "---\ntitle: Draft\ndate: 2022-01-01\ndraft: true\n---\nNot yet.",
        "content/posts/broken.md": "---\ntitle: [unclosed\n---\nText.",
        "static/images/pic.png": PNG,
        "static/_redirects": "/moved /posts/first/ 301\n",
        "archetypes/default.md": "---\ntitle: {{ replace .Name }}\n---\n",
        "layouts/index.html": "{{ .Content }}",
    }
    first_post = FormerPost(
        "First: a post",
        "2019-03-05T01:06:07",
        "What the first post says.",
        ("Ada Example", "Bo Beispiel"),
        ("/old/first/", "/posts/older.html", "/ünï/cödé/", "/moved"),
        ("Utrecht", "The shared words", "The caption", "Careful", "unheard-of", "{{&lt; shown &gt;}}"),
    )
    return FormerBlog(
        written(root, files),
        "hugo",
        [
            first_post,
            FormerPost("2020", "2020-02-03", words=('src="/img/bundle/my-pic.png"',)),
            FormerPost("Second", "2020-05-06", authors=("Cas Cade",), paths=("/2020/05/second-slug/",)),
            FormerPost("Third", "2021-01-01", authors=("Cas Cade",), paths=("/own/third.html",)),
        ],
        pages={"/about/": "About <strong>us"},
        redirects=HUGO_LISTS,
        links=(f"{OUT}/one?a=1&b=2", "https://www.youtube.com/watch?v=abc123"),
        images=2,
    )


def zola(root: Path) -> FormerBlog:
    """TOML, paths that hold the date, bare aliases, co-located pages, internal links, shortcodes with bodies."""
    files: dict[str, str | bytes] = {
        "config.toml": 'base_url = "https://former.test"\ntitle = "Zola site"\ndefault_language = "en"\n'
        'taxonomies = [{name = "tags"}]\n',
        "templates/index.html": "{% block x %}",
        "content/_index.md": "+++\ntitle = 'Home'\n+++\n",
        "content/2022-10-28-one.md": '+++\ntitle = "One"\npath = "2022/10/28/one"\ndescription = "About one."\n'
        'aliases = ["a/b", "/c/d.html"]\nauthors = ["Ada Example"]\n[taxonomies]\ntags = ["x"]\n'
        '[extra]\nmood = "calm"\n'
        f'+++\n{COMMON}\n[two](@/blog/2021-01-02-two/index.md#h), {{{{ youtube(id="dQw4w9") }}}}\n\n'
        "{% alert(note=true) %}\nInside *the* alert.\n{% end %}\n\n{{ mystery(a=1) }}\n",
        "content/blog/_index.md": "+++\ntitle = 'Blog'\n+++\nThe section's words.",
        "content/blog/2021-01-02-two/index.md": '+++\ntitle = "Two"\n+++\n![asset](asset.png)\n\n# H\n',
        "content/blog/2021-01-02-two/asset.png": PNG,
        "content/notes/_index.md": "+++\ntitle = 'Notes'\npaginate_by = 1\n+++\n",
        "content/notes/2020-01-01-three.md": "+++\ntitle = 'Three'\n+++\nText.",
        "content/notes/2020-01-02-four.md": "+++\ntitle = 'Four'\n+++\nText.",
        "static/pic.png": PNG,
    }
    return FormerBlog(
        written(root, files),
        "zola",
        [
            FormerPost(
                "One",
                "2022-10-28",
                "About one.",
                ("Ada Example",),
                ("/2022/10/28/one/", "/a/b/", "/c/d.html"),
                ("Inside <em>the</em> alert", "mystery"),
            ),
            FormerPost("Two", "2021-01-02", paths=("/blog/two/",), words=('src="/blog/two/asset.png"',)),
        ],
        pages={"/pages/blog/": "The section"},
        redirects={
            "/blog/": "/pages/blog/",
            "/atom.xml": "/rss.xml",
            "/notes/": "/posts/",
            "/notes/page/2/": "/posts/",
        },
        links=(f"{OUT}/one?a=1&b=2", "https://www.youtube.com/watch?v=dQw4w9"),
        images=2,
    )


def jekyll(root: Path) -> FormerBlog:
    """Dates in names, permalinks, categories, defaults, Liquid, kramdown marks, drafts, node_modules, data files."""
    second = (
        "---\ntitle: 'Second: it''s'\nauthor: ada\nredirect_from: [/once/, /twice]\nexcerpt: Its excerpt.\n"
        "categories: news\n---\n"
        + COMMON
        + "{% highlight ruby %}\nputs `x`\n{% endhighlight %}\n\n[first]({% post_url 2013-09-03-first %}) "
        "{{ site.title }} ![p]({{ '/assets/p.png' | relative_url }}){: .wide}\n{: .note }\n\n"
        "{% raw %}{{ shown }}{% endraw %} {% include mystery.html a='b' %} "
        "{% if site.title %}said{% else %}unsaid{% endif %}\n\n"
        "* TOC\n{:toc}\n\n## Part {#own}\n"
    )
    files: dict[str, str | bytes] = {
        "_config.yml": "title: Jekyll site\nurl: https://former.test\nbaseurl: /blog\nauthor:\n  name: Site Owner\n"
        "plugins: [jekyll-feed]\ndefaults:\n- scope: {path: '', type: posts}\n  values: {layout: post, lang: en}\n"
        "emoji: !!python/name:x.y\n",
        "_data/authors.yml": "ada:\n  name: Ada Example\n  website: https://ada.example/\n",
        "_posts/2013-09-03-first.md": "---\nlayout: post\n---\n# First thing\n\nText.",
        "_posts/2014-01-02-second.markdown": second,
        "_posts/2015-05-05-third.md": "---\ntitle: Third\npermalink: /own/third/\npublished: true\n---\nText.",
        "_posts/2016-06-06-latin.md": "---\ntitle: Latin\n---\nCaf\xe9.".encode("cp1252"),
        "_drafts/later.md": "---\ntitle: Later\n---\nText.",
        "about.md": "---\ntitle: About\npermalink: /about/\n---\nAbout *us*.",
        "index.html": "---\nlayout: home\n---\n{% for post in site.posts %}{% endfor %}",
        "archive.html": "---\ntitle: All\n---\n{% for post in site.posts %}{{ post.title }}{% endfor %}",
        "README.md": "# The repository\n",
        "node_modules/x/README.md": "# x\n",
        "assets/p.png": PNG,
    }
    return FormerBlog(
        written(root, files),
        "jekyll",
        [
            FormerPost("First thing", "2013-09-03", paths=("/blog/2013/09/03/first.html", "/blog/2013/09/03/first")),
            FormerPost(
                "Second: it's",
                "2014-01-02",
                "Its excerpt.",
                ("Ada Example",),
                ("/blog/news/2014/01/02/second.html", "/blog/once/", "/blog/twice"),
                ("{{ shown }}", "mystery", "said", "Jekyll site"),
            ),
            FormerPost("Third", "2015-05-05", paths=("/blog/own/third/",)),
            FormerPost("Latin", "2016-06-06", words=("Café",)),
        ],
        pages={"/about/": "About <em>us"},
        redirects={"/blog/": "/", "/blog/feed.xml": "/rss.xml", "/blog/archive.html": "/posts/"},
        links=(f"{OUT}/one?a=1&b=2",),
        images=1,
    )


def obsidian(root: Path) -> FormerBlog:
    """Wiki links by name and alias, embeds, callouts, comments, block names, letters that no slug holds."""
    note = (
        "---\naliases: [The First]\ntags: [a/b, c]\ncreated: 2021-02-03 10:11\n---\n"
        + COMMON
        + "A [[Übung macht]] and [[Übung macht#Teil|a part]], [[the first]], [[Nobody]], ![[pic one.png|300]].\n\n"
        "> [!danger]- Watch out\n> Inside.\n\n%% hidden words %% A ==marked== word. ^block-1\n"
    )
    files: dict[str, str | bytes] = {
        ".obsidian/app.json": "{}",
        ".obsidian/templates.json": json.dumps({"folder": "Templates"}),
        "Templates/T.md": "{{title}}",
        "Notes/First note.md": note,
        "Notes/Übung macht.md": "---\ndate: 2020-03-04\n---\n## Teil\n\nText.",
        "日本語ノート.md": "---\ndate: 2022-01-01\n---\nText [[First note]].",
        "Attachments/pic one.png": PNG,
    }
    return FormerBlog(
        written(root, files),
        "obsidian",
        [
            FormerPost("First note", "2021-02-03T10:11", words=("<mark>marked</mark>", "Watch out", "Nobody")),
            FormerPost("Übung macht", "2020-03-04"),
            FormerPost("日本語ノート", "2022-01-01"),
        ],
        links=(f"{OUT}/one?a=1&b=2",),
        images=1,
    )


def mkdocs(root: Path) -> FormerBlog:
    """Titles in the navigation, admonitions with code inside, tabs, snippets, redirects, posts of the blog plugin."""
    guide = (
        COMMON
        + '\n!!! warning "Mind the gap"\n    Inside.\n\n    ```py\n    x = 1\n    ```\n\n=== "Pip"\n    pip it\n\n'
        '=== "Uv"\n    uv it\n\n--8<-- "includes/shared.md"\n\n[home](../index.md#top){ .md-button } ++ctrl+c++ '
        ":material-account:\n\n![p](../img/p.png){ width=300 }\n\n[TOC]\n"
    )
    files: dict[str, str | bytes] = {
        "mkdocs.yml": "site_name: Docs\nsite_url: https://former.test/docs/\nnav:\n- Home: index.md\n- Guide:\n"
        "  - The guide: guide/start.md\nplugins:\n- search\n- blog\n- redirects:\n    redirect_maps:\n"
        "      old.md: guide/start.md\nmarkdown_extensions:\n- x:\n    y: !!python/name:a.b\n",
        "docs/index.md": "# Welcome\n\nHello.",
        "docs/guide/start.md": "---\ndate: 2020-01-01\n---\n" + guide,
        "docs/img/p.png": PNG,
        "docs/blog/.authors.yml": "authors:\n  ada:\n    name: Ada Example\n",
        "docs/blog/posts/p.md": "---\ndate:\n  created: 2023-04-05\n  updated: 2023-05-06\nauthors: [ada]\n"
        "description: A post.\n---\n# A post!\n\nText.\n\n<!-- more -->\n\nMore.",
        "includes/shared.md": "The shared words.",
    }
    return FormerBlog(
        written(root, files),
        "mkdocs",
        [
            FormerPost(
                "The guide",
                "2020-01-01",
                paths=("/docs/guide/start/", "/docs/old/"),
                words=("Mind the gap", "The shared words", "<kbd>ctrl</kbd>", "Uv"),
            ),
            FormerPost("A post!", "2023-04-05", "A post.", ("Ada Example",), ("/docs/blog/2023/04/05/a-post/",)),
        ],
        redirects={"/docs/": "/", "/docs/blog/": "/posts/", "/docs/blog/archive/2023/": "/posts/"},
        links=(f"{OUT}/one?a=1&b=2",),
        images=1,
    )


def markdown(root: Path) -> FormerBlog:
    """A folder of notes: no settings, dates in paths, attachments beside notes, a note without any date."""
    files: dict[str, str | bytes] = {
        "README.md": "# The folder\n",
        "2020/01/02/one.md": "# One\n\n"
        + COMMON
        + "[two](../../../two.md), ![p](p.png)\n\n:::tip[Try]\nInside.\n:::\n",
        "2020/01/02/p.png": PNG,
        "two.md": "---\ntitle: Two\ndate: Jan 5, 2021\npermalink: /t/two/\n---\nText {: .x}\n",
        "three.rst": "Three\n=====\n",
    }
    return FormerBlog(
        written(root, files),
        "markdown",
        [
            FormerPost("One", "2020-01-02", words=("Try", "Inside")),
            FormerPost("Two", "2021-01-05", paths=("/t/two/",)),
        ],
        links=(f"{OUT}/one?a=1&b=2",),
        images=1,
    )


JEKYLL_WITH_DRAFT: dict[str, str | bytes] = {
    "_config.yml": "title: T\npermalink: /:year/:title.html\n",
    "_posts/2024-01-01-open.md": "---\ntitle: Open\n---\n"
    "[a word](/2024/zq-draft.html) [b]({% post_url 2024-01-02-zq-draft %})"
    " ![s](/img/shown.png) and {% post_url 2024-01-03-other %}.\n",
    "_posts/2024-01-03-other.md": "---\ntitle: Other\n---\nx\n",
    "_posts/2024-01-02-zq-draft.md": "---\ntitle: zqtitle\npublished: false\n---\n"
    "![s](/img/shown.png) ![q](/img/zq-own.png)\n",
    "img/shown.png": PNG,
    "img/unused.png": PNG,
    "img/zq-own.png": PNG,
}
"""A draft, which a post names, with a picture that only the draft shows."""
