"""Two topics of one name: asking by name answers one of them and names the other."""

from pathlib import Path

from citepress_mcp.operations import get_topic_brief
from citepress_mcp.operations.get_topic_brief import TopicAnswer, TopicAsk
from support.folder import assembled, folder, topic
from support.operation_context import operation_context


def brief(path: Path, name: str) -> TopicAnswer:
    """The brief on a topic of an archive in which two have one title, and a third has that name as its slug."""
    files = {
        f"content/topics/{slug}.md": topic(title=title)
        for slug, title in (("a", "Agents"), ("b", "agents"), ("agents", "Other"))
    }
    answer: TopicAnswer = get_topic_brief.run(
        TopicAsk(topic=name), operation_context(assembled(folder(path / "content", files)), path / "state")
    )
    return answer


def test_a_name_of_several_topics_names_the_others(tmp_path: Path) -> None:
    answer = brief(tmp_path, "Agents")
    assert (answer.id, answer.notes) == (
        "topics/a",
        ('"Agents" is also the name of agents, b; pass the slug to read it.',),
    )


def test_a_slug_is_the_topic_of_that_slug(tmp_path: Path) -> None:
    assert brief(tmp_path, "agents").id == "topics/agents"
