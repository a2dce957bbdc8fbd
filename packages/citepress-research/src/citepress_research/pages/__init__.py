"""The reports on registries and forecasts, and the parts of the front page."""

from citepress_research.pages import calibration, presence, registries

ALL = (*presence.ALL, *registries.ALL, *calibration.ALL)
