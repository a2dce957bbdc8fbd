"""The tasks that follow from the state of the evidence, which ``list_agent_tasks`` lists too."""

from collections.abc import Iterator

from citepress.operations.context import OperationContext
from citepress.operations.records import RecordJson, record
from citepress_sources.evidence_health import EVIDENCE_HEALTH_PATH

HEALTH = f"{EVIDENCE_HEALTH_PATH.rstrip('/')}.json"


def open_tasks(context: OperationContext) -> Iterator[RecordJson]:
    """Every one, in the order of ``/evidence-health.json``."""
    health = context.read(HEALTH) or {"tasks": []}
    for task in health["tasks"]:
        about = record(context, task["related_record"]) or {"topics": []}
        url = f"{context.base_url}{EVIDENCE_HEALTH_PATH}#{task['id']}"
        yield {**task, "url": url, "topics": about["topics"], "reward": "credit", "status": "open"}


AGENT_TASKS = (open_tasks,)
