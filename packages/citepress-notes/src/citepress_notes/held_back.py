"""Decides which files of a folder are held back because the tool that it was written for does not publish them."""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

from citepress.content.dialects import Dialect
from citepress.content.held_reasons import DOUBT, HELD
from citepress.content.hidden_text import without_code
from citepress.content.value_marks import ParseFault
from citepress.content.yaml_loader import FIRST
from citepress.contract.fault import LOOKS_PRIVATE, NOT_PUBLIC, Fault, Span
from citepress_notes import lenient_values, privacy_rules
from citepress_notes.computed_data import may_return
from citepress_notes.former_tools import Handed, ToolFiles, front_members
from citepress_notes.lenient_values import NO, YES, table
from citepress_notes.metadata_lines import read_leniently
from citepress_notes.privacy_rules import INSIDE, KEY_RULES, Fate, KeyRule, PathRule, PrivacyRule, Said, SettingRule
from citepress_notes.script_values import ScriptFunction
from citepress_notes.site_layout import SiteLayout
from citepress_notes.tool_readers import TAGGED, private_folder, read_settings

MAX_LINES = 40
"""Lines at the top of a text in which properties are looked for."""
_PROPERTY = re.compile(r"[ \t]*(?:- )?([A-Za-z][\w-]{0,60})(?:::[ \t]*|:[ \t]+|:$)([^\n]*)")
"""``public:: false`` of Logseq and ``Status: draft`` of Pelican."""
_TAG = re.compile(rf"(?<!\S)#(?:{'|'.join(sorted(privacy_rules.PRIVATE_TAGS))})(?![\w-])", re.IGNORECASE)
_ZERO_WIDTH = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_PLAIN_WORDS = YES | NO | privacy_rules.PRIVATE_WORDS
_BY_KEY = {key: [rule for rule in KEY_RULES if key in rule.keys] for rule in KEY_RULES for key in rule.keys}
_ORDER = {rule: place for place, rule in enumerate(KEY_RULES)}
_HANDED = " (handed down)"
_COMPUTED = "eleventycomputed"
"""The table whose members are values that code makes of all others, which they override."""
_Rows = dict[str, tuple[str, Any]]
"""Values by the keys of the rules, each with the key as it is written."""
_EMPTY: tuple[object, ...] = (None, "", [], {})


class HeldBack(NamedTuple):
    """Why a file is held back."""

    rule: PrivacyRule
    reason: str
    """In a few words, as ``draft: true``."""
    key: str = ""
    """The key that says so, as its author wrote it; empty where a path or a setting does."""

    @classmethod
    def by(cls, rule: PathRule | SettingRule) -> "HeldBack":
        """What a rule on paths holds back."""
        return cls(rule, rule.shown.replace("`", ""))

    @property
    def fate(self) -> Fate:
        """What becomes of the file."""
        return getattr(self.rule, "fate", Fate.LEFT)

    @property
    def opposite(self) -> str:
        """A value of the key that publishes the file."""
        when = self.rule.when if isinstance(self.rule, KeyRule) else Said.YES
        return {Said.YES: "false", Said.NO: "true"}[when] if isinstance(when, Said) else "public"

    @property
    def is_doubtful(self) -> bool:
        """Whether the key or path only looks private."""
        return getattr(self.rule, "doubtful", False)

    @property
    def hint(self) -> str:
        """How to publish the file, where that is not plain from the reason."""
        if not self.is_doubtful:
            handed = self.reason.endswith(_HANDED)
            return f"to publish it, write `{self.key}: {self.opposite}` in it" if handed else ""
        if not self.key:
            return "to publish it, write `publish: true` in its front matter, or move it"
        if self.key.lower() in ("tags", "tag"):
            return "to publish it, take the tag away"
        return f"to publish it, take {self.key!r} away or write `{self.key}: {self.opposite}`"


@dataclass(frozen=True, slots=True)
class HeldNote:
    """A note that is held back and not even read as a draft."""

    id: str
    """The id that it would have."""
    file: str
    reason: str
    aliases: tuple[str, ...] = ()
    uses: frozenset[str] = frozenset()
    """What its text names: public paths, and names in double brackets."""
    front_uses: frozenset[str] = frozenset()
    """The files that its front matter may name."""


def held_fault(held: HeldBack, place: Span) -> Fault:
    """What ``check`` says of a file that is held back."""
    if held.is_doubtful:
        return Fault.at(LOOKS_PRIVATE, place, f"{held.reason}{DOUBT}", held.hint)
    return Fault.at(NOT_PUBLIC, place, f"{HELD}{held.reason}", held.hint)


