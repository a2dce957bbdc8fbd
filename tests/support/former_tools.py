"""Small sites of static generators and gardens of notes, written here, with the traps that real ones hold."""

from pathlib import Path

from support.former_sites import COMMON, OUT, PNG, FormerBlog, FormerPost, written

LINKS = (f"{OUT}/one?a=1&b=2",)


RST = (
    "Third one\n#########\n\n:date: 2021-05-06\n:tags: sea\n:slug: third\n\n"
    "Words with *emphasis* and ``code``.\n\n"
    "Part\n====\n\n- one\n- two\n\n.. code-block:: python\n\n   print(1)\n\n.. include:: /etc/passwd\n\n"
    ".. raw:: html\n\n   <script>alert(1)</script>\n\n`out <https://out.example/rst>`_\n"
)
MDX = (
    "---\nid: begin\ntitle: Begin\nlast_update: {date: 2021-01-02}\ndate: 2020-01-01\n---\n"
    "import Tabs from '@theme/Tabs';\nimport pic from './img/pic.png';\n\nexport const x = () => <b>zz</b>;\n\n"
    f"Words [out]({LINKS[0]}), {{frontMatter.title}} and {{props.zz}}.\n\n<Tabs>\n"
    f"  <TabItem value='a' label='Npm'>\n\n"
    '  Inside a tab.\n\n  </TabItem>\n</Tabs>\n\n<Mystery a={() => 1} />\n\n<img src={pic} alt="A picture" />\n\n'
    ":::warning[Mind it]\n\nInside.\n\n:::\n\n```jsx\nimport A from '<B />';\n```\n\n"
    "[two](./02-deep/01-two.md#part) [blog](@site/blog/2021-03-04-post.md) [abs](/docs/deep/two)\n"
)


def pelican(root: Path) -> FormerBlog:
    """Metadata lines, links to files, settings that are code, reStructuredText, a page, categories by folder."""
    first = (
        "Title: First: a post\nDate: 2019-03-04 10:20\nModified: 2020-01-02\nTags: sea, two words\n"
        "Authors: Ada Example; Bo\n"
        "Summary: What it says,\n    on two lines.\n\n" + COMMON + "[two]({filename}/notes/two.md#part) "
        "[rst]({filename}notes/three.rst) [old](|filename|/notes/two.md) ![p]({static}/images/pic.png) "
        "[pdf]({attach}files/a.pdf) [tag]({tag}sea) [cat]({category}notes)\n"
    )
    files: dict[str, str | bytes] = {
        "pelicanconf.py": "import os\nSITENAME = 'Pelican site'\nSITEURL = ''\n"
        "AUTHOR = 'Site Owner'\nPATH = 'content'\n"
        "ARTICLE_URL = 'posts/{date:%Y}/{slug}/'\nSTATIC_PATHS = ['images', 'files']\nTHEME = os.environ['X']\n"
        "raise SystemExit('settings are not run')\n",
        "publishconf.py": "from pelicanconf import *\nSITEURL = 'https://former.test'\n",
        "content/first.md": first,
        "content/notes/two.md": "Title: Two\nDate: 2020-05-06\nSlug: second\nCategory: Big notes\n\n# Part\n\n"
        "    :::python\n    print(1)\n\nText.\n",
        "content/notes/three.rst": RST,
        "content/pages/about.md": "Title: About\n\nAbout **us**.\n",
        "content/images/pic.png": PNG,
        "content/files/a.pdf": b"%PDF-1.4",
    }
    return FormerBlog(
        written(root, files),
        "pelican",
        [
            FormerPost(
                "First: a post",
                "2019-03-04T10:20",
                "What it says, on two lines.",
                ("Ada Example", "Bo"),
                ("/posts/2019/first-a-post/",),
                ('href="/posts/second/#part"', 'href="/posts/third/"', 'href="/tags/sea/"', 'href="/files/a.pdf"'),
            ),
            FormerPost("Two", "2020-05-06", paths=("/posts/2020/second/",), words=('class="language-python"',)),
            FormerPost("Third one", "2021-05-06", paths=("/posts/2021/third/",), words=("<em>emphasis</em>", "print")),
        ],
        pages={"/about/": "About <strong>us"},
        redirects={
            "/pages/about.html": "/about/",
            "/feeds/all.atom.xml": "/rss.xml",
            "/tag/sea.html": "/tags/sea/",
            "/category/big-notes.html": "/tags/big-notes/",
            "/category/notes.html": "/tags/notes/",
            "/archives.html": "/posts/",
        },
        links=(*LINKS, "https://out.example/rst"),
        images=1,
    )


