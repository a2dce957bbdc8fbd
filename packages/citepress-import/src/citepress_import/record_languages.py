"""The language of each former page that does not say its own, and the key that it shares with its translations."""

from collections import defaultdict
from collections.abc import Callable, Iterable

from citepress.content import raw_html
from citepress.content.path_language import path_without_language
from citepress_import.records import LANGUAGE, MAX_KEY_CHARS, RecordPlan
from citepress_notes import lenient_values
from citepress_notes.note_language import most_frequent, note_language

DEFAULT_LANGUAGE = "en"


def tell_languages(plans: Iterable[RecordPlan], settings: dict[str, str]) -> None:
    """Note languages and keys of translations in the plans, and in the settings the language of most of the pages."""
    plans = list(plans)
    languages = {plan.page.source: plan.language or _guess(plan) for plan in plans}
    if not LANGUAGE.fullmatch(settings.get("language", "").replace("_", "-")):
        most = most_frequent(languages.values())
        settings["language"] = most if most != DEFAULT_LANGUAGE else ""
    site = _base(settings["language"]) or DEFAULT_LANGUAGE
    for plan in plans:
        language = languages[plan.page.source]
        plan.language = plan.language or (language if _base(language) != site else "")
    own = {source: language or site for source, language in languages.items()}
    _join(plans, own, lambda plan: path_without_language(plan.page.source, own[plan.page.source]))
    _join(plans, own, lambda plan: lenient_values.words(plan.page.front.get("slug")))


def _guess(plan: RecordPlan) -> str:
    body = plan.page.body
    return note_language(plan.page.source, raw_html.without_tags(body) if plan.page.html else body, "")


def _base(language: str) -> str:
    return language.replace("_", "-").partition("-")[0].lower()


def _join(plans: Iterable[RecordPlan], own: dict[str, str], key_of: Callable[[RecordPlan], str]) -> None:
    """Give those plans without a key one that have the same text in different languages."""
    groups: dict[str, list[RecordPlan]] = defaultdict(list)
    for plan in plans:
        if not plan.translation_key and (key := key_of(plan)):
            groups[key].append(plan)
    for key, members in groups.items():
        if len({_base(own[plan.page.source]) for plan in members}) == len(members) > 1:
            for plan in members:
                plan.translation_key = key[-MAX_KEY_CHARS:]
