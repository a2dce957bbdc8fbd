"""A server with actions over an archive of a few records, in this process or in its own."""

import asyncio
import contextlib
import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from citepress.app.registry import render_context
from citepress.archive.model import Archive
from citepress.contract.limits import Limit
from citepress.edition.edition import open_edition, pointer
from citepress.edition.response_headers import SiteFields
from citepress.http.client_address import ClientAddressResolver
from citepress.operations import ContextProvider, OperationContext
from citepress.operations.registry import ALL, offered
from citepress.search.build import build
from citepress.stores.local.counters import LocalCounters
from citepress.web.asgi import Asgi
from citepress.web.endpoints.context import ActionContext
from citepress.web.endpoints.operation import actions
from citepress.web.filtered_datasets import FilteredDatasets
from citepress.web.filtered_lists import FilteredLists
from citepress.web.serve import serve
from citepress.web.site import SiteApp
from citepress_inbox.limits import limit
from citepress_inbox.ports import Inbox
from citepress_inbox.service import services_of
from citepress_inbox.sql_inbox import SqlInbox
from support.edition import site_config
from support.folder import assembled, folder, forecast, markdown, pattern, post, signal, topic
from support.operation_context import edition, operation_context
from support.running_server import HOST, Answer, Server, forked, free_port
from support.stores import NOW, opened

SPEC = {
    "id": "spec",
    "url": "https://spec.example/one",
    "title": "The specification",
    "aliases": ["https://old.example/one"],
}
BODY = (
    "Before the parts.\n\n## First part\n\nIt begins.\n\n### Inside\n\nDeeper.\n\n## Second part\n\nIt ends.\n\n##"
    " Second part\n\nAgain."
)
TASK = {
    "title": "A task",
    "summary": "What to do.",
    "date": "2026-05-01",
    "task": "verify_claim",
    "input": "A claim.",
    "expected_output": "A verdict.",
    "how_to_submit": "submit_source",
    "status": "open",
    "related_record": "posts/caching",
    "topics": ["caches"],
}
DIGEST = {
    "title": "A digest",
    "summary": "What changed.",
    "date": "2026-06-01",
    "period": {"start": "2026-05-01", "end": "2026-05-31"},
    "records": ["posts/caching"],
}
CORRECTED = {"date": "2026-05-20", "note": "The number was wrong.", "credit": "A reader"}
RECORDS = {
    "posts/caching": post(
        BODY,
        title="How caches forget",
        summary="A cache forgets what is old.",
        date="2026-05-10",
        topics=["caches"],
        sources=[SPEC],
        claims=[{"text": "Caches drop the oldest entry first.", "source_refs": ["spec"]}],
        corrections=[CORRECTED],
        related=["patterns/forgetting"],
        aliases=["/old/caching/"],
    ),
    "posts/tokens": post(
        title="Counting tokens",
        summary="A token is a piece of a word.",
        date="2026-05-12",
        lastmod="2026-05-25",
        topics=["caches"],
        sources=[SPEC | {"role": "secondary"}, {"url": "https://spec.example/two", "title": "Part two"}],
    ),
    "posts/withdrawn": post(title="Wrong", date="2026-05-02", gone={"date": "2026-05-15", "reason": "It was wrong."}),
    "patterns/forgetting": pattern(title="Forgetting spreads", date="2026-05-03", sources=["https://other.example/a"]),
    "signals/release": signal(
        title="A release", supports=["forgetting"], sources=["https://spec.example/three"], date="2026-04-01"
    ),
    "topics/caches": topic(
        title="Caches",
        question="What is kept?",
        short_answer="The newest.",
        open_questions=["For how long?"],
        feed=True,
        evidence=[{"text": "A case.", "records": ["posts/caching"]}],
    ),
    "forecasts/rain": forecast(title="Rain", probability=0.8, resolves_at="2026-09-01", topics=["caches"]),
    "forecasts/snow": forecast(title="Snow", probability=0.7, status="resolved_yes", resolved_at="2026-05-30"),
    "forecasts/sun": forecast(title="Sun", probability=0.5, status="resolved_no", resolved_at="2026-05-30"),
    "agent-tasks/verify": markdown(TASK),
    "agent-tasks/done": markdown(TASK | {"title": "Done", "status": "closed"}),
    "metadox/may": markdown(DIGEST, "## What was new\n\nCaches."),
}
SOURCE = {
    "url": "https://source.example/one",
    "related_record": "posts/caching",
    "reason": "It shows the opposite.",
    "agent": {"name": "Reader"},
}
READS = ("/search.json?query=caches", "/agent-actions/contextualize.json?url=https://spec.example/one")
SUBMITS = {
    "/agent-inbox/source": SOURCE,
    "/agent-inbox/correction": {
        "related_record": "posts/caching",
        "correction": "It keeps the newest.",
        "evidence_urls": ["https://proof.example/"],
    },
    "/agent-inbox/usage-receipt": {"record_url": "https://archive.test/posts/caching/", "use": "An answer."},
}


