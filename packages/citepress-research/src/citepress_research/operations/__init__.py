"""What agents may ask of a research log."""

from citepress_research.operations import get_forecasts, get_latest_metadox, list_agent_tasks

ALL = (get_forecasts.OPERATION, list_agent_tasks.OPERATION, get_latest_metadox.OPERATION)
