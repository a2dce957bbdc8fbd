"""Small folders of every tool: files that it does not publish, each with a secret word, and files that it does."""

from support.private_blogs import HEXO, HUGO_FOLDERS, PELICAN, PELICAN_PATHS, PELICAN_UNDATED
from support.private_documents import MKDOCS, MKDOCS_PLUGINS
from support.private_javascript_sites import JAVASCRIPT_SITES
from support.private_site import CONTROL, PrivateSite

__all__ = ("CONTROL", "SITES", "PrivateSite")
DATED = "date: 2024-05-06\n"
ANY = PrivateSite(
    "any",
    private={
        f"note-{place}.md": DATED + line
        for place, line in enumerate(
            (
                "draft: true", "draft: 'yes'", "Draft: TRUE", "draft: maybe", "published: false", "published: 'no'",
                "publish: false", "publish: draft", "public: false", "dg-publish: false", "dg_publish: false",
                "private: true", "unlisted: true", "status: draft", "Status: DRAFT", "status: private",
                "visibility: private", "Visibility: Hidden", "visibility: false", "headless: true",
                "build: {render: never}", "_build: {render: false}", "build: {list: never}", "render: false",
                "permalink: false", "eleventyExcludeFromCollections: true", "password: open",
                "status: trash", "hidden: true",
                "internal: true", "wip: 'yes'", "secret: 1", "confidential: true", "members_only: true",
                "visible: false", "listed: false", "access: internal", "extra: {private: true}",
                "params: {draft: true}", "isDraft: true", "expiryDate: 2025-01-01T00:00:00Z", "publishDate: 2999-01-01",
                "date_: x\nprivate: yes please", "\u200bdraft: true",
            )
        )
    }
    | {
        "future.md": "date: 2999-01-01",
        "_drafts/idea.md": DATED,
        "sub/_drafts/idea.md": "",
        "drafts/one.md": DATED,
        "Private/two.md": DATED,
        "deep/er/SECRET/three.md": DATED,
        "tagged.md": DATED + "tags: [notes, private]",
        "tagged-as-words.md": DATED + "tags: 'notes, #Draft'",
        "state.md": DATED + "state: draft",
        "unfinished.md": DATED + "status: WIP",
        "pelican.md": "===\nTitle: WORD\nStatus: draft\nDate: 2024-01-01\n\nText WORD.\n",
        "logseq.md": "===\npublic:: false\ntitle:: WORD\n\n- Text WORD.\n",
        "five-hyphens.md": "===\n-----\ndraft: true\n-----\n\nText WORD.\n",
        "open-front.md": "===\n---\nprivate: true\ntitle: WORD\n\nText WORD, and no line that ends the front matter.\n",
    },
    public={
        f"shown-{place}.md": DATED + line
        for place, line in enumerate(
            (
                "noindex: true", "sitemap: false", "state: open", "status: done", "tags: [privacy]",
                "draft: false", "draft: 'false'", "draft: no", "draft:", "published: true", "published: 2024-01-01",
                "publish: true", "public: yes", "private: false", "private: 'no'", "unlisted: false",
                "status: published", "status: evergreen", "visibility: public", "build: {render: always}",
                "render: true", "permalink: /own/path/", "hidden: false", "hide: [navigation, toc]", "internal: ''",
                "wip: false", "listed: true", "expiryDate: 2999-01-01", "noindex: true",
            )
        )
    }
    | {
        "sentence.md": "===\nSecret: how it was made WORD\n\nText WORD.\n",
        "private/open.md": DATED + "private: false",
        "drafts/open.md": DATED + "publish: true",
        "_folder/open.md": DATED,
    },
    format="markdown",
)  # fmt: skip
JEKYLL = PrivateSite(
    "jekyll",
    private={
        "_drafts/idea.md": "layout: post",
        "_posts/2024-01-02-hidden.md": "published: false",
        "_posts/2024-01-03-by-default/2024-01-03-x.md": "layout: post",
        "_recipes/soup.md": DATED,
        "_notes/_inner.md": DATED,
        "_unknown/page.md": DATED,
        "_leaf.md": DATED,
        "_posts/no-day.md": DATED,
        "team/_posts/part.markdown": DATED,
        "moved.md": DATED + "redirect_to: https://elsewhere.test/",
        "todo.md": DATED,
        "internal-docs/deep/page.md": DATED,
        "docs/notes.private.md": DATED,
        "_posts/2999-01-01-later.md": "layout: post",
        "wip/one.md": DATED,
        "docs/part.mdx": DATED,
    },
    public={
        "_posts/2024-01-01-shown.md": "layout: post",
        "_posts/2024-01-01-by-word.md": "published: true",
        "_notes/shown.md": DATED,
        "_pages/about-us.md": DATED,
        "wip/own.md": DATED + "published: true",
        "docs/shown.md": DATED,
    },
    settings={
        "_config.yml": """\
title: T
exclude: [todo.md, internal-docs/, "*.private.md", vendor]
include: [_pages]
collections:
  notes: {output: true}
  recipes: {output: false}
defaults:
- scope: {path: _posts/2024-01-03-by-default}
  values: {published: false}
- scope: {path: wip, type: pages}
  values: {published: false, layout: x}
"""
    },
)
HUGO = PrivateSite(
    "hugo",
    private={
        "content/posts/draft.md": DATED + "draft: true",
        "content/posts/later.md": "date: 2999-01-01",
        "content/posts/over.md": DATED + "expiryDate: 2024-06-01",
        "content/posts/contradicts.md": DATED + "expiryDate: 2023-06-01",
        "content/about-old.md": "expiryDate: 2024-06-01",
        "content/posts/over-by-another-name.md": DATED + "unpublishdate: 2024-06-01",
        "content/posts/later-in-small-letters.md": DATED + "publishdate: 2999-01-01",
        "content/internal/deep/plan.md": DATED,
        "content/posts/never.md": DATED + "build: {render: never, list: never}",
        "content/posts/toml.md": "+++\ndate = 2024-01-01\n[_build]\nrender = 'never'",
        "content/posts/headless/index.md": DATED + "headless: true",
        "content/posts/headless/beside.md": DATED,
        "content/team/one.md": DATED,
        "content/team/deep/two.md": DATED,
        "content/secret-plans/x.md": DATED,
        "content/posts/keep.ignored.md": DATED,
        "content/posts/bundle/notes.md": DATED,
        "content/posts/bundle/sub/deep.md": DATED,
        "content/posts/bundle/sub/index.md": DATED,
        "content/posts/name.fr.md": DATED,
        "content/posts/name.IT.md": DATED,
        "content/staff/x.md": DATED,
        "archetypes/default.md": DATED,
        "assets/text.md": DATED,
        "todo.md": DATED,
    },
    public={
        "content/posts/shown.md": DATED,
        "content/posts/open.md": DATED + "draft: false",
        "content/team/own.md": DATED + "draft: false",
        "content/posts/secret-plans.md": DATED,
        "content/posts/bundle/index.md": DATED,
        "content/posts/name.es.md": DATED,
        "content/posts/name.md": DATED,
    },
    settings={
        "config/_default/languages.toml": "[en]\nweight = 1\n[it]\ndisabled = true\n[fr]\n[es]\n",
        "config/production/params.toml": "x = 1\n",
        "config/_default/module.toml": '[[mounts]]\nsource = "content"\ntarget = "content"\n'
        'excludeFiles = ["internal/**"]\n',
        "config/production/hugo.yaml": "disableLanguages: [fr]\ncascade:\n- {draft: true, target: {path: /staff/**}}\n",
        "hugo.toml": 'title = "T"\nignoreFiles = ["\\\\.ignored\\\\.md$"]\n[[cascade]]\ndraft = true\n'
        '[cascade.target]\npath = "/secret-plans/**"\n',
        "content/team/_index.md": "---\ntitle: Team\ncascade: {draft: true}\n---\n",
    },
)
ZOLA = PrivateSite(
    "zola",
    private={
        "content/blog/draft.md": "+++\ndate = 2024-01-01\ndraft = true",
        "content/blog/never.md": "+++\ndate = 2024-01-01\nrender = false",
        "content/closed/_index.md": "+++\nrender = false",
        "content/hidden/_index.md": "+++\ndraft = true",
        "content/hidden/one.md": "+++\ndate = 2024-01-01",
        "content/blog/_partial.md": "+++\ndate = 2024-01-01",
        "content/blog/temp.note.md": "+++\ndate = 2024-01-01",
        "content/blog/extra.md": "+++\ndate = 2024-01-01\n[extra]\nprivate = true",
    },
    public={"content/blog/shown.md": "+++\ndate = 2024-01-01", "content/blog/_index.md": "+++"},
    settings={
        "config.toml": 'title = "T"\nignored_content = ["temp.*"]\n',
        "templates/index.html": "{{ config.title }}",
    },
)
OBSIDIAN = PrivateSite(
    "obsidian",
    private={
        "Templates/Daily.md": DATED,
        "Meta/forms/Meeting.md": DATED,
        "Scripts/Other.md": DATED,
        ".trash/Old.md": DATED,
        "Excluded/One.md": DATED,
        "Ignored/Two.md": DATED,
        "Deep/three.tmp.md": DATED,
        "Private/Four.md": DATED,
        "Note.md": DATED + "publish: false",
        "Garden.md": DATED + "dg-publish: false",
        "Tagged.md": "===\n#private\n\nText WORD.\n",
        "Tagged below.md": "===\n# WORD\n\nText.\n\n- on #Draft/essays, and #other.\n",
    },
    public={
        "Open.md": DATED,
        "Garden open.md": DATED + "dg-publish: true",
        "Meta/About.md": DATED,
        "Tags.md": "===\nA `#private` field, [a](#private), x#private, #privateer and #private-notes WORD.\n",
        "Ignored/Said.md": DATED + "publish: true",
        "Private/Said too.md": DATED + "draft: false",
    },
    settings={
        ".obsidian/templates.json": '{"folder": "Meta/forms"}',
        ".obsidian/plugins/templater-obsidian/data.json": '{"templates_folder": "/Scripts"}',
        ".obsidian/app.json": '{"userIgnoreFilters": ["Ignored/", "/[.]tmp[.]md$/"]}',
        ".obsidian/publish.json": '{"excluded": ["Excluded"]}',
    },
)
LOGSEQ = PrivateSite(
    "logseq",
    private={
        "pages/Hidden.md": "===\npublic:: false\nicon:: x\n\n- WORD\n",
        "logseq/bak/pages/Old.md": DATED,
        "pages/Unsaid.md": "===\ntype:: idea\n\n- WORD\n",
        "pages/Close.md": "===\npublic::false\n\n- WORD\n",
        "journals/2024_01_01.md": "===\n- WORD\n",
        "archived/Old.md": "===\npublic:: true\n\n- WORD\n",
    },
    public={"pages/Open.md": "===\npublic:: true\n\n- WORD\n"},
    settings={"logseq/config.edn": '{;; :publishing/all-pages-public? true\n :hidden ["/archived"]}'},
    format="auto",
)
LOGSEQ_PUBLIC = PrivateSite(
    "logseqpublic",
    private={"pages/Hidden.md": "===\npublic:: false\n\n- WORD\n"},
    public={"pages/Open.md": "===\n- WORD\n"},
    settings={"logseq/config.edn": "{:publishing/all-pages-public? true}"},
    format="auto",
)
ELEVENTY = PrivateSite(
    "eleventy",
    private={
        "posts/gone.md": DATED + "permalink: false",
        "posts/quiet.md": DATED + "eleventyExcludeFromCollections: true",
        "_includes/part.md": DATED,
        "hidden/one.md": DATED,
        "notes/two.md": DATED,
        "posts/data.md": DATED,
        "posts/script.md": "===\n---js\n{\n  title: 'WORD',\n  draft: true,\n}\n---\nText WORD.\n",
        "posts/script-names.md": "===\n---js\nconst title = 'WORD';\nconst draft = true;\n---\nText WORD.\n",
        "posts/script-code.md": "===\n---js\n{title: 'WORD', draft: process.env.ALL !== '1'}\n---\nText WORD.\n",
    },
    public={
        "posts/shown.md": DATED,
        "posts/script-shown.md": "===\n---js\n{title: 'T', date: new Date('2024-05-06')}\n---\nText WORD.\n",
        "notes/open.md": DATED + "draft: false",
    },
    settings={
        "eleventy.config.js": "",
        ".eleventyignore": "hidden/\n",
        "notes/notes.json": '{"draft": true}',
        "posts/data.11tydata.json": '{"permalink": false}',
    },
    format="auto",
)
DOCUSAURUS = PrivateSite(
    "docusaurus",
    private={
        "docs/_partial.md": DATED,
        "docs/_parts/x.md": DATED,
        "docs/internal/y.md": DATED,
        "docs/deep/z.private.md": DATED,
        "blog/draft.md": DATED + "draft: true",
        "blog/unlisted.md": DATED + "unlisted: true",
    },
    public={"docs/intro.md": DATED, "blog/2024-01-01-shown.md": "x: y"},
    settings={
        "docusaurus.config.ts": """export default {
  // exclude: ['intro.md'],
  presets: [['classic', {docs: {path: 'docs', exclude: ['internal/**', "**/*.{private,secret}.md"]}}]],
  webpack: {rules: [{test: /x/, exclude: /node_modules/}]},
};
"""
    },
    format="auto",
)
ASTRO = PrivateSite(
    "astro",
    private={"src/content/docs/_draft.md": DATED, "src/content/_parts/x.md": DATED},
    public={"src/content/docs/shown.md": DATED},
    settings={"astro.config.mjs": ""},
    format="auto",
)
QUARTZ = PrivateSite(
    "quartz",
    private={"content/private/x.md": DATED, "content/deep/journal/y.md": DATED, "docs/hosting.md": DATED},
    public={"content/open.md": DATED, "content/templates/z.md": DATED},
    settings={
        "quartz.config.ts": "export default { ignorePatterns: ['private', 'journal', '.obsidian'],\n"
        "  filters: [Plugin.RemoveDrafts(), // Plugin.ExplicitPublish()\n  /* Plugin.ExplicitPublish() */ ] }"
    },
    format="auto",
)
DENDRON = PrivateSite(
    "dendron",
    private={
        "vault/diary.one.md": DATED,
        "vault/work.plan.md": DATED,
        "vault/work.open.closed.md": DATED,
        "vault/open.closed.md": DATED + "published: false",
        "inner/open.secret.md": DATED,
        "vault/root.md": DATED,
    },
    public={
        "vault/open.shown.md": DATED,
        "vault/work.said.md": DATED + "published: true",
        "vault/workshop.md": DATED,
        "vault/work.open.md": DATED,
    },
    settings={
        "dendron.yml": "version: 5\nworkspace:\n  vaults:\n  - {fsPath: vault}\n"
        "  - {fsPath: inner, visibility: private}\n"
        "publishing:\n  siteHierarchies: [open, work, workshop]\n  hierarchy:\n    work: {publishByDefault: false}\n"
        "    work.open: {publishByDefault: true}\n    work.open.closed: {publishByDefault: {vault: false}}\n"
    },
)
QUARTZ_EXPLICIT = PrivateSite(
    "quartzexplicit",
    private={
        "content/unsaid.md": DATED,
        "content/empty.md": DATED + "publish:",
        "content/no.md": DATED + "publish: false",
    },
    public={"content/said.md": DATED + "publish: true", "content/as-text.md": DATED + "publish: 'true'"},
    settings={"quartz.config.ts": "export default { plugins: { filters: [Plugin.ExplicitPublish()] } }"},
)
FOAM = PrivateSite(
    "foam",
    private={
        ".foam/templates/new.md": DATED,
        "private/x.md": DATED,
        "note.md": DATED + "publish: false",
        "left/out/x.md": DATED,
    },
    public={"open.md": DATED, "inbox.md": DATED, "todo.md": DATED},
    settings={
        ".vscode/foam.json": "{}",
        ".vscode/settings.json": '{ // no notes\n  "foam.files.ignore": ["**/.vscode/**", "**/left/**"],\n}',
    },
)
COMMENTS = PrivateSite(
    "comments",
    private={
        f"note-{place}.md": f"{DATED}===\n{text}"
        for place, text in enumerate(
            (
                "Before <!-- WORD --> after.\n",
                "<!--\nWORD\n-->\n\nAfter.\n",
                "Before.\n\n<!-- WORD is never closed\n",
                "Before %%WORD%% after.\n",
                "%%\nWORD\n\n`code` too\n%%\n\nAfter.\n",
                "{% comment %}WORD{% endcomment %}After.\n",
                "{%- comment -%}\nWORD\n{%- endcomment -%}\nAfter.\n",
                "{::comment}WORD{:/comment} after.\n",
                "Before {% # WORD %} after {%- # WORD -%}.\n",
                "{{< comment >}}WORD{{< /comment >}} after.\n",
                "{{% comment %}}\n\nWORD\n\n{{% /comment %}}\n\nAfter.\n",
                "{{/* WORD */}} after.\n",
                "{/* WORD */} after.\n",
                "{# WORD #} after.\n",
                "- One\n- #+BEGIN_COMMENT\n  WORD\n  #+END_COMMENT\n- After.\n",
                "- One\n\t* #+begin_comment\n\t  WORD\n\t  #+end_comment\n- After.\n",
                "- Shown\n- T\n  id:: x\n  template:: name\n\t- WORD\n\t\t- WORD\n- After.\n",
                "#+BEGIN_COMMENT\nWORD\n#+END_COMMENT\n\nAfter.\n",
                "[//]: # (WORD)\n\nAfter.\n",
                '[//begin]: # "Autogenerated"\n[x]: WORD.md "WORD"\n[//end]: # "WORD"\n\nAfter.\n',
                '[comment]: <> "WORD"\n\nAfter.\n',
                "# T\n\n<!-- WORD -->\nAfter [a](note-0.md <!-- WORD -->) it.\n",
            )
        )
    },
    public={
        "code.md": f"{DATED}===\n`<!-- WORD -->` and `%%WORD%%`\n\n```\n{{% comment %}}WORD{{% endcomment %}}\n```\n",
        "percent.md": f"{DATED}===\n10%% WORD 20%%\n",
    },
    format="markdown",
    shows_files=True,
)
SITES = (
    ANY, JEKYLL, HUGO, ZOLA, MKDOCS, MKDOCS_PLUGINS, OBSIDIAN, LOGSEQ, LOGSEQ_PUBLIC, HEXO, ELEVENTY, DOCUSAURUS, ASTRO,
    QUARTZ, QUARTZ_EXPLICIT, PELICAN, PELICAN_PATHS, DENDRON, FOAM, COMMENTS, HUGO_FOLDERS, *JAVASCRIPT_SITES,
    PELICAN_UNDATED,
)  # fmt: skip
