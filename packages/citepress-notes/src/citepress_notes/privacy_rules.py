"""The table of what the tools that a folder was written for do not publish: one row a rule, for notes and imports."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from citepress.content.hidden_text import HTML_COMMENT, LINK_COMMENT, TextRule


class Fate(StrEnum):
    """What becomes of a file that is held back."""

    DRAFT = "draft"
    """`--drafts` shows it, and an import writes it as a draft."""
    LEFT = "left out"
    """It is not published, and an import leaves it where it is."""


class Said(StrEnum):
    """Which values of a key hold a file back, other than listed words."""

    YES = "yes"
    """Every value but those that mean no."""
    NO = "no"
    """Values that mean no."""


# fmt: off
PRIVATE_WORDS = frozenset({
    "draft", "drafts", "private", "hidden", "unlisted", "unpublished", "pending", "future", "scheduled",
    "trash", "auto-draft", "inherit", "skip", "none", "never", "internal", "restricted", "secret",
    "confidential", "password", "members", "paid", "tiers", "members-only", "paid-members-only", "sent",
    "followers", "subscribers",
})
# fmt: on
"""Values of ``status`` and ``visibility`` that hold a file back, in lower case."""


@dataclass(frozen=True, slots=True)
class KeyRule:
    """A key of front matter, or of a property line at the top of a text."""

    shown: str
    """As an author writes it."""
    tools: str
    """Where it is known, for the documents; it counts in every folder."""
    keys: tuple[str, ...]
    """In lower case, with hyphens for underscores; a dot leads into a table."""
    when: Said | frozenset[str]
    fate: Fate = Fate.DRAFT
    doubtful: bool = False
    """Whether the key only looks private, which is a warning."""


@dataclass(frozen=True, slots=True)
class PathRule:
    """A folder or name that a tool does not publish."""

    shown: str
    tools: tuple[str, ...]
    """The tools that have the rule; none for every folder."""
    patterns: tuple[str, ...]
    """In the notation of ``.gitignore``, from the folder with the settings; none where the walk passes them over."""
    fate: Fate = Fate.LEFT


@dataclass(frozen=True, slots=True)
class SettingRule:
    """A setting of a tool, which ``ToolSettings`` reads."""

    shown: str
    tools: tuple[str, ...]
    fate: Fate = Fate.LEFT
    doubtful: bool = False
    """Whether the path only looks private, which is a warning: a note that says it is public is published."""


PrivacyRule: TypeAlias = KeyRule | PathRule | SettingRule | TextRule

# fmt: off
LOOK_PRIVATE = (
    "hidden", "hide", "internal", "wip", "work-in-progress", "secret", "confidential", "restricted",
    "classified", "unpublished", "members-only", "membersonly", "subscribers-only", "protected", "embargo",
    "embargoed", "personal", "sensitive", "invisible", "no-publish", "nopublish", "dont-publish",
    "do-not-publish", "not-public", "nonpublic",
)
# fmt: on
"""Keys that no tool has, or some for something else, and that look private."""
UNFINISHED = frozenset({"wip", "work in progress", "work-in-progress", "unfinished"})
PRIVATE_TAGS = frozenset({"private", "draft", "drafts", "unpublished", "secret", "confidential"})
SKIPPED = "none (its tool skips it)"
"""What is handed down for a key without which a tool does not publish a text."""
MOVED = KeyRule("`redirect_to: …`", "Jekyll", ("redirect-to",), Said.YES, Fate.LEFT)
"""Its text is shown nowhere: whoever asks for the page is led elsewhere."""
KEY_RULES = (
    KeyRule("`draft: true`", "any", ("draft", "is-draft", "isdraft"), Said.YES),
    KeyRule("`published: false`", "Jekyll, Hexo, any", ("published",), Said.NO),
    KeyRule("`publish: false`", "Obsidian, any", ("publish",), Said.NO),
    KeyRule("`public: false`, `public:: false`", "Logseq, any", ("public",), Said.NO),
    KeyRule("`dg-publish: false`", "Obsidian Digital Garden", ("dg-publish",), Said.NO),
    KeyRule("`private: true`", "any", ("private", "is-private", "isprivate"), Said.YES),
    KeyRule("`unlisted: true`", "Docusaurus, any", ("unlisted",), Said.YES),
    KeyRule("`status: trash`", "WordPress", ("status",), frozenset({"trash", "auto-draft", "inherit"}), Fate.LEFT),
    KeyRule("`status: draft`", "Pelican, WordPress, any", ("status", "post-status"), PRIVATE_WORDS),
    KeyRule("`visibility: private`", "Ghost, any", ("visibility",), PRIVATE_WORDS | {"false", "no", "off"}),
    KeyRule("`publish: draft`", "any", ("publish", "published"), PRIVATE_WORDS),
    KeyRule("`headless: true`", "Hugo", ("headless",), Said.YES, Fate.LEFT),
    KeyRule(
        "`build: {render: never}`",
        "Hugo",
        ("build.render", "-build.render"),
        frozenset({"never", "link", "false", "no", "off"}),
        Fate.LEFT,
    ),
    KeyRule(
        "`build: {list: never}`", "Hugo", ("build.list", "-build.list"), frozenset({"never", "local", "false", "no"})
    ),
    MOVED,
    KeyRule("`render: false`", "Zola", ("render",), Said.NO, Fate.LEFT),
    KeyRule("`permalink: false`", "Eleventy", ("permalink",), Said.NO, Fate.LEFT),
    KeyRule("`permalink: {build: false}`", "Eleventy", ("permalink.build",), Said.NO, Fate.LEFT),
    KeyRule("`eleventyComputed: {permalink: false}`", "Eleventy", ("eleventycomputed.permalink",), Said.NO, Fate.LEFT),
    KeyRule("a preprocessor that returns `false`", "Eleventy", ("eleventypreprocessor",), Said.NO, Fate.LEFT),
    KeyRule("an article without a date or a title", "Pelican", ("date", "title"), frozenset({SKIPPED}), Fate.LEFT),
    KeyRule("`eleventyExcludeFromCollections: true`", "Eleventy", ("eleventyexcludefromcollections",), Said.YES),
    KeyRule("a password", "WordPress, Hexo, any", ("password", "post-password"), Said.YES, Fate.LEFT),
    KeyRule("`hidden: true` and other keys that look private", "any", LOOK_PRIVATE, Said.YES, doubtful=True),
    KeyRule("`listed: false`, `visible: false`", "any", ("listed", "visible"), Said.NO, doubtful=True),
    KeyRule("`status: wip`", "any", ("status", "post-status"), UNFINISHED, doubtful=True),
    KeyRule("`state: draft`", "any", ("state", "stage"), UNFINISHED | PRIVATE_TAGS | {"hidden"}, doubtful=True),
    KeyRule("a tag `private` or `draft`", "any", ("tags", "tag"), PRIVATE_TAGS, doubtful=True),
    KeyRule("`access: private`", "any", ("access", "audience", "privacy"), PRIVATE_WORDS, doubtful=True),
)
"""The first that fits decides. A table `extra` or `params` of a tool is read as if its keys were at the top."""
INSIDE = ("extra", "params")
"""Tables whose keys count as if they were at the top."""

NOT_FOUND = PathRule(
    "`404.md`, the page for addresses that do not exist",
    ("hugo", "zola", "jekyll", "hexo", "mkdocs", "pelican", "docusaurus", "astro", "eleventy"),
    tuple(f"/{top}404.*" for top in ("", "content/", "content/pages/", "docs/", "source/", "src/**/")),
)
PATH_RULES = (
    NOT_FOUND,
    PathRule("`_drafts/`", (), ("_drafts/",), Fate.DRAFT),
    PathRule("`.trash/`", (), ()),  # as every hidden name
    PathRule("`archetypes/`", ("hugo",), ("/archetypes/", "/themes/*/archetypes/")),
    PathRule("`assets/`", ("hugo",), ("/assets/",)),
    PathRule("`scaffolds/` or `themes/`", ("hexo",), ("/scaffolds/", "/themes/")),
    PathRule("`_includes/` or `_data/`", ("eleventy",), ("_includes/", "_data/", "_layouts/")),
    PathRule("a name that begins with `_`", ("docusaurus",), ("_*", "!_category_.*")),
    PathRule("a name that begins with `_`", ("astro",), ("_*",)),
    PathRule("a name that begins with `_`", ("zola",), ("_*.m*", "!_index.m*", "!_index.*.m*")),
    PathRule(
        "a file `.mdx`",
        ("hugo", "zola", "jekyll", "hexo", "mkdocs", "pelican", "obsidian", "logseq", "foam", "dendron"),
        ("*.mdx",),
    ),
    PathRule("`_Sidebar.md`, `_Footer.md` or `_Header.md`", ("wiki",), ("_Sidebar.*", "_Footer.*", "_Header.*")),
    PathRule("`logseq/`", ("logseq",), ("/logseq/",)),
)
"""The folders in which a generator keeps its templates and what it made are in ``unpublished.BUILT``."""

# fmt: off
OUTSIDE = SettingRule(
    "outside the folder of content", (
        "hugo", "zola", "mkdocs", "hexo", "quartz", "pelican", "docusaurus", "astro", "eleventy",
    ),
)
# fmt: on
UNDERSCORES = SettingRule("a name that begins with `_`", ("jekyll", "hexo"))
EXCLUDED = SettingRule("`exclude:` or `ignore:`", ("jekyll", "hexo"))
NOT_RENDERED = SettingRule("`skip_render:`", ("hexo",))
UNDATED = SettingRule("in `_posts/`, without a day in its name", ("jekyll",))
COLLECTION = SettingRule("a collection without `output: true`", ("jekyll",))
DEFAULTS = SettingRule("`defaults:`", ("jekyll",), Fate.DRAFT)
CASCADE = SettingRule("`cascade`", ("hugo",), Fate.DRAFT)
IGNORED = SettingRule("`ignoreFiles`", ("hugo",))
UNMOUNTED = SettingRule("`excludeFiles` or `includeFiles` of a mount", ("hugo",))
DISABLED_LANGUAGE = SettingRule("in a language that is disabled", ("hugo",))
RESOURCE = SettingRule("next to an `index.md`, whose page it belongs to", ("hugo",))
ZOLA_IGNORED = SettingRule("`ignored_content`", ("zola",))
SECTION = SettingRule("a section with `draft = true`", ("zola",), Fate.DRAFT)
EXCLUDE_DOCS = SettingRule("`exclude_docs`", ("mkdocs",))
MKDOCS_EXCLUDED = SettingRule("`glob` or `regex` of the plugin `exclude`", ("mkdocs",))
DRAFT_DOCS = SettingRule("`draft_docs`", ("mkdocs",), Fate.DRAFT)
TEMPLATE_FOLDER = SettingRule("the folder of templates", ("obsidian",))
NOT_PUBLISHED = SettingRule("`excluded` folders of Obsidian Publish", ("obsidian",))
FOAM_IGNORED = SettingRule("`foam.files.ignore`", ("foam",))
NOT_SAID = SettingRule("no `publish: true`, with `ExplicitPublish`", ("quartz",), Fate.DRAFT)
IGNORE_PATTERNS = SettingRule("`ignorePatterns`", ("quartz",))
ELEVENTY_IGNORE = SettingRule("`.eleventyignore` or `ignores.add`", ("eleventy",))
ELEVENTY_FOLDERS = SettingRule("`dir.includes`, `dir.layouts`, `dir.data` or `dir.output`", ("eleventy",))
DIRECTORY_DATA = SettingRule("a data file of the folder", ("eleventy",), Fate.DRAFT)
BUNDLE = SettingRule("next to an `index.md` that is held back", ("hugo", "zola"))
BUNDLE_TOOLS = frozenset(BUNDLE.tools)
"""Tools whose ``index.md`` decides for the files of its folder."""
NOT_EXPORTED = SettingRule("no `public:: true`, without `:publishing/all-pages-public?`", ("logseq",), Fate.DRAFT)
LOGSEQ_HIDDEN = SettingRule("`:hidden`", ("logseq",))
DOCS_EXCLUDED = SettingRule("`exclude` or `include` of a plugin", ("docusaurus",))
COLLECTION_GLOB = SettingRule("a collection's `pattern`", ("astro",))
PELICAN_IGNORED = SettingRule("`IGNORE_FILES`", ("pelican",))
PELICAN_EXCLUDED = SettingRule("neither in `ARTICLE_PATHS` nor in `PAGE_PATHS`, or in their `_EXCLUDES`", ("pelican",))
PELICAN_EXTRA = SettingRule("`EXTRA_PATH_METADATA` with a status", ("pelican",), Fate.DRAFT)
PELICAN_NAMED = SettingRule("a status in the name, by `PATH_METADATA`", ("pelican",), Fate.DRAFT)
PELICAN_DEFAULT = SettingRule("`DEFAULT_METADATA` with a status", ("pelican",), Fate.DRAFT)
PRIVATE_VAULT = SettingRule("a vault with `visibility: private`", ("dendron",))
NOT_IN_HIERARCHY = SettingRule("outside `siteHierarchies`", ("dendron",))
NOT_BY_DEFAULT = SettingRule("`publishByDefault: false`", ("dendron",), Fate.DRAFT)
NOT_SEARCHED = SettingRule("Excluded files (`userIgnoreFilters`)", ("obsidian",), Fate.DRAFT, doubtful=True)
PRIVATE_FOLDER = SettingRule(
    "a folder `drafts/`, `private/`, `secret/` or the like, where no tool makes a site", (), Fate.DRAFT, doubtful=True
)
WITHOUT_TEXT = SettingRule("a list or journal without text", ())
UNREADABLE_SETTINGS = SettingRule("settings that cannot be read", ())
# Derived, so that no rule above can be missing from the documents and the tests.
SETTING_RULES = tuple(rule for rule in tuple(globals().values()) if isinstance(rule, SettingRule))

TEXT_RULES = (
    TextRule(
        "a comment of HTML that is not closed",
        "any",
        re.compile(rb"^ {0,3}<!--", re.MULTILINE),
        re.compile(b"-->"),
        True,
    ),
    HTML_COMMENT,
    TextRule("`%% hidden %%`", "Obsidian", re.compile(rb"(?<![\w%])%%(?!%)"), re.compile(b"%%")),
    TextRule(
        "`{% comment %}`",
        "Jekyll, Eleventy",
        re.compile(rb"\{%-?\s*comment\b[^%\n]{0,200}%\}"),
        re.compile(rb"\{%-?\s*endcomment\s*-?%\}"),
        to_the_end=True,
    ),
    TextRule("`{% # hidden %}`", "Eleventy, Liquid", re.compile(rb"\{%-?\s*#"), re.compile(rb"%\}")),
    TextRule("`{::comment}`", "Jekyll", re.compile(rb"\{::comment\}"), re.compile(rb"\{:/(?:comment)?\}")),
    TextRule(
        "`{{< comment >}}`",
        "Hugo",
        re.compile(rb"\{\{[<%]\s*comment\b[^>%\n]{0,200}[>%]\}\}"),
        re.compile(rb"\{\{[<%]\s*/\s*comment\s*[>%]\}\}"),
        to_the_end=True,
    ),
    TextRule("`{{/* hidden */}}`", "Hugo", re.compile(rb"\{\{-?\s?/\*(?!\s*[\w:.-]+\()"), re.compile(rb"\*/\s?-?\}\}")),
    TextRule("`{/* hidden */}`", "Docusaurus, Astro", re.compile(rb"(?<!\{)\{\s*/\*"), re.compile(rb"\*/\s*\}")),
    TextRule("`{# hidden #}`", "Eleventy, Zola", re.compile(rb"\{#-?\s"), re.compile(rb"\s-?#\}")),
    TextRule(
        "`#+BEGIN_COMMENT`",
        "Logseq",
        re.compile(rb"^[ \t]*(?:[-*+][ \t]+)?#\+BEGIN_COMMENT\b", re.IGNORECASE | re.MULTILINE),
        re.compile(rb"#\+END_COMMENT\b", re.IGNORECASE),
        to_the_end=True,
    ),
    TextRule(
        "a block with `template:: name`",
        "Logseq",
        re.compile(
            rb"^([ \t]*)[-*] (?:[^\n]*\n(?:[ \t]+[\w.-]+::[^\n]*\n){0,20}[ \t]+)?template::[ \t]*\S[^\n]*"
            rb"(?:\n(?:\1[ \t]+[^\n]*|[ \t]*(?=\n|\Z)))*",
            re.MULTILINE,
        ),
        re.compile(b""),
    ),
    TextRule(
        '`[//begin]: # "Autogenerated link references"`',
        "Foam",
        re.compile(rb"^\[//begin\]: # ", re.MULTILINE),
        re.compile(rb"^\[//end\]: #[^\n]*", re.MULTILINE),
    ),
    LINK_COMMENT,
)
PASSED_OVER = (NOT_FOUND, WITHOUT_TEXT)
"""Rules for files that hold nothing of their own to publish."""
PRIVACY_RULES: tuple[PrivacyRule, ...] = (*KEY_RULES, *PATH_RULES, *SETTING_RULES, *TEXT_RULES)