def quartz(root: Path) -> FormerBlog:
    """Notes with capitals and spaces in their addresses, the tool's own pages, aliases, wiki links to headings."""
    files: dict[str, str | bytes] = {
        "quartz.config.ts": 'const config = { configuration: { pageTitle: "Garden", baseUrl: "former.test/g", '
        'locale: "en-GB", ignorePatterns: ["private"] } }\n',
        "README.md": "# Quartz\n",
        "docs/index.md": "# The tool's own manual\n",
        "package.json": "{}",
        "content/index.md": "---\ntitle: Home\n---\nWelcome to the garden.\n",
        "content/Notes/First Note.md": "---\ndate: 2021-02-03\ntags: [sea]\naliases: [Old Name]\n---\n"
        + COMMON
        + "[[Second|two]], [[Second#Cargo's part]] and ![[pic one.png|300]] > ==marked==\n\n"
        "> [!danger]- Watch\n> In.\n",
        "content/Notes/Second.md": "---\ntitle: Second\ndate: 2020-03-04\n---\n## Cargo's part\n\nText.\n",
        "content/pic one.png": PNG,
    }
    return FormerBlog(
        written(root, files),
        "quartz",
        [
            FormerPost(
                "First Note",
                "2021-02-03",
                paths=("/g/Notes/First-Note", "/g/Old-Name"),
                words=("<mark>marked</mark>", 'href="/posts/second/#cargos-part"', "Watch"),
            ),
            FormerPost("Second", "2020-03-04", paths=("/g/Notes/Second",), words=('id="cargos-part"',)),
        ],
        pages={"/": "Welcome to the garden."},
        redirects={"/g/index.xml": "/rss.xml", "/g/tags/sea": "/tags/sea/"},
        links=LINKS,
        images=1,
    )


BLOCK = "65f1c0de-0000-4000-8000-000000000001"


def logseq(root: Path) -> FormerBlog:
    """Journals, properties, references to blocks, tasks, macros, namespaces, notes without a text."""
    page = (
        "title:: Otters\ntags:: sea, [[two words]]\nalias:: Lutra\ndate:: 2021-02-03\n\n"
        f"- An otter [out]({LINKS[0]}).\n  id:: {BLOCK}\n  collapsed:: true\n- TODO Feed them [#A]\n"
        "  SCHEDULED: <2024-01-01 Mon>\n  :LOGBOOK:\n  CLOCK: [2024-01-01]\n  :END:\n- DONE Wash\n"
        "- ^^marked^^ #[[big tag]]\n"
        "- ![p](../assets/pic.png){:height 10, :width 20}\n- {{query (todo now)}} {{video https://v.example/1}}\n"
    )
    files: dict[str, str | bytes] = {
        "logseq/config.edn": "{:publishing/all-pages-public? true}",
        "pages/otters.md": page,
        "pages/animals___fish.md": f"date:: 2022-02-02\n\n"
        f"- See (({BLOCK})) and [[Lutra]] and [words](([[Otters]])).\n"
        "- {{embed [[Otters]]}} and ((65f1c0de-0000-4000-8000-00000000dead)).\n",
        "pages/empty.md": "type:: x\n\n-\n",
        "journals/2020_09_14.md": "- Today [[animals/fish]], [[2020_09_14]] and [[Sep 14th, 2020]].\n",
        "assets/pic.png": PNG,
    }
    return FormerBlog(
        written(root, files),
        "logseq",
        [
            FormerPost(
                "Otters", "2021-02-03", words=("<mark>marked</mark>", "v.example/1", "query", "☐ Feed", "☑ Wash")
            ),
            FormerPost("animals/fish", "2022-02-02", words=('href="/posts/otters/">An otter out', "a block")),
            FormerPost("Sep 14th, 2020", "2020-09-14", words=('href="/posts/animals-fish/"',)),
        ],
        links=LINKS,
        images=1,
    )


