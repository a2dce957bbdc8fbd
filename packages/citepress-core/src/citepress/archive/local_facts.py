"""The facts of one record alone: its sources with their origins, its references, its dates."""

import pickle
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any, cast

from citepress.archive.dates import Subject, own_faults
from citepress.archive.mentions import MentionRules, led, mentions_of
from citepress.archive.model import Citation, SourceEntry
from citepress.archive.origins import Origins
from citepress.archive.quotes import ClaimQuote
from citepress.base.memo import memoized
from citepress.base.packed_values import Packed
from citepress.base.urls import UrlError, host_of, normalise, opened
from citepress.content.source_record import SourceRecord
from citepress.content.sources_file import SharedSources, url_fault, url_hint
from citepress.content.validation_messages import dotted
from citepress.content.value_hints import sources_hint
from citepress.contract.fault import BAD_URL, DANGLING, DUPLICATE_ID, Fault, FaultCode, set_aside
from citepress.contract.record import Claim, Front, Mention, Source, SourceInput
from citepress.contract.refs import AddressMark, Location, Marked, SourceMark, marked
from citepress.history.dated_changes import RecordHistory, record_history
from citepress.history.revisions import RecordRevisions

PACKED_FACTS = "packed facts"
"""Name of the packed facts among the results of a record of an archive that is not assembled again."""
FAULTY = ""
"""The published id of a source that is at fault itself."""
normal = lru_cache(maxsize=16_384)(normalise)


@dataclass(frozen=True, slots=True, eq=False)
class LocalFacts:
    """Everything about a draft that depends on nothing but itself, the shared sources and the rules for mentions."""

    id: str
    """The id of the record."""
    shared: SharedSources
    sources: tuple[Source, ...]
    aliases: tuple[tuple[str, str], ...]
    """(other address, address) of its sources."""
    refs: tuple[Marked, ...]
    """References to records, in declared order."""
    renamed: dict[Location, object]
    """References to sources that are published under another name than they were written."""
    written: dict[str, str]
    """Addresses as their author wrote them, by their normal forms, where the two differ."""
    cited: tuple[SourceEntry, ...]
    """Its sources as the ledger would hold them if nobody else cited them."""
    mentions: tuple[Mention, ...]
    """Links of its text to other sites that are none of its sources; a title is empty where they have no words."""
    titles: tuple[tuple[str, str], ...]
    """Address and title of each source that it gives a title."""
    history: RecordHistory
    """Its publication and changes."""
    quotes: tuple[ClaimQuote, ...]
    """The quotes of its claims, and its excerpt."""
    faults: tuple[Fault, ...]
    revisions: RecordRevisions | None = None
    """Its revisions that are kept."""

    def opened(self) -> "LocalFacts":
        """Itself."""
        return self

    def mentions_led(self, aliases: Mapping[str, str], origins: Origins) -> tuple[Mention, ...]:
        """Its mentions, where ``aliases`` are other addresses of sources."""
        return led(self.mentions, aliases, origins, {source.normalized_url for source in self.sources})


HEAD_MEMBERS = ("id", "shared", "aliases", "titles", "history", "quotes", "faults", "revisions")
"""Members that are read of every record several times, or that other records share."""
PACKED_MEMBERS = tuple(member.name for member in fields(LocalFacts) if member.name not in HEAD_MEMBERS)


class PackedFacts(Packed):
    """Reads like facts: a few members are at hand, and the others are opened where one is asked for."""

    __slots__ = HEAD_MEMBERS

    def __init__(self, own: LocalFacts) -> None:
        """Pack facts."""
        super().__init__(PackedFacts, pickle.dumps([getattr(own, name) for name in PACKED_MEMBERS]))
        for name in HEAD_MEMBERS:
            setattr(self, name, getattr(own, name))

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  (any member that is packed)
        """A member of the facts."""
        if name.startswith("__"):
            raise AttributeError(name)  # asked of a copy that has no members yet
        return getattr(self.opened(), name)

    def opened(self) -> LocalFacts:
        """The facts, opened now."""
        packed = zip(PACKED_MEMBERS, pickle.loads(self.data()), strict=True)  # noqa: S301  (of our own process)
        return LocalFacts(**dict(packed), **{name: getattr(self, name) for name in HEAD_MEMBERS})


def local_facts(
    draft: SourceRecord,
    shared: SharedSources,
    origins: Origins,
    rules: MentionRules,
    revisions: RecordRevisions | None = None,
) -> LocalFacts:
    """The facts of one record; computed once as long as the record and what it is read with stay the same."""
    if packed := draft.memo.get(PACKED_FACTS):
        if revisions:
            packed.history, packed.revisions = replace(packed.history, revision=revisions.number), revisions
        return cast("LocalFacts", packed)
    own = memoized(draft.memo, "own", (shared, rules), lambda: _LocalFactsReader(draft, shared, origins).read(rules))
    return memoized(draft.memo, "numbered", (own, revisions), lambda: _numbered(own, revisions)) if revisions else own


