"""The media types that are sent, and the synonyms a client may ask for them by."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Media:
    """One representation type: its name in statistics, the type sent, and other types that mean it."""

    name: str
    """``html markdown json text xml``, or ``asset`` for files of the theme and ``static/``."""
    sent: str
    """The ``Content-Type`` that goes out, parameters included."""
    synonyms: tuple[str, ...] = ()
    """Bare types that are accepted instead of a 406, besides the one sent."""

    type: str = field(init=False, compare=False, repr=False)
    """The bare type, without parameters."""
    accepted: tuple[str, ...] = field(init=False, compare=False, repr=False)
    """Every bare type under which this media fits an Accept field."""

    def __post_init__(self) -> None:
        """Work out the bare types: every leaf names them."""
        object.__setattr__(self, "type", self.sent.partition(";")[0])
        object.__setattr__(self, "accepted", (self.type, *self.synonyms))

    @property
    def is_json(self) -> bool:
        """JSON answers carry the RateLimit and deprecation fields and count against the REST limit."""
        return self.name == "json"


HTML = Media("html", "text/html; charset=utf-8", ("application/xhtml+xml",))
MARKDOWN = Media("markdown", "text/markdown; charset=utf-8", ("text/plain",))
JSON = Media("json", "application/json")
SCHEMA = Media("json", "application/json", ("application/schema+json",))
FEED_JSON = Media("json", "application/feed+json", ("application/json",))
LINKSET = Media(
    "json", 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"', ("application/json",)
)
RECORD_LINKSET = Media("json", "application/linkset+json", ("application/json",))
BIBTEX = Media("text", "application/x-bibtex; charset=utf-8", ("text/x-bibtex", "text/plain"))
RIS = Media("text", "application/x-research-info-systems; charset=utf-8", ("text/plain",))
CSL_JSON = Media("json", "application/vnd.citationstyles.csl+json", ("application/json",))
LINK_FORMAT = Media("text", "application/link-format", ("text/plain",))
OPENAPI = Media("json", "application/json", ("application/vnd.oai.openapi+json", "application/openapi+json"))
KEY_DIRECTORY = Media(
    "json", "application/http-message-signatures-directory+json", ("application/jwk-set+json", "application/json")
)
OCTETS = Media("asset", "application/octet-stream")
JAVASCRIPT = Media("asset", "text/javascript; charset=utf-8")
PLAIN_TEXT = Media("text", "text/plain; charset=utf-8", ("text/markdown",))
CSV = Media("text", "text/plain; charset=utf-8", ("text/csv",))
XML = Media("xml", "application/xml; charset=utf-8", ("text/xml",))
RSL = Media("xml", "application/rsl+xml", ("application/xml", "text/xml"))
FEED_XML = Media("xml", "application/xml; charset=utf-8", ("text/xml", "application/atom+xml", "application/rss+xml"))

PROBLEM_JSON = "application/problem+json"
