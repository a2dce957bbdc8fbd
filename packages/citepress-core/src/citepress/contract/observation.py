"""What a check of a cited source found: its state on a day, and whether the words that claims quote are still there."""

from typing import Annotated, Literal

from pydantic import Field

from citepress.contract.model import Model, Moment, OneLine

SourceStatus = Literal["unchanged", "changed", "gone", "blocked", "unreachable", "never_checked"]
"""``changed``: its text differs from that of the capture it is compared with. ``gone``: it answers 404 or 410.
``blocked``: it refuses machines, by ``robots.txt`` or by 401, 402, 403, 429 or 451. ``unreachable``: no usable
answer."""
QuoteState = Literal["verified", "drifted", "not_found", "unverifiable"]
"""``verified``: the newest capture holds these words. ``drifted``: it holds words that are nearly these. ``not_found``:
it holds neither. ``unverifiable``: there is no capture with a text. None of them says that the claim is true."""
Share = Annotated[float, Field(ge=0, le=1)]
DigestText = Annotated[str, Field(pattern=r"^sha-256:[0-9a-f]{64}$")]


class QuoteObservation(Model):
    """Whether the newest capture of a source holds a quote."""

    state: QuoteState
    """What was found."""
    likeness: Annotated[int, Field(ge=0, le=100)] | None = None
    """How like the nearest passage is, where the words themselves were not found: 100 would be the same."""


class Observation(Model):
    """A source as it was found when it was last checked."""

    url: Annotated[str, Field(min_length=8, max_length=2048)]
    """Normalised address."""
    status: Literal["unchanged", "changed", "gone", "blocked", "unreachable"]
    """What was found; see ``status`` of the source ledger."""
    checked_at: Moment
    """When it was last asked."""
    captured_at: Moment | None = None
    """When the newest capture was made; null where there is none."""
    digest: DigestText | None = None
    """SHA-256 of the bytes of the newest capture."""
    text_digest: DigestText | None = None
    """SHA-256 of its readable text; null where it has none."""
    changed_share: Share | None = None
    """Share of its text that differs from the capture it is compared with; null where there are no texts to compare."""
    reason: OneLine | None = None
    """Why it was blocked or unreachable."""
    moved_to: Annotated[str, Field(max_length=2048)] | None = None
    """The address that answered, where a redirect led elsewhere."""
    title: OneLine | None = None
    """The title that the newest capture gives itself."""
    dated: OneLine | None = None
    """The date that it gives itself, as YYYY-MM-DD."""
    language: OneLine | None = None
    """The language that it says it is in, as a BCP 47 tag."""
    quotes: dict[Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")], QuoteObservation] = Field(
        default_factory=dict, max_length=10_000
    )
    """The quotes that were searched in it, by a digest of their words."""


class QuoteCheck(Model):
    """What the newest copy of its source holds of a quote; it never says that the claim is true."""

    state: QuoteState = "unverifiable"
    """verified: the copy holds these words. drifted: it holds words that are nearly these. not_found: neither.
    unverifiable: there is no copy with a text to search."""
    reason: Literal["never_checked", "gone", "blocked", "unreachable", "no_text", "no_source"] | None = "never_checked"
    """Why it is unverifiable; null where it was searched."""
    source: str | None = None
    """Id of the source that the answer comes from."""
    likeness: Annotated[int, Field(ge=0, le=100)] | None = None
    """Of a quote that is not there word for word: how like the nearest passage is; drifted from 85 on."""
    checked_at: Moment | None = None
    """When the copy was made that was searched."""


class SourceHealth(Model):
    """The state of a source as records and the source ledger show it."""

    status: SourceStatus = "never_checked"
    """unchanged, changed, gone, blocked, unreachable or never_checked: what the last check found."""
    checked_at: Moment | None = None
    """When it was last checked; null where it never was."""
    captured_at: Moment | None = None
    """When the newest private copy was made; null where there is none."""
    digest: str | None = None
    """SHA-256 of the bytes of that copy, as ``sha-256:…``."""
    text_digest: str | None = None
    """SHA-256 of its readable text."""
    changed_share: float | None = None
    """Share of its text, from 0 to 1, that differs from the copy that the publisher compares with."""
    reason: str | None = None
    """Why it was blocked or unreachable."""
    moved_to: str | None = None
    """The address that answered, where a redirect led elsewhere."""


NEVER_CHECKED = SourceHealth()


def health_of(observation: Observation | None) -> SourceHealth:
    """The state of a source by its last observation."""
    if observation is None:
        return NEVER_CHECKED
    shown = {name: getattr(observation, name) for name in SourceHealth.model_fields}
    return SourceHealth.model_construct(**shown)
