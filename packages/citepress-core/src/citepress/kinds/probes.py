"""Recall probes: versioned questions with canonical citations, and the rules by which answers are scored."""

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field, computed_field

from citepress.base.canonical import canonical_bytes, named_digest
from citepress.contract.kind import Registry
from citepress.contract.model import Model, Moment, OneLine, Text
from citepress.contract.record import Word
from citepress.contract.refs import Location

Share = Annotated[float, Field(ge=0, le=1)]


class CanonicalCitation(Model):
    """A page that an answer should cite."""

    canonical_path: Annotated[str, Field(min_length=1, max_length=512)]
    """Canonical path without slashes at its ends, as in ``posts/x``."""
    role: Literal["primary", "acceptable"]
    """Whether it is the page to cite, or one that will do."""


class Probe(Model):
    """One question."""

    id: Word
    """Stable identifier in the set."""
    question: Text
    """The question as it is put."""
    language: Annotated[str, Field(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$")] = "en"
    """BCP 47 language tag."""
    canonical_citations: list[CanonicalCitation] = Field(min_length=1, max_length=20)
    """The pages that an answer should cite."""
    reference_answer: Text
    """The content of a good answer."""
    holdout: bool = False
    """Whether the probe is kept for the last run."""


class ScoringRule(Model):
    """What an answer earns."""

    id: Word
    """Name of the case."""
    points: Annotated[float, Field(ge=-10, le=10)]
    """Points of the case."""


class Scoring(Model):
    """How answers are scored."""

    normalization: list[Word] = Field(default_factory=list, max_length=20)
    """What is evened out before addresses are compared."""
    rules: list[ScoringRule] = Field(min_length=1, max_length=50)
    """The cases, best first."""
    aggregate: Word = "mean"
    """How points become one score."""
    interval: Word = "wilson_95"
    """How the uncertainty is expressed."""


class CitationRate(Model):
    """How often the canonical page was cited."""

    value: Share
    """The share."""
    ci95: list[Share] = Field(min_length=2, max_length=2)
    """Its 95 % interval."""


class ProbeRun(Model):
    """One run of the set against an engine, done by the operator."""

    id: Word
    """Stable identifier in the set."""
    engine: OneLine
    """The product that was asked."""
    model: OneLine
    """Its model."""
    mode: Literal["web_search", "mcp", "closed_book"]
    """How it could look things up."""
    run_at: Moment
    """When it was asked."""
    trials_per_probe: Annotated[int, Field(ge=1, le=10_000)]
    """How often each question was put."""
    citation_rate: CitationRate
    """How often the canonical page was cited."""
    citation_precision: Share
    """Share of its citations that were right."""
    score: float
    """The aggregate score."""
    operator: OneLine
    """Who ran it."""
    transcript_digest: Annotated[str, Field(max_length=200)] = ""
    """Digest of the transcript."""


class RecallProbeSet(Model):
    """A frozen version of a set of questions, with its runs."""

    id: Word
    """Stable identifier."""
    version: Word
    """Version of the set."""
    frozen_at: Moment
    """When this version was frozen."""
    probes: list[Probe] = Field(min_length=1, max_length=1000)
    """The questions."""
    scoring: Scoring
    """How answers are scored."""
    runs: list[ProbeRun] = Field(default_factory=list, max_length=1000)
    """What was run; often nothing, for the service itself asks no model."""
    written_digest: Annotated[str | None, Field(validation_alias="digest", max_length=80, exclude=True)] = None
    """The digest as its author noted it; checked, and never published itself."""

    @computed_field(alias="digest")  # type: ignore[prop-decorator]  # mypy: a decorated property is what pydantic asks for
    @property
    def frozen_digest(self) -> str:
        """SHA-256 of the RFC 8785 form without the runs and this member."""
        frozen = self.model_dump(mode="json", by_alias=True, exclude={"runs", "frozen_digest"})
        return named_digest(canonical_bytes(frozen))


def _check(entry: RecallProbeSet) -> Iterable[tuple[Location, str]]:
    if entry.written_digest is not None and entry.written_digest != entry.frozen_digest:
        yield (
            ("digest",),
            (
                f"the frozen part changed after version {entry.version} (it is {entry.frozen_digest} now); make a new"
                " version"
            ),
        )
    ids: set[str] = set()
    for place, probe in enumerate(entry.probes):
        if probe.id in ids:
            yield ("probes", place, "id"), f"{probe.id!r} is given twice in the set"
        ids.add(probe.id)


def _questions(entry: RecallProbeSet) -> Iterable[tuple[str, Iterable[str]]]:
    for probe in entry.probes:
        yield probe.question, [citation.canonical_path for citation in probe.canonical_citations]


REGISTRY = Registry(
    name="probes",
    plural="Recall probes",
    about="Versioned questions with canonical citations, scoring rules and the operator's runs.",
    models={"": RecallProbeSet},
    check=_check,
    questions=_questions,
)
