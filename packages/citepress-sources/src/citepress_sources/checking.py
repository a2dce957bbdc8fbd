"""Checking sources: each is asked, compared with the capture that stands for it, and kept where its text differs."""

import queue
import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from citepress.archive.quotes import merit
from citepress.base.canonical import digest, named_digest
from citepress.base.outgoing import agent
from citepress.base.quotation import quote_digest
from citepress.base.text import bounded
from citepress.contract.observation import Observation, QuoteObservation
from citepress_objects.port import ObjectStore, ObjectStoreError
from citepress_sources import warc
from citepress_sources.fetching import PURPOSE, Fetcher, FetchOutcome, moved_address
from citepress_sources.journal import Journal, KeptText, SourceCheck
from citepress_sources.quotes import UNVERIFIABLE, Passages
from citepress_sources.readable import ReadableText
from citepress_sources.reading_process import PageReader
from citepress_sources.warc import CaptureError, Exchange, KeptCapture
from citepress_sources.words import changed_share

AT_ONCE = 8
"""Hosts that are asked at one time."""
SOURCES_FOLDER = "captures"
"""Where captures are among the objects of a store."""
MAX_CAPTURE_BYTES = 67_108_864
"""Bytes of the file of a capture."""
REASON = 200


@dataclass(frozen=True, slots=True)
class Wish:
    """A source that is to be checked."""

    url: str
    """Normalised address."""
    open: str
    """The address to open."""
    anew: bool = False
    """Whether its answer is to take the place of the capture that later ones are compared with."""


class Captures:
    """The private copies of sources, and what is known of each source."""

    def __init__(self, objects: ObjectStore, journal: Journal) -> None:
        self.objects, self.journal = objects, journal
        self.reader = PageReader()

    def close(self) -> None:
        """End what runs beside."""
        self.reader.close()

    def keep(self, exchange: Exchange, text: ReadableText) -> KeptText:
        """Store a capture. Raises ``ObjectStoreError``."""
        data = warc.write_warc(exchange, text.text, agent(PURPOSE))
        name = f"{SOURCES_FOLDER}/{digest(data)}.warc.gz"
        self.objects.create(name, data)
        return KeptText(
            name=name,
            at=exchange.at,
            digest=named_digest(exchange.body),
            text_digest=_text_digest(text.text),
            title=text.title or None,
            dated=text.dated or None,
            language=text.language or None,
        )

    def read(self, capture: KeptText) -> KeptCapture:
        """A stored capture. Raises ``CaptureError``."""
        try:
            stored = self.objects.get(capture.name, MAX_CAPTURE_BYTES)
        except ObjectStoreError as error:
            raise CaptureError(str(error)) from None
        if stored is None:
            raise CaptureError(f"{capture.name} is not there")
        return warc.read_warc(stored.data)


class SourceChecker:
    """One run over sources."""

    def __init__(self, captures: Captures, fetcher: Fetcher, now: Callable[[], datetime], run: str) -> None:
        self._captures, self._fetcher, self._now, self._run = captures, fetcher, now, run

    def check_all(self, wishes: Collection[Wish]) -> Iterator[SourceCheck]:
        """Check sources, those of one host one after the other; each is in the journal when it comes out."""
        done: queue.SimpleQueue[SourceCheck | BaseException | None] = queue.SimpleQueue()
        stopped = threading.Event()

        def work(host_wishes: list[Wish]) -> None:
            try:
                for wish in host_wishes:
                    if stopped.is_set():
                        return
                    done.put(self.check(wish))
            except BaseException as error:  # noqa: BLE001  (it is raised again where the run was asked for)
                done.put(error)
            finally:
                done.put(None)

        hosts = _by_host(wishes)
        with ThreadPoolExecutor(AT_ONCE, "sources") as pool:
            for host_wishes in hosts:
                pool.submit(work, host_wishes)
            left = len(hosts)
            try:
                while left:
                    outcome = done.get()
                    if isinstance(outcome, BaseException):
                        raise outcome
                    if outcome is None:
                        left -= 1
                        continue
                    self._captures.journal.add(outcome)
                    yield outcome
            finally:
                stopped.set()
                pool.shutdown(cancel_futures=True)

    def check(self, wish: Wish) -> SourceCheck:
        """Ask for one source, and say what is known of it then. Raises ``ObjectStoreError``."""
        former = self._captures.journal.checks.get(wish.url)
        moment = self._now()
        fetched = self._fetcher.fetch(wish.open, moment)
        state = SourceCheck(
            url=wish.url,
            at=moment,
            status="unchanged",
            reference=former.reference if former else None,
            newest=former.newest if former else None,
            changed_share=former.changed_share if former else None,
            run=self._run,
        )
        if fetched.exchange is None:
            return state.model_copy(update={"status": fetched.outcome, "reason": _reason(fetched)})
        state = state.model_copy(update={"moved_to": moved_address(wish.url, fetched.exchange.url)})
        return self._compared(state, fetched.exchange, anew=wish.anew)

    def _compared(self, state: SourceCheck, exchange: Exchange, *, anew: bool) -> SourceCheck:
        """A source whose answer is held against the capture that stands for it."""
        reference = None if anew else state.reference
        if reference and reference.digest == named_digest(exchange.body):
            return state.model_copy(update={"newest": reference, "changed_share": 0.0})
        text = self._captures.reader.readable(exchange.fields, exchange.body, exchange.url)
        try:
            share = self._share(reference, text) if reference else None
        except CaptureError:  # the store has lost it: there is nothing to compare with any more
            reference = None
        if reference is None:
            capture = self._captures.keep(exchange, text)
            share = 0.0 if capture.text_digest else None
            return state.model_copy(update={"reference": capture, "newest": capture, "changed_share": share})
        if share == 0.0:
            return state.model_copy(update={"newest": reference, "changed_share": share})
        newest = state.newest
        if newest is None or newest.text_digest is None or newest.text_digest != _text_digest(text.text):
            newest = self._captures.keep(exchange, text)
        return state.model_copy(update={"status": "changed", "newest": newest, "changed_share": share})

    def _share(self, reference: KeptText, text: ReadableText) -> float | None:
        """How much of the text differs; ``None`` where there are not two texts."""
        if reference.text_digest is None or not text.text:
            return None
        if reference.text_digest == _text_digest(text.text):
            return 0.0
        return changed_share(self._captures.read(reference).text, text.text)


