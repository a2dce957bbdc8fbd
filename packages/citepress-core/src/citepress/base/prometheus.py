"""Writes metrics in the Prometheus text exposition format, version 0.0.4."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
Labels = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Sample:
    """One value with its labels; ``suffix`` is that of a part of a histogram, such as ``_bucket``."""

    value: float
    labels: Labels
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class MetricFamily:
    """A family of samples under one name."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    help: str
    samples: tuple[Sample, ...]


def gauge(name: str, help_: str, value: float, **labels: str) -> MetricFamily:
    """A gauge with one sample."""
    return MetricFamily(name, "gauge", help_, (Sample(value, labels),))


def counter(name: str, help_: str, value: float, **labels: str) -> MetricFamily:
    """A counter with one sample."""
    return MetricFamily(name, "counter", help_, (Sample(value, labels),))


def by_label(
    name: str, help_: str, label: str, values: Mapping[str, float], kind: Literal["counter", "gauge"] = "gauge"
) -> MetricFamily:
    """A gauge, or a counter, with one sample for each value of a label."""
    return MetricFamily(name, kind, help_, tuple(Sample(value, {label: each}) for each, value in values.items()))


def histogram(
    name: str, help_: str, counts: Mapping[str, tuple[list[int], float]], bounds: Iterable[float]
) -> MetricFamily:
    """A histogram of seconds by ``handler``: the counts of each bucket (the last one is unbounded), and their sum."""
    limits = [*(f"{bound:g}" for bound in bounds), "+Inf"]
    samples: list[Sample] = []
    for handler, (buckets, total) in counts.items():
        below = 0
        for limit, count in zip(limits, buckets, strict=True):
            below += count
            samples.append(Sample(below, {"handler": handler, "le": limit}, "_bucket"))
        samples += [Sample(total, {"handler": handler}, "_sum"), Sample(below, {"handler": handler}, "_count")]
    return MetricFamily(name, "histogram", help_, tuple(samples))


def exposition(metrics: Iterable[MetricFamily]) -> str:
    """The text of all metrics."""
    return "".join(f"{line}\n" for metric in metrics for line in _lines(metric))


def _lines(metric: MetricFamily) -> Iterable[str]:
    yield f"# HELP {metric.name} {_escaped(metric.help)}"
    yield f"# TYPE {metric.name} {metric.kind}"
    for sample in metric.samples:
        named = ",".join(f'{name}="{_escaped(value, quotes=True)}"' for name, value in sample.labels.items())
        yield (
            f"{metric.name}{sample.suffix}{{{named}}} {sample.value:.17g}"
            if named
            else (f"{metric.name}{sample.suffix} {sample.value:.17g}")
        )


def _escaped(text: str, *, quotes: bool = False) -> str:
    plain = text.replace("\\", "\\\\").replace("\n", "\\n")
    return plain.replace('"', '\\"') if quotes else plain
