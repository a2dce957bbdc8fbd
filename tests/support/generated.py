"""Archives of any size for tests: topics, patterns, signals and notes that cite shared sources and each other."""

from support.folder import pattern, post, signal, topic

TOPICS = 5
HOSTS = 7


def files(records: int) -> dict[str, str]:
    """The files of an archive of so many records, always the same ones."""
    contents: dict[str, str] = {}
    for number in range(records):
        name, text = _record(number)
        contents[f"content/{name}.md"] = text
    return contents


def _source(number: int) -> dict[str, str]:
    """A source that other records cite too: some write its address otherwise, some give it another title or none."""
    url = f"https://host-{number % HOSTS}.example/page/{number % 40}{('', '/', '/#part')[number % 3]}"
    return {"url": url, "id": "one", **({"title": f"Title in {number}"} if number % 2 else {})}


def _record(number: int) -> tuple[str, str]:
    day = f"2026-{1 + number % 9:02}-{1 + number % 27:02}"
    topics = [f"topic-{number % TOPICS}"] if number >= TOPICS else []
    shared = {
        "title": f"Record {number}: “quoted” & <angled>",
        "date": day,
        "topics": topics,
        "sources": [_source(number)],
        "related": [f"topics/topic-{number % TOPICS}"] if number >= TOPICS else [],
    }
    if number < TOPICS:
        return f"topics/topic-{number}", topic(**{**shared, "feed": number == 0})
    if number % 11 == 0:
        return f"patterns/pattern-{number}", pattern(**shared)
    body = f"## Über\n\nSee [a topic](/topics/topic-{number % TOPICS}/) and [above](#über).\n\n## Über\n\n<b>raw</b>"
    body += f"\n\nSee [it](https://links.example/{number % 9}) and https://host-1.example/page/{number % 40}."
    if number % 3 == 0:
        return f"posts/post-{number}", post(
            body,
            **shared,
            updates=[
                {"date": "2026-10-01", "note": f"Change {number}."},
                {"date": "2026-10-02", "note": "Its source was read again.", "minor": True},
            ],
        )
    return f"signals/signal-{number}", signal(**shared)