class PublicRules:
    """What the tools of one folder do not publish."""

    def __init__(self, files: ToolFiles, also: Iterable[str] = ()) -> None:
        """``also`` names tools that the caller knows the folder is written for."""
        self._settings = read_settings(files, also)
        self.tools = self._settings.tools
        self.problems = self._settings.problems
        """Files of settings that cannot be read, and why."""
        self.tagged = TAGGED.issuperset(self.tools)
        """Whether a private tag in a text holds it back."""
        self.layout = self._settings.layout or SiteLayout()
        """The layout of the site; without folders if its tool declares none."""

    def settings(self, tool: str) -> dict[str, Any]:
        """The settings of one of the tools."""
        return self._settings.given.get(tool, {})

    def of_path(self, path: str) -> HeldBack | None:
        """Why a file is held back by its path, if it is; of two reasons, the one that leaves it out."""
        if self._settings.unsure:
            name, message = self.problems[0]
            return HeldBack(privacy_rules.UNREADABLE_SETTINGS, f"{name} cannot be read ({message})")
        fitting = [match.rule for match in self._settings.matches if match.fits(path)]
        rule = next((rule for rule in fitting if rule.fate is Fate.LEFT), next(iter(fitting), None))
        if rule is privacy_rules.PRIVATE_FOLDER:
            return HeldBack(rule, f"the folder {private_folder(path)}/")
        return HeldBack.by(rule) if rule else None

    def rows(self, path: str) -> list[Handed]:
        """What settings and folders hand down to a file, the nearest last."""
        return [row for row in self._settings.handed if row.fits(path)]

    def hands_down(self, path: str) -> bool:
        """Whether what is handed down to a file holds it back."""
        return bool(self._settings.handed) and of_front({}, "", self.handed(path)) is not None

    def handed(self, path: str) -> dict[str, Any]:
        """Front matter that settings and folders hand down to a file, the nearest last."""
        members: dict[str, Any] = {}
        for row in self.rows(path):
            merged = {key: table(members.get(key)) | table(row.members.get(key)) for key in ("eleventyComputed",)}
            members |= {**row.members, **{key: value for key, value in merged.items() if value}}
        return members


def of_front(front: Mapping[str, Any], body: str = "", handed: Mapping[str, Any] | None = None) -> HeldBack | None:
    """Why a file is held back by its front matter, by lines at the top of its text, or by what is handed down."""
    own = {key: row for key, row in _flat({**properties(body), **front}).items() if row[1] not in _EMPTY}
    inherited = _flat(handed) if handed else {}
    if any(map(_is_code, (*own.values(), *inherited.values()))):
        own, inherited = _with_results(own, inherited), _with_results(inherited, own)
    fitting = [
        (_ORDER[rule], rule, key)
        for key in (own.keys() | inherited.keys()) & _BY_KEY.keys()
        for rule in _BY_KEY[key]
        if _says(rule, (own.get(key) or inherited[key])[1])
    ]
    if not fitting:
        return None
    _, rule, key = min(fitting, key=itemgetter(0))
    written, value = own.get(key) or inherited[key]
    shown = str(value).lower() if isinstance(value, bool) else str(value)
    reason = written if "password" in key else f"{written}: {shown[:40]}"
    return HeldBack(rule, reason if key in own else f"{reason}{_HANDED}", written)


def of_note(
    by_path: HeldBack | None, front: Mapping[str, Any], body: str, handed: Mapping[str, Any], *, tagged: bool
) -> HeldBack | None:
    """Why a note is held back by its path, front matter or tags: the reason that leaves it out, or needs no doubt."""
    if by_path and by_path.is_doubtful and _is_said_to_be_public(front, body):
        by_path = None
    tag = tagged and _TAG.search(body) and _TAG.search(without_code(body).decode())
    by_tag = HeldBack(_BY_KEY["tags"][0], f"the tag {tag[0]}", "tags") if tag else None
    reasons = [held for held in (by_path, of_front(front, body, handed), by_tag) if held]
    return min(reasons, key=lambda held: (held.fate is not Fate.LEFT, held.is_doubtful), default=None)


def without_text(path: str, front: Mapping[str, Any], body: str, dialect: Dialect) -> HeldBack | None:
    """What holds a list or a journal back that has neither a text, headings apart, nor a description."""
    # In a bundle, `index.md` may be a page of pictures.
    lists = ("_index",) if dialect.notation in privacy_rules.BUNDLE_TOOLS else ("_index", "index")
    is_list = posixpath.basename(path).partition(".")[0].lower() in lists
    is_empty = (is_list or dialect.metadata == "logseq") and not re.sub(
        r"^#+ [^\n]*|[-*\s]", "", body, flags=re.MULTILINE
    )
    return HeldBack.by(privacy_rules.WITHOUT_TEXT) if is_empty and not front.get("description") else None


