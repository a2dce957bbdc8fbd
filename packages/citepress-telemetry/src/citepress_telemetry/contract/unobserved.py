"""Reports before anything was observed: every count null, every list empty, and the reason.

The form follows from the types: a member that may be null is null. Reports of observed time fill the same models.
"""

from collections.abc import Mapping
from datetime import datetime
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from citepress.contract.content_head import Caveat, Missing, ReportPart
from citepress.contract.version import SCHEMA_VERSION
from citepress_telemetry.contract.consumption import CONSUMPTION_SCHEMA_PATH as CONSUMPTION_SCHEMA
from citepress_telemetry.contract.consumption import REVISION, ConsumptionClass, GatewayUse, MachineConsumptionReport
from citepress_telemetry.contract.head import METHOD_PATH, ObservedWindow, Privacy, ReportHead, TrafficWindow
from citepress_telemetry.contract.journeys import JOURNEYS_SCHEMA_PATH as JOURNEYS_SCHEMA
from citepress_telemetry.contract.journeys import (
    CrawlerJourneysReport,
    JourneyWindow,
    JourneyWindows,
    SessionDefinition,
)
from citepress_telemetry.contract.readership import READERSHIP_SCHEMA_PATH as READERSHIP_SCHEMA
from citepress_telemetry.contract.readership import (
    PageForms,
    PageReadershipReport,
    ReadingObserved,
    ReadingWindow,
    ReadingWindows,
)
from citepress_telemetry.contract.traffic import (
    HISTORY_SCHEMA,
    SNAPSHOT_SCHEMA,
    BotTrafficHistory,
    BotTrafficSnapshot,
    SnapshotClass,
)
from citepress_telemetry.contract.words import CAVEATS, CLASS_DESCRIPTIONS

REASON = (
    "Nothing has been observed yet: counts appear after the first full hour of a running service; those of access logs"
    " that were imported, within a minute of the import or of a start."
)
NETWORK_KEY = "keyed BLAKE2b of /24 or /48, salt of one day"
MIN_COUNT = 5
SESSION = SessionDefinition(
    key="family+network",
    inactivity_timeout="PT30M",
    cut_at="00:00Z",
    max_duration="P1D",
    assets="excluded",
    second_key="family",
)
"""What counts as one session; the same before and after observation begins."""
Part = TypeVar("Part", bound=ReportPart)


def unobserved(model: type[Part], **observed: object) -> Part:
    """A model of which only the ``observed`` members can be filled."""
    unknown = {
        name: _unobserved(field.annotation) for name, field in model.model_fields.items() if name not in observed
    }
    return model(**unknown, **observed)


def _unobserved(annotation: Any) -> object:  # noqa: ANN401  (any annotation of a member)
    origin = get_origin(annotation)
    if origin in (Union, UnionType) and NoneType in get_args(annotation):
        return None
    if origin is list:
        return []
    if origin is dict:
        return {}
    if origin is Literal:
        return get_args(annotation)[0]
    if isinstance(annotation, type) and issubclass(annotation, ReportPart):
        return unobserved(annotation)
    raise TypeError(f"{annotation} has no value before observation: name it")


def snapshot_classes() -> list[SnapshotClass]:
    """The five classes of 24 hours in which nothing was observed."""
    return [unobserved(SnapshotClass, traffic_class=name) for name in CLASS_DESCRIPTIONS]


def consumption_classes() -> list[ConsumptionClass]:
    """The five classes of 30 days in which nothing was observed."""
    return [unobserved(ConsumptionClass, traffic_class=name) for name in CLASS_DESCRIPTIONS]


def consumption(base_url: str) -> MachineConsumptionReport:
    """The machine-consumption report of a service that has observed nothing; ``base_url`` has no slash at its end."""
    return unobserved(
        MachineConsumptionReport,
        **_head(base_url, CONSUMPTION_SCHEMA),
        schema_revision=REVISION,
        window=_window("P30D"),
        classes=consumption_classes(),
        gateway=unobserved(GatewayUse),
    )


def journeys(base_url: str) -> CrawlerJourneysReport:
    """The crawler-journeys report of a service that has observed nothing."""
    windows = JourneyWindows(
        day=JourneyWindow(window=_window("PT24H"), families=[]),
        week=JourneyWindow(window=_window("P7D"), families=[]),
        month=JourneyWindow(window=_window("P30D"), families=[]),
    )
    return unobserved(
        CrawlerJourneysReport, **_head(base_url, JOURNEYS_SCHEMA), session_definition=SESSION, windows=windows
    )


def readership(
    base_url: str,
    canonical_path: str,
    kind: str,
    published_at: datetime | None,
    canonical_url: str,
    forms: Mapping[str, str],
) -> PageReadershipReport:
    """The readership of a page of which no fetch was observed.

    ``forms`` are its addresses by ``html``, ``markdown``, ``json``.
    """
    windows = ReadingWindows(
        day=unobserved(ReadingWindow, window=_window("PT24H")),
        observed=unobserved(ReadingObserved, window=unobserved(ObservedWindow, complete=False)),
    )
    return unobserved(
        PageReadershipReport,
        **_head(base_url, READERSHIP_SCHEMA),
        canonical_path=canonical_path,
        canonical_url=canonical_url,
        kind=kind,
        representations=PageForms(html=forms.get("html"), markdown=forms.get("markdown"), json_form=forms.get("json")),
        published_at=published_at,
        windows=windows,
    )


def snapshot(base_url: str) -> BotTrafficSnapshot:
    """The 24 hours of a service that has observed nothing."""
    return unobserved(
        BotTrafficSnapshot, **_head(base_url, SNAPSHOT_SCHEMA), window=_window("PT24H"), classes=snapshot_classes()
    )


def history(base_url: str) -> BotTrafficHistory:
    """The history of a service that has observed nothing."""
    return unobserved(BotTrafficHistory, **_head(base_url, HISTORY_SCHEMA))


def _head(base_url: str, schema_path: str) -> dict[str, Any]:
    """The members of ``ReportHead``."""
    head = unobserved(
        ReportHead,
        schema_version=SCHEMA_VERSION,
        schema_url=base_url + schema_path,
        status="not_observed",
        privacy=unobserved(Privacy, network_key=NETWORK_KEY, min_count=MIN_COUNT),
        missing=[Missing(pointer="", reason=REASON)],
        caveats=[Caveat(code=code, text=text) for code, text in CAVEATS.items()],
        methodology_url=base_url + METHOD_PATH,
    )
    return dict(head)


def _window(duration: str) -> TrafficWindow:
    return unobserved(TrafficWindow, duration=duration, complete=False)
