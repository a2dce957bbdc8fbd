"""Free agent actions and the moderated inbox."""

ROWS = {
    ("Free agent actions and inbox", "inbox"): {
        "GET /agent-actions/contextualize.json": (
            "Published records that cite a URL, related records and patterns, its origin hub, next steps; no verdict."
        ),
        "POST /agent-inbox/source": "Queues a source proposal.",
        "POST /agent-inbox/correction": "Queues a correction report with evidence.",
        "POST /agent-inbox/usage-receipt": "Queues a usage receipt.",
        "GET /agent-inbox/submissions/<id>.json": "The status of a submission.",
        "inbox rule 1": "A body over 8 KiB is over the limit.",
        "inbox rule 2": "A repeat within 24 hours returns the earlier submission.",
        "inbox rule 3": "The same functions are MCP tools.",
    },
    ("Request-body shapes", "inbox"): {
        "body source.url": "url is a string, a URL.",
        "body source.related_record": "related_record is a record path such as <collection>/<slug>.",
        "body source.reason": "reason is a string.",
        "body source.agent": "agent is an object with name.",
        "query contextualize.url": "url is an https URL, URL-encoded.",
        "query contextualize.task": "task is optional free text.",
        "inbox bounds": (
            "Requiredness, bounds and item types, and the bodies of corrections and usage receipts, are not shown.",
            "The bounds of the publication design, section 3; unknown members are faults.",
        ),
        "inbox bodies": (
            "Response bodies of the inbox and the contextualizer are not shown.",
            "The status document of the publication design, section 3.",
        ),
        "inbox oversized": ("The status of an oversized inbox request is not shown.", "413 with limit_bytes."),
    },
    ("States and transitions", "inbox"): {
        "moderation": "A submission is queued, reviewed on Monday, and credited in the weekly update when accepted.",
        "moderation states": (
            "Status values and transitions are not shown.",
            "queued, in_review, accepted, credited; or declined, or duplicate.",
        ),
    },
    ("Authentication", "inbox"): {
        "authentication 1 inbox": "The contextualizer and the inbox need no key, login, account or payment."
    },
    ("Limits", "inbox"): {
        "limit inbox body": "An inbox body holds 8 KiB at most.",
        "limit inbox submissions": "30 submissions for each client in 24 hours.",
        "limit inbox duplicate": "A repeat within 24 hours returns the earlier submission.",
        "limit inbox review": "Review is weekly, on Monday.",
    },
    ("Inbox and free actions (publication design)", "inbox"): {
        "inbox accepted": "202 with the status document and its URL in Location and Content-Location.",
        "inbox repeat": "200, the earlier document, duplicate true; it costs no quota.",
        "inbox quota": (
            "The 31st in 24 hours is 429 with both policies; only 202 answers count and a restart forgets nothing."
        ),
        "inbox faults": "413, 415 with Accept, 400, 422: every fault with its pointer, unknown members rejected.",
        "inbox unknown record": "An unknown related_record is 422 with a pointer and the nearest ids.",
        "inbox get": "GET on a submission path is 405 with the request schema in the problem document.",
        "contextualize faults": (
            "A missing, non-https or over-long url is 400 with its parameter; no match is 200 with empty lists and "
            "next steps."
        ),
    },
}
