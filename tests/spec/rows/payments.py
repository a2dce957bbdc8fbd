"""Paid compute products and their handshake."""

ROWS = {
    ("Paid compute products", "payments"): {
        "GET /agent-payments/payment-capabilities": "Live product ids, prices, rails, preflight and replay policy.",
        "POST /agent-payments/research-bundle-v2": "Fixed-price USDC rails.",
        "POST /agent-payments/research-bundle-v2/volatile/<rail_slug>": "One short-lived server-priced rail.",
        "POST /agent-payments/research-bundle-v2/native/<rail_slug>": "One exact-direct native rail.",
        "POST /agent-payments/prior-coverage": "Paid prior-coverage check with a verdict.",
        "payment headers": "PAYMENT-SIGNATURE on the retry; PAYMENT-REQUIRED on a sellable preflight; JSON bodies.",
        "payment slugs": (
            "Slugs of the other volatile and native rails are not shown.",
            "The rail table of the payments design.",
        ),
        "payment bodies": (
            "Response bodies of these endpoints and of the capabilities are not shown.",
            "The shapes of the payments design.",
        ),
    },
    ("Request-body shapes", "payments"): {
        "body bundle.query": "query is a string.",
        "body bundle.max_sources": "max_sources is an integer.",
        "body bundle.known_stable_ids": "known_stable_ids is an array of stable identifiers.",
        "body coverage.topic": "topic is a string.",
        "body coverage.freshness_days": "freshness_days is an integer.",
        "payment bounds": (
            "Requiredness and bounds of these fields are not shown.",
            "The bounds of the payments design.",
        ),
    },
    ("States and transitions", "payments"): {
        "handshake preflight": "A valid unsigned request that can be sold is 402 with PAYMENT-REQUIRED.",
        "handshake refused": "An invalid, empty or under-evidenced request is not settled.",
        "handshake settled": "A retry with PAYMENT-SIGNATURE and the same bytes settles and returns the result.",
        "handshake native": "A native transfer with the terms hash is released after finality only.",
        "handshake replay": "A replay with the original payment returns the result without another settlement.",
    },
    ("Authentication", "payments"): {
        "authentication 1 payments": "The capabilities need no key, login, account or payment.",
        "authentication 2": "Authorization is a payment: PAYMENT-SIGNATURE on the retry after a 402.",
        "authentication 3": "The retry body is byte-identical to the preflight body.",
        "authentication 4": "The buyer enforces its own policy before signing: terms carry all that it needs.",
        "authentication 5": "Native transfers include the returned terms-hash data or memo.",
        "payment encoding": (
            "The encoding of the payment header values is not shown.",
            "Base64 of JSON, as in the payments design.",
        ),
    },
    ("Errors", "payments"): {
        "error payment": "A sellable paid request without valid payment is 402 with PAYMENT-REQUIRED.",
        "error payment invalid": "An invalid, empty or under-evidenced request gets no 402 and no settlement.",
        "error payment statuses": (
            "Status codes for invalid paid requests are not shown.",
            "400, 413, 415 and 422 as for the inbox.",
        ),
    },
    ("Limits", "payments"): {
        "limit payments": ("Quota values for the paid products are not shown.", "The values of the payments design.")
    },
}
