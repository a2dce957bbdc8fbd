"""The reports on registries and forecasts, and the parts of the front page."""

from citepress_research.pages import calibration, graph, presence, registries

ALL = (*presence.ALL, *registries.ALL, *graph.ALL, *calibration.ALL)
