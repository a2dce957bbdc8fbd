"""Links the translations of one text: records of one key, or notes whose paths differ in a language alone."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from citepress.base.ids import path_of
from citepress.content.path_language import path_without_language
from citepress.content.source_record import SourceRecord
from citepress.content.text_language import language_beside
from citepress.contract.record import Front
from citepress.contract.site import Publication
from citepress.contract.translation import Translation

MEMO = "translations"
"""The name in a draft's memo under which its translations are."""


def link_translations(drafts: Sequence[SourceRecord], site: Publication, *, plain: bool) -> None:
    """Note for each record the translations of its text, itself among them; of most archives no record has any."""
    by_path = plain and len({draft.head.language for draft in drafts}) > 1
    groups: dict[str, list[SourceRecord]] = defaultdict(list)
    for draft in drafts:
        if MEMO in draft.memo:
            del draft.memo[MEMO]
        if draft.head.translation_key:
            groups[draft.head.translation_key].append(draft)
        elif by_path:
            groups[f"/{path_without_language(draft.file, draft.head.language or site.language)}"].append(draft)
    for members in groups.values():
        if len(members) > 1:
            _link(members, site)


def language_of(front: Front, body: str, site: Publication) -> str:
    """The language tag of a record: its author's, or else what its words tell, or else that of the site."""
    return front.language or language_beside(f"{front.title}\n{front.summary}\n{body}", site.language)


def has_translations(draft: SourceRecord) -> bool:
    """Whether others are linked to it as its translations, or may be."""
    return bool(draft.head.translation_key) or MEMO in draft.memo


def translations_of(draft: SourceRecord) -> tuple[Translation, ...]:
    """The translations of a record's text, itself among them, by their languages; empty where there is no other."""
    linked: tuple[Translation, ...] = draft.memo.get(MEMO, ())
    return linked


def _link(members: Iterable[SourceRecord], site: Publication) -> None:
    by_language: dict[str, SourceRecord] = {}
    for draft in sorted(members, key=lambda draft: draft.file):
        by_language.setdefault(language_of(draft.front, draft.body, site), draft)
    if len(by_language) == 1:
        return
    linked = tuple(
        Translation(language=language, id=draft.id, title=draft.head.title, url=site.url(path_of(draft.id)))
        for language, draft in sorted(by_language.items())
    )
    for draft in by_language.values():
        draft.memo[MEMO] = linked