def foam(root: Path) -> FormerBlog:
    """Wiki links with the definitions that the tool writes below."""
    files: dict[str, str | bytes] = {
        ".vscode/foam.json": "{}",
        "notes/first.md": "---\ndate: 2021-02-03\n---\n# The first\n\n" + COMMON + "A [[second]] one.\n\n"
        '[//begin]: # "Autogenerated link references"\n[second]: second.md "Second"\n[//end]: # "Autogenerated"\n',
        "notes/second.md": "---\ndate: 2020-03-04\n---\n# Second\n\n![p](../pic.png)\n",
        "pic.png": PNG,
    }
    return FormerBlog(
        written(root, files),
        "foam",
        [
            FormerPost("The first", "2021-02-03", paths=("/notes/first/",), words=('href="/posts/second/"',)),
            FormerPost("Second", "2020-03-04", paths=("/notes/second.html",)),
        ],
        links=LINKS,
        images=1,
    )


def dendron(root: Path) -> FormerBlog:
    """Hierarchies in names, ids as addresses, dates in milliseconds, links with their words first."""
    files: dict[str, str | bytes] = {
        "dendron.yml": "version: 5\nworkspace:\n  vaults:\n  - fsPath: vault\npublishing:\n"
        "  siteUrl: https://former.test\n"
        "  siteHierarchies: [root]\n  seo: {title: Dendron site}\n",
        "vault/root.md": "---\nid: root\ntitle: Root\n---\nThe welcome.\n",
        "vault/root.schema.yml": "version: 1\n",
        "vault/sea.otters.md": "---\nid: abc123\ntitle: Otters\ndesc: About otters.\ncreated: 1614556800000\n"
        "updated: 1640995200000\n---\n" + COMMON + "[[The fish|sea.fish#how-they-swim]] "
        "[[dendron://vault/sea.fish]]\n",
        "vault/sea.fish.md": "---\nid: def456\ntitle: Fish\ncreated: 1577836800000\n---\n"
        "## How they swim\n\n![p](/assets/p.png)\n",
        "vault/assets/p.png": PNG,
    }
    return FormerBlog(
        written(root, files),
        "dendron",
        [
            FormerPost(
                "Otters",
                "2021-03-01",
                "About otters.",
                paths=("/notes/abc123/",),
                words=('href="/posts/sea-fish/#how-they-swim">The fish',),
            ),
            FormerPost("Fish", "2020-01-01", paths=("/notes/def456/",)),
        ],
        pages={"/": "The welcome."},
        links=LINKS,
        images=1,
    )


