"""The environment variables of servers that take editions and share counters."""

from citepress.settings import Variable

VARIABLES = (
    Variable("VALKEY_URL", "Valkey address of the shared counters, for several hosts", secret=True),
    Variable("EDITION", "object store of citepress.asgi:application, instead of a content folder"),
    Variable("SETTINGS", "settings file of citepress.asgi:application without a content folder"),
    Variable("EDITION_KEY", "public key of the publisher whose editions serve --edition takes"),
)
