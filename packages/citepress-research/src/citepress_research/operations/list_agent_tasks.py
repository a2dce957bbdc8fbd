"""list_agent_tasks: open pieces of editorial work that an agent can do."""

from typing import Annotated, Any

from pydantic import Field

from citepress.contract.model import Model
from citepress.contract.operation import Answer, Operation, Paged, Tool
from citepress.hooks import gathered
from citepress.operations.context import OperationContext
from citepress.operations.models import Choice, TopicSlug
from citepress.operations.records import RecordJson, items, unknown_topic
from citepress_research.kinds.agent_tasks import KIND as AGENT_TASKS

ALL = "all"
TaskName = Annotated[str, Choice("verify_claim", "find_counter_evidence", "refresh_source", ALL)]


class TasksAsk(Paged):
    """Which tasks."""

    task: TaskName = ALL
    """What sort of work."""
    topic: TopicSlug | None = None
    """Slug of a topic hub."""
    limit: Annotated[int, Field(ge=1, le=50)] = 10
    """Tasks of one answer."""


class TaskItem(Model):
    """A piece of work."""

    id: str
    """Stable identifier: ``<collection>/<slug>``, or ``task-…`` where it follows from a check of the evidence."""
    url: str
    """The address to cite."""
    title: str
    """Its headline."""
    task: str
    """verify_claim, find_counter_evidence or refresh_source."""
    related_record: str | None = None
    """The record that the work is about."""
    input: str
    """What it starts from."""
    expected_output: str
    """The expected result."""
    how_to_submit: str
    """The tool that takes the answer."""
    reward: str
    """What an accepted answer earns."""
    status: str
    """Whether answers are still wanted."""


MEMBERS = tuple(TaskItem.model_fields)


class TasksAnswer(Answer):
    """Open tasks."""

    total: int
    """Tasks that fit."""
    tasks: list[TaskItem]
    """Those that an editor wrote, newest first, then those that follow from checks of sources and quotes."""


def run(ask: TasksAsk, context: OperationContext) -> TasksAnswer:
    """List open tasks (specification, "MCP endpoint")."""
    candidates = [item for item in items(context, AGENT_TASKS.name) if item["status"] == "open"]
    candidates += [{**item, "further": True} for item in gathered("agent_tasks", dict, context)]
    fit = [
        item
        for item in candidates
        if ask.task in (ALL, item["task"]) and (not ask.topic or ask.topic in item["topics"])
    ]
    shown = fit[ask.start : ask.start + ask.limit]
    return TasksAnswer(
        as_of=context.as_of,
        total=len(fit),
        tasks=[_item(context, item) for item in shown],
        more=len(fit) > ask.start + len(shown),
        notes=unknown_topic(context, ask.topic or ""),
    )


def _item(context: OperationContext, item: RecordJson) -> Any:  # noqa: ANN401  (checked as a part of the answer)
    """The members of a ``TaskItem``."""
    if item.get("further"):
        return dict(zip(MEMBERS, map(item.get, MEMBERS), strict=True))
    task_json: RecordJson = context.read(f"/{item['id']}.json") or item
    return {**dict(zip(MEMBERS, map(task_json.get, MEMBERS), strict=True)), "url": f"{context.base_url}/{item['id']}/"}


OPERATION = Operation(
    name="list_agent_tasks",
    title="Tasks an agent can do",
    description=(
        "List open contributions an agent can make: verify a claim, find counter-evidence, refresh a source. Each names"
        " its input, the expected output and the submit tool to use. Submissions are reviewed weekly by a person and"
        " credited; nothing is published directly."
    ),
    ask=TasksAsk,
    answer=TasksAnswer,
    run=run,
    tool=Tool(tokens=2000, cut="tasks"),
    before="get_topic_brief",
)
