"""Record kinds and the facts stated of their fields and of other documents."""

ROWS = {
    ("Record kinds and their routes", "publication"): {
        "kind posts": "Field notes: /posts.json, then HTML, Markdown and JSON for each.",
        "kind signals": (
            "Raw signals: /signals.json and /signals/page/<page>.json, then HTML, Markdown and JSON for each."
        ),
        "kind patterns": "Trend patterns: /patterns.json, then HTML, Markdown and JSON for each.",
        "kind topics": "Topic hubs: /topics.json, then HTML and Markdown for each.",
        "kind shifts": ("Shift: detail routes are not shown.", "/shifts/<slug>/, .md and .json."),
        "kind deltas": ("Delta: detail routes are not shown.", "/deltas/<slug>/, .md and .json."),
        "kind graveyard": ("Graveyard record: detail routes are not shown.", "/graveyard/<slug>/, .md and .json."),
        "kind projects": ("Project blueprint: detail routes are not shown.", "/projects/<slug>/, .md and .json."),
        "kind systems": ("System dossier: detail routes are not shown.", "/systems/<slug>/, .md and .json."),
        "kind learn": ("Learn guide: detail routes are not shown.", "/learn/<slug>/, .md and .json."),
        "kind origins": "Source origins: /source-entities.json lists what /sources/<origin>.json tells.",
        "kind ledger": "The source ledger is one document, /source-ledger.json.",
        "kind dataset": "A dataset has a landing page with v1.json, v1.csv and schema.json beside it.",
        "kind graph": "The discovery graph: /discovery-graph.json lists the shards.",
        "kind owner": "The owner: profile, discovery document and Markdown twin.",
    },
    ("Field facts", "publication"): {
        "field schema_version": "Every record has schema_version.",
        "field FieldNoteRecord": "A field note has retrieval_nugget and source URLs.",
        "field RawSignalRecord": "A raw signal has provenance and related patterns.",
        "field TrendPatternRecord": "A trend pattern has confidence, counter-evidence and a revision trigger.",
        "field Delta": "A delta has a verification level and a buildability class.",
        "field page_count": "/signals.json has page_count.",
        "field presence schema": (
            "The presence schema covers PresenceEvent, AttentionPacket, SyndicationReceipt, AuthorityAsset and "
            "ReturnSignal."
        ),
        "field machine-consumption schema": (
            "The machine-consumption schema is schema_version 1 with optional v1.1 gateway fields."
        ),
        "field discovery graph": "A shard has stable nodes and typed physical or knowledge edges.",
        "field experiments": "Experiments are pre-registered: hypotheses, baselines, metrics, windows, stopping rules.",
        "field recall probes": "Recall probes are versioned questions on canonical citations, with scoring rules.",
        "field json feed": "/feed.json is JSON Feed 1.1.",
        "field api catalog": "The API catalog is an RFC 9727 linkset.",
        "fields beyond": (
            "Fields of every record schema beyond those in the table are not shown.",
            "The shared members and each kind's own of the publication design, all described in the published schemas.",
        ),
    },
    ("Field facts", "telemetry"): {
        "field crawler journeys": (
            "24-hour, 7-day and 30-day aggregates of bot families: materials, depth, entrypoints, terminal routes, "
            "transitions."
        ),
        "field page readership": (
            "Successful named automation across a page's HTML, JSON and Markdown, over 24 hours and an observed window."
        ),
        "field bot traffic": (
            "Traffic is classed as crawler, AI user agent, human page view, machine route or scanner noise."
        ),
    },
}