def small(path: Path, records: dict[str, str] | None = None) -> Archive:
    """An archive of these records, a few of different kinds without any."""
    return assembled(folder(path, {f"content/{id_}.md": text for id_, text in (records or RECORDS).items()}))


class Service:
    """A door and its actions without a server; each request comes from a client of its own unless told otherwise."""

    def __init__(self, context: OperationContext, *, rest: int = 120) -> None:
        self.context = context
        site = SiteFields.of(context.config)
        self.site_app = SiteApp(
            context.edition,
            LocalCounters(),
            site,
            limit=Limit("rest", rest, 60),
            observer=ClientAddressResolver([HOST]),
            queried=(FilteredLists(render_context), FilteredDatasets(render_context)),
        )
        clerk = ActionContext(self.site_app, lambda: self.context)
        self.site_app.actions = actions(offered(ALL, submissions=context.submissions is not None), clerk)
        self._asgi = Asgi(self.site_app)
        self._clients = 0

    def ask(self, target: str, method: str = "GET", body: bytes | list[bytes] = b"", **fields: str) -> Answer:
        """One request; in names of ``fields`` an underscore is a hyphen, a body may come in parts."""
        self._clients += 1
        headers = {"x-forwarded-for": f"198.51.{self._clients // 250}.{self._clients % 250 + 1}"}
        headers |= {name.replace("_", "-"): value for name, value in fields.items()}
        path, _, query = target.partition("?")
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "client": (HOST, 1),
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        }
        return asyncio.run(self._sent(scope, [body] if isinstance(body, bytes) else body))

    async def _sent(self, scope: dict[str, Any], parts: list[bytes]) -> Answer:
        waiting = list(parts)
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            if not waiting:
                await asyncio.sleep(3600)
            part = waiting.pop(0)
            return {"type": "http.request", "body": part, "more_body": bool(waiting) or part == b"..."}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        await self._asgi(scope, receive, send)
        lines = [(name.decode(), value.decode()) for name, value in sent[0]["headers"]]
        fields: dict[str, str] = {}
        for name, value in lines:
            fields[name] = f"{fields[name]}, {value}" if name in fields else value
        return Answer(sent[0]["status"], fields, b"".join(message["body"] for message in sent[1:]), lines)

    def post(self, target: str, body: Any, **fields: str) -> Answer:
        """A JSON body."""
        return self.ask(target, "POST", json.dumps(body).encode(), **{"content_type": "application/json", **fields})


def service(path: Path, *, rest: int = 120, **options: Any) -> Service:
    """A service over the small archive."""
    return Service(operation_context(small(path / "content"), path / "state", **options), rest=rest)


def load(state: str) -> Asgi:
    """The application of one worker over the edition, the index and the inbox under ``state``."""
    where = Path(state)
    site_app = SiteApp(
        None,
        LocalCounters(),
        SiteFields.of(site_config(base_url="https://archive.test")),
        limit=Limit("rest", 120, 60),
        observer=ClientAddressResolver([HOST]),
        queried=(FilteredLists(render_context), FilteredDatasets(render_context)),
    )
    site_app.edition = open_edition(pointer(where))
    inbox = Inbox(SqlInbox(opened(str(where / "inbox.sqlite"))), limit(30))
    worlds = ContextProvider(lambda: site_app.edition, where / "index", lambda: NOW, services=services_of(inbox))  # type: ignore[arg-type,return-value]
    site_app.actions = actions(ALL, ActionContext(site_app, worlds))
    return Asgi(site_app)


@contextlib.contextmanager
def acting(path: Path) -> Iterator[Server]:
    """A server over the small archive, ended at the end."""
    archive = small(path / "content")
    state = path / "state"
    edition(archive, state)
    build(archive, state / "index")
    port = free_port()
    with forked("support.server_with_actions:main", [str(state), str(port)], port) as server:
        yield server


def main(arguments: Sequence[str]) -> None:
    """Serve the state folder of ``acting`` at a port."""
    state, port = arguments
    serve(partial(load, state), port=int(port))


def problem_slug(answer: Any) -> str:
    """The problem type of an answer, as the last part of its URI."""
    assert answer.type == "application/problem+json"
    return str(answer.json()["type"].rpartition("#problem-")[2])
