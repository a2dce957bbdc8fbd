"""Operations that agents call as tools alone: what they read has addresses of its own for everybody else."""

from citepress_mcp.operations import get_record, get_topic_brief, what_changed, whats_new

ALL = (get_record.OPERATION, whats_new.OPERATION, what_changed.OPERATION, get_topic_brief.OPERATION)
