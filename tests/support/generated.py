"""Archives of any size for tests: topics, patterns, signals and notes that cite shared sources and each other."""

from support.folder import pattern, post, signal, topic

TOPICS = 5
HOSTS = 7


def files(records: int) -> dict[str, str]:
    """The files of an archive of so many records, always the same ones."""
    found: dict[str, str] = {}
    for number in range(records):
        name, text = _record(number)
        found[f"content/{name}.md"] = text
    return found


def _record(number: int) -> tuple[str, str]:
    day = f"2026-{1 + number % 9:02}-{1 + number % 27:02}"
    topics = [f"topic-{number % TOPICS}"] if number >= TOPICS else []
    shared = {
        "title": f"Record {number}: “quoted” & <angled>", "date": day, "topics": topics,
        "sources": [{"url": f"https://host-{number % HOSTS}.example/page/{number % 40}", "id": "one"}],
        "related": [f"topics/topic-{number % TOPICS}"] if number >= TOPICS else [],
    }  # fmt: skip
    if number < TOPICS:
        return f"topics/topic-{number}", topic(**{**shared, "feed": number == 0})
    if number % 11 == 0:
        return f"patterns/pattern-{number}", pattern(**shared)
    body = f"## Über\n\nSee [a topic](/topics/topic-{number % TOPICS}/) and [above](#über).\n\n## Über\n\n<b>raw</b>"
    if number % 3 == 0:
        return f"posts/post-{number}", post(body, **shared, updates=[{"date": "2026-10-01", "note": f"Change {number}."}])
    return f"signals/signal-{number}", signal(**shared)