def observations(
    captures: Captures, quotes: Mapping[str, Iterable[str]], former: Mapping[str, Observation] | None = None
) -> Iterator[Observation]:
    """What is known of each of these sources, by address, with the verdict on each quote.

    ``former`` are observations whose verdicts still stand for the same text.
    """
    for url, texts in quotes.items():
        check = captures.journal.checks.get(url)
        if check is None or check.status == "never_checked":
            continue
        newest = check.newest
        yield Observation(
            url=url,
            status=check.status,
            checked_at=check.at,
            captured_at=newest.at if newest else None,
            digest=newest.digest if newest else None,
            text_digest=newest.text_digest if newest else None,
            changed_share=check.changed_share,
            reason=check.reason,
            moved_to=check.moved_to,
            title=newest.title if newest else None,
            dated=newest.dated if newest else None,
            language=newest.language if newest else None,
            quotes=_judged(captures, newest, sorted(set(texts)), (former or {}).get(url)),
        )


def _judged(
    captures: Captures, newest: KeptText | None, texts: Collection[str], former: Observation | None
) -> dict[str, QuoteObservation]:
    """The verdict on each quote, by its digest; those of the same answer stand."""
    standing: Mapping[str, QuoteObservation] = {}
    if former and newest and (former.digest, former.captured_at) == (newest.digest, newest.at):
        standing = {name: verdict for name, verdict in former.quotes.items() if verdict.state != "unverifiable"}
    names = {quote_digest(text): text for text in texts}
    verdicts = {name: standing[name] for name in names if name in standing}
    missing = {name: text for name, text in names.items() if name not in standing}
    return verdicts | (_searched(captures, newest, missing) if missing else {})


def _searched(captures: Captures, newest: KeptText | None, texts: Mapping[str, str]) -> dict[str, QuoteObservation]:
    """What the newest capture holds of each quote."""
    try:
        capture = captures.read(newest) if newest and newest.text_digest else None
    except CaptureError:
        capture = None
    if capture is None:
        return dict.fromkeys(texts, UNVERIFIABLE)
    verdicts = {}
    main = Passages(capture.text)
    whole: Passages | None = None
    for name, text in texts.items():
        verdict = main.search(text)
        if verdict.state != "verified":
            whole = whole or Passages(captures.reader.whole_text(capture.fields, capture.body))
            verdict = max(verdict, whole.search(text), key=merit)
        verdicts[name] = verdict
    return verdicts


def _by_host(wishes: Iterable[Wish]) -> list[list[Wish]]:
    """The wishes of each host, the longest list first, so that it does not end last."""
    hosts: dict[str, list[Wish]] = defaultdict(list)
    for wish in wishes:
        hosts[urlsplit(wish.open).netloc].append(wish)
    return sorted(hosts.values(), key=len, reverse=True)


def _text_digest(text: str) -> str | None:
    return named_digest(text.encode("utf-8", "replace")) if text else None


def _reason(fetched: FetchOutcome) -> str | None:
    return bounded(fetched.reason, REASON) or None
