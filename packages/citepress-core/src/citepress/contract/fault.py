"""A fault in the content: what is wrong, exactly where, and what to write instead."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from citepress.base.errors import CitepressError
from citepress.extension import joined


class Level(StrEnum):
    """Severity: an error keeps the edition from being published, a warning does not.

    A note is nothing to correct: it says what was done.
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class FaultCode:
    """A numbered type of fault; ``docs/reference/faults.md`` explains each."""

    id: str
    name: str
    about: str
    level: Level = Level.ERROR
    blocks: bool = True
    """Whether, as an error, it keeps the edition from being published."""


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a file of the content folder; line and column count from 1, 0 means the file as a whole."""

    file: str
    """Path relative to the content folder, with forward slashes."""
    line: int = 0
    column: int = 0
    source: str = ""
    """The text of that line, for the caret."""


@dataclass(frozen=True, slots=True, order=True)
class Fault:
    """One problem that an author has to fix."""

    key: tuple[str, int, int, str]
    """Sort key: file, line, column, code."""
    code: FaultCode
    place: Span
    message: str
    hint: str = ""

    @classmethod
    def at(cls, code: FaultCode, place: Span, message: str, hint: str = "") -> "Fault":
        """A fault of this code at this place."""
        return cls((place.file, place.line, place.column, code.id), code, place, message, hint)


class Faults(CitepressError):  # noqa: N818  (it is a list of faults before it is an exception)
    """Every fault of one run, in file order; raised where an edition cannot be made."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        """Sort the faults by file, line and column."""
        self.faults = tuple(sorted(faults, key=lambda fault: fault.key))
        super().__init__(f"{len(self.faults)} faults")


NOT_UTF8 = FaultCode("CP001", "not-utf8", "The file is not UTF-8 text.")
TOO_LARGE = FaultCode("CP002", "too-large", "The file is larger than the limit for its type.")
BAD_NAME = FaultCode("CP003", "bad-name", "The file name is not a slug: lower-case words joined by hyphens.")
OUTSIDE = FaultCode("CP004", "outside", "A symbolic link leads out of the content folder.")
UNKNOWN_FOLDER = FaultCode("CP005", "unknown-folder", "The folder under content/ is not a kind of record.")
UNREADABLE = FaultCode("CP006", "unreadable", "The file or folder cannot be read.")
TOO_DEEP = FaultCode("CP007", "too-deep", "Elements of the text are nested deeper than 100 levels.")
NO_CONTENT = FaultCode("CP008", "no-content", "The folder has neither settings nor anything to publish.")
WRONG_FOLDER = FaultCode("CP009", "wrong-folder", "The folder is not one that holds texts to publish.")
NO_FRONT_MATTER = FaultCode(
    "CP010", "no-front-matter", "The record does not begin with front matter between --- lines."
)
BAD_YAML = FaultCode("CP011", "bad-yaml", "The YAML cannot be read.")
UNKNOWN_KEY = FaultCode("CP012", "unknown-key", "The key is not one of this kind's; free keys belong under extra:.")
MISSING_KEY = FaultCode("CP013", "missing-key", "A required key is missing.")
BAD_VALUE = FaultCode("CP014", "bad-value", "The value is of the wrong type or out of bounds.")
DUPLICATE_KEY = FaultCode("CP015", "duplicate-key", "The key is given twice in one mapping.")
BAD_FRONT = FaultCode("CP016", "bad-front-matter", "The TOML or JSON of the front matter cannot be read.")
PLACEHOLDER = FaultCode("CP017", "placeholder", "A text of `citepress new` is still there, and it is not a draft.")
DUPLICATE_ID = FaultCode("CP020", "duplicate-id", "Two records, sources or aliases claim one identifier or path.")
DANGLING = FaultCode("CP021", "dangling-reference", "The reference names nothing in the archive.")
CYCLE = FaultCode("CP022", "cycle", "The records supersede each other in a circle.")
BAD_URL = FaultCode("CP023", "bad-url", "The URL is not an absolute http or https URL.")
BAD_DATES = FaultCode("CP024", "bad-dates", "The dates contradict each other.")
BROKEN_LINK = FaultCode("CP025", "broken-link", "A link in the body leads to no page of the archive.")
BAD_SITE = FaultCode("CP030", "bad-site", "site.toml cannot be read or holds a wrong setting.")
BAD_DATASET = FaultCode("CP031", "bad-dataset", "A dataset's rows do not fit its schema.")
BAD_DEPRECATION = FaultCode("CP032", "bad-deprecation", "A deprecation row breaks the promised window.")
BAD_REDIRECT = FaultCode("CP033", "bad-redirect", "A line of redirects.txt cannot be read.")
BAD_TEMPLATE = FaultCode("CP034", "bad-template", "A template of the archive cannot be rendered.")
FROZEN = FaultCode("CP035", "frozen", "A frozen part was changed after it was registered or published.")
WIDE_PROXIES = FaultCode(
    "CP036", "wide-proxies", "The trusted proxies include clients, which can then name any address.", Level.WARNING
)
NEUTRALISED = FaultCode("CP040", "neutralised", "Raw HTML or an unsafe link was neutralised.", Level.WARNING)
ORPHAN = FaultCode("CP041", "orphan", "Nothing links to the record and it links to nothing.", Level.WARNING)
EXTERNAL_LINK = FaultCode("CP042", "external-link", "An external link did not answer.", Level.WARNING)
HIDDEN = FaultCode(
    "CP043",
    "hidden-reference",
    "The reference names a draft, scheduled or withdrawn record; it is left out.",
    Level.WARNING,
)
IMAGE = FaultCode("CP044", "image", "An image lacks its alternative text, its file or its size.", Level.WARNING)
SET_ASIDE = FaultCode("CP045", "set-aside", "A plain folder leaves out what cannot be published.", Level.WARNING)
DEAD_LINK = FaultCode("CP046", "dead-link", "A link or image of a plain note leads nowhere.", Level.WARNING)
UNDATED = FaultCode("CP047", "undated", "A note has no date of first publication.", Level.WARNING)
STRAY = FaultCode(
    "CP048",
    "stray",
    "Markdown is outside the folders of content/, or is itself a folder, and is not published.",
    Level.WARNING,
)
SECOND_TITLE = FaultCode(
    "CP049", "second-title", "A heading of level 1 is in the text, where the title is that heading.", Level.WARNING
)
WIKI_LINK = FaultCode("CP060", "wiki-link", "A wiki link of a plain note is published as text.", Level.WARNING)
SHORTCODE = FaultCode("CP061", "shortcode", "A shortcode or template tag of a plain note has no effect.", Level.WARNING)
NO_NUGGET = FaultCode("CP062", "no-nugget", "The record has no retrieval nugget; its summary is used.", Level.WARNING)
UNHELD_QUOTE = FaultCode(
    "CP063", "unheld-quote", "The newest copy of a source does not hold the words that a claim quotes.", Level.WARNING
)
STALE_SOURCE = FaultCode("CP064", "stale-source", "A cited source is gone or does not answer.", Level.WARNING)
VANISHED = FaultCode(
    "CP065", "vanished-address", "The address of a record that was published leads nowhere any more.", Level.WARNING
)
LOST_ANCHOR = FaultCode("CP066", "lost-anchor", "A link leads to a part that its page does not have.", Level.WARNING)
LOOKS_PRIVATE = FaultCode(
    "CP067", "looks-private", "A key, tag or folder looks private, so the note is not published.", Level.WARNING
)
NOT_PUBLIC = FaultCode(
    "CP068", "not-public", "The file is not public in the tool it was written for, so it is not published.", Level.NOTE
)
BAD_TOOL_SETTINGS = FaultCode(
    "CP069",
    "bad-tool-settings",
    "Settings of another tool cannot be read; what they keep private is unknown.",
    Level.WARNING,
)
HELD_BACK = FaultCode(
    "CP050", "held-back", "The date is in the future; what it dates is held back until then.", Level.WARNING
)
FUTURE_DATE = FaultCode("CP051", "future-date", "A date of something that has happened is in the future.")
UNEXPLAINED_CHANGE = FaultCode(
    "CP052", "unexplained-change", "The record was changed on a day that no note explains.", Level.WARNING
)
LATER_THAN_RECORD = FaultCode(
    "CP053", "later-than-record", "The record mentions a day after its own last change.", Level.WARNING
)
AMBIGUOUS_NAME = FaultCode(
    "CP058", "ambiguous-name", "Two topics have one name, so that a name does not identify one of them.", Level.WARNING
)
READ_BEFORE_PUBLISHED = FaultCode(
    "CP059", "read-before-published", "A source was read before the day on which it was published.", Level.WARNING
)
UNKNOWN_PATH = FaultCode("CP070", "unknown-path", "A deprecation names a path that nothing answers at.")
UNANNOUNCED = FaultCode("CP071", "unannounced", "A future deprecation has no date of announcement.", Level.WARNING)
PAST_SUNSET = FaultCode("CP072", "past-sunset", "A path is still served after its sunset date.", Level.WARNING)
UNTOLD_HUB = FaultCode("CP084", "untold-hub", "No installed package notifies the hub of the feeds.", Level.WARNING)

# Derived, so that no code above can be missing from the list and the documents.
CORE = tuple(code for code in tuple(globals().values()) if isinstance(code, FaultCode))


def set_aside(fault: Fault, what: str = "the file") -> Fault:
    """The warning that one file, or one key of it, is left out of a plain folder while the rest is published."""
    return Fault.at(SET_ASIDE, fault.place, f"{fault.message}; {what} is set aside ({fault.code.id})", fault.hint)


def set_aside_error(fault: Fault) -> Fault:
    """An error as ``CP045``; a warning unchanged."""
    return set_aside(fault) if fault.code.level is Level.ERROR else fault


@cache
def fault_codes() -> tuple[FaultCode, ...]:
    """The codes of the core and of all extensions. Raises ``ExtensionError`` where two packages claim one."""
    return joined("fault_codes", FaultCode, CORE, lambda code: (code.id, code.name))
