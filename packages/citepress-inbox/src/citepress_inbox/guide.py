"""What guides say of submissions."""

from collections.abc import Iterator

from citepress.base.text import sentence_list
from citepress.contract.limits import Limit
from citepress.contract.page import Block, Code, Prose
from citepress.contract.settings_table import settings_of
from citepress.contract.site import Publication
from citepress.edition.examples import example_arguments
from citepress.edition.machine.interface import curl, member_table, submitting
from citepress.edition.render_context import RenderContext
from citepress_inbox.limits import MAX_SUBMISSION_BYTES, limit
from citepress_inbox.ports import Status
from citepress_inbox.settings import InboxLimits
from citepress_inbox.status import STATUS_PATH


def quota(site: Publication) -> Limit:
    """How many submissions one client may make."""
    return limit(settings_of(site, InboxLimits).inbox)


def rules(context: RenderContext) -> str:
    """How submissions are handled, and their limits."""
    names = ["HTTP", *(api.name for api in context.apis)]
    return _RULES.format(
        interfaces=sentence_list(names) + (" together" if names[1:] else ""),
        size=MAX_SUBMISSION_BYTES // 1024,
        day=quota(context.site).quota,
        status=STATUS_PATH,
        statuses=sentence_list([status.value for status in Status]),
    )


def inbox_guide(context: RenderContext) -> Iterator[Block]:
    """The section of the developer guide: every submission with an example and its members."""
    offered = list(submitting(context))
    if not offered:
        return
    yield Prose("inbox", "Inbox", rules(context))
    for operation, route in offered:
        name = f"inbox-{operation.name.removeprefix('submit_').replace('_', '-')}"
        yield Prose(name, operation.title, f"`POST {route.path}` {operation.description}")
        arguments = example_arguments(context, route)
        if arguments is not None:
            yield Code(f"{name}-example", f"Body of {route.path}", curl(context.url(route.path), arguments), "sh")
        yield member_table(f"{name}-members", f"Members of {route.path}", route)


_RULES = """Send proposals as JSON by POST; a person reviews them every Monday, and nothing is published directly. A
body may be up to {size} KiB and may contain only the members of its schema, each once (422 lists every fault).
Addresses of sources and evidence must be on public hosts. Each client may make {day} submissions in 24 hours, over
{interfaces}. The answer is 202 with the status document and its address in `Location`; repeating a
submission within 24 hours returns the earlier one with 200 and does not count. `RateLimit-Limit`, `-Remaining` and
`-Reset` describe whichever limit leaves less, the one on submissions or the one on requests; `RateLimit-Policy`
describes both. Beyond the limit the answer is 429 with `Retry-After`.

`GET {status}` reports the status: {statuses}. An accepted proposal is credited in the weekly update of its record.
Send no personal data."""
GUIDE = (inbox_guide,)