def docusaurus(root: Path) -> FormerBlog:
    """MDX, numbered names, slugs, dates in names of the blog, authors, versions, translations, admonitions."""
    files: dict[str, str | bytes] = {
        "docusaurus.config.js": "module.exports = { title: 'Docu site', tagline: 'A tagline', url: "
        "'https://former.test', "
        "baseUrl: '/', i18n: { defaultLocale: 'en', locales: ['en', 'de'] }, plugins: "
        "[['@docusaurus/plugin-client-redirects', { redirects: [{ from: '/early', to: '/docs/deep/two' }] }]] };\n",
        "static/_redirects": "/was /docs/deep/two 301\n",
        "README.md": "# Website\n",
        "sidebars.js": "module.exports = {};\n",
        "docs/01-begin.mdx": MDX,
        "docs/img/pic.png": PNG,
        "docs/02-deep/_category_.json": '{"label": "Deep"}',
        "docs/02-deep/01-two.md": "---\ntitle: Two\ndate: 2020-02-02\n---\n## Part {#part}\n\nText.\n",
        "docs/02-deep/own.md": "---\ntitle: Own\nslug: /very/own\ndate: 2020-03-03\n---\nText.\n",
        "blog/2021-03-04-post.md": "---\ntitle: Post\nauthors: [ada]\ntags: [sea]\n---\nText.\n\n"
        "{/* truncate */}\n\nMore.\n",
        "blog/authors.yml": "ada: {name: Ada Example, url: 'https://ada.example/'}\n",
        "i18n/de/docusaurus-plugin-content-docs/current/02-deep/01-two.md": "---\ntitle: Zwei\n"
        "date: 2020-02-02\n---\nText.\n",
        "src/pages/index.js": "export default 1;\n",
        "src/pages/about.md": "---\ntitle: About\n---\nAbout **us**.\n",
        "static/a.pdf": b"%PDF-1.4",
    }
    return FormerBlog(
        written(root, files),
        "docusaurus",
        [
            FormerPost(
                "Begin",
                "2020-01-01",
                paths=("/docs/begin", "/docs/begin/"),
                words=("Npm", "Inside a tab", "Mystery", "Mind it", 'href="/posts/two/#part"', 'href="/posts/post/"'),
            ),
            FormerPost("Two", "2020-02-02", paths=("/docs/deep/two",)),
            FormerPost("Zwei", "2020-02-02", paths=("/de/docs/deep/two",)),
            FormerPost("Own", "2020-03-03", paths=("/docs/very/own",)),
            FormerPost("Post", "2021-03-04", authors=("Ada Example",), paths=("/blog/2021/03/04/post",)),
        ],
        pages={"/about/": "About <strong>us"},
        redirects={
            "/blog/rss.xml": "/rss.xml",
            "/blog/tags/sea/": "/tags/sea/",
            "/docs/deep/": "/posts/",
            "/early": "/posts/two/",
            "/was": "/posts/two/",
        },
        links=LINKS,
        images=1,
    )


def astro(root: Path) -> FormerBlog:
    """Starlight's documents at the top, a collection behind a page of code, MDX, dates under other keys."""
    files: dict[str, str | bytes] = {
        "astro.config.mjs": "import starlight from '@astrojs/starlight';\n"
        "export default defineConfig({ site: 'https://former.test', "
        "integrations: [starlight({ title: 'Star site' })] });\n",
        "src/content/docs/index.mdx": "---\ntitle: Home\nhero: {tagline: A tagline}\n---\nWelcome, star.\n",
        "src/content/docs/guides/Get Started.mdx": "---\ntitle: Start\ndate: 2020-01-01\n---\n"
        "import { Card, CardGrid } from '@astrojs/starlight/components';\n\n"
        f'Words [out]({LINKS[0]}).\n\n<CardGrid>\n  <Card title="One" icon="x">\n    In a card.\n'
        f"  </Card>\n</CardGrid>\n\n"
        '<LinkCard title="Next" href="/guides/next/" />\n\n:::tip[Good]\nInside.\n:::\n\n<Odd />\n',
        "src/content/docs/guides/next.md": "---\ntitle: Next\nlastUpdated: 2021-01-01\n"
        "date: 2020-05-05\n---\n## A part\n\nText.\n",
        "src/content/blog/a-post.md": "---\ntitle: A post\npubDate: Jul 08 2022\n"
        "updatedDate: 2023-01-01\nheroImage: x.png\n---\n"
        "![p](../../assets/p.png) [s](/guides/get-started/#x)\n",
        "src/pages/writing/[...slug].astro": "---\nconst posts = await getCollection('blog');\n---\n",
        "src/assets/p.png": PNG,
        "public/a.pdf": b"%PDF-1.4",
    }
    return FormerBlog(
        written(root, files),
        "astro",
        [
            FormerPost("Start", "2020-01-01", paths=("/guides/get-started/",), words=("In a card", "Good", "Odd")),
            FormerPost("Next", "2020-05-05", paths=("/guides/next/",)),
            FormerPost("A post", "2022-07-08", paths=("/writing/a-post/",), words=('href="/posts/get-started/#x"',)),
        ],
        pages={"/": "Welcome, star."},
        links=LINKS,
        images=1,
    )