def _numbered(own: LocalFacts, revisions: RecordRevisions) -> LocalFacts:
    """The facts of a record whose revisions are kept."""
    history = own.history
    if history.revision != revisions.number:
        history = replace(history, revision=revisions.number)
    return replace(own, history=history, revisions=revisions)


class _LocalFactsReader:
    """Works out one draft, gathering its faults."""

    def __init__(self, draft: SourceRecord, shared: SharedSources, origins: Origins) -> None:
        self.draft, self.shared, self.origins = draft, shared, origins
        self.plain = draft.plain
        self.faults: list[Fault] = []
        self.sources: list[Source] = []
        self.aliases: list[tuple[str, str]] = []
        self.titles: list[tuple[str, str]] = []
        self.written: dict[str, str] = {}
        self.quotes: dict[tuple[Location, str], list[str]] = {}
        """Published ids of the sources of each quote, by its place and words, which are those of a claim or excerpt."""
        self.names: dict[str, str] = {}
        """Every name of a source, its published id."""

    def read(self, rules: MentionRules) -> LocalFacts:
        front = self.draft.front
        for place, item in enumerate(front.sources):
            self.source(place, item)
        refs: list[Marked] = []
        renamed: dict[Location, object] = {}
        texts: dict[str, list[str]] = {}
        for mark in marked(front):
            if isinstance(mark.mark, AddressMark):
                renamed |= self.address(mark)
            elif not isinstance(mark.mark, SourceMark):
                refs.append(mark)
            elif id_ := self.source_ref(mark):
                texts.setdefault(id_, []).append(_text_at(front, mark.location[:-2]))
                self.quote(front, mark.location[:-2], id_)
                if id_ != mark.value:
                    renamed[mark.location] = id_
        self.excerpt(front)
        dated = record_history(front)
        subject = Subject(self.draft, dated, self.shared)
        cited = {source.normalized_url for source in self.sources} | {alias for alias, _ in self.aliases}
        return LocalFacts(
            id=self.draft.id,
            shared=self.shared,
            sources=tuple(self.sources),
            aliases=tuple(self.aliases),
            refs=tuple(refs),
            renamed=renamed,
            written=self.written,
            cited=tuple(self.cited(source, texts.get(source.id, ())) for source in self.sources),
            mentions=mentions_of(self.draft.inspected.external, rules, self.origins, cited),
            titles=tuple(self.titles),
            history=dated,
            quotes=tuple(ClaimQuote(at, text, tuple(ids)) for (at, text), ids in self.quotes.items()),
            faults=(*self.faults, *own_faults(subject)),
        )

    def cited(self, source: Source, texts: Sequence[str]) -> SourceEntry:
        quotes = (text for (_, text), ids in self.quotes.items() if source.id in ids)
        citation = Citation(
            self.draft.id,
            source.id,
            source.url,
            source.role,
            source.accessed_at,
            tuple(dict.fromkeys(texts)),
            tuple(dict.fromkeys(quotes)),
        )
        return SourceEntry(
            source.normalized_url,
            source.url,
            source.title,
            source.publisher,
            source.origin,
            source.published_at,
            source.role,
            (),
            (citation,),
            source.archive_url,
        )

    def source(self, place: int, item: SourceInput | str) -> None:
        """One item of ``sources``: an address, the key of a shared source, or a source in full."""
        at: Location = ("sources", place)
        key = ""
        if isinstance(item, str) and "://" not in item:
            key = item
            if key not in self.shared.sources:
                self.keep_names(key)
                if self.shared.complete:
                    self.fault(DANGLING, at, f"{key[:80]!r} is not a shared source", self.shared.near(key))
                return
            item = self.shared.sources[key]
        given = item if isinstance(item, SourceInput) else SourceInput.model_construct(url=item)
        try:
            url = normal(given.url)
        except UrlError:
            self.keep_names(given.id, key, self.next_id(place))
            self.fault(
                BAD_URL, at if isinstance(item, str) else (*at, "url"), url_fault(given.url), url_hint(given.url)
            )
            return
        id_ = given.id or key or self.next_id(place)
        if url in self.names:
            self.repeated(url, id_, at)
        elif id_ in self.names:
            self.fault(DUPLICATE_ID, at, f"the id {id_!r} is taken by a source above", "give it a unique id")
        else:
            self.names |= {id_: id_, url: id_}
            if key:
                self.names[key] = id_
            self.sources.append(self.resolved(given, id_, url, self.archived(given, at)))
            self.aliases += self.other_addresses(given, url, at)
            self.note(given.url, url)
            if given.title:
                self.titles.append((url, given.title))

    def keep_names(self, *names: str | None) -> None:
        """Let the names of a source at fault be known: what refers to it is not at fault too.

        A plain note is published without the source, and so not with a claim that refers to it.
        """
        self.names |= dict.fromkeys(() if self.plain else filter(None, names), FAULTY)

    def archived(self, given: SourceInput, at: Location) -> str | None:
        """The address of a public copy, which has to be one."""
        if given.archive_url and (reason := url_fault(given.archive_url)):
            self.fault(BAD_URL, (*at, "archive_url"), reason, url_hint(given.archive_url))
            return None
        return given.archive_url

    def repeated(self, url: str, id_: str, at: Location) -> None:
        """A source that is listed already: a fault; in a plain note the first of the two is used."""
        first = self.names[url]
        self.fault(DUPLICATE_ID, at, f"the address is that of source {first!r} above", "keep one of them")
        if self.plain:
            self.names.setdefault(id_, first)

    def note(self, written: str, url: str) -> None:
        """Keep an address as it was written; the list of sources takes precedence."""
        if written != url:
            self.written.setdefault(url, opened(written))

    def address(self, mark: Marked) -> dict[Location, object]:
        """An address that is published in its normal form, or the fault that there is none."""
        try:
            url = normal(mark.value)
        except UrlError:
            self.fault(BAD_URL, mark.location, url_fault(mark.value), url_hint(mark.value))
            return {}
        self.note(mark.value, url)
        return {mark.location: url} if url != mark.value else {}

    def resolved(self, given: SourceInput, id_: str, url: str, archive_url: str | None) -> Source:
        return Source(
            id=id_,
            url=opened(given.url),
            normalized_url=url,
            title=given.title or host_of(url),  # another record may name it; see ``SourceTitles``
            publisher=given.publisher,
            origin=self.origins.of(url).id,
            published_at=given.published_at,
            accessed_at=given.accessed_at,
            role=given.role,
            archive_url=archive_url,
        )

    def other_addresses(self, given: SourceInput, url: str, at: Location) -> Iterator[tuple[str, str]]:
        for place, other in enumerate(given.aliases):
            try:
                if (alias := normal(other)) != url:
                    yield alias, url
            except UrlError:
                self.fault(BAD_URL, (*at, "aliases", place), url_fault(other), url_hint(other))

    def next_id(self, place: int) -> str:
        taken = {
            *self.names,
            *(item.id for item in self.draft.front.sources if isinstance(item, SourceInput) and item.id),
        }
        number = place + 1
        while f"s{number}" in taken:
            number += 1
        return f"s{number}"

    def source_ref(self, mark: Marked) -> str:
        """The published id of the source that a reference names; nothing where it, or the source, is at fault."""
        value = mark.value
        if value in self.names:
            return self.names[value]
        address = self.shared.sources[value].url if value in self.shared.sources else value
        try:
            if "://" in address and (id_ := self.names.get(normal(address))):
                return id_
        except UrlError:
            self.fault(BAD_URL, mark.location, url_fault(address), url_hint(address))
            return ""
        hint = "add it to `sources:`" if "://" in value else sources_hint([source.id for source in self.sources])
        self.fault(DANGLING, mark.location, f"{mark.value[:80]!r} is not a source of this record", hint)
        return ""

    def quote(self, front: Front, location: Location, id_: str) -> None:
        """Note that what refers to a source quotes it."""
        if isinstance(claim := _value_at(front, location), Claim) and claim.quote:
            self.quotes.setdefault(((*location, "quote"), claim.quote), []).append(id_)

    def excerpt(self, front: Front) -> None:
        """Note the excerpt of a kind that has one, where its source is among those of the record."""
        if self.draft.kind.excerpt is None:
            return
        member, address = self.draft.kind.excerpt
        words, url = getattr(front, member), str(_value_at(front, address))
        with suppress(UrlError):  # told where addresses are read
            if words and (id_ := self.names.get(normal(url))):
                self.quotes[(member,), words] = [id_]

    def fault(self, code: FaultCode, at: Location, message: str, hint: str = "") -> None:
        """Tell a fault; in a plain note what is wrong with a source sets that source aside, or its one address."""
        fault = Fault.at(code, self.draft.locate(at), f"{dotted(at)}: {message}", hint)
        self.faults.append(set_aside(fault, "it") if self.plain and at[0] == "sources" else fault)


def _text_at(front: Front, location: Location) -> str:
    """The sentence that a reference to a source belongs to."""
    value = _value_at(front, location)
    return str(getattr(value, "text", None) or getattr(value, "summary", None) or front.summary)


def _value_at(front: Front, location: Location) -> Any:  # noqa: ANN401  (any part of the front matter)
    value: Any = front
    for step in location:
        value = value[step] if isinstance(step, int) else getattr(value, step)
    return value
