"""Agent tasks: small pieces of editorial work that an agent can do and hand in through the inbox."""

from typing import Literal

from citepress.archive.model import Archive
from citepress.contract.kind import Kind
from citepress.contract.model import Text
from citepress.contract.page import Block, Facts, Link
from citepress.contract.record import Fields, Record
from citepress.contract.refs import RelatedRef
from citepress.kinds.parts import fact, facts, record_links, sentences
from citepress_research.kinds.parts import coded


class AgentTaskFields(Fields):
    """What an agent task adds."""

    task: Literal["verify_claim", "find_counter_evidence", "refresh_source"]
    """What type of work it is."""
    input: Text
    """What it starts from."""
    expected_output: Text
    """The expected result."""
    reward: Literal["credit"] = "credit"
    """What an accepted answer earns: a credit in the record's weekly update."""
    how_to_submit: Literal["submit_source", "submit_correction"]
    """The tool or inbox action that takes the answer."""
    status: Literal["open", "closed"]
    """Whether answers are still wanted."""
    related_record: RelatedRef
    """The record that the work is about."""


class AgentTaskRecord(AgentTaskFields, Record):
    """A piece of work that an agent can do."""


def _blocks(record: AgentTaskRecord, archive: Archive) -> tuple[Block, ...]:
    inbox = f"POST /agent-inbox/{record.how_to_submit.removeprefix('submit_')}"
    hand_in = fact("Hand in with", Link(inbox, "/developers/"), f"the MCP tool {record.how_to_submit}")
    standing = facts(
        fact("Task", coded(record.task)),
        fact("Status", record.status),
        fact("About", *record_links(archive, [record.related_record])),
        *([] if archive.exported else [hand_in]),
        fact("Reward", f"{record.reward} in the record's weekly update"),
    )
    return (
        Facts("task", "The task", standing),
        *sentences("input", "Input", [record.input]),
        *sentences("expected-output", "Expected output", [record.expected_output]),
    )


KIND = Kind(
    name="agent-tasks",
    schema="AgentTaskRecord",
    index="AgentTaskIndex",
    singular="Agent task",
    plural="Agent tasks",
    about="Small pieces of editorial work that an agent can do and hand in for credit.",
    fields=AgentTaskFields,
    record=AgentTaskRecord,
    blocks=_blocks,
    promised_index=False,
    aside=True,
    deciding=("task", "status", "how_to_submit", "related_record"),
)
