"""Small folders of Hexo, Pelican and Hugo in several languages, as `private_sites` has those of other tools."""

from support.private_site import PrivateSite

DATED = "date: 2024-05-06\n"
ARTICLE = "Title: WORD\nDate: 2024-01-01\n\nText WORD.\n"
HUGO_FOLDERS = PrivateSite(
    "hugofolders",
    private={"content/fr/a.md": DATED, "content/fr/b.en.md": "draft: true", "content/en/c.fr.md": DATED},
    public={"content/en/a.md": DATED, "content/de/a.md": DATED},
    settings={
        "hugo.toml": "title = 'T'\ndefaultContentLanguage = 'en'\n[languages.en]\ncontentDir = 'content/en'\n"
        "[languages.de]\ncontentDir = 'content/de'\n[languages.fr]\ncontentDir = 'content/fr'\ndisabled = true\n"
    },
)

HEXO = PrivateSite(
    "hexo",
    private={
        "source/_drafts/idea.md": DATED,
        "source/_posts/_inner.md": DATED,
        "source/_posts/closed.md": DATED + "published: false",
        "source/_data/x.md": DATED,
        "source/left/out.md": DATED,
        "source/_posts/wip/one.md": DATED,
        "source/wip/two.md": DATED,
        "source/raw/three.md": DATED,
        "source/raw/deep/four.md": DATED,
        "source/_posts/five.md": '===\n"title": "WORD",\n"date": "2024-01-02",\n"published": false\n;;;\nText WORD.\n',
        "source/_posts/six.md": "===\ntitle: WORD\ndate: 2024-01-02\npublished: false\n---\nText WORD.\n",
        "source/_posts/seven.md": "===\n-----\ntitle: WORD\npublished: false\n-----\nText WORD.\n",
        "source/_posts/eight.md": '===\n;;;\n"title": "WORD",\n"published": false\n;;;\nText WORD.\n',
        "scaffolds/post.md": DATED,
        "themes/x/README.md": DATED,
    },
    public={
        "source/_posts/shown.md": DATED,
        "source/about/me.md": DATED,
        "source/_kept/me.md": DATED,
        "source/_posts/open.md": '===\n"title": "WORD",\n"date": "2024-01-02"\n;;;\nText WORD.\n',
        "source/_posts/rule.md": "===\nAll of this is text WORD.\n\n---\n\nAnd this.\n",
    },
    settings={
        "_config.yml": "title: T\nexclude:\n- left/**\nignore: ['**/wip/**']\nskip_render: raw/**/*.md\n"
        "include: [_kept/*]\n"
    },
    format="auto",
)

PELICAN = PrivateSite(
    "pelican",
    private={
        "content/draft.md": "===\nTitle: WORD\nDate: 2024-01-01\nStatus: draft\n\nText WORD.\n",
        "content/hidden.md": "===\nTitle: WORD\nDate: 2024-01-01\nStatus: hidden\n\nText WORD.\n",
        "content/skipped.md": "===\nTitle: WORD\nDate: 2024-01-01\nStatus: skip\n\nText WORD.\n",
        "content/left/out.md": f"===\n{ARTICLE}",
        "content/x.tmp.md": f"===\n{ARTICLE}",
        "content/by-default.md": f"===\n{ARTICLE}",
        "content/ahead.md": "===\nTitle: WORD\ndate: 2999-01-01 10:00\nStatus: published\n\nText WORD.\n",
        "content/fenced.md": "===\n---\nTitle: WORD\nDate: 2999-01-01\nStatus: published\n\nText WORD.\n",
        "notes.md": DATED,
    },
    public={
        "content/shown.md": "===\nTitle: WORD\nDate: 2024-01-01\nStatus: published\n\nText WORD.\n",
        "content/shown-fenced.md": "===\n---\nTitle: WORD\nDate: 2024-01-02\nStatus: published\n---\n\nText WORD.\n",
    },
    settings={
        "pelicanconf.py": "import os\nPATH = 'content'\nIGNORE_FILES = ['*.tmp.md']\nARTICLE_EXCLUDES = ['left']\n"
        "DEFAULT_METADATA = (('status', 'draft'),)\n"
        "raise SystemExit('run')\n"
    },
)

PELICAN_UNDATED = PrivateSite(
    "pelicanundated",
    private={
        "content/unsaid.md": "===\nTitle: WORD\nTags: one\n\nText WORD.\n",
        "content/notes/fenced.md": "tags: one",
        "content/no-title.md": "===\nDate: 2024-01-01\n\nText WORD.\n",
        "content/pages/untitled.md": "===\nTags: one\n\nText WORD.\n",
    },
    public={
        "content/2024-01-02-named.md": "===\nTitle: WORD\n\nText WORD.\n",
        "content/pages/page.md": "===\nTitle: WORD\n\nText WORD.\n",
        "content/given.md": "===\nTitle: WORD\nCategory: x\n\nText WORD.\n",
        "content/said.md": "===\nTitle: WORD\nDate: 2024-01-02\n\nText WORD.\n",
    },
    settings={
        "pelicanconf.py": "PATH = 'content'\nEXTRA_PATH_METADATA = {'given.md': {'date': '2024-01-03'}}\n",
    },
)
PELICAN_PATHS = PrivateSite(
    "pelicanpaths",
    private={
        "texts/notes/outside.md": f"===\n{ARTICLE}",
        "texts/articles/left/out.md": f"===\n{ARTICLE}",
        "texts/static/closed/page.md": f"===\n{ARTICLE}",
        "texts/pages/unnamed.md": f"===\n{ARTICLE}",
        "texts/articles/one.md": f"===\n{ARTICLE}",
        "texts/articles/below/two.md": f"===\n{ARTICLE}",
        "texts/articles/x.draft.md": f"===\n{ARTICLE}",
    },
    public={
        "texts/articles/shown.md": f"===\n{ARTICLE}",
        "texts/articles/said.md": "===\nTitle: WORD\nDate: 2024-01-01\nStatus: published\n\nText WORD.\n",
        "texts/static/shown-page.md": f"===\n{ARTICLE}",
    },
    settings={
        "pelicanconf.py": "PATH = 'texts'\nARTICLE_PATHS = ['articles']\nPAGES = 'static'\n"
        "ARTICLE_EXCLUDES = ['articles/' + 'left']\n"
        "EXTRA_PATH_METADATA = dict()\nFILENAME_METADATA = r'(?P<slug>[^.]+)(?:\\.(?P<status>\\w+))?'\n",
        "publishconf.py": "from pelicanconf import *\nPAGE_PATHS = [PAGES]\nPAGE_EXCLUDES = ['static/closed']\n"
        "EXTRA_PATH_METADATA = {'articles/one.md': {'status': 'draft'}, 'articles/said.md': {'status': 'draft'},\n"
        "  'articles/below': {'status': 'hidden'}}\n",
    },
)