def public_texts(
    paths: Iterable[str], text: Callable[[str], str | None], rules: PublicRules, metadata: str
) -> Iterator[tuple[str, Mapping[str, Any], str]]:
    """Path, front matter and text of each file that is not held back; ``text`` reads a file."""
    for path in paths:
        by_path = rules.of_path(path)
        if (by_path and by_path.fate is Fate.LEFT) or (written := text(path)) is None:
            continue
        front, body = read_leniently(written, metadata)
        if front is not None and not of_note(by_path, front, body, rules.handed(path), tagged=rules.tagged):
            yield path, front, body


def first_said(text: str, front: Mapping[str, Any]) -> HeldBack | None:
    """Why a note is held back by the first value of a key that its front matter has twice."""
    try:
        first = front_members(text, FIRST)
    except ParseFault:
        return None
    return of_front(first) if first != front else None


def _is_said_to_be_public(front: Mapping[str, Any], body: str) -> bool:
    """Whether a note says itself that it is public."""
    for key, (_, value) in _flat({**properties(body), **front}).items():
        for rule in _BY_KEY.get(key, ()):
            says_no, says_yes = lenient_values.is_false(value), lenient_values.is_true(value)
            if not rule.doubtful and ((rule.when is Said.YES and says_no) or (rule.when is Said.NO and says_yes)):
                return True
    return False


def properties(body: str) -> dict[str, str]:
    """Lines at the top of a text that name a key and a value; they end at the first line that does not."""
    members: dict[str, str] = {}
    for line in re.sub(r"\A[\ufeff\n]*-{3,}[ \t]*\n", "", body.lstrip("\ufeff\n")).split("\n", MAX_LINES)[:MAX_LINES]:
        match = _PROPERTY.fullmatch(line)
        if match is None:
            break
        value = (match[2] or "").strip().strip("\"'")
        if value.lower() in _PLAIN_WORDS:  # "Secret: how it was made" is a sentence
            members.setdefault(match[1], value)
    return members


def _flat(front: Mapping[str, Any]) -> _Rows:
    """Each value under the key of the rules, with the key as it is written."""
    flat: _Rows = {}
    computed: _Rows = {}
    for key, value in front.items():
        name = _ZERO_WIDTH.sub("", str(key)).strip().lower().replace("_", "-").replace(" ", "-")
        flat.setdefault(name, (str(key), value))
        inner = {"build": f"{name}.", "-build": f"{name}.", "permalink": f"{name}."}.get(
            name, "" if name in INSIDE else None
        )
        if name == _COMPUTED:
            below = {inside: (f"{key}.{held[0]}", held[1]) for inside, held in _flat(table(value)).items()}
            computed = {f"{name}.permalink" if inside == "permalink" else inside: row for inside, row in below.items()}
        elif inner is not None:
            for inside, held in _flat(table(value)).items():
                flat.setdefault(f"{inner}{inside}", (f"{key}.{held[0]}", held[1]))
    return flat | computed


def _is_code(row: tuple[str, Any]) -> bool:
    return bool(_functions(row[1]))


def _functions(value: object) -> list[ScriptFunction]:
    given = value if isinstance(value, list) else [value]
    return [item for item in given if isinstance(item, ScriptFunction)]


def _with_results(rows: Mapping[str, tuple[str, Any]], others: Mapping[str, tuple[str, Any]]) -> _Rows:
    """The rows with what functions may return in their place; empty for what does not hold a text back."""
    values = {key: row[1] for key, row in (*others.items(), *rows.items()) if not _is_code(row)}
    results = dict(rows)
    for key, (written, value) in rows.items():
        if _is_code((written, value)):
            wanted = "false" if any(rule.when is Said.NO for rule in _BY_KEY.get(key, ())) else "true"
            may = any(may_return(function.code, wanted, values) for function in _functions(value))
            results[key] = (written, wanted == "true" if may else "")
    return results


def _says(rule: KeyRule, value: object) -> bool:
    """Whether a value of a key holds a file back."""
    word = str(value).strip().lower()
    if isinstance(rule.when, frozenset):
        given = value if isinstance(value, list) else re.split(r",|\s#", value) if isinstance(value, str) else [value]
        return any(str(item).strip().lstrip("#").lower() in rule.when for item in given)
    if rule.when is Said.NO:
        return value is False or word in NO
    if value in _EMPTY or word in NO or word in ("null", "none", "public"):
        return False
    return not (rule.doubtful and isinstance(value, list | dict))
