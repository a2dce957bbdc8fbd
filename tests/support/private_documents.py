"""Sites of MkDocs: documents that their settings and plugins leave out, and documents that they publish."""

from support.private_site import PrivateSite

DATED = "date: 2024-05-06\n"
MKDOCS = PrivateSite(
    "mkdocs",
    private={
        "docs/internal/one.md": DATED,
        "docs/deep/x.secret.md": DATED,
        "docs/planned/two.md": DATED,
        "docs/templates/three.md": DATED,
        "docs/four.md": DATED + "draft: true",
        "notes/outside.md": DATED,
    },
    public={"docs/guide.md": DATED, "docs/unlisted.md": DATED, "docs/internal/keep.md": DATED},
    settings={
        "mkdocs.yml": "site_name: T\nexclude_docs: |\n  internal/*\n  !internal/keep.md\n  *.secret.md\n"
        "draft_docs: |\n  planned/\nnot_in_nav: |\n  unlisted.md\nnav: [guide.md]\n"
        "markdown_extensions:\n- x: {y: !!python/name:a.b}\n"
    },
)
MKDOCS_PLUGINS = PrivateSite(
    "mkdocsplugins",
    private={
        "docs/ex/one.md": DATED,
        "docs/ex/deep/two.md": DATED,
        "docs/three.tmp.md": DATED,
        "docs/wip-four.md": DATED,
        "docs/of-base/five.md": DATED,
        "docs/six.md": DATED + "password: open",
    },
    public={"docs/guide.md": DATED, "docs/about-wip-tools.md": DATED, "docs/next.md": DATED},
    settings={
        "mkdocs.yml": "INHERIT: conf/base.yml\nsite_name: T\nplugins:\n- search\n- privacy\n- encryptcontent\n"
        "- exclude-search: {exclude: [next.md]}\n- exclude:\n    glob: [ex/*, '*.tmp.md']\n    regex: ['wip-.*']\n",
        "conf/base.yml": "exclude_docs: |\n  of-base/\nplugins: [mkdocs-private]\n",
    },
)