def eleventy(root: Path) -> FormerBlog:
    """Data of folders with a permalink, Liquid and Nunjucks, files that are copied, dates in names."""
    files: dict[str, str | bytes] = {
        "eleventy.config.js": "export default function (c) { c.addPassthroughCopy('src/img');\n"
        "return { dir: { input: 'src' } }; }\n",
        "src/_data/metadata.json": '{"title": "Eleven site", "url": "https://former.test/", '
        '"author": {"name": "Owner"}}',
        "src/_data/sums.json": '{"linux": "abc123"}',
        "src/_includes/base.njk": "{{ content }}",
        "src/posts/posts.json": '{"permalink": "/blog/{{ page.fileSlug }}/", "tags": ["posts"], '
        '"author": "Ada Example"}',
        "src/posts/2020-01-02-first.md": "---\ntitle: First\ntags: [sea]\n---\n"
        + COMMON
        + "{{ sums.linux }} {{ unknown.thing }} {% if title %}yes{% else %}no{% endif %} "
        "[two](/blog/two/) ![p](/img/p.png)\n",
        "src/posts/two.md": "---\ntitle: Two\ndate: 2021-02-03\npermalink: /blog/two/\n---\nText.\n",
        "src/about.md": "---\ntitle: About\n---\nAbout **us**.\n",
        "src/index.njk": "---\n---\n{% for p in collections.posts %}{% endfor %}",
        "src/img/p.png": PNG,
    }
    return FormerBlog(
        written(root, files),
        "eleventy",
        [
            FormerPost(
                "First",
                "2020-01-02",
                authors=("Ada Example",),
                paths=("/blog/first/",),
                words=("abc123", "unknown.thing", "yes", 'href="/posts/two/"'),
            ),
            FormerPost("Two", "2021-02-03", authors=("Ada Example",), paths=("/blog/two/",)),
        ],
        pages={"/about/": "About <strong>us"},
        links=LINKS,
        images=1,
    )


def hexo(root: Path) -> FormerBlog:
    """Permalinks, folders of assets, tag plugins, nested categories, pages."""
    files: dict[str, str | bytes] = {
        "_config.yml": "title: Hexo site\nurl: https://former.test\nauthor: Owner\nlanguage: en\n"
        "permalink: :year/:month/:title/\npost_asset_folder: true\n",
        "scaffolds/post.md": "---\ntitle: {{ title }}\n---\n",
        "source/_posts/first.md": "---\ntitle: First\ndate: 2020-01-02 03:04:05\ntags: [sea]\n"
        "categories:\n- [a, b]\n---\n"
        + COMMON
        + "{% asset_img pic.png A picture %} {% post_link two 'the second' %}\n\n"
        "{% codeblock lang:js %}\nlet y = 1;\n"
        "{% endcodeblock %}\n\n{% mystery x %}\n\n<!-- more -->\n\n{% blockquote Ada %}\nSaid.\n"
        "{% endblockquote %}\n",
        "source/_posts/first/pic.png": PNG,
        "source/_posts/two.md": "---\ntitle: Two\ndate: 2021-02-03\n---\nText.\n",
        "source/about/index.md": "---\ntitle: About\n---\nAbout **us**.\n",
        "source/CNAME": "former.test",
    }
    return FormerBlog(
        written(root, files),
        "hexo",
        [
            FormerPost(
                "First",
                "2020-01-02T03:04:05",
                paths=("/2020/01/first/",),
                words=("let y", "mystery", 'href="/posts/two/">the second', "Said."),
            ),
            FormerPost("Two", "2021-02-03", paths=("/2021/02/two/",)),
        ],
        pages={"/about/": "About <strong>us"},
        redirects={"/atom.xml": "/rss.xml"},
        links=LINKS,
        images=1,
    )
